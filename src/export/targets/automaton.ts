/** The deciding automata as a file, for programs in other languages; docs/automaton.md says how to read it. */
import { fromBytesText } from "../../detect/text.ts";
import { anchored, unanchored } from "../../generated/decision.ts";

/** Returns the file's bytes: automata in the format `WCA3`, one after another; a string that any of them accepts is a crawler's. */
export function exportAutomaton(): Uint8Array {
  return Uint8Array.from([...anchored, unanchored].flatMap((text) => [...fromBytesText(text)]));
}
