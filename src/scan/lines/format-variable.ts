/** A variable of a format string. */
import type { FieldName } from "./line.ts";

/**
 * What the text of a variable looks like, which tells where it ends if no quotation mark does: a word without blanks; a list of words
 * (`0.001, 0.002`); a request line; a time; or any text.
 */
export type Shape = "word" | "list" | "request" | "time" | "text";

export interface Variable {
  /** Undefined for what is not needed. */
  readonly field: FieldName | undefined;
  readonly shape: Shape;
  /** Of a time with a format of its own. */
  readonly pattern?: string;
  /** Whether it is a part of an address, which may stand beside others: `$uri$is_args$args`. */
  readonly isOfUrl?: true;
}
