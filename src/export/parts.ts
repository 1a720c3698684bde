/** Writes alternatives as a few expressions of bounded length that together give the same verdict, for programs with length limits. */

import { parsePattern } from "../pattern/parse.ts";
import { print } from "../pattern/print.ts";
import { alt, alternativesOf, nothing, seq, splitLeftContext, type Tree } from "../pattern/tree.ts";
import { UserError } from "../text/errors.ts";

/** The length that counts against the limit, such as the length with quotation marks. */
export type LengthOf = (expression: string) => number;

/**
 * Joins `alternatives` into expressions that are no longer than `maxLength`; cuts alternatives that are longer.
 * Throws UserError for one that cannot be cut short enough.
 */
export function inParts(
  alternatives: readonly string[],
  maxLength: number,
  lengthOf: LengthOf = (expression) => expression.length,
): string[] {
  const parts: string[] = [];
  for (const alternative of alternatives.flatMap((expression) => cut(expression, maxLength, lengthOf))) {
    const joined = `${parts.at(-1)}|${alternative}`;
    if (parts.length > 0 && lengthOf(joined) <= maxLength) parts[parts.length - 1] = joined;
    else parts.push(alternative);
  }
  return parts;
}

/**
 * As inParts, with what alternatives require before a match, such as `(?:^|[^a-z])`, written once in each part; alternatives that require
 * the same stand together.
 */
export function inPartsByContext(alternatives: readonly string[], maxLength: number, lengthOf: LengthOf): string[] {
  const byContext = new Map<string, string[]>();
  for (const tree of alternatives.flatMap((text) => alternativesOf(parsePattern(text, { printed: true })))) {
    const [context, match] = splitLeftContext(tree);
    const printed = context === undefined ? "" : print(context);
    const key = context?.type === "alt" ? `(?:${printed})` : printed;
    byContext.set(key, [...(byContext.get(key) ?? []), print(match)]);
  }
  const parts = [...byContext].flatMap(([context, names]) => {
    if (context === "") return names;
    const within = (part: string): string => context + (part.includes("|") ? `(?:${part})` : part);
    return inParts(names, maxLength, (part) => lengthOf(within(part))).map(within);
  });
  return inParts(parts, maxLength, lengthOf);
}

function cut(expression: string, maxLength: number, lengthOf: LengthOf): string[] {
  if (lengthOf(expression) <= maxLength) return [expression];
  const halves = halvesOf(expression);
  if (halves.length < 2) throw new UserError(`no parts of ${maxLength} characters make up ${expression}`);
  return halves.flatMap((half) => cut(half, maxLength, lengthOf));
}

/** Two expressions that together match the same as `expression`; only `expression` if it has no alternatives. */
export function halvesOf(expression: string): string[] {
  return halve(parsePattern(expression, { printed: true })).map((half) => print(half));
}

/** Two shorter trees that together match the same as `tree`; only `tree` if it has no alternatives. */
function halve(tree: Tree): Tree[] {
  if (tree.type === "repeat" && tree.min === 0 && tree.max === 1) return [nothing, tree.item];
  if (tree.type === "alt") {
    const [longest] = longestFirst(tree.items);
    const others = tree.items.filter((item) => item !== longest);
    return others.length === 0 ? halve(longest!) : [...balanced(tree.items)];
  }
  if (tree.type !== "seq") return [tree];
  for (const item of longestFirst(tree.items)) {
    const halves = halve(item);
    const at = tree.items.indexOf(item);
    if (halves.length > 1) return halves.map((half) => seq(...tree.items.with(at, half)));
  }
  return [tree];
}

const lengthOfTree = (tree: Tree): number => print(tree).length;

function longestFirst(trees: readonly Tree[]): Tree[] {
  return trees.toSorted((a, b) => lengthOfTree(b) - lengthOfTree(a));
}

/** Two alternatives of about the same length; items keep their order. */
function balanced(items: readonly Tree[]): [Tree, Tree] {
  const half = items.reduce((sum, item) => sum + lengthOfTree(item), 0) / 2;
  let length = 0;
  const at = items.findIndex((item) => {
    length += lengthOfTree(item);
    return length >= half;
  });
  const border = Math.max(at, 1);
  return [alt(...items.slice(0, border)), alt(...items.slice(border))];
}
