/** Explains the verdicts of the detector that this package was built with; what that needs is made at the first call. */
import { items } from "../generated/identification.ts";
import { namesOnly, rules } from "../generated/rules.ts";
import { detector } from "./default.ts";
import { createExplainer, type ExplainedMatch, type ExplainedVerdict, type RuleFacts } from "./explain.ts";
import type { ItemFacts } from "./identify.ts";

let explainer: ((useragent: string) => ExplainedMatch[]) | undefined;

/** The verdict on `useragent` with its explanation; never throws, but takes about a millisecond. */
export function explain(useragent: string): ExplainedVerdict {
  explainer ??= createExplainer({
    items: JSON.parse(items) as ItemFacts[],
    rules: JSON.parse(rules) as RuleFacts[],
    namesOnly,
  });
  return { ...detector.check(useragent), explanation: explainer(useragent) };
}
