/** Inclusion of languages: whether an automaton already accepts every string in which a pattern occurs. */
import { type CharSet, end, members, start } from "../../pattern/charset.ts";
import { toNfa } from "../../pattern/nfa.ts";
import type { Tree } from "../../pattern/tree.ts";
import type { Dfa } from "./dfa.ts";

/** What a set reads: characters, as classes of the automaton, and the ends of the string. */
interface Read {
  readonly classes: readonly number[];
  readonly hasStart: boolean;
  readonly hasEnd: boolean;
}

/** Makes the function that tests a pattern; `dfa` must be absorbing (reading stops at the first output). */
export function createCover(dfa: Dfa): (tree: Tree) => boolean {
  const { stateCount, classCount, classOf, next, output, endOutput } = dfa;
  const universal = universalStates(dfa);
  const rejecting = [...reachableStates(dfa)].filter((state) => output[state] === 0);
  // Read by class, not by symbol, and remembered: some hundred sets occur in thousands of patterns.
  const readBySet = new Map<CharSet, Read>();
  const readOf = (set: CharSet): Read => {
    let read = readBySet.get(set);
    if (read === undefined) {
      const symbols = members(set);
      const characters = symbols.filter((symbol) => symbol !== start && symbol !== end);
      const classes = [...new Set(characters.map((symbol) => classOf[symbol]!))];
      read = { classes, hasStart: symbols.includes(start), hasEnd: symbols.includes(end) };
      readBySet.set(set, read);
    }
    return read;
  };
  /** By class: the states after it, if any text precedes. */
  const after: (readonly number[] | undefined)[] = [];
  const statesAfter = (c: number): readonly number[] => {
    after[c] ??= [...new Set(rejecting.map((state) => next[state * classCount + c]!))];
    return after[c];
  };
  const mayRejectAtEnd = rejecting.some((state) => endOutput[state] === 0);
  let seen = new Uint8Array(0);
  return (tree) => {
    const { sets, first, follow, accepts } = toNfa([tree]);
    // The product of both automata: pairs of the position that was read last and the state there. The first pair in which the
    // pattern is matched and the automaton may still reject ends the search.
    const pairs: number[] = [];
    if (seen.length < sets.length * stateCount) seen = new Uint8Array(sets.length * stateCount);
    else seen.fill(0);
    const mayBeCovered = (position: number, state: number): boolean => {
      const pair = position * stateCount + state;
      if (output[state] !== 0 || seen[pair] !== 0) return true;
      seen[pair] = 1;
      pairs.push(pair);
      return accepts[position] === 0 || universal[state] !== 0;
    };
    for (const position of first) {
      const { classes, hasStart, hasEnd } = readOf(sets[position]!);
      // The start of the string comes before all characters: only the first position of a match reads it.
      if (hasStart && !mayBeCovered(position, dfa.initial)) return false;
      if (hasEnd && accepts[position] !== 0 && mayRejectAtEnd) return false;
      for (const c of classes) for (const state of statesAfter(c)) if (!mayBeCovered(position, state)) return false;
    }
    for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
      const state = pair % stateCount;
      for (const position of follow[(pair - state) / stateCount]!) {
        const { classes, hasEnd } = readOf(sets[position]!);
        // The end of the string: the output there decides.
        if (hasEnd && accepts[position] !== 0 && endOutput[state] === 0) return false;
        for (const c of classes) if (!mayBeCovered(position, next[state * classCount + c]!)) return false;
      }
    }
    return true;
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
