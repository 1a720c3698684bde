/** Test vectors: user agents and what the builder of a data file made of them. A program that gives another verdict refuses it. */
import type { Detector } from "../../detect/verdict.ts";

/** A user agent, and the name of its entry, or whether it is a crawler: programs may differ in the names that they derive. */
export type Vector = readonly [useragent: string, crawler: string | boolean];

const mostVectors = 2000;

/** Makes vectors of evenly spaced strings: half of crawlers, of the catalogue's own, and half of `people`, if there are enough. */
export function makeVectors(detector: Detector, people: readonly string[]): Vector[] {
  const own = new Set(detector.strings());
  const others = [...new Set(people)].filter((useragent) => !own.has(useragent));
  const ofPeople = pick(others, mostVectors / 2);
  const strings = [...pick([...own], mostVectors - ofPeople.length), ...ofPeople];
  return strings.map((useragent) => [useragent, verdictOf(detector, useragent)]);
}

/** The vectors for which a detector gives another verdict. */
export function failingVectors(detector: Detector, vectors: readonly Vector[]): Vector[] {
  return vectors.filter(([useragent, expected]) =>
    typeof expected === "string"
      ? detector.check(useragent).name !== expected
      : detector.isCrawler(useragent) !== expected || detector.check(useragent).crawler !== expected,
  );
}

function verdictOf(detector: Detector, useragent: string): string | boolean {
  const { crawler, name, pattern } = detector.check(useragent);
  const isEntry = crawler && detector.catalogue.items.some((item) => item.name === name && item.pattern === pattern);
  return isEntry && name !== undefined ? name : crawler;
}

function pick(strings: readonly string[], most: number): string[] {
  const count = Math.min(most, strings.length);
  return Array.from({ length: count }, (_, at) => strings[Math.floor((at * strings.length) / count)]!);
}
