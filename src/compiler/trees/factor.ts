/**
 * Shares what alternatives have in common: equal beginnings first (an engine then decides at every position with one look),
 * equal endings after that (they only make the expression shorter).
 */
import { empty, startSet } from "../../pattern/charset.ts";
import { print } from "../../pattern/print.ts";
import { alt, isAnchoredAtStart, isNothing, keyOf, nothing, one, repeat, seq, type Tree } from "../../pattern/tree.ts";

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
 * The same language in the order in which engines that try one alternative after another are done soonest: what is bound to
 * the start in one alternative, and of the others each with a beginning of its own, of fixed length as far as can be. V8
 * then rejects an alternative with one comparison of four characters; endings are shared within alternatives only.
 */
export function arrange(tree: Tree): Tree {
  const ways = (tree.type === "alt" ? tree.items : [tree]).flatMap(spread);
  const bound = ways.filter(isAnchoredAtStart);
  return alt(factor(alt(...bound)), ...shareBeginnings(ways.filter((way) => !isAnchoredAtStart(way))));
}

/** Characters; what follows a beginning and is longer is printed once, though its beginning is not of fixed length then. */
const longRest = 400;

/** What begins with "the start or one of a class" as so many sequences; other alternatives stay together. */
function spread(tree: Tree): Tree[] {
  if (!mayBeginAtStart(tree) || isAnchoredAtStart(tree)) return tree.type === "alt" ? [...tree.items] : [tree];
  if (tree.type === "alt") return tree.items.flatMap(spread);
  if (tree.type === "set") return [one(startSet), one(tree.set & ~startSet)];
  if (tree.type !== "seq") return [tree];
  const [first, ...rest] = tree.items;
  if (print(seq(...rest)).length > longRest) return [tree];
  return spread(first!).map((way) => seq(way, ...rest));
}

function mayBeginAtStart(tree: Tree): boolean {
  switch (tree.type) {
    case "set":
      return (tree.set & startSet) !== empty;
    case "alt":
      return tree.items.some(mayBeginAtStart);
    case "seq":
      return tree.items[0] !== undefined && mayBeginAtStart(tree.items[0]);
    case "repeat":
      return mayBeginAtStart(tree.item);
  }
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
    // A lone part has no beginning to join. Sharing may have made parts alike that were not: one of them is enough.
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

/** An alternative of nothing and something is the optional something. */
function optional(tree: Tree): Tree {
  if (tree.type !== "alt" || !tree.items.some(isNothing)) return tree;
  return repeat(alt(...tree.items.filter((item) => !isNothing(item))), 0, 1);
}
