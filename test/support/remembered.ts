/**
 * What many test files read, takes most of a second of CPU time to read, and depends on files alone: kept in test/node_modules/.cache until
 * one of the files changes.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Corpus, readCorpora as readCorporaAnew } from "../../bench/accuracy/corpora.ts";
import { readCatalogue as readCatalogueAnew } from "../../build/read-catalogue.ts";
import { generated, isStale } from "../../build/stale.ts";
import type { Catalogue } from "../../src/compiler/entry.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = "test/node_modules/.cache";

/** The catalogue's data, as `build/read-catalogue.ts` reads them. */
export function readCatalogue(): Catalogue {
  return remember("catalogue", generated.sources, readCatalogueAnew);
}

/** The labeled strings, as `bench/accuracy/corpora.ts` reads them. */
export function readCorpora(): readonly Corpus[] {
  const sources = [...generated.sources, "bench/{accuracy/corpora,installed-package}.ts", "test/package-lock.json"];
  return remember("corpora", sources, readCorporaAnew);
}

function remember<Value>(name: string, sources: readonly string[], read: () => Value): Value {
  const made = `${cache}/${name}.json`;
  if (!isStale({ sources, made }, root)) return JSON.parse(readFileSync(root + made, "utf8"));
  const value = read();
  // Renamed, because other test files do the same at the same time.
  const own = `${root}${made}-${process.pid}`;
  mkdirSync(root + cache, { recursive: true });
  writeFileSync(own, JSON.stringify(value));
  renameSync(own, root + made);
  return value;
}
