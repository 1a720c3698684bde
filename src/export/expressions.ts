/** The expression in every spelling (flavor) that engines need; the build has printed them. */
import { expression } from "../generated/expression.ts";
import { spellings } from "../generated/spellings.ts";
import { flavors } from "../pattern/flavors.ts";

/** The expression by the name of its flavor; `portable` is first. */
export const expressions: Readonly<Record<string, string>> = { portable: expression, ...spellings };

/** What each flavor is for, in one line. */
export const flavorNotes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(flavors).map(([name, { what }]) => [name, what]),
);
