/** The entries and rules that this package was built with, parsed once, and functions on them. */
import { items as itemsText } from "../../generated/identification.ts";
import type { ItemFacts } from "../compiled-catalogue.ts";
import { fromItemsText } from "./items-text.ts";

export { wellKnown } from "../../generated/well-known.ts";

let parsed: readonly ItemFacts[] | undefined;
let rulePatterns: ReadonlySet<string> | undefined;

/** Every entry and rule, in the order of precedence. */
export function items(): readonly ItemFacts[] {
  parsed ??= fromItemsText(itemsText);
  return parsed;
}

/** Whether a verdict's pattern is a rule's: the crawler has no entry. */
export function isRulePattern(pattern: string): boolean {
  rulePatterns ??= new Set(items().flatMap((item) => (item.name === undefined ? item.pattern : [])));
  return rulePatterns.has(pattern);
}
