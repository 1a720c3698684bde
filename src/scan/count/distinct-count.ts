/**
 * Counts how many different texts there are: exactly up to 1,024, beyond that with a standard error of 3.1%, from the smallest hashes
 * (Bar-Yossef, Jayram, Kumar, Sivakumar and Trevisan, 2002: k minimum values). Counts of several threads merge to the count of one thread.
 */
import { hashBits, hashBytes } from "../../text/hash.ts";

/** How many of the smallest hashes are kept. */
export const keptHashes = 1024;

export interface DistinctCount {
  /** `hashes[0 … length)`; those after the first `sorted` may be duplicates, until the list is full. */
  hashes: Float64Array<ArrayBuffer>;
  length: number;
  /** Larger hashes are not kept. */
  limit: number;
}

export function createDistinctCount(): DistinctCount {
  return { hashes: new Float64Array(64), length: 0, limit: Number.POSITIVE_INFINITY };
}

/** Counts the text in `bytes[from … to)`. */
export function addDistinct(count: DistinctCount, bytes: Uint8Array, from: number, to: number): void {
  addHash(count, hashBytes(bytes, from, to));
}

function addHash(count: DistinctCount, hash: number): void {
  if (hash > count.limit) return;
  if (count.length === count.hashes.length) makeRoom(count);
  count.hashes[count.length++] = hash;
}

/** Removes duplicates and the largest hashes; enlarges the list if it is still half full. */
function makeRoom(count: DistinctCount): void {
  keepSmallest(count);
  const { hashes, length } = count;
  if (length <= hashes.length / 2 || hashes.length === 2 * keptHashes) return;
  count.hashes = new Float64Array(2 * hashes.length);
  count.hashes.set(hashes);
}

function keepSmallest(count: DistinctCount): void {
  const sorted = count.hashes.subarray(0, count.length).sort();
  let length = 0;
  for (const hash of sorted) if (length === 0 || hash !== sorted[length - 1]) sorted[length++] = hash;
  if (length > keptHashes) count.limit = sorted[keptHashes - 1]!;
  count.length = Math.min(length, keptHashes);
}

/** Adds what `other` has counted. */
export function mergeDistinct(count: DistinctCount, other: DistinctCount): void {
  count.limit = Math.min(count.limit, other.limit);
  for (const hash of other.hashes.subarray(0, other.length)) addHash(count, hash);
}

/** The number of different texts; an estimate, rounded, if it is above `keptHashes`. */
export function countDistinct(count: DistinctCount): number {
  keepSmallest(count);
  if (count.limit === Number.POSITIVE_INFINITY) return count.length;
  return Math.round(((keptHashes - 1) / count.limit) * 2 ** hashBits);
}
