/** Language inclusion: tells whether an automaton already accepts every string in which a pattern occurs. */
import { end, members, rememberedBySet, start } from "../../pattern/charset.ts";
import { toNfa } from "../../pattern/nfa.ts";
import type { Tree } from "../../pattern/tree.ts";
import { type Dfa, isSettled } from "./dfa.ts";

/** What a set reads: characters, as classes of the automaton, and the ends of the string. */
interface Read {
  readonly classes: readonly number[];
  readonly hasStart: boolean;
  readonly hasEnd: boolean;
}

/** Makes the function that tests a pattern; `dfa` must be minimal. */
export function createCover(dfa: Dfa): (tree: Tree) => boolean {
  const { stateCount, classCount, classOf, next, accepts } = dfa;
  const states = [...accepts.keys()];
  /** The state from which every remainder is accepted, or -1. */
  const accepted = states.findIndex((state) => accepts[state] !== 0 && isSettled(dfa, state));
  const rejecting = states.filter((state) => state !== accepted);
  // By class, not by symbol: there are fewer.
  const readOf = rememberedBySet((set): Read => {
    const symbols = members(set);
    const characters = symbols.filter((symbol) => symbol !== start && symbol !== end);
    const classes = [...new Set(characters.map((symbol) => classOf[symbol]!))];
    return { classes, hasStart: symbols.includes(start), hasEnd: symbols.includes(end) };
  });
  /** By class: the states after it, if any text precedes. */
  const after: (readonly number[] | undefined)[] = [];
  const statesAfter = (c: number): readonly number[] => {
    after[c] ??= [...new Set(rejecting.map((state) => next[state * classCount + c]!))];
    return after[c];
  };
  const mayRejectAtEnd = rejecting.some((state) => accepts[state] === 0);
  let seen = new Uint8Array(0);
  return (tree) => {
    const { sets, first, follow, accepts: matched } = toNfa(tree);
    // The product of both automata: pairs of the position that was read last and the state there. The first pair in which the
    // pattern is matched and the automaton may still reject ends the search.
    const pairs: number[] = [];
    if (seen.length < sets.length * stateCount) seen = new Uint8Array(sets.length * stateCount);
    else seen.fill(0);
    const mayBeCovered = (position: number, state: number): boolean => {
      const pair = position * stateCount + state;
      if (state === accepted || seen[pair] !== 0) return true;
      seen[pair] = 1;
      pairs.push(pair);
      return !matched[position];
    };
    for (const position of first) {
      const { classes, hasStart, hasEnd } = readOf(sets[position]!);
      // The start of the string comes before all characters: only the first position of a match reads it.
      if (hasStart && !mayBeCovered(position, dfa.initial)) return false;
      if (hasEnd && matched[position] && mayRejectAtEnd) return false;
      for (const c of classes) for (const state of statesAfter(c)) if (!mayBeCovered(position, state)) return false;
    }
    for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
      const state = pair % stateCount;
      for (const position of follow[(pair - state) / stateCount]!) {
        const { classes, hasEnd } = readOf(sets[position]!);
        // The end of the string: the state there decides.
        if (hasEnd && matched[position] && accepts[state] === 0) return false;
        for (const c of classes) if (!mayBeCovered(position, next[state * classCount + c]!)) return false;
      }
    }
    return true;
  };
}
