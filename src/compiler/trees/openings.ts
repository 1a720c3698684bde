/**
 * Exceptions of patterns for whole strings: strings with certain beginnings do not count. The result is a tree that keeps the
 * repeats of the pattern. A tree made from an automaton would repeat groups, and backtracking engines use stack space for every
 * iteration of a group (Java's stack overflows).
 */
import { anyChar, type CharSet, empty, endSet } from "../../pattern/charset.ts";
import { alt, isNothing, isNullable, keyOf, one, repeat, seq, type Tree } from "../../pattern/tree.ts";
import { partition, type Word } from "./difference.ts";

/** The matches of `tree` that begin with none of `words`; `tree` must read the end of the string. */
export function exceptOpenings(tree: Tree, words: readonly Word[]): Tree {
  if (words.length === 0) return tree;
  // Groups all paths that leave the words by their remainder, so that each remainder is written once.
  const ways = new Map<string, { rest: Tree; paths: Tree[] }>();
  const leave = (path: Tree, rest: Tree): void => {
    const way = ways.get(keyOf(rest)) ?? { rest, paths: [] };
    way.paths.push(path);
    ways.set(keyOf(rest), way);
  };
  const walk = (path: Tree, from: Tree, left: readonly Word[]): void => {
    if (left.some((word) => word.length === 0)) return;
    let free = anyChar | endSet;
    for (const word of left) free &= ~word[0]!;
    const parts = partition(left.map((word) => word[0]!));
    for (const { set, rest } of firstSteps(from)) {
      if ((set & free) !== empty) leave(seq(path, one(set & free)), rest);
      for (const part of parts) {
        if ((set & part) === empty) continue;
        const next = left.filter((word) => (word[0]! & part) !== empty).map((word) => word.slice(1));
        walk(seq(path, one(set & part)), rest, next);
      }
    }
  };
  walk(seq(), tree, words);
  return alt(...[...ways.values()].map(({ rest, paths }) => seq(alt(...paths), spelledOut(rest))));
}

/** Expands a short repeat of a set into single sets, so that paths that have read some of them can share the rest. */
function spelledOut(tree: Tree): Tree {
  if (tree.type === "seq") return seq(...tree.items.map(spelledOut));
  if (tree.type !== "repeat" || tree.item.type !== "set" || tree.max > tree.min + 1) return tree;
  const { item, min, max } = tree;
  return seq(...Array<Tree>(min).fill(item), repeat(item, 0, max - min));
}

interface Step {
  readonly set: CharSet;
  readonly rest: Tree;
}

/** The beginnings of matches with their remainders (Antimirov's linear form); each remainder occurs once. */
function firstSteps(tree: Tree): Step[] {
  const steps = new Map<string, Step>();
  for (const { set, rest } of stepsOf(tree)) {
    const known = steps.get(keyOf(rest))?.set ?? empty;
    steps.set(keyOf(rest), { set: known | set, rest });
  }
  return [...steps.values()];
}

function stepsOf(tree: Tree): Step[] {
  switch (tree.type) {
    case "set":
      return [{ set: tree.set, rest: seq() }];
    case "alt":
      return tree.items.flatMap(stepsOf);
    case "repeat": {
      const more = repeat(tree.item, Math.max(0, tree.min - 1), tree.max - 1);
      return stepsOf(tree.item).map(({ set, rest }) => ({ set, rest: seq(rest, more) }));
    }
    case "seq": {
      if (isNothing(tree)) return [];
      const [first, ...others] = tree.items;
      const rest = seq(...others);
      const steps = stepsOf(first!).map((step) => ({ set: step.set, rest: seq(step.rest, rest) }));
      return isNullable(first!) ? [...steps, ...stepsOf(rest)] : steps;
    }
  }
}
