/** The deciding automata as a file, for programs in other languages; docs/automaton.md says how to read it. */
import type { CompiledCatalogue, DecidingTables, Overlay } from "../../detect/compiled-catalogue.ts";
import { UserError } from "../../text/errors.ts";

/** Returns the file's bytes: automata in the format `WCA4`, one after another; a string that any of them accepts is a crawler's. */
export function exportAutomaton({
  deciding,
  overlays = [],
}: Pick<CompiledCatalogue, "deciding" | "overlays">): Uint8Array {
  const all = [...overlays.map(tablesOf), deciding];
  const files = all.flatMap(({ anchored, unanchored }) => [...anchored, unanchored]);
  return Uint8Array.from(files.flatMap((table) => [...table]));
}

function tablesOf({ deciding }: Overlay): DecidingTables {
  if (deciding === undefined) throw new UserError("An extended detector has no automata: compile its entries.");
  return deciding;
}
