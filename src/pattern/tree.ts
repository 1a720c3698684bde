/**
 * The tree of a pattern, and constructors that keep it in normal form: nested sequences and alternatives are flattened,
 * single sets are joined, impossible parts are removed.
 */
import { anyChar, type CharSet, empty, endSet, letters, rememberedBySet, startSet } from "./charset.ts";

export type Tree =
  | { readonly type: "set"; readonly set: CharSet }
  | { readonly type: "seq"; readonly items: readonly Tree[] }
  | { readonly type: "alt"; readonly items: readonly Tree[] }
  | { readonly type: "repeat"; readonly item: Tree; readonly min: number; readonly max: number };

/** Matches the empty string. */
export const nothing: Tree = { type: "seq", items: [] };
/** Matches no string at all. */
export const never: Tree = { type: "alt", items: [] };

export const isNothing = (tree: Tree): boolean => tree.type === "seq" && tree.items.length === 0;
export const isNever = (tree: Tree): boolean => tree.type === "alt" && tree.items.length === 0;

export function one(set: CharSet): Tree {
  return set === empty ? never : { type: "set", set };
}

export function seq(...items: Tree[]): Tree {
  const flat = items.flatMap(partsOf);
  if (flat.some(isNever)) return never;
  return flat.length === 1 ? flat[0]! : { type: "seq", items: flat };
}

export function alt(...items: Tree[]): Tree {
  // Most patterns have a single alternative; keys are needed only to compare several.
  if (items.length === 1 && items[0]!.type !== "alt") return items[0]!;
  const seen = new Set<string>();
  const flat: Tree[] = [];
  let joined = empty;
  let joinedAt = -1;
  for (const item of items.flatMap(alternativesOf)) {
    if (item.type === "set") {
      if (joinedAt < 0) joinedAt = flat.push(item) - 1;
      joined |= item.set;
      continue;
    }
    const key = keyOf(item);
    if (!seen.has(key)) {
      seen.add(key);
      flat.push(item);
    }
  }
  if (joinedAt >= 0) flat[joinedAt] = one(joined);
  return flat.length === 1 ? flat[0]! : { type: "alt", items: flat };
}

/** The alternatives of a tree, and the parts of one in sequence: the tree itself if it is of another type. */
export const alternativesOf = (tree: Tree): readonly Tree[] => (tree.type === "alt" ? tree.items : [tree]);
export const partsOf = (tree: Tree): readonly Tree[] => (tree.type === "seq" ? tree.items : [tree]);

/** `item` between `min` and `max` times (`Infinity` for no bound). */
export function repeat(item: Tree, min: number, max: number): Tree {
  if (isNothing(item) || max === 0) return nothing;
  if (isNever(item)) return min === 0 ? nothing : never;
  if (min === 1 && max === 1) return item;
  return { type: "repeat", item, min, max };
}

const keys = new WeakMap<Tree, string>();
const keyOfSet = /* @__PURE__ */ rememberedBySet((set) => `[${set.toString(36)}]`);

/** A key that is equal for equal trees. */
export function keyOf(tree: Tree): string {
  let key = keys.get(tree);
  if (key === undefined) {
    if (tree.type === "set") key = keyOfSet(tree.set);
    else if (tree.type === "repeat") key = `{${keyOf(tree.item)},${tree.min},${tree.max}}`;
    else key = `${tree.type === "seq" ? "(" : "<"}${tree.items.map(keyOf).join(tree.type === "seq" ? "" : "|")})`;
    keys.set(tree, key);
  }
  return key;
}

/** Whether the tree matches the empty string. */
export function isNullable(tree: Tree): boolean {
  return matchesBy(tree, empty);
}

/** Whether the tree has a match without characters: the empty string, or only ends of the string. */
export function matchesAnchorsOnly(tree: Tree): boolean {
  return matchesBy(tree, startSet | endSet);
}

/** Whether the tree has a match of which every symbol is one of `symbols`. */
function matchesBy(tree: Tree, symbols: CharSet): boolean {
  switch (tree.type) {
    case "set":
      return (tree.set & symbols) !== empty;
    case "seq":
      return tree.items.every((item) => matchesBy(item, symbols));
    case "alt":
      return tree.items.some((item) => matchesBy(item, symbols));
    case "repeat":
      return tree.min === 0 || matchesBy(tree.item, symbols);
  }
}

/**
 * The text that a tree requires before the match, such as `(?:^|[ ;(])` in `(?:^|[ ;(])IABot`, if any, and the rest. Alternatives have
 * contexts of their own.
 */
export function splitLeftContext(tree: Tree): readonly [context: Tree | undefined, match: Tree] {
  const [first, ...rest] = tree.type === "seq" ? tree.items : [];
  return first !== undefined && rest.length > 0 && isLeftContext(first) ? [first, seq(...rest)] : [undefined, tree];
}

/** Whether a tree matches the start of the string, and other things too. */
function isLeftContext(tree: Tree): boolean {
  if (tree.type === "alt") return tree.items.some(isAnchoredAtStart) && !tree.items.every(isAnchoredAtStart);
  return tree.type === "set" && (tree.set & startSet) !== empty && tree.set !== startSet;
}

/** The tree for a token that begins a word: if it begins with a letter, it does not match after a letter. */
export function atWordStart(tree: Tree): Tree {
  if (tree.type === "alt") return alt(...tree.items.map(atWordStart));
  const beginsWithLetter = (firstOf(tree) & ~letters) === empty;
  return beginsWithLetter ? seq(one((anyChar & ~letters) | startSet), tree) : tree;
}

/** Whether every match begins at the start of the string. */
export function isAnchoredAtStart(tree: Tree): boolean {
  return firstOf(tree) === startSet;
}

/** Whether every match is a whole string: it begins with `^` and ends with `$`. */
export function isAnchoredAtBothEnds(tree: Tree): boolean {
  return isAnchoredAtStart(tree) && lastOf(tree) === endSet;
}

/** The symbols with which a match can begin; `beyond` are those after a tree that matches the empty string. */
export function firstOf(tree: Tree, beyond = empty): CharSet {
  return edgeOf(tree, (items) => items) | (isNullable(tree) ? beyond : empty);
}

/** The symbols with which a match can end; `beyond` are those before a tree that matches the empty string. */
export function lastOf(tree: Tree, beyond = empty): CharSet {
  return edgeOf(tree, (items) => items.toReversed()) | (isNullable(tree) ? beyond : empty);
}

/** The symbols at one edge of a match; `fromEdge` puts the parts of a sequence in their order from there. */
function edgeOf(tree: Tree, fromEdge: (items: readonly Tree[]) => readonly Tree[]): CharSet {
  if (tree.type === "set") return tree.set;
  if (tree.type === "repeat") return edgeOf(tree.item, fromEdge);
  let found = empty;
  for (const item of tree.type === "seq" ? fromEdge(tree.items) : tree.items) {
    found |= edgeOf(item, fromEdge);
    // The edge is in the next part only if this one is empty.
    if (tree.type === "seq" && !isNullable(item)) break;
  }
  return found;
}

/** How many sets the tree has with its repeats written out. */
export function countPlaces(tree: Tree): number {
  switch (tree.type) {
    case "set":
      return 1;
    case "repeat":
      return countPlaces(tree.item) * (tree.max === Number.POSITIVE_INFINITY ? tree.min + 1 : tree.max);
    default:
      return tree.items.reduce((sum, item) => sum + countPlaces(item), 0);
  }
}

/** The length of the shortest match, in symbols. */
export function shortest(tree: Tree): number {
  switch (tree.type) {
    case "set":
      return 1;
    case "seq":
      return tree.items.reduce((sum, item) => sum + shortest(item), 0);
    case "alt":
      return Math.min(...tree.items.map(shortest));
    case "repeat":
      return tree.min * shortest(tree.item);
  }
}
