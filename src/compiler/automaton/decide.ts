/**
 * The automata that decide together: one searches the whole string, the others read its beginning. A single automaton
 * would duplicate every state of the search.
 */
import { startSet } from "../../pattern/charset.ts";
import { factor } from "../../pattern/factor.ts";
import { toNfa } from "../../pattern/nfa.ts";
import { alt, type Tree } from "../../pattern/tree.ts";
import { type Dfa, determinize, maxStatesOfCatalogue } from "./dfa.ts";
import { minimize } from "./minimize.ts";

export interface Decision {
  /** Each accepts matches that begin with `^`, and stays in one dead state once no match is possible. */
  readonly anchored: readonly Dfa[];
  /** Accepts all other matches, at any place: also at the start, if they may begin there or after some characters, as in `(?:^|[^a])b`. */
  readonly unanchored: Dfa;
}

/**
 * Builds minimal automata. At least one accepts a string if any tree occurs in it. Each group of trees has an anchored automaton of its
 * own, because trees that read the whole string multiply the states of trees in the same automaton.
 */
export function* decide(...groups: readonly (readonly Tree[])[]): Generator<undefined, Decision> {
  const build = function* (trees: readonly Tree[], isAnchored: boolean): Generator<undefined, Dfa> {
    const nfa = toNfa(factor(alt(...trees)));
    const first = nfa.first.filter((position) => (nfa.sets[position] === startSet) === isAnchored);
    return minimize(yield* determinize({ ...nfa, first }, maxStatesOfCatalogue, !isAnchored));
  };
  const anchored: Dfa[] = [];
  for (const trees of groups) if (trees.length > 0) anchored.push(yield* build(trees, true));
  return { anchored, unanchored: yield* build(groups.flat(), false) };
}
