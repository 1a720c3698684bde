/** Reads data/well-known.yaml: the crawlers that /crawlers shows first. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Catalogue } from "../src/compiler/entry.ts";
import { DataError } from "../src/compiler/sources/data-error.ts";
import { parseList, type TextFile } from "../src/compiler/sources/yaml.ts";

const path = "data/well-known.yaml";

/** The names, in the file's order; throws DataError for a name without an entry or a repeated name. */
export function readWellKnown({ entries }: Pick<Catalogue, "entries">, file: TextFile = readOwn()): string[] {
  const names = new Set(entries.map(({ name }) => name));
  const seen = new Set<string>();
  const problems = parseList(file, z.string()).flatMap(({ value, source }) => {
    const isRepeated = seen.has(value);
    seen.add(value);
    if (isRepeated) return [`${source}: ${value} is there twice`];
    return names.has(value) ? [] : [`${source}: no entry is called ${value}`];
  });
  if (problems.length > 0) throw new DataError(problems);
  return [...seen];
}

function readOwn(): TextFile {
  return { path, text: readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), "utf8") };
}
