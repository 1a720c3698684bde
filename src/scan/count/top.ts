/** The most frequent of any number of keys, in a fixed amount of memory. */

/**
 * Counts of the keys that may be frequent. A count is never too low, and too high by `floor` at most; while the keys are few,
 * `floor` is 0 and the counts are exact. The idea is Space-Saving (Metwally, Agrawal and El Abbadi, 2005), evicting many at a time.
 * Keys are told apart by identity, and are in arrays: searching these is faster than a map that is not in the processor's cache.
 */
export interface Top<Key> {
  readonly keys: Key[];
  readonly counts: number[];
  floor: number;
}

/** No more keys than these are kept when others are dropped; twice as many at most are held. */
const kept = 24;

export function createTop<Key>(): Top<Key> {
  return { keys: [], counts: [], floor: 0 };
}

/** Counts `key` once. */
export function addToTop<Key>(top: Top<Key>, key: Key): void {
  const { keys, counts } = top;
  for (let i = 0; i < keys.length; i++) {
    if (keys[i] === key) {
      counts[i]!++;
      return;
    }
  }
  keys.push(key);
  counts.push(top.floor + 1);
  if (keys.length > 2 * kept) evict(top);
}

/** The sum of two; keys are the same where `idOf` says the same of them, also within one. */
export function mergeTop<Key>(top: Top<Key>, other: Top<Key>, idOf: (key: Key) => string | number): Top<Key> {
  const sums = new Map<string | number, { key: Key; count: number; inTop: boolean; inOther: boolean }>();
  for (const part of [top, other]) {
    for (const [i, key] of part.keys.entries()) {
      const sum = sums.get(idOf(key)) ?? { key, count: 0, inTop: false, inOther: false };
      sum.count += part.counts[i]!;
      if (part === top) sum.inTop = true;
      else sum.inOther = true;
      sums.set(idOf(key), sum);
    }
  }
  const merged: Top<Key> = { keys: [], counts: [], floor: top.floor + other.floor };
  for (const { key, count, inTop, inOther } of sums.values()) {
    merged.keys.push(key);
    // Where a key is missing, it may have been dropped with the floor's count.
    merged.counts.push(count + (inTop ? 0 : top.floor) + (inOther ? 0 : other.floor));
  }
  if (merged.keys.length > 2 * kept) evict(merged);
  return merged;
}

/** The keys with the highest counts, those first, then in the order of `idOf`. */
export function topOf<Key>(
  top: Top<Key>,
  limit: number,
  idOf: (key: Key) => string | number,
): readonly (readonly [key: Key, count: number])[] {
  return top.keys
    .map((key, i) => [key, top.counts[i]!] as const)
    .sort(([a, m], [b, n]) => n - m || (idOf(a) < idOf(b) ? -1 : 1))
    .slice(0, limit);
}

/** Drops those with the lowest counts, until few enough are left. */
function evict<Key>(top: Top<Key>): void {
  const { keys, counts } = top;
  while (keys.length > kept) {
    top.floor = counts.reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY);
    let left = 0;
    for (let i = 0; i < keys.length; i++) {
      if (counts[i] === top.floor) continue;
      keys[left] = keys[i]!;
      counts[left] = counts[i]!;
      left++;
    }
    keys.length = left;
    counts.length = left;
  }
}
