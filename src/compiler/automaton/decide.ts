/**
 * The automata that decide together: one searches the whole string, the others read its beginning. A single automaton
 * would duplicate every state of the search.
 */
import { empty, startSet } from "../../pattern/charset.ts";
import { type Nfa, toNfa } from "../../pattern/nfa.ts";
import { alt, type Tree } from "../../pattern/tree.ts";
import { factor } from "../trees/factor.ts";
import { type Dfa, determinize, maxStatesOfCatalogue } from "./dfa.ts";
import { minimize } from "./minimize.ts";

export interface Decision {
  /** Each accepts matches at the start of a string, and stays in one dead state once no match is possible. */
  readonly anchored: readonly Dfa[];
  /** Accepts matches at any place. Its initial state depends on no input, so reading can start anywhere. */
  readonly unanchored: Dfa;
}

/**
 * Builds minimal automata. At least one accepts a string if any tree occurs in it. Each group of trees has an anchored automaton of its
 * own, because trees that read the whole string multiply the states of trees in the same automaton.
 */
export function* decide(...groups: readonly (readonly Tree[])[]): Generator<undefined, Decision> {
  const together = (trees: readonly Tree[]): Nfa => toNfa(factor(alt(...trees)));
  const anchored: Dfa[] = [];
  for (const trees of groups)
    if (trees.length > 0) anchored.push(minimize(yield* determinize(fromStart(together(trees)), maxStatesOfCatalogue)));
  const all = anywhere(together(groups.flat()));
  return { anchored, unanchored: minimize(yield* determinize(all, maxStatesOfCatalogue)) };
}

/** The positions after the start symbol. A position that can also read the symbol gets a copy that reads only the symbol. */
function fromStart(nfa: Nfa): Nfa {
  const twins = nfa.first.filter((position) => (nfa.sets[position]! & startSet) !== empty);
  return {
    sets: [...withoutStart(nfa), ...twins.map(() => startSet)],
    follow: [...nfa.follow, ...twins.map((position) => nfa.follow[position]!)],
    accepts: [...nfa.accepts, ...twins.map((position) => nfa.accepts[position]!)],
    first: twins.map((_, i) => nfa.sets.length + i),
  };
}

function anywhere(nfa: Nfa): Nfa {
  const sets = withoutStart(nfa);
  return { ...nfa, sets, first: nfa.first.filter((position) => sets[position] !== empty) };
}

function withoutStart(nfa: Nfa) {
  return nfa.sets.map((set) => set & ~startSet);
}
