/** The deciding automata as a file, for programs in other languages; docs/automaton.md says how to read it. */
import type { CompiledCatalogue } from "../../detect/compiled-catalogue.ts";

/** Returns the file's bytes: automata in the format `WCA4`, one after another; a string that any of them accepts is a crawler's. */
export function exportAutomaton({ deciding }: Pick<CompiledCatalogue, "deciding">): Uint8Array {
  return Uint8Array.from([...deciding.anchored, deciding.unanchored].flatMap((table) => [...table]));
}
