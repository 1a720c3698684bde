/** Explains verdicts with the facts that this package was built with. */
import { alternatives, rules } from "../../generated/rules.ts";
import type { ExplainingFacts, RuleFacts } from "../compiled-catalogue.ts";
import { createExplain } from "../explain.ts";
import type { ExplainedVerdict, UserAgent } from "../verdict.ts";
import { check } from "./check.ts";
import { items, nameIndex } from "./items.ts";

/** What explaining needs; read when it is asked for. */
export const explainingFacts: ExplainingFacts = {
  get items() {
    return items();
  },
  get nameIndex() {
    return nameIndex();
  },
  get rules() {
    return JSON.parse(rules) as RuleFacts[];
  },
  alternatives,
};

const explainText = /* @__PURE__ */ createExplain(check, explainingFacts);

/** The verdict on `useragent` with its explanation; takes about a millisecond. */
export function explain(useragent: UserAgent): ExplainedVerdict {
  return explainText(useragent);
}
