/** Writes data files (data-file.ts) with their test vectors, for `whocrawls compile` and the build. */
import { brotliCompressSync } from "node:zlib";
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { writeSections } from "../detect/file/sections.ts";
import type { Detector } from "../detect/verdict.ts";
import { format, type Manifest, type Vector } from "./data-file.ts";

/** Increase it when data need a newer program, such as for another kind of rule. */
const minimumProgram = "0.1.0";
const mostVectors = 2000;

interface Content {
  readonly catalogue: CompiledCatalogue;
  /** In milliseconds since 1970. */
  readonly changedAt: number;
  readonly vectors: readonly Vector[];
  /** JSON of LoadedSources, if the catalogue was compiled from nothing else. */
  readonly sources?: string | undefined;
}

/** Writes a data file; the same content gives the same bytes. */
export function encodeDataFile({ catalogue, changedAt, vectors, sources }: Content): Uint8Array {
  const { version } = catalogue;
  const manifest: Manifest = { format, version, date: new Date(changedAt).toISOString(), minimumProgram };
  const compressed = sources === undefined ? undefined : new Uint8Array(brotliCompressSync(sources));
  return writeSections({ manifest, vectors, ...(compressed && { sources: compressed }), ...catalogue });
}

/** Makes vectors of evenly spaced strings: half of crawlers, of the catalogue's own, and half of `people`, if there are enough. */
export function makeVectors(detector: Detector, people: readonly string[]): Vector[] {
  const own = new Set(detector.strings());
  const others = [...new Set(people)].filter((useragent) => !own.has(useragent));
  const ofPeople = pick(others, mostVectors / 2);
  const strings = [...pick([...own], mostVectors - ofPeople.length), ...ofPeople];
  return strings.map((useragent) => [useragent, verdictOf(detector, useragent)]);
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
