/**
 * The expressions of a catalogue: of the whole in every spelling (flavor) that engines need, all but the split one printed by the compiler,
 * and of each item, which exports are made of.
 */
import type { CompiledCatalogue, ItemFacts } from "../detect/compiled-catalogue.ts";
import { flavors } from "../pattern/flavors.ts";
import { mostForV8, splitExpression } from "../pattern/split-expression.ts";

/** The expression by the name of its flavor; `portable` is first. */
export function toExpressions({
  expression,
  spellings,
}: Pick<CompiledCatalogue, "expression" | "spellings">): Readonly<Record<string, string>> {
  return { portable: expression, ...spellings, split: splitExpression(expression, mostForV8).join("\n") };
}

/** What each flavor is for, in one line. */
export const flavorNotes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(flavors).map(([name, { what }]) => [name, what])),
  split: "the portable one in parts, one a line: a crawler is what any of them matches (Node, Chrome: faster)",
};

/** An item with its expression, which exceptions are worked into. A rule has no name. */
export interface Item extends ItemFacts {
  readonly expression: string;
}

/** Every entry and rule. The first that matches a crawler's string names it. */
export function itemsInPrecedence({ items, attribution }: Pick<CompiledCatalogue, "items" | "attribution">): Item[] {
  return items.map((facts, index) => ({ ...facts, expression: attribution[index]! }));
}
