/**
 * Chooses the alternatives of the expression: all rules, and the entries that must decide because no rule finds them. Alternatives whose
 * strings are all accepted by others are omitted.
 */

import { members, nonAscii } from "../pattern/charset.ts";
import { toNfa } from "../pattern/nfa.ts";
import { toRegExp } from "../pattern/print.ts";
import { shortest, type Tree } from "../pattern/tree.ts";
import { createCover } from "./automaton/covers.ts";
import { maxStatesOfCatalogue } from "./automaton/dfa.ts";
import { toMinimalDfa } from "./automaton/minimize.ts";
import { type FormedEntry, mustDecide } from "./forms.ts";

/** An entry that may have to decide. */
export interface Candidate extends FormedEntry {
  /** Its number in the order of precedence. */
  readonly index: number;
  /** Tells whether a rule matches. */
  readonly isFound: (text: string) => boolean;
}

export interface Choice {
  readonly candidates: readonly Candidate[];
  /** Entries that decide unless a candidate that must decide covers them; none of them covers another. Default: none. */
  readonly settled?: readonly number[];
  /** The tree of an entry. */
  readonly treeOf: (index: number) => Tree;
}

/** The entries that decide, by their numbers: the most general ones first. In parts, each of which takes a fraction of a millisecond. */
export function* decidingEntries(choice: Choice): Generator<undefined, readonly number[]> {
  const { candidates, settled = [], treeOf } = choice;
  const added: number[] = [];
  for (const candidate of candidates) {
    if (mustDecide(candidate, candidate.isFound)) added.push(candidate.index);
    yield;
  }
  return added.length === 0 ? settled : yield* uncovered(added, settled, treeOf);
}

/** An entry that decides, with what tells which others it covers. */
interface Kept {
  readonly index: number;
  readonly expression: RegExp;
  covers?: (tree: Tree) => boolean;
}

/** Removes entries whose strings are all accepted by the tree of another one. The most general trees come first. */
function* uncovered(
  added: readonly number[],
  settled: readonly number[],
  treeOf: Choice["treeOf"],
): Generator<undefined, number[]> {
  const isSettled = new Set(settled);
  const all = [...settled, ...added].map((index) => ({ index, length: shortest(treeOf(index)) }));
  all.sort((a, b) => a.length - b.length || a.index - b.index);
  const kept: Kept[] = [];
  const keptAdded: Kept[] = [];
  for (const { index } of all) {
    const tree = treeOf(index);
    const match = sample(tree);
    // Testing inclusion is expensive. For most pairs, a counterexample suffices: a shortest match of one tree that the other does not match.
    const isCovered = (isSettled.has(index) ? keptAdded : kept).some((other) => {
      if (!other.expression.test(match)) return false;
      other.covers ??= createCover(toMinimalDfa(toNfa(treeOf(other.index)), maxStatesOfCatalogue));
      return other.covers(tree);
    });
    if (!isCovered) {
      const one = { index, expression: toRegExp(tree) };
      kept.push(one);
      if (!isSettled.has(index)) keptAdded.push(one);
    }
    yield;
  }
  return kept.map(({ index }) => index);
}

/** One of the shortest strings that the tree matches as a whole. */
function sample(tree: Tree): string {
  switch (tree.type) {
    case "set": {
      const symbol = members(tree.set)[0]!;
      return symbol < nonAscii ? String.fromCharCode(symbol) : symbol === nonAscii ? "\u00e9" : "";
    }
    case "seq":
      return tree.items.map(sample).join("");
    case "alt":
      return sample(tree.items.reduce((a, b) => (shortest(b) < shortest(a) ? b : a)));
    case "repeat":
      return sample(tree.item).repeat(tree.min);
  }
}
