/** Inclusion of languages: whether an automaton already accepts every string in which a pattern occurs. */
import { end, members, start } from "../../pattern/charset.ts";
import type { Tree } from "../../pattern/tree.ts";
import type { Dfa } from "./dfa.ts";
import { toNfa } from "./nfa.ts";

/** Makes the function that tests a pattern; `dfa` must be absorbing (reading stops at the first output). */
export function createCover(dfa: Dfa): (tree: Tree) => boolean {
  const universal = universalStates(dfa);
  const rejecting = [...reachableStates(dfa)].filter((state) => dfa.output[state] === 0);
  return (tree) => {
    const nfa = toNfa([tree]);
    // Pairs of the last position and the automaton's state there; any text can precede.
    const seen = new Set<number>();
    const queue: [position: number, state: number][] = [];
    const reach = (position: number, state: number): void => {
      const key = position * dfa.stateCount + state;
      if (seen.has(key)) return;
      seen.add(key);
      queue.push([position, state]);
    };
    let covered = true;
    const read = (position: number, from: readonly number[]): void => {
      for (const symbol of members(nfa.sets[position]!)) {
        if (symbol === start) reach(position, dfa.initial);
        else if (symbol === end) {
          // The end of the string: the output there decides.
          if (nfa.accepts[position] && from.some((state) => dfa.endOutput[state] === 0)) covered = false;
        } else for (const state of from) reach(position, dfa.next[state * dfa.classCount + dfa.classOf[symbol]!]!);
      }
    };
    for (const position of nfa.first) read(position, rejecting);
    for (let i = 0; covered && i < queue.length; i++) {
      const [position, state] = queue[i]!;
      if (dfa.output[state] !== 0) continue;
      if (nfa.accepts[position] && !universal[state]) return false;
      for (const next of nfa.follow[position]!) read(next, [state]);
    }
    return covered;
  };
}

/** The reachable states; an automaton that is not minimal has others, too. */
function reachableStates(dfa: Dfa): Set<number> {
  const reached = new Set([dfa.initial]);
  for (const state of reached)
    for (let c = 0; c < dfa.classCount; c++) reached.add(dfa.next[state * dfa.classCount + c]!);
  return reached;
}

/** The states from which every remainder, including the empty one, is accepted. */
function universalStates(dfa: Dfa): Uint8Array {
  const universal = new Uint8Array(dfa.stateCount).fill(1);
  for (let state = 0; state < dfa.stateCount; state++) if (dfa.endOutput[state] === 0) universal[state] = 0;
  for (let changed = true; changed; ) {
    changed = false;
    for (let state = 0; state < dfa.stateCount; state++) {
      if (!universal[state] || dfa.output[state] !== 0) continue;
      for (let c = 0; c < dfa.classCount; c++)
        if (!universal[dfa.next[state * dfa.classCount + c]!]) {
          universal[state] = 0;
          changed = true;
          break;
        }
    }
  }
  return universal;
}
