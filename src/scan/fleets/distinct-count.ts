/**
 * Estimates how many different texts there are, in 2 KB: HyperLogLog (Flajolet, Fusy, Gandouet and Meunier, 2007) with the estimator of
 * Ertl (2017, arXiv:1702.01284, algorithm 6), which has no bias at any size. The first few texts are a list of hashes: most counts stay
 * that small. Counts of several threads merge to the count of one thread.
 */

const indexBits = 11;
const registers = 2 ** indexBits;
/** The bits of a hash after the index; a register has the position of the first 1 in them, at most `rankBits + 1`. */
const rankBits = 32 - indexBits;

/** The standard error of an estimate, as a part of it: 2.3 %. */
export const standardError = 1.04 / Math.sqrt(registers);

export interface DistinctCount {
  /** The different hashes, while there are few. */
  readonly hashes: number[];
  /** Present once there were more. */
  ranks?: Uint8Array<ArrayBuffer>;
}

const mostHashes = 32;

export function createDistinctCount(): DistinctCount {
  return { hashes: [] };
}

/** Counts the text in `bytes[from … to)`. */
export function addDistinct(count: DistinctCount, bytes: Uint8Array, from: number, to: number): void {
  addHash(count, hashOf(bytes, from, to));
}

function addHash(count: DistinctCount, hash: number): void {
  if (count.ranks !== undefined) {
    addRank(count.ranks, hash);
    return;
  }
  if (count.hashes.includes(hash)) return;
  count.hashes.push(hash);
  if (count.hashes.length > mostHashes) toRanks(count);
}

function addRank(ranks: Uint8Array, hash: number): void {
  const index = hash >>> rankBits;
  const rank = Math.clz32((hash << indexBits) | (1 << (indexBits - 1))) + 1;
  if (rank > ranks[index]!) ranks[index] = rank;
}

function toRanks(count: DistinctCount): Uint8Array {
  if (count.ranks === undefined) {
    count.ranks = new Uint8Array(registers);
    for (const hash of count.hashes.splice(0)) addRank(count.ranks, hash);
  }
  return count.ranks;
}

/** FNV-1a, with the final mixing of MurmurHash3, because FNV's upper bits depend little on the last bytes. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Adds what `other` has counted. */
export function mergeDistinct(count: DistinctCount, other: DistinctCount): void {
  for (const hash of other.hashes) addHash(count, hash);
  if (other.ranks === undefined) return;
  const ranks = toRanks(count);
  for (const [index, rank] of other.ranks.entries()) if (rank > ranks[index]!) ranks[index] = rank;
}

/** The estimated number of different texts, rounded; of up to 32 texts the number. */
export function estimateDistinct({ hashes, ranks }: DistinctCount): number {
  if (ranks === undefined) return hashes.length;
  const histogram = new Array<number>(rankBits + 2).fill(0);
  for (const rank of ranks) histogram[rank]!++;
  let sum = registers * tau(1 - histogram[rankBits + 1]! / registers);
  for (let rank = rankBits; rank >= 1; rank--) sum = 0.5 * (sum + histogram[rank]!);
  sum += registers * sigma(histogram[0]! / registers);
  return Math.round(registers ** 2 / (2 * Math.LN2 * sum));
}

/** Ertl's correction for registers that are 0. */
function sigma(share: number): number {
  if (share === 1) return Number.POSITIVE_INFINITY;
  let [x, y, sum, before] = [share, 1, share, Number.NaN];
  while (sum !== before) {
    x *= x;
    before = sum;
    sum += x * y;
    y += y;
  }
  return sum;
}

/** Ertl's correction for registers that have the highest value. */
function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let [x, y, sum, before] = [share, 1, 1 - share, Number.NaN];
  while (sum !== before) {
    x = Math.sqrt(x);
    before = sum;
    y *= 0.5;
    sum -= (1 - x) ** 2 * y;
  }
  return sum / 3;
}
