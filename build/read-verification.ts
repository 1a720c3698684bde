/** Reads how crawlers can be verified from the disk: data/verification.yaml, and the copies of operators' lists in data/ranges/. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toPrefixText } from "../src/address/prefix.ts";
import type { Catalogue } from "../src/compiler/entry.ts";
import { DataError } from "../src/compiler/sources/data-error.ts";
import { loadProofs } from "../src/compiler/sources/proofs.ts";
import type { RangeCopy, VerificationFacts } from "../src/detect/verification.ts";
import { parseRanges, RangeListError } from "../src/verify/lists/parse-ranges.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The proofs and the lists, checked; throws DataError. */
export function readVerification(catalogue: Catalogue): VerificationFacts {
  const path = "data/verification.yaml";
  const proofs = loadProofs({ path, text: readFileSync(root + path, "utf8") }, catalogue.entries);
  const withRanges = new Set(proofs.filter(({ ranges }) => ranges !== undefined).map(({ id }) => id));
  const copies = readdirSync(`${root}data/ranges`).map((file) => readCopy(`data/ranges/${file}`));
  const strays = copies
    .filter(({ id }) => !withRanges.has(id))
    .map(({ id }) => `data/ranges/${id}.txt:1: ${path} has no ranges of ${id}`);
  if (strays.length > 0) throw new DataError(strays);
  return { proofs, ranges: Object.fromEntries(copies.map(({ id, ...copy }) => [id, copy])) };
}

/** A copy of a list of addresses, and the day it is of. */
export function readCopyFile(path: string): { readonly asOf: string; readonly text: string } {
  const text = readFileSync(root + path, "utf8");
  const asOf = /^# as of (\d{4}-\d{2}-\d{2}), by way of \S/m.exec(text)?.[1];
  if (asOf === undefined) throw new DataError([`${path}:1: a line "# as of 2026-01-31, by way of …" is missing`]);
  return { asOf, text };
}

function readCopy(path: string): RangeCopy & { readonly id: string } {
  const { asOf, text } = readCopyFile(path);
  try {
    const prefixes = parseRanges(text, { format: "lines" }).map(toPrefixText).join("\n");
    return { id: path.replace(/^.*\/|\.txt$/g, ""), asOf, prefixes };
  } catch (error) {
    if (!(error instanceof RangeListError)) throw error;
    throw new DataError([`${path}:1: ${error.message}`]);
  }
}
