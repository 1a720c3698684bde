/** Finds a text that every match of an expression contains: searching for it first saves engines most regular expression matching. */
import { type CharSet, foldCase, members } from "../pattern/charset.ts";
import { parsePattern } from "../pattern/parse.ts";
import type { Tree } from "../pattern/tree.ts";
import { halvesOf } from "./parts.ts";

/** A part of an expression, and its prefilter. */
export interface Filtered {
  readonly expression: string;
  readonly prefilter: string;
}

/** Shorter texts are in nearly every string. */
const worthwhileLength = 3;

/** The expression, or parts of it if each part then has a useful prefilter. */
export function toFiltered(expression: string): Filtered[] {
  return cutForPrefilters(expression, maxCuts) ?? [{ expression, prefilter: prefilterOf(expression) }];
}

/** The maximum number of times that a part is halved. */
const maxCuts = 12;

function cutForPrefilters(expression: string, cuts: number): Filtered[] | undefined {
  const prefilter = prefilterOf(expression);
  if (prefilter.length >= worthwhileLength) return [{ expression, prefilter }];
  const halves = cuts > 0 ? halvesOf(expression) : [];
  if (halves.length < 2) return undefined;
  const parts: Filtered[] = [];
  for (const half of halves) {
    const filtered = cutForPrefilters(half, cuts - 1);
    if (!filtered) return undefined;
    parts.push(...filtered);
  }
  return parts;
}

/** The longest text, in lower case, that a lower-cased string must contain where `expression` matches it; perhaps empty. */
function prefilterOf(expression: string): string {
  return longest(textsOf(parsePattern(expression, { printed: true })));
}

/** Texts that every match contains contiguously, as far as a single pass from left to right finds them. */
function textsOf(tree: Tree): string[] {
  const texts = [""];
  for (const item of tree.type === "seq" ? tree.items : [tree]) {
    const letter = item.type === "set" ? letterOf(item.set) : undefined;
    if (letter !== undefined) texts[texts.length - 1] += letter;
    else if (item.type === "alt") texts.push(common(item.items.map(textsOf)), "");
    else if (item.type === "repeat" && item.min > 0) texts.push(...textsOf(item.item), "");
    else texts.push("");
  }
  return texts;
}

/** The longest text that occurs in some text of each alternative. */
function common([first = [], ...others]: readonly (readonly string[])[]): string {
  const parts = first.flatMap((text) =>
    [...text].flatMap((_, from) =>
      Array.from({ length: text.length - from }, (_, end) => text.slice(from, from + end + 1)),
    ),
  );
  return longest(parts.filter((part) => others.every((texts) => texts.some((text) => text.includes(part)))));
}

/** The one character in a set, in either case. */
function letterOf(set: CharSet): string | undefined {
  const [last, ...others] = members(foldCase(set)).toReversed();
  if (last === undefined || last >= 128) return undefined;
  const letter = String.fromCharCode(last);
  const isCase =
    others.length === 0 || (others.length === 1 && String.fromCharCode(others[0]!) === letter.toUpperCase());
  return isCase ? letter : undefined;
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), "");
}
