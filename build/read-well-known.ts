/**
 * Reads data/well-known.yaml, the crawlers that /crawlers shows first, and data/robots-tokens.yaml, tokens that occur only in robots.txt.
 */
import { z } from "zod";
import type { Catalogue } from "../src/compiler/entry.ts";
import { DataError } from "../src/compiler/sources/data-error.ts";
import { text, webUrl } from "../src/compiler/sources/schemas.ts";
import { parseList } from "../src/compiler/sources/yaml.ts";
import { categories, purposes } from "../src/detect/categories.ts";
import type { RobotsToken } from "../src/detect/policy/robots-tokens.ts";
import { readText } from "./read-catalogue.ts";

const tokenSchema = z.strictObject({
  name: text,
  operator: text,
  category: z.enum(categories),
  purposes: z.array(z.enum(purposes)),
  url: webUrl,
  controls: text,
  crawler: text,
}) satisfies z.ZodType<RobotsToken>;

/** The names, in the file's order; throws DataError for a name without an entry or a repeated name. */
export function readWellKnown(
  { entries }: Pick<Catalogue, "entries">,
  file = readText("data/well-known.yaml"),
): string[] {
  const names = new Set(entries.map(({ name }) => name));
  const seen = new Set<string>();
  const problems = parseList(file, z.string()).flatMap(({ value, source }) => {
    const isRepeated = seen.has(value);
    seen.add(value);
    if (isRepeated) return [`${source}: ${value} appears twice`];
    return names.has(value) ? [] : [`${source}: there is no entry named ${value}`];
  });
  if (problems.length > 0) throw new DataError(problems);
  return [...seen];
}

/** The tokens, in the file's order; throws DataError for a token that has an entry, and for a crawler that has none. */
export function readRobotsTokens(
  { entries }: Pick<Catalogue, "entries">,
  file = readText("data/robots-tokens.yaml"),
): RobotsToken[] {
  const names = new Set(entries.map(({ name }) => name.toLowerCase()));
  const tokens = parseList(file, tokenSchema);
  const problems = tokens.flatMap(({ value: { name, crawler }, source }) => [
    ...(names.has(name.toLowerCase())
      ? [`${source}: ${name} is an entry, so requests carry this name; list only names that occur in robots.txt alone`]
      : []),
    ...(names.has(crawler.toLowerCase()) ? [] : [`${source}: there is no entry named ${crawler}`]),
  ]);
  if (problems.length > 0) throw new DataError(problems);
  return tokens.map(({ value }) => value);
}
