/**
 * Shares what alternatives have in common: equal beginnings first (an engine then decides at every position with one look),
 * equal endings after that (they only make the expression shorter).
 */
import { alt, isNothing, keyOf, nothing, repeat, seq, type Tree } from "./tree.ts";

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
