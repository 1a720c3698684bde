/** Reads how crawlers can be verified from the disk: data/verification.yaml, and the copies of operators' lists in data/ranges/. */
import { readdirSync } from "node:fs";
import type { Catalogue } from "../src/compiler/entry.ts";
import { DataError } from "../src/compiler/sources/data-error.ts";
import { loadProofs } from "../src/compiler/sources/proofs.ts";
import { toRangeCopy } from "../src/detect/range-copy.ts";
import type { RangeCopy, VerificationFacts } from "../src/detect/verification.ts";
import { finish } from "../src/pattern/finish.ts";
import { type ListRules, RangeListError, readRanges } from "../src/verify/lists/parse-ranges.ts";
import { readText, root } from "./read-catalogue.ts";

/** The proofs and the lists, checked; throws DataError. */
export function readVerification(catalogue: Catalogue): VerificationFacts {
  const path = "data/verification.yaml";
  const proofs = loadProofs(readText(path), catalogue.entries);
  const withRanges = new Set(proofs.filter(({ ranges }) => ranges !== undefined).map(({ id }) => id));
  const ids = readdirSync(`${root}data/ranges`).map((file) => file.replace(/\.txt$/, ""));
  const strays = ids
    .filter((id) => !withRanges.has(id))
    .map((id) => `data/ranges/${id}.txt:1: ${path} has no ranges for ${id}`);
  if (strays.length > 0) throw new DataError(strays);
  const copies = ids.map((id) => [id, readCopy(`data/ranges/${id}.txt`)] as const);
  return { proofs, ranges: Object.fromEntries(copies) };
}

/** A copy of an address list and its date; throws DataError. */
export function readCopy(path: string, rules?: ListRules): RangeCopy {
  const { text } = readText(path);
  const asOf = /^# as of (\d{4}-\d{2}-\d{2}), by way of \S/m.exec(text)?.[1];
  if (asOf === undefined) throw new DataError([`${path}:1: a line "# as of 2026-01-31, by way of …" is missing`]);
  try {
    return toRangeCopy(asOf, finish(readRanges(text, { format: "lines" }, rules)));
  } catch (error) {
    if (!(error instanceof RangeListError)) throw error;
    throw new DataError([`${path}:1: ${error.message}`]);
  }
}
