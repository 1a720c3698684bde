/** The strings that the catalogue of this package was evaluated against. */
import { strings as text } from "../../generated/strings.ts";

let read: readonly string[] | undefined;

/** The strings, in their order; read at the first call. */
export function strings(): readonly string[] {
  read ??= JSON.parse(text) as string[];
  return read;
}
