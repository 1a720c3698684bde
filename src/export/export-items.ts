/** What exports are made of: the alternatives that decide, and every item of the catalogue in the order of precedence. */
import type { ItemFacts } from "../detect/compiled-catalogue.ts";
import { alternatives } from "../generated/alternatives.ts";
import { attribution } from "../generated/attribution.ts";
import { items } from "../generated/identification.ts";

/** An item with its expression, which exceptions are worked into. A rule has no name. */
export interface Item extends ItemFacts {
  readonly expression: string;
}

/** Any of these matches a crawler's string, and no other string. */
export const crawlerExpressions: readonly string[] = alternatives;

/** Every entry and rule. Of those whose expressions match a crawler's string, the first says whose it is. */
export function itemsInPrecedence(): Item[] {
  return (JSON.parse(items) as ItemFacts[]).map((facts, index) => ({ ...facts, expression: attribution[index]! }));
}
