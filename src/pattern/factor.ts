/**
 * Shares common parts of alternatives: first equal beginnings (an engine then rejects a position after one comparison), then
 * equal endings (which only shortens the expression).
 */

import { groupBy } from "../text/group-by.ts";
import { empty, startSet } from "./charset.ts";
import { print } from "./print.ts";
import {
  alt,
  firstOf,
  isAnchoredAtStart,
  isNothing,
  keyOf,
  nothing,
  one,
  repeat,
  seq,
  splitLeftContext,
  type Tree,
} from "./tree.ts";

const itemsOf = (tree: Tree): readonly Tree[] => (tree.type === "seq" ? tree.items : [tree]);

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
export function arrange(tree: Tree): Tree {
  const ways = shareContexts(tree.type === "alt" ? tree.items : [tree]).flatMap(spread);
  const bound = ways.filter(isAnchoredAtStart);
  return alt(factor(alt(...bound)), ...shareBeginnings(ways.filter((way) => !isAnchoredAtStart(way))));
}

/** The expression of the trees whose union decides. */
export function toExpression(alternatives: readonly Tree[]): string {
  return print(arrange(alt(...alternatives)));
}

/** Alternatives that require the same text before their matches, such as "not a letter", become one. */
function shareContexts(items: readonly Tree[]): Tree[] {
  const groups = groupBy(items, (item) => {
    const [context] = splitLeftContext(item);
    return context && keyOf(context);
  });
  return [...groups].flatMap(([key, members]) => (key === undefined ? members : shareBeginnings(members)));
}

/** In characters. A longer text after a beginning is printed only once, although the beginning then has no fixed length. */
const longRest = 400;

/** Splits alternatives that begin with "the start or one of a class" into sequences; other alternatives stay together. */
function spread(tree: Tree): Tree[] {
  if ((firstOf(tree) & startSet) === empty || isAnchoredAtStart(tree))
    return tree.type === "alt" ? [...tree.items] : [tree];
  if (tree.type === "alt") return tree.items.flatMap(spread);
  if (tree.type === "set") return [one(startSet), one(tree.set & ~startSet)];
  if (tree.type !== "seq") return [tree];
  const [first, ...rest] = tree.items;
  if (print(seq(...rest)).length > longRest) return [tree];
  return spread(first!).map((way) => seq(way, ...rest));
}

function shareBeginnings(items: readonly Tree[]): Tree[] {
  const groups = new Map<string, { head: Tree; tails: Tree[] }>();
  for (const item of items) {
    const [head = nothing, ...tail] = itemsOf(item);
    const key = keyOf(head);
    const group = groups.get(key) ?? { head, tails: [] };
    group.tails.push(seq(...tail));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ head, tails }) => {
    if (tails.length === 1) return seq(factor(head), factor(tails[0]!));
    return seq(factor(head), optional(factor(alt(...tails))));
  });
}

function shareEndings(items: readonly Tree[]): Tree {
  const groups = new Map<string, { tail: Tree; heads: Tree[]; whole: Tree }>();
  for (const item of items) {
    const parts = itemsOf(item);
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
