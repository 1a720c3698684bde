/**
 * Two automata that decide together: one reads what a string begins with, the other searches all along it. In a single one
 * every state of the search would be there twice.
 */
import { empty, startSet } from "../../pattern/charset.ts";
import { alt, type Tree } from "../../pattern/tree.ts";
import { factor } from "../trees/factor.ts";
import { type Dfa, determinise } from "./dfa.ts";
import { minimise } from "./minimize.ts";
import { type Nfa, toNfa } from "./nfa.ts";

export interface Decision {
  /** Accepts what matches from the start of a string; where nothing can any more, one state is never left. */
  readonly anchored: Dfa;
  /** Accepts what matches without regard to the start: its initial state has read nothing, wherever that is. */
  readonly unanchored: Dfa;
}

/** Builds the automata of which one or the other reports 1 where any of `trees` occurs; both are minimal. */
export function decide(trees: readonly Tree[]): Decision {
  const nfa = toNfa([factor(alt(...trees))]);
  const [anchored, unanchored] = [fromStart(nfa), anywhere(nfa)].map((half) =>
    minimise(determinise(half, { absorbing: true })),
  );
  return { anchored: anchored!, unanchored: unanchored! };
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
