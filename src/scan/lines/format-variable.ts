/** A variable of a format string. */
import type { FieldName } from "./line.ts";

/**
 * What the text of a variable looks like, which tells where it ends if no quotation mark does: a word without blanks; a list of words
 * (`0.001, 0.002`); a request line; a time; or any text.
 */
export type Shape = "word" | "list" | "request" | "time" | "text";

/** A variable that is a word. */
export function wordOf(field: FieldName | undefined): Variable {
  return { field, shape: "word" };
}

/** The variables by their names, which are separated by spaces. */
export function toVariables(
  rows: readonly (readonly [names: string, variable: Variable])[],
): Readonly<Record<string, Variable>> {
  return Object.fromEntries(rows.flatMap(([names, variable]) => names.split(" ").map((name) => [name, variable])));
}

export interface Variable {
  /** Undefined for what is not needed. */
  readonly field: FieldName | undefined;
  readonly shape: Shape;
  /** Of a time with a format of its own. */
  readonly pattern?: string;
  /** Whether it is a part of an address, which may stand beside others: `$uri$is_args$args`. */
  readonly isOfUrl?: true;
}
