/** One automaton of a pattern, as bytes (docs/automaton.md). */
import { toNfa } from "../../pattern/nfa.ts";
import type { Tree } from "../../pattern/tree.ts";
import { determinize } from "./dfa.ts";
import { encodeTable } from "./encode-table.ts";
import { minimize } from "./minimize.ts";

/** The bytes of the smallest automaton that accepts the strings in which `tree` occurs. */
export function encodeAutomaton(tree: Tree): Uint8Array {
  return encodeTable(minimize(determinize(toNfa([tree]), { absorbing: true })));
}
