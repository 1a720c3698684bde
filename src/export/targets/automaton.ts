/** The deciding automata as a file, for programs in other languages; docs/automaton.md says how to read it. */
import { anchored, unanchored } from "../../generated/decision.ts";

/** Returns the file's bytes: automata in the format `WCA2`, one after another; a crawler is whom any of them accepts. */
export function exportAutomaton(): Uint8Array {
  return Uint8Array.from(atob(anchored) + atob(unanchored), (char) => char.charCodeAt(0));
}
