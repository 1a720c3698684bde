/** The strings that every engine is asked about. */

import { detector } from "../../src/detect/built-in/detector.ts";
import { itemsInPrecedence } from "../../src/export/expressions.ts";
import { createRandom, createStrings, odd } from "../support/random-strings.ts";
import { readCorpora } from "../support/remembered.ts";

/** What comes before or behind a string in the world, and tells engines apart: they disagree about `$` and a last line end. */
const ends = ["\n", "\r\n", "\n\n", " ", " \t\n", "\u2028", "\u0085", "\0", "\u00e9", "\ud83e", "x\n", "\nx"];

/** Strings of 64 kB that rules read to the end: an engine that recurses for each character or each round overflows its stack. */
const long = ["x", "Foo ", "a.b/", "1.", "@ ", "(; ", "é"].flatMap((piece) =>
  ["", "Mozilla/5.0 (compatible; ", "Mozilla/5.0 (X11; Linux x86_64) ", "Mozilla/5.0 "].map((start) =>
    (start + piece.repeat(65_536 / piece.length)).slice(0, 65_536),
  ),
);

/** Every string of the catalogue, every one of visitors of web sites, random ones, and variants with other ends. */
export function engineStrings(): string[] {
  const patterns = itemsInPrecedence(detector.catalogue).map(({ pattern }) => pattern);
  const visitors = readCorpora()
    .filter(({ source }) => /^(?:top-)?user-agents@/.test(source))
    .flatMap(({ strings }) => strings);
  const known = [...detector.strings(), ...visitors];
  const next = createStrings({ seed: 11, patterns, texts: known, odd: [...odd, ...ends] });
  const random = createRandom(12);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const variants = Array.from({ length: 1_000 }, () => {
    const text = pick(known);
    return random(4) ? text + pick(ends) : pick(ends) + text;
  });
  return [...new Set([...known, ...Array.from({ length: 1_000 }, next), ...variants, ...long, "", ...ends])];
}
