/** The strings that exported configuration is asked about, as far as they can be a header's value. */
import { readPeople } from "../../build/read-people.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { CrawlerVerdict } from "../../src/detect/verdict.ts";
import { itemsInPrecedence } from "../../src/export/expressions.ts";
import { createStrings } from "../support/random-strings.ts";

/** Crawlers of the catalogue, people that are like them, and as many strings made of pieces of both; no two alike. */
export function exportStrings(count: number): string[] {
  const people = readPeople();
  const patterns = itemsInPrecedence(detector.catalogue).map(({ pattern }) => pattern);
  const known = [...detector.strings(), ...people];
  const next = createStrings({ seed: 5, patterns, texts: known });
  const strings = new Set([...every(detector.strings(), count / 3), ...every(people, count / 3)].filter(isHeaderValue));
  while (strings.size < count) {
    const text = next();
    if (isHeaderValue(text)) strings.add(text);
  }
  return [...strings];
}

const entryNames = new Set(itemsInPrecedence(detector.catalogue).map(({ name }) => name));

/** The verdict as an export can select it: not by the name that a crawler without an entry has from its string, such as GPTBOT. */
export function withoutDerivedName(verdict: CrawlerVerdict): CrawlerVerdict {
  return entryNames.has(verdict.name) ? verdict : { ...verdict, name: "" };
}

/** `count` of the strings at most, evenly chosen. */
function every(strings: readonly string[], count: number): string[] {
  const step = Math.max(1, Math.floor(strings.length / count));
  return strings.filter((_, index) => index % step === 0).slice(0, Math.floor(count));
}

/** What any client can send and any server takes: printable, no blanks at the ends, UTF-8. */
function isHeaderValue(text: string): boolean {
  return text.isWellFormed() && text.length < 4_000 && /^[^\p{Cc}\s](?:[^\p{Cc}]*[^\p{Cc}\s])?$/u.test(text);
}
