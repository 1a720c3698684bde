/** Tells crawlers that only a rule knows from those with an entry, by the pattern that a verdict names. */
import { items } from "../generated/identification.ts";
import type { ItemFacts } from "./identify.ts";

let patterns: ReadonlySet<string> | undefined;

/** Whether a verdict's pattern is a rule's. */
export function isRulePattern(pattern: string): boolean {
  patterns ??= new Set(
    (JSON.parse(items) as ItemFacts[]).filter(({ name }) => name === undefined).map(({ pattern }) => pattern),
  );
  return patterns.has(pattern);
}
