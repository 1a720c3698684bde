/** The expression of a catalogue in every spelling (flavor) that engines need; the compiler has printed all but the split one. */
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
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
