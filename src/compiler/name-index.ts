/**
 * Writes the index by which crawlers are named (src/detect/name-index.ts): for each entry, literals of which every match contains at least
 * one, and the expression that is tried where one occurs.
 */

import { lettersSize, listCount, listOf } from "../detect/name-index.ts";
import { toBytesText } from "../detect/text.ts";
import { anyChar, type CharSet, letters, members, nonAscii, startSet } from "../pattern/charset.ts";
import { printExactMatch } from "../pattern/exact-match.ts";
import { toNfa } from "../pattern/nfa.ts";
import { alternativesOf, isAnchoredAtStart, partsOf, splitLeftContext, type Tree } from "../pattern/tree.ts";
import { maxStatesOfCatalogue } from "./automaton/dfa.ts";
import { encodeTable } from "./automaton/encode-table.ts";
import { toMinimalDfa } from "./automaton/minimize.ts";
import type { Item } from "./entry.ts";

/** A literal; an uppercase letter in it stands for either case. */
interface Literal {
  readonly text: string;
  /** The minimum and maximum number of characters of a match before it. */
  readonly least: number;
  readonly most: number;
}

/** By list of letters: how common they are. */
type Frequency = Uint32Array;

/** A literal whose distance from the start of the match varies by no more than this is tried at each distance. */
const maxSpread = 3;
/** A finder encodes the distance, and the place of the rare letters, in one character of ASCII. */
const maxBefore = 40;
const maxPlace = 0x7e - 0x30;

/** So many items, or strings, take a millisecond or two. */
const partItems = 20;
const partStrings = 200;

/** The index of `items`, whose naming trees are `trees`. It looks for letters that are rare in `strings`. In parts. */
export function* toNameIndex(
  items: readonly Item[],
  trees: readonly Tree[],
  strings: readonly string[],
): Generator<undefined, string[]> {
  const frequency = yield* createFrequency(strings);
  const first = items.findIndex(({ kind }) => kind === "entry");
  const lines: string[] = [];
  for (const [i, tree] of trees.entries()) {
    if (i % partItems === 0) yield;
    if (items[i]!.kind === "entry") lines.push(lineOf(tree, frequency));
    // Rules contain common words. They are tried in order; those before the entries, on every string, with an automaton, which is
    // ten times faster than a regular expression engine.
    else if (i < first)
      lines.push(
        `${printExactMatch(tree)}\t~${toBytesText(encodeTable(toMinimalDfa(toNfa(tree), maxStatesOfCatalogue)))}`,
      );
    else lines.push(printExactMatch(tree));
  }
  return lines;
}

/** The expression (empty if a single finder suffices) and the finders (none for an item that is tried on every string). */
function lineOf(tree: Tree, frequency: Frequency): string {
  const plain = plainFinder(tree, frequency);
  if (plain !== undefined) return `\t${plain}`;
  const expression = printExactMatch(tree);
  const found = alternativesOf(tree).map((alternative) => {
    const literals = literalsOf(splitLeftContext(alternative)[1], frequency);
    // A match at the start of the string is tried there once.
    return isAnchoredAtStart(alternative) ? literals?.map((literal) => ({ ...literal, most: Infinity })) : literals;
  });
  if (!found.every((literals) => literals !== undefined)) return expression;
  return [expression, ...new Set(found.flat().flatMap((literal) => findersOf(literal, frequency)))].join("\t");
}

/** The finder of a tree that matches one text, perhaps only at the start of the string or of a word. */
function plainFinder(tree: Tree, frequency: Frequency): string | undefined {
  const [context, match] = splitLeftContext(tree);
  if (context !== undefined && !(context.type === "set" && context.set === wordStart)) return undefined;
  const items = partsOf(match);
  const isAtStart = items[0]?.type === "set" && items[0].set === startSet;
  const letters = items.slice(isAtStart ? 1 : 0).map((item) => (item.type === "set" ? letterOf(item.set) : undefined));
  if (letters.length < lettersSize || !letters.every((letter) => letter?.isExact)) return undefined;
  return toFinder(isAtStart ? "^" : context ? "w" : "a", letters.map((letter) => letter!.text).join(""), frequency);
}

function findersOf({ text, least, most }: Literal, frequency: Frequency): string[] {
  if (most - least > maxSpread || most > maxBefore) return [toFinder("*", text, frequency)];
  const places = Array.from({ length: most - least + 1 }, (_, i) => least + i);
  return places.map((before) => toFinder(String.fromCharCode(0x30 + before), text, frequency));
}

const wordStart = (anyChar & ~letters) | startSet;

function toFinder(kind: string, text: string, frequency: Frequency): string {
  return kind + String.fromCharCode(0x30 + rarestIn(text, frequency).at) + text;
}

/** The one letter of a set, in the notation of literals; it is exact if it stands only for characters in the set. */
function letterOf(set: CharSet): { readonly text: string; readonly isExact: boolean } | undefined {
  const symbols = members(set);
  const [first = nonAscii, second = first + 32] = symbols;
  // Lines and columns end at control characters.
  if (symbols.length > 2 || first < 0x20 || first >= nonAscii || second !== first + 32) return undefined;
  const text = String.fromCharCode(first);
  const isCapital = /[A-Z]/.test(text);
  return symbols.length === 2 && !isCapital ? undefined : { text, isExact: symbols.length === 2 || !isCapital };
}

/** The rarest literals such that every match of `tree` contains one of them. */
function literalsOf(tree: Tree, frequency: Frequency): readonly Literal[] | undefined {
  switch (tree.type) {
    case "set":
      return undefined;
    case "alt": {
      const all = tree.items.map((item) => literalsOf(item, frequency));
      return all.every((literals) => literals !== undefined) ? all.flat() : undefined;
    }
    case "repeat":
      return tree.min === 0
        ? undefined
        : shifted(literalsOf(tree.item, frequency), [0, tree.max === 1 ? 0 : Number.POSITIVE_INFINITY]);
    case "seq":
      return inSequence(tree.items, frequency);
  }
}

function inSequence(items: readonly Tree[], frequency: Frequency): readonly Literal[] | undefined {
  let best: readonly Literal[] | undefined;
  const consider = (literals: readonly Literal[] | undefined): void => {
    if (costOf(literals, frequency) < costOf(best, frequency)) best = literals;
  };
  let before: Span = [0, 0];
  let run: Literal = { text: "", least: 0, most: 0 };
  for (const item of items) {
    const letter = item.type === "set" ? letterOf(item.set) : undefined;
    if (letter !== undefined) run = { ...run, text: run.text + letter.text };
    else consider([run]);
    consider(shifted(literalsOf(item, frequency), before));
    before = sum(before, spanOf(item));
    if (letter === undefined) run = { text: "", least: before[0], most: before[1] };
  }
  consider([run]);
  return best;
}

/** The cost of the literals, as the number of strings that must be examined; Infinity if one is too short. */
function costOf(literals: readonly Literal[] | undefined, frequency: Frequency): number {
  if (literals === undefined) return Number.POSITIVE_INFINITY;
  const costs = literals.map(({ text, least, most }) => {
    if (text.length < lettersSize) return Number.POSITIVE_INFINITY;
    const { count } = rarestIn(text, frequency);
    return most - least > maxSpread ? 4 * (1 + count) : (1 + count) * (1 + most - least);
  });
  return costs.reduce((total, cost) => total + cost, 0);
}

/** The minimum and maximum number of characters. */
type Span = readonly [least: number, most: number];

const sum = ([a, b]: Span, [c, d]: Span): Span => [a + c, b + d];

function shifted(literals: readonly Literal[] | undefined, [least, most]: Span): readonly Literal[] | undefined {
  return literals?.map((literal) => ({ ...literal, least: literal.least + least, most: literal.most + most }));
}

/** The number of characters in a match; the ends of the string do not count. */
function spanOf(tree: Tree): Span {
  switch (tree.type) {
    case "set": {
      const symbols = members(tree.set);
      return [
        symbols.every((symbol) => symbol <= nonAscii) ? 1 : 0,
        symbols.some((symbol) => symbol <= nonAscii) ? 1 : 0,
      ];
    }
    case "seq":
      return tree.items.map(spanOf).reduce(sum, [0, 0]);
    case "alt": {
      const spans = tree.items.map(spanOf);
      return [Math.min(...spans.map(([least]) => least)), Math.max(...spans.map(([, most]) => most))];
    }
    case "repeat": {
      const [least, most] = spanOf(tree.item);
      return [least * tree.min, most === 0 ? 0 : most * tree.max];
    }
  }
}

/** The group of letters in a literal that is the rarest, and where it is. */
function rarestIn(text: string, frequency: Frequency): { readonly at: number; readonly count: number } {
  let rarest = { at: 0, count: Number.POSITIVE_INFINITY };
  for (let at = 0; at <= Math.min(text.length - lettersSize, maxPlace); at++) {
    const count = frequency[listOf(text, at)]!;
    if (count < rarest.count) rarest = { at, count };
  }
  return rarest;
}

function* createFrequency(strings: readonly string[]): Generator<undefined, Frequency> {
  const counts = new Uint32Array(listCount);
  for (const [i, text] of strings.entries()) {
    for (let at = 0; at + lettersSize <= text.length; at++) counts[listOf(text, at)]!++;
    if (i % partStrings === 0) yield;
  }
  return counts;
}
