/**
 * The automata that decide together: one searches all along a string, the others read what it begins with. In a single one
 * every state of the search would be there twice.
 */
import { empty, startSet } from "../../pattern/charset.ts";
import { alt, type Tree } from "../../pattern/tree.ts";
import { factor } from "../trees/factor.ts";
import { type Dfa, determinize } from "./dfa.ts";
import { minimize } from "./minimize.ts";
import { type Nfa, toNfa } from "./nfa.ts";

export interface Decision {
  /** Each accepts what matches from the start of a string; if nothing can any more, it is in a state that is never left. */
  readonly anchored: readonly Dfa[];
  /** Accepts what matches without regard to the start: its initial state has read nothing, wherever that is. */
  readonly unanchored: Dfa;
}

/**
 * Builds the automata of which at least one reports 1 where any tree occurs; all are minimal. Each group of trees gets an
 * anchored automaton of its own: trees that read the whole string multiply the states of others with which they share one.
 */
export function decide(...groups: readonly (readonly Tree[])[]): Decision {
  const build = (nfa: Nfa): Dfa => minimize(determinize(nfa, { absorbing: true }));
  const together = (trees: readonly Tree[]): Nfa => toNfa([factor(alt(...trees))]);
  return {
    anchored: groups.filter((trees) => trees.length > 0).map((trees) => build(fromStart(together(trees)))),
    unanchored: build(anywhere(together(groups.flat()))),
  };
}

/** The positions behind the start symbol: each that may begin with it gets a twin that reads nothing else. */
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
