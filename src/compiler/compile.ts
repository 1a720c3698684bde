/** Compiles a catalogue: one tree that decides, and the precedence of entries if several match. */

import { has, nonAscii } from "../pattern/charset.ts";
import { toNfa } from "../pattern/nfa.ts";
import { parseDataPattern } from "../pattern/parse.ts";
import { alt, atWordStart, isAnchoredAtStart, isNever, shortest, type Tree } from "../pattern/tree.ts";
import { groupBy } from "../text/group-by.ts";
import { decide } from "./automaton/decide.ts";
import type { Dfa } from "./automaton/dfa.ts";
import { toMinimalDfa } from "./automaton/minimize.ts";
import type { Catalogue, Entry, Item } from "./entry.ts";
import { decidingItems } from "./prune.ts";
import { DataError } from "./sources/data-error.ts";
import { withoutExceptions } from "./trees/exceptions.ts";
import { arrange } from "./trees/factor.ts";

export interface Compiled {
  /** The alternatives of the expression; none is covered by the others. */
  readonly alternatives: readonly Tree[];
  /** Their union, common parts shared. */
  readonly tree: Tree;
  /**
   * Minimal. There are separate automata for what is anchored at the start
   * of a string and for what is searched anywhere in it: see decide.ts.
   */
  readonly anchored: readonly Dfa[];
  readonly unanchored: Dfa;
  /** Every item in the order of precedence (anchored rules last), and its tree. */
  readonly items: readonly Item[];
  readonly itemTrees: readonly Tree[];
  /** Indices of the items that are not among the alternatives: they only name crawlers and do not decide. */
  readonly namesOnly: readonly number[];
}

/**
 * Compiles `catalogue`; throws DataError for patterns and exceptions that cannot be compiled. Calls `pause` between steps, when most of
 * the memory of the previous step can be freed.
 */
export function compile(catalogue: Catalogue, pause: () => void = () => {}): Compiled {
  const items = inPrecedence(catalogue);
  const itemTrees = items.map(treeOf);
  const deciding = decidingItems(items, itemTrees, catalogue.exemptions);
  pause();
  const alternatives = deciding.map((index) => itemTrees[index]!);
  const tree = arrange(alt(...alternatives));
  const isDeciding = new Set(deciding);
  const namesOnly = [...items.keys()].filter((index) => !isDeciding.has(index));
  const groups = groupBy(deciding, (index) => groupOf(items[index]!));
  const treesOfGroups = [...groups.values()].map((indices) => indices.map((index) => itemTrees[index]!));
  const { anchored, unanchored } = decide(...treesOfGroups);
  if (![...anchored, unanchored].every(ignoresEncoding)) throw new DataError(countingNonAscii(items, itemTrees));
  pause();
  return { alternatives, tree, anchored, unanchored, items, itemTrees, namesOnly };
}

/**
 * Entries and unanchored rules, rules for some shapes, and rules for whole strings: these groups together have fewer states than a single
 * automaton.
 */
function groupOf(item: Item): "others" | "shapes" | "whole" {
  return item.kind === "rule" && isAnchoredRule(item) ? (item.part === undefined ? "whole" : "shapes") : "others";
}

/** Whether an item is a rule that describes how a string begins, or all of it. */
export function isAnchoredRule(item: Item): boolean {
  return item.kind === "rule" && isAnchoredAtStart(parseDataPattern(item.pattern));
}

function treeOf(item: Item): Tree {
  const tree = parseDataPattern(item.pattern, { shorthands: true });
  // Scrapy does not find RedesScrapy.
  if (item.kind === "entry") return atWordStart(tree);
  try {
    const rest = withoutExceptions(
      tree,
      item.except.map((exception) => parseDataPattern(exception.pattern)),
    );
    if (isNever(rest)) throw new RangeError("its exceptions leave nothing of the pattern");
    return rest;
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

/**
 * Whether an automaton accepts the same in Latin-1, UTF-8, UTF-16 and code points; it must be minimal. A character beyond ASCII is one
 * symbol in Latin-1 and as a code point, one or two in UTF-16, two to four in UTF-8: several such symbols in a row must have the same
 * effect as one.
 */
function ignoresEncoding({ next, classOf, classCount, stateCount }: Dfa): boolean {
  const read = (state: number): number => next[state * classCount + classOf[nonAscii]!]!;
  for (let state = 0; state < stateCount; state++) if (read(read(state)) !== read(state)) return false;
  return true;
}

/** Problems: patterns that distinguish one character beyond ASCII from two. */
export function countingNonAscii(items: readonly Item[], trees: readonly Tree[]): string[] {
  return items
    .filter((_, i) => {
      const nfa = toNfa(trees[i]!);
      // Most patterns do not read such characters at all.
      const reads = nfa.sets.some((set) => has(set, nonAscii));
      return reads && !ignoresEncoding(toMinimalDfa(nfa));
    })
    .map(
      (item) =>
        `${item.source}: the pattern of ${item.name} depends on the number of non-ASCII characters, which differs between ` +
        `UTF-8, UTF-16 and code points; write [ -~] instead of a dot or a negated class`,
    );
}
