/**
 * Chooses the alternatives of the expression: all rules, and the entries whose known strings no rule finds. Alternatives whose
 * strings are all accepted by others are omitted.
 */

import { members, nonAscii } from "../pattern/charset.ts";
import { toNfa } from "../pattern/nfa.ts";
import { toRegExp } from "../pattern/print.ts";
import { shortest, type Tree } from "../pattern/tree.ts";
import { createCover } from "./automaton/covers.ts";
import { decide } from "./automaton/decide.ts";
import type { Dfa } from "./automaton/dfa.ts";
import { toMinimalDfa } from "./automaton/minimize.ts";
import type { Item } from "./entry.ts";

/** The trees whose union decides. */
export function decidingTrees(items: readonly Item[], trees: readonly Tree[]): Tree[] {
  const rules = trees.filter((_, i) => items[i]!.kind === "rule");
  if (rules.length === 0) return uncovered(trees);
  const { anchored, unanchored } = decide(rules);
  const covers = [...anchored, unanchored].map(createCover);
  const isCovered = (tree: Tree): boolean => covers.some((isCoveredBy) => isCoveredBy(tree));
  const isDecided = (text: string): boolean => [...anchored, unanchored].some((dfa) => isAccepted(dfa, text));
  const left = trees.filter((tree, i) => {
    const item = items[i]!;
    if (item.kind !== "entry" || isCovered(tree)) return false;
    const known = [...item.examples, ...item.instances];
    const expression = toRegExp(tree);
    const others = known.flatMap(otherForms).filter((text) => expression.test(text));
    return known.length === 0 || ![...known, ...others].every(isDecided);
  });
  return [...rules, ...uncovered(left)];
}

/** Whether the automaton accepts a text. A table would be faster to read, but encoding it takes a second. */
function isAccepted({ initial, next, classOf, classCount, accepts }: Dfa, text: string): boolean {
  let state = initial;
  for (let i = 0; i < text.length; i++)
    state = next[state * classCount + classOf[Math.min(text.charCodeAt(i), nonAscii)]!]!;
  return accepts[state] !== 0;
}

/** Variants of a known string: a version with more digits, and a browser-like string if only the token is known. */
function otherForms(text: string): string[] {
  const later = text.replace(/(Mozilla)?([/ ]v?)[0-9][0-9.]*/g, (version, mozilla, before) =>
    mozilla === undefined ? `${before}10.20.30` : version,
  );
  return /^[^ /]+\/?$/.test(text) ? [later, `Mozilla/5.0 (X11; Linux x86_64) ${text}`] : [later];
}

/** Removes trees whose strings are all accepted by another tree. The most general trees come first. */
function uncovered(trees: readonly Tree[]): Tree[] {
  // Testing inclusion is expensive. For most pairs, a counterexample suffices: a shortest match of one tree that the other does not match.
  const kept: { tree: Tree; expression: RegExp; covers?: (tree: Tree) => boolean }[] = [];
  for (const tree of trees.toSorted((a, b) => shortest(a) - shortest(b))) {
    const match = sample(tree);
    const covered = kept.some((other) => {
      if (!other.expression.test(match)) return false;
      other.covers ??= createCover(toMinimalDfa(toNfa(other.tree)));
      return other.covers(tree);
    });
    if (!covered) kept.push({ tree, expression: toRegExp(tree) });
  }
  return kept.map(({ tree }) => tree);
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
