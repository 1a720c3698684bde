/** The deciding automata as a file, for programs in other languages; docs/automaton.md says how to read it. */
import type { DecidingTables } from "../../detect/compiled-catalogue.ts";
import { fromBytesText } from "../../detect/text.ts";

/**
 * Returns the file's bytes: automata in the format `WCA5`, one after another; a string that any of them accepts is a crawler's. `own` is
 * the automaton of a catalogue's own entries, if it has some.
 */
export function exportAutomaton({ anchored, unanchored }: DecidingTables, own?: Uint8Array): Uint8Array {
  return Uint8Array.from([own ?? [], ...[...anchored, unanchored].map(fromBytesText)].flatMap((table) => [...table]));
}
