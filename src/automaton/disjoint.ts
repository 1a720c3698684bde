/** Whether an automaton that stops at the first match rejects every string that a pattern matches as a whole. */
import { end, members, start } from "../pattern/charset.ts";
import type { Tree } from "../pattern/tree.ts";
import type { Dfa } from "./dfa.ts";
import { toNfa } from "./nfa.ts";

/** Reads all strings that `tree` matches from end to end; RangeError if an end of the string or the empty string is one. */
export function isDisjoint(tree: Tree, dfa: Dfa): boolean {
  const nfa = toNfa([tree]);
  const seen = new Set<number>();
  const queue: [position: number, state: number][] = [];
  const read = (positions: readonly number[], state: number): void => {
    for (const position of positions)
      for (const symbol of members(nfa.sets[position]!)) {
        if (symbol === start || symbol === end)
          throw new RangeError("the ends of the string are not a part of it here");
        const to = dfa.next[state * dfa.classCount + dfa.classOf[symbol]!]!;
        const key = position * dfa.stateCount + to;
        if (seen.has(key)) continue;
        seen.add(key);
        queue.push([position, to]);
      }
  };
  read(nfa.first, dfa.initial);
  for (let i = 0; i < queue.length; i++) {
    const [position, state] = queue[i]!;
    // What is accepted on the way stays accepted.
    if (dfa.output[state] !== 0 || (nfa.accepts[position] !== 0 && dfa.endOutput[state] !== 0)) return false;
    read(nfa.follow[position]!, state);
  }
  return true;
}
