/**
 * Chooses the alternatives of the expression: all rules, and the entries that must decide because no rule finds them. Alternatives whose
 * strings are all accepted by others are omitted.
 */

import { byCrawler, type Exemption } from "../detect/forms.ts";
import { members, nonAscii } from "../pattern/charset.ts";
import { toNfa } from "../pattern/nfa.ts";
import { print, toRegExp } from "../pattern/print.ts";
import { maxCharactersForV8, splitExpression } from "../pattern/split-expression.ts";
import { alt, shortest, type Tree } from "../pattern/tree.ts";
import { createCover } from "./automaton/covers.ts";
import { toMinimalDfa } from "./automaton/minimize.ts";
import type { Item } from "./entry.ts";
import { mustDecide } from "./forms.ts";
import { arrange } from "./trees/factor.ts";

/**
 * The indices of the items whose trees decide together: all rules, and the entries that must decide. `exemptions` name entries that need
 * not decide in every form.
 */
export function decidingItems(
  items: readonly Item[],
  trees: readonly Tree[],
  exemptions: readonly Exemption[],
): readonly number[] {
  const exempted = byCrawler(exemptions);
  const rules = [...items.keys()].filter((index) => items[index]!.kind === "rule");
  const isFound = rules.length === 0 ? () => false : createTest(rules.map((index) => trees[index]!));
  const left = [...items.keys()].filter((index) => {
    const item = items[index]!;
    if (item.kind === "rule") return false;
    const { name, examples, instances } = item;
    const expression = toRegExp(trees[index]!);
    return mustDecide(
      { name, expression, known: [...examples, ...instances], only: exempted.get(name)?.only },
      isFound,
    );
  });
  return [...rules, ...uncovered(left, trees)];
}

/** Tells whether one of the trees occurs in a text; automata would take longer to make than the expressions to run. */
function createTest(trees: readonly Tree[]): (text: string) => boolean {
  // linear: consists of the catalogue's patterns
  const parts = splitExpression(print(arrange(alt(...trees))), maxCharactersForV8).map((part) => new RegExp(part));
  return (text) => parts.some((part) => part.test(text));
}

/** Removes items whose strings are all accepted by the tree of another one. The most general trees come first. */
function uncovered(indices: readonly number[], trees: readonly Tree[]): number[] {
  // Testing inclusion is expensive. For most pairs, a counterexample suffices: a shortest match of one tree that the other does not match.
  const kept: { index: number; expression: RegExp; covers?: (tree: Tree) => boolean }[] = [];
  for (const index of indices.toSorted((a, b) => shortest(trees[a]!) - shortest(trees[b]!))) {
    const tree = trees[index]!;
    const match = sample(tree);
    const covered = kept.some((other) => {
      if (!other.expression.test(match)) return false;
      other.covers ??= createCover(toMinimalDfa(toNfa(trees[other.index]!)));
      return other.covers(tree);
    });
    if (!covered) kept.push({ index, expression: toRegExp(tree) });
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
