/** The most frequent of any number of keys, in a fixed amount of memory. */

/**
 * Counts of the keys that may be frequent. A count is never too low, and too high by `floor` at most; while the keys are few,
 * `floor` is 0 and the counts are exact. The idea is Space-Saving (Metwally, Agrawal and El Abbadi, 2005), evicting many at a time.
 */
export interface Top {
  readonly counts: Map<string, number>;
  floor: number;
}

/** No more keys than these are kept when others are dropped; twice as many at most are held. */
const kept = 24;

export function createTop(): Top {
  return { counts: new Map(), floor: 0 };
}

/** Counts `key` once. */
export function addToTop(top: Top, key: string): void {
  const count = top.counts.get(key);
  top.counts.set(key, (count ?? top.floor) + 1);
  if (count === undefined && top.counts.size > 2 * kept) evict(top);
}

/** Adds what `other` has counted. */
export function mergeTop(top: Top, other: Top): void {
  const floor = top.floor + other.floor;
  for (const [key, count] of top.counts) {
    if (!other.counts.has(key)) top.counts.set(key, count + other.floor);
  }
  for (const [key, count] of other.counts) top.counts.set(key, (top.counts.get(key) ?? top.floor) + count);
  top.floor = floor;
  if (top.counts.size > 2 * kept) evict(top);
}

/** The keys with the highest counts, those first. */
export function topOf(top: Top, limit: number): readonly (readonly [key: string, count: number])[] {
  return [...top.counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, limit);
}

/** Drops those with the lowest counts, until few enough are left. */
function evict(top: Top): void {
  while (top.counts.size > kept) {
    top.floor = Math.min(...top.counts.values());
    for (const [key, count] of top.counts) if (count === top.floor) top.counts.delete(key);
  }
}
