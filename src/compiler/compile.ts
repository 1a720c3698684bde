/** Compiles a catalogue: one tree that decides, and the precedence of entries if several match. */

import { countsNonAscii, countsNonAsciiProblem } from "../pattern/counts-non-ascii.ts";
import { toExpression } from "../pattern/factor.ts";
import { finish } from "../pattern/finish.ts";
import { parseDataPattern } from "../pattern/parse.ts";
import { toRegExp } from "../pattern/print.ts";
import { createTest } from "../pattern/split-expression.ts";
import { atWordStart, isAnchoredAtStart, shortest, type Tree } from "../pattern/tree.ts";
import type { Catalogue, Entry, Item, Rule } from "./entry.ts";
import { decidingEntries } from "./prune.ts";
import { DataError } from "./sources/data-error.ts";
import { ruleTree } from "./trees/exceptions.ts";

export interface Compiled {
  /** The numbers of the items that are alternatives of the expression; none is covered by the others. */
  readonly alternatives: readonly number[];
  /** Every item in the order of precedence (anchored rules last), and its tree. */
  readonly items: readonly Item[];
  readonly itemTrees: readonly Tree[];
}

/** Compiles `catalogue`, without automata; throws DataError for patterns and exceptions that cannot be compiled. */
export function compile(catalogue: Catalogue): Compiled {
  const items = inPrecedence(catalogue);
  const itemTrees = items.map(treeOf);
  const problems = items.flatMap((item, i) => countingNonAscii(item, itemTrees[i]!));
  if (problems.length > 0) throw new DataError(problems);
  return { alternatives: decidingItems(items, itemTrees), items, itemTrees };
}

/** The numbers of the items whose trees decide together: all rules, and the entries that must decide. */
function decidingItems(items: readonly Item[], trees: readonly Tree[]): number[] {
  const rules = [...items.keys()].filter((index) => items[index]!.kind === "rule");
  // Automata would take longer to make than the expression to run.
  const isFound = createTest(rules.length === 0 ? undefined : toExpression(rules.map((index) => trees[index]!)));
  const candidates = items.flatMap((item, index) => {
    if (item.kind === "rule") return [];
    const { name, category, examples, instances } = item;
    const expression = toRegExp(trees[index]!);
    return { index, name, category, expression, known: [...examples, ...instances], isFound };
  });
  return [...rules, ...finish(decidingEntries({ candidates, treeOf: (index) => trees[index]! }))];
}

/** Whether the pattern of a rule describes how a string begins, or all of it. */
export function isAnchoredRule({ pattern }: Pick<Rule, "pattern">): boolean {
  return isAnchoredAtStart(parseDataPattern(pattern));
}

/** The tree that finds an item, with its exceptions applied. Throws DataError if they cannot be applied. */
export function treeOf(item: Item): Tree {
  // Scrapy does not find RedesScrapy.
  if (item.kind === "entry") return atWordStart(parseDataPattern(item.pattern, { shorthands: true }));
  try {
    return ruleTree(item.pattern, item.except);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new DataError([`${item.source}: rule ${item.name}: ${error.message}`]);
  }
}

/**
 * A named crawler is more specific than the tool it is built with (a library, a headless browser), reviewed data more
 * reliable than the package's, a longer pattern more specific than a shorter one. A crawler may mention another operator's address: among
 * the package's entries, names take precedence over addresses. Injected code may quote any name: rules of the category `security` come
 * first.
 */
export function inPrecedence(catalogue: Catalogue): Item[] {
  const tool = (entry: Entry): number => (entry.category === "library" || entry.category === "automation" ? 1 : 0);
  const long = new Map(
    catalogue.entries.map((entry) => [entry, -shortest(parseDataPattern(entry.pattern, { shorthands: true }))]),
  );
  const theirs = (entry: Entry): number => (entry.source.startsWith("crawler-user-agents") ? 1 : 0);
  const addresses = (entry: Entry): number =>
    theirs(entry) === 1 && /@|\/\\?\/|[a-z]\\\.[a-z]/i.test(entry.pattern) ? 1 : 0;
  const entries = catalogue.entries.toSorted(
    (a, b) =>
      tool(a) - tool(b) ||
      theirs(a) - theirs(b) ||
      addresses(a) - addresses(b) ||
      long.get(a)! - long.get(b)! ||
      (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
  const rules = catalogue.rules.map((rule): Item => ({ kind: "rule", ...rule }));
  const anchored = rules.filter(isAnchoredRule);
  const others = rules.filter((rule) => !anchored.includes(rule));
  return [
    ...others.filter(({ category }) => category === "security"),
    ...entries.map((entry): Item => ({ kind: "entry", ...entry })),
    ...others.filter(({ category }) => category !== "security"),
    ...anchored,
  ];
}

/** The problem with a pattern that distinguishes one character beyond ASCII from two; none with others. */
export function countingNonAscii({ source, name }: Item, tree: Tree): string[] {
  return countsNonAscii(tree) ? [`${source}: the pattern of ${name} ${countsNonAsciiProblem}`] : [];
}
