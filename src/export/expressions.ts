/**
 * The expressions of a catalogue: the whole expression in every spelling (flavor) that engines need, and the expression of each item, from
 * which exports are made.
 */
import { once } from "../cache/once.ts";
import type { CompiledCatalogue, ItemFacts } from "../detect/compiled-catalogue.ts";
import { portableOf } from "../detect/name-index.ts";
import { flavors } from "../pattern/flavors.ts";
import { parsePattern } from "../pattern/parse.ts";
import { print } from "../pattern/print.ts";
import { maxCharactersForV8, splitExpression } from "../pattern/split-expression.ts";

/** The expression by the name of its flavor; `portable` is first. Each is written when it is first read, and kept. */
export function toExpressions(catalogue: Pick<CompiledCatalogue, "expression">): Readonly<Record<string, string>> {
  const tree = once(() => parsePattern(catalogue.expression, { printed: true }));
  const write: Record<string, () => string> = {};
  for (const [name, flavor] of Object.entries(flavors)) write[name] = () => print(tree(), flavor);
  write.portable = () => catalogue.expression;
  write.split = () => splitExpression(catalogue.expression, maxCharactersForV8).join("\n");
  const members = Object.entries(write).map(([name, make]) => [name, { get: once(make), enumerable: true }] as const);
  return Object.defineProperties({}, Object.fromEntries(members));
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
  /** Whether the expression is in lowercase, for engines that then ignore case: in short exports. */
  readonly ignoresCase?: true;
}

/** Every entry and rule. The first that matches a crawler's string names it. */
export function itemsInPrecedence({ items, nameIndex }: Pick<CompiledCatalogue, "items" | "nameIndex">): Item[] {
  return items.map((facts, index) => ({ ...facts, expression: portableOf(nameIndex[index]!) }));
}
