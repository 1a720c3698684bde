/**
 * The expressions of a catalogue: the whole expression in every spelling (flavor) that engines need, all but the split one printed by the
 * compiler, and the expression of each item, from which exports are made.
 */
import type { CompiledCatalogue, ItemFacts } from "../detect/compiled-catalogue.ts";
import { flavors } from "../pattern/flavors.ts";
import { maxCharactersForV8, splitExpression } from "../pattern/split-expression.ts";

/** The expression by the name of its flavor; `portable` is first. */
export function toExpressions({
  expression,
  spellings,
}: Pick<CompiledCatalogue, "expression" | "spellings">): Readonly<Record<string, string>> {
  return { portable: expression, ...spellings, split: splitExpression(expression, maxCharactersForV8).join("\n") };
}

/** What each flavor is for, in one line. */
export const flavorNotes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(flavors).map(([name, { what }]) => [name, what])),
  split:
    "the portable one in parts, one per line: a string is a crawler's if any part matches (faster in Node and Chrome)",
};

/** An item with its expression, which already accounts for exceptions. A rule has no name. */
export interface Item extends ItemFacts {
  readonly expression: string;
}

/** Every entry and rule. The first that matches a crawler's string names it. */
export function itemsInPrecedence({ items, attribution }: Pick<CompiledCatalogue, "items" | "attribution">): Item[] {
  return items.map((facts, index) => ({ ...facts, expression: attribution[index]! }));
}
