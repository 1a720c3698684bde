/** Writes an operator's list of addresses into a data folder, as a service keeps it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toPrefixText } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readRangeCopy } from "../../src/detect/range-copy.ts";

/**
 * Writes the list of the proof `id`, as of `asOf` in milliseconds (default: now), by default with the prefixes of the package's copy.
 * Returns its date in RFC 3339.
 */
export function writeList(folder: string, id: string, prefixes?: readonly string[], asOf = Date.now()): string {
  const { proofs, ranges } = detector.catalogue.verification;
  const url = proofs.find((proof) => proof.id === id)!.ranges![0]!.url;
  const parts = [{ url, prefixes: prefixes ?? [...readRangeCopy(ranges[id]!)].map(toPrefixText) }];
  mkdirSync(join(folder, "ranges"), { recursive: true });
  writeFileSync(join(folder, "ranges", `${id}.json`), JSON.stringify({ asOf, parts }));
  return new Date(asOf).toISOString();
}

/** Writes the lists of all operators as of now, so that none is too old. */
export function writeAllLists(folder: string): void {
  const { proofs, ranges } = detector.catalogue.verification;
  for (const { id } of proofs.filter(({ ranges }) => ranges !== undefined))
    writeList(folder, id, ranges[id] === undefined ? ["45.33.32.0/24"] : undefined);
}
