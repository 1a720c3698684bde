/** The deciding automaton as a file, for programs in other languages; docs/automaton.md says how to read it. */
import { decision } from "../generated/decision.ts";

/** Returns the file's bytes: format `WCA1`. */
export function exportAutomaton(): Uint8Array {
  return Uint8Array.from(atob(decision), (char) => char.charCodeAt(0));
}
