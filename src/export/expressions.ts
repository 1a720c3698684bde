/**
 * The expressions of a catalogue: the whole expression in every spelling (flavor) that engines need, and the expression of each item, from
 * which exports are made.
 */
import type { CompiledCatalogue, ItemFacts } from "../detect/compiled-catalogue.ts";
import { portableOf } from "../detect/name-index.ts";
import { finish } from "../pattern/finish.ts";
import { flavors } from "../pattern/flavors.ts";
import { parsePattern } from "../pattern/parse.ts";
import { print } from "../pattern/print.ts";
import { cutExpression, maxCharactersForV8, splitExpression } from "../pattern/split-expression.ts";

type Expressions = Readonly<Record<string, string>>;
const written = new WeakMap<Pick<CompiledCatalogue, "expression">, Expressions>();

/** The expression by the name of its flavor; `portable` is first. All are written when another one is first read, and kept. */
export function toExpressions(catalogue: Pick<CompiledCatalogue, "expression">): Expressions {
  const members = [...Object.keys(flavors), "split"].map((name) => {
    const get = () => (name === "portable" ? catalogue.expression : finish(writeExpressions(catalogue))[name]);
    return [name, { get, enumerable: true }] as const;
  });
  return Object.defineProperties({}, Object.fromEntries(members));
}

/** Patterns of so many characters are written in a millisecond or two. */
const maxPieceLength = 300;
const stepLength = 100;

/** Writes the same in steps. */
export function* writeExpressions(catalogue: Pick<CompiledCatalogue, "expression">): Generator<undefined, Expressions> {
  const known = written.get(catalogue);
  if (known !== undefined) return known;
  const { expression } = catalogue;
  const parts = Object.entries(flavors).map(([name, flavor]) => ({ name, flavor, texts: [] as string[] }));
  let length = 0;
  for (const piece of cutExpression(expression, maxPieceLength)) {
    length += piece.length;
    if (length > stepLength) {
      yield;
      length = 0;
    }
    const isPattern = !/^[|)]|^\(\?:$/.test(piece);
    const tree = isPattern ? parsePattern(piece, { printed: true }) : undefined;
    for (const { flavor, texts } of parts) {
      texts.push(tree === undefined ? (piece === "(?:" ? flavor.group : piece) : print(tree, flavor));
    }
  }
  yield;
  const expressions = {
    ...Object.fromEntries(parts.map(({ name, texts }) => [name, texts.join("")])),
    portable: expression,
    split: splitExpression(expression, maxCharactersForV8).join("\n"),
  };
  written.set(catalogue, expressions);
  return expressions;
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
