/** Reads the networks from the disk: data/networks.yaml, and the copies of the providers' lists in data/networks/. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { encodePrefixes } from "../src/address/prefix-codec.ts";
import { DataError } from "../src/compiler/sources/data-error.ts";
import { secureUrl } from "../src/compiler/sources/proofs.ts";
import { parseList } from "../src/compiler/sources/yaml.ts";
import { toBytesText } from "../src/detect/text.ts";
import type { NetworkSource } from "../src/detect/verification.ts";
import { networkKinds } from "../src/detect/verification.ts";
import { networkRules, parseRanges, RangeListError } from "../src/verify/lists/parse-ranges.ts";
import { readCopyFile } from "./read-verification.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const path = "data/networks.yaml";

const schema = z.strictObject({
  id: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "small letters, digits and dashes"),
  provider: z.string().min(1),
  kind: z.enum(networkKinds),
  source: secureUrl,
  format: z.enum(["json", "lines", "geofeed", "html"]).optional(),
});

/** The networks with their copies, in the order of precedence; throws DataError. */
export function readNetworks(): NetworkSource[] {
  const items = parseList({ path, text: readFileSync(root + path, "utf8") }, schema).map(({ value }) => value);
  const files = readdirSync(`${root}data/networks`);
  const known = new Set(items.map(({ id }) => `${id}.txt`));
  const problems = [
    ...files.filter((file) => !known.has(file)).map((file) => `data/networks/${file}:1: ${path} has no such network`),
    ...items
      .filter(({ id, format }) => format === undefined && !files.includes(`${id}.txt`))
      .map(({ id }) => `${path}:1: ${id} has neither a format nor a copy`),
  ];
  if (problems.length > 0) throw new DataError(problems);
  return items
    .map((item) => ({
      ...item,
      ...(files.includes(`${item.id}.txt`) && { copy: readCopy(`data/networks/${item.id}.txt`) }),
    }))
    .toSorted((one, other) => networkKinds.indexOf(one.kind) - networkKinds.indexOf(other.kind));
}

function readCopy(path: string): NetworkSource["copy"] {
  const { asOf, text } = readCopyFile(path);
  try {
    return { asOf, prefixes: toBytesText(encodePrefixes(parseRanges(text, { format: "lines" }, networkRules))) };
  } catch (error) {
    if (!(error instanceof RangeListError)) throw error;
    throw new DataError([`${path}:1: ${error.message}`]);
  }
}
