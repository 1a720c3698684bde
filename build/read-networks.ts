/** Reads the networks from the disk: data/networks.yaml, and the copies of the providers' lists in data/networks/. */
import { readdirSync } from "node:fs";
import { z } from "zod";
import { DataError } from "../src/compiler/sources/data-error.ts";
import { members } from "../src/compiler/sources/proofs.ts";
import { id, secureUrl, text } from "../src/compiler/sources/schemas.ts";
import { parseList } from "../src/compiler/sources/yaml.ts";
import { type NetworkSource, networkKinds, rangeFormats } from "../src/detect/verification.ts";
import { networkRules } from "../src/verify/lists/parse-ranges.ts";
import { readText, root } from "./read-catalogue.ts";
import { readCopy } from "./read-verification.ts";

const path = "data/networks.yaml";

const schema = z
  .strictObject({
    id,
    provider: text,
    kind: z.enum(networkKinds),
    source: secureUrl,
    format: z.enum(rangeFormats).exactOptional(),
    at: members.exactOptional(),
    clientHeader: text.exactOptional(),
  })
  .refine(({ format, at }) => at === undefined || format === "json", "at applies to the format json")
  .refine(
    ({ kind, clientHeader }) => (kind === "cdn") === (clientHeader !== undefined),
    "a cdn, and nothing else, has clientHeader",
  ) satisfies z.ZodType<NetworkSource>;

/** The networks with their copies, in the order of precedence; throws DataError. */
export function readNetworks(): NetworkSource[] {
  const items = parseList(readText(path), schema).map(({ value }) => value);
  const files = readdirSync(`${root}data/networks`);
  const known = new Set(items.map(({ id }) => `${id}.txt`));
  const problems = [
    ...files
      .filter((file) => !known.has(file))
      .map((file) => `data/networks/${file}:1: ${path} lists no network of this name`),
    ...items
      .filter(({ id, format }) => format === undefined && !files.includes(`${id}.txt`))
      .map(({ id }) => `${path}:1: ${id} has neither a format nor a copy`),
  ];
  if (problems.length > 0) throw new DataError(problems);
  return items
    .map((item) => {
      if (!files.includes(`${item.id}.txt`)) return item;
      return { ...item, copy: readCopy(`data/networks/${item.id}.txt`, networkRules) };
    })
    .toSorted((one, other) => networkKinds.indexOf(one.kind) - networkKinds.indexOf(other.kind));
}
