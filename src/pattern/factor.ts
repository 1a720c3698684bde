/**
 * Shares common parts of alternatives: first equal beginnings (an engine then rejects a position after one comparison), then
 * equal endings (which only shortens the expression).
 */

import { groupBy } from "../text/group-by.ts";
import { empty, startSet } from "./charset.ts";
import { finish } from "./finish.ts";
import { print } from "./print.ts";
import {
  alt,
  alternativesOf,
  firstOf,
  isAnchoredAtStart,
  isNever,
  isNothing,
  keyOf,
  nothing,
  one,
  partsOf,
  repeat,
  seq,
  splitLeftContext,
  type Tree,
} from "./tree.ts";

/** The same language, with common beginnings and endings written once. */
export function factor(tree: Tree): Tree {
  switch (tree.type) {
    case "set":
      return tree;
    case "repeat":
      return repeat(factor(tree.item), tree.min, tree.max);
    case "seq":
      return seq(...tree.items.map(factor));
    case "alt":
      return optional(shareEndings(shareBeginnings(tree.items)));
  }
}

/**
 * The same language in the order that is fastest in engines that try one alternative after another: one alternative for all
 * that is anchored at the start, and one for each other beginning, with a fixed length if possible. V8 then rejects an
 * alternative with one comparison of four characters. Endings are shared within alternatives only.
 */
function* arrange(alternatives: readonly Tree[]): Generator<undefined, Tree> {
  const ways: Tree[] = [];
  for (const tree of yield* shareContexts(alternatives)) ways.push(...spread(tree));
  yield;
  const bound = yield* factorAll(ways.filter(isAnchoredAtStart));
  const others = ways.filter((way) => !isAnchoredAtStart(way));
  yield;
  return alt(bound, ...(yield* shareInParts(others)));
}

/** The expression of the trees whose union decides. */
export function toExpression(alternatives: readonly Tree[]): string {
  return finish(toExpressionInParts(alternatives));
}

/** The same in parts, each of which takes a few milliseconds. */
export function* toExpressionInParts(alternatives: readonly Tree[]): Generator<undefined, string> {
  for (const [index, tree] of alternatives.entries()) {
    // `alt` compares the keys of all, which are remembered.
    keyOf(tree);
    if (index % partSize === 0) yield;
  }
  const all = alt(...alternatives);
  yield;
  const arranged = yield* arrange(alternativesOf(all));
  if (arranged.type !== "alt" || isNever(arranged)) return print(arranged);
  const printed: string[] = [];
  for (const item of arranged.items) {
    yield;
    printed.push(print({ type: "alt", items: [item] }));
  }
  return printed.join("|");
}

/** Alternatives that require the same text before their matches, such as "not a letter", become one. */
function* shareContexts(items: readonly Tree[]): Generator<undefined, Tree[]> {
  const groups = groupBy(items, (item) => {
    const [context] = splitLeftContext(item);
    return context && keyOf(context);
  });
  const shared: Tree[] = [];
  for (const [key, members] of groups) shared.push(...(key === undefined ? members : yield* shareInParts(members)));
  return shared;
}

/** So many alternatives take some milliseconds. */
const partSize = 40;

/** `shareBeginnings`, in parts. */
function* shareInParts(items: readonly Tree[]): Generator<undefined, Tree[]> {
  const shared: Tree[] = [];
  const groups = groupsOf(items);
  yield;
  for (const group of groups) {
    const { head, tails } = group;
    if (tails.length <= partSize) shared.push(join(group));
    else shared.push(seq(factor(head), yield* factorAll(tails)));
    yield;
  }
  return shared;
}

/** The factored union of trees, in parts. */
function* factorAll(trees: readonly Tree[]): Generator<undefined, Tree> {
  const all = alt(...trees);
  if (all.type !== "alt") return factor(all);
  return optional(shareEndings(yield* shareInParts(all.items)));
}

/** In characters. A longer text after a beginning is printed only once, although the beginning then has no fixed length. */
const longRest = 400;

/** Splits alternatives that begin with "the start or one of a class" into sequences; other alternatives stay together. */
function spread(tree: Tree): Tree[] {
  if ((firstOf(tree) & startSet) === empty || isAnchoredAtStart(tree)) return [...alternativesOf(tree)];
  if (tree.type === "alt") return tree.items.flatMap(spread);
  if (tree.type === "set") return [one(startSet), one(tree.set & ~startSet)];
  if (tree.type !== "seq") return [tree];
  const [first, ...rest] = tree.items;
  if (print(seq(...rest)).length > longRest) return [tree];
  return spread(first!).map((way) => seq(way, ...rest));
}

/** Trees with the same beginning, as long as possible, and what follows it in each. */
interface Group {
  readonly head: Tree;
  readonly tails: readonly Tree[];
}

function groupsOf(items: readonly Tree[]): Group[] {
  const groups = groupBy(items.map(partsOf), ([head = nothing]) => keyOf(head));
  return Array.from(groups.values(), (members) => {
    const [first = []] = members;
    let end = 1;
    while (members.every((parts) => end < parts.length && keyOf(parts[end]!) === keyOf(first[end]!))) end++;
    return { head: seq(...first.slice(0, end)), tails: members.map((parts) => seq(...parts.slice(end))) };
  });
}

function shareBeginnings(items: readonly Tree[]): Tree[] {
  return groupsOf(items).map(join);
}

function join({ head, tails }: Group): Tree {
  if (tails.length === 1) return seq(factor(head), factor(tails[0]!));
  return seq(factor(head), optional(factor(alt(...tails))));
}

function shareEndings(items: readonly Tree[]): Tree {
  const groups = new Map<string, { tail: Tree; heads: Tree[]; whole: Tree }>();
  for (const item of items) {
    const parts = partsOf(item);
    // A single part has no common beginning to share. Sharing may have made different parts equal: one of them is enough.
    const alone = parts.length < 2;
    const tail = parts.at(-1) ?? nothing;
    const key = alone ? `alone ${keyOf(item)}` : keyOf(tail);
    const group = groups.get(key) ?? { tail, heads: [], whole: item };
    if (!alone || group.heads.length === 0) group.heads.push(seq(...parts.slice(0, -1)));
    groups.set(key, group);
  }
  return alt(
    ...[...groups.values()].map(({ tail, heads, whole }) =>
      heads.length === 1 ? whole : seq(shareEndings(heads), tail),
    ),
  );
}

/** An alternative of the empty string and a tree is the optional tree. */
function optional(tree: Tree): Tree {
  if (tree.type !== "alt" || !tree.items.some(isNothing)) return tree;
  return repeat(alt(...tree.items.filter((item) => !isNothing(item))), 0, 1);
}
