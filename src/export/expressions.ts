/** The expression of a catalogue in every spelling (flavor) that engines need; the compiler has printed them. */
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { flavors } from "../pattern/flavors.ts";

/** The expression by the name of its flavor; `portable` is first. */
export function toExpressions({
  expression,
  spellings,
}: Pick<CompiledCatalogue, "expression" | "spellings">): Readonly<Record<string, string>> {
  return { portable: expression, ...spellings };
}

/** What each flavor is for, in one line. */
export const flavorNotes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(flavors).map(([name, { what }]) => [name, what]),
);
