/** The items of a catalogue in the order of precedence, each with its expression: what exports are made of. */
import type { CompiledCatalogue, ItemFacts } from "../detect/compiled-catalogue.ts";

/** An item with its expression, which exceptions are worked into. A rule has no name. */
export interface Item extends ItemFacts {
  readonly expression: string;
}

/** Every entry and rule. The first that matches a crawler's string names it. */
export function itemsInPrecedence({ items, attribution }: Pick<CompiledCatalogue, "items" | "attribution">): Item[] {
  return items.map((facts, index) => ({ ...facts, expression: attribution[index]! }));
}
