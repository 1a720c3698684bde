/**
 * Chooses the alternatives of the expression: all rules, and the entries that it needs. Alternatives whose strings others
 * accept are left out.
 */

import type { Category } from "../detect/categories.ts";
import { endSet, members, nonAscii, setOf } from "../pattern/charset.ts";
import { toNfa } from "../pattern/nfa.ts";
import { toRegExp } from "../pattern/print.ts";
import { one, seq, shortest, type Tree } from "../pattern/tree.ts";
import { createCover } from "./automaton/covers.ts";
import { decide } from "./automaton/decide.ts";
import { type Dfa, determinize } from "./automaton/dfa.ts";
import type { Entry, Item } from "./entry.ts";

/** The trees whose union decides. */
export function decidingTrees(items: readonly Item[], trees: readonly Tree[]): Tree[] {
  const rules = trees.filter((_, i) => items[i]!.kind === "rule");
  if (rules.length === 0) return uncovered(trees);
  const { anchored, unanchored } = decide(rules);
  const covers = [...anchored, unanchored].map(createCover);
  const isCovered = (tree: Tree): boolean => covers.some((isCoveredBy) => isCoveredBy(tree));
  const isDecided = (text: string): boolean => [...anchored, unanchored].some((dfa) => accepts(dfa, text));
  const left = trees.filter((tree, i) => {
    const item = items[i]!;
    if (item.kind !== "entry" || isCovered(tree)) return false;
    const known = [...item.examples, ...item.instances];
    if (known.length === 0 || !known.every(isDecided)) return true;
    return isWorthDeciding(item, tree) && !isCovered(seq(tree, wordEnd));
  });
  return [...rules, ...uncovered(left)];
}

/** Whether the automaton reports an output for a text. A table reads faster, but encoding it takes a second. */
function accepts({ initial, next, classOf, classCount, output, endOutput }: Dfa, text: string): boolean {
  let state = initial;
  for (let i = 0; i < text.length && output[state] === 0; i++)
    state = next[state * classCount + classOf[Math.min(text.charCodeAt(i), nonAscii)]!]!;
  return endOutput[state] !== 0;
}

/** Characters after a token that ends a word. Exceptions of rules, such as Botanic for bot, continue with other characters. */
const wordEnd = one(setOf(0x29) | endSet);

/** Crawlers of these categories append their token to a browser's string. The token decides at any place. */
const appended: ReadonlySet<Category> = new Set(["ai", "monitor"]);

/** In characters, of all alternatives together; a class is one. */
const longestPattern = 11;

/**
 * Whether an entry decides although rules already decide all its known strings. Unknown strings with its token may differ.
 * The expression and the tables have no room for all such entries; short patterns cost least.
 */
function isWorthDeciding(entry: Entry, tree: Tree): boolean {
  return (entry.examples.length > 0 && appended.has(entry.category)) || toNfa([tree]).sets.length <= longestPattern;
}

/** Removes trees whose strings another tree accepts, too. The most general trees come first. */
function uncovered(trees: readonly Tree[]): Tree[] {
  // Inclusion is expensive. For most pairs, a shortest match of one tree that the other does not match suffices.
  const kept: { tree: Tree; expression: RegExp; covers?: (tree: Tree) => boolean }[] = [];
  for (const tree of trees.toSorted((a, b) => shortest(a) - shortest(b))) {
    const match = sample(tree);
    const covered = kept.some((other) => {
      if (!other.expression.test(match)) return false;
      other.covers ??= createCover(determinize(toNfa([other.tree]), { absorbing: true }));
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
