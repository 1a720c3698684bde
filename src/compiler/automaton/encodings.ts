/** Whether an automaton has the same output for a text in Latin-1, UTF-8, UTF-16 and code points. */
import { nonAscii } from "../../pattern/charset.ts";
import type { Dfa } from "./dfa.ts";

/**
 * A character beyond ASCII is one symbol in Latin-1 and as a code point, one or two in UTF-16, two to four in UTF-8. So the
 * answers agree if and only if several such symbols in a row do what one does; `dfa` must be minimal.
 */
export function ignoresEncoding({ next, classOf, classCount, stateCount }: Dfa): boolean {
  const read = (state: number): number => next[state * classCount + classOf[nonAscii]!]!;
  for (let state = 0; state < stateCount; state++) if (read(read(state)) !== read(state)) return false;
  return true;
}
