/** Explains the verdicts of this package's catalogue; what that needs is made at the first call. */
import { items } from "../generated/identification.ts";
import { namesOnly, rules } from "../generated/rules.ts";
import { check } from "./check.ts";
import { createExplainer, type ExplainedMatch, type ExplainedVerdict, type RuleFacts } from "./explain.ts";
import type { ItemFacts } from "./identify.ts";
import type { UserAgent } from "./verdict.ts";

let explainer: ((useragent: string) => ExplainedMatch[]) | undefined;

/** The verdict on `useragent` with its explanation; takes about a millisecond. */
export function explain(useragent: UserAgent): ExplainedVerdict {
  explainer ??= createExplainer({
    items: JSON.parse(items) as ItemFacts[],
    rules: JSON.parse(rules) as RuleFacts[],
    namesOnly,
  });
  const verdict = check(useragent);
  return { ...verdict, explanation: explainer(verdict.useragent) };
}
