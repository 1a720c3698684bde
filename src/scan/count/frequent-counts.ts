/**
 * Counts of the most frequent keys in bounded memory: exact until keys are dropped, then estimates with a known error bound, based on the
 * Space-Saving algorithm (Metwally, Agrawal and El Abbadi, 2005). The least frequent keys are dropped, many at a time, because sorting takes
 * as long as counting thousands of lines.
 */

export interface FrequentCounts<Key, Counts> {
  counts: Map<Key, Counts>;
  /** The maximum count that a missing key can have, and by which counts may be wrong; 0 while all are exact. */
  floor: number;
}

/** Drops the least frequent keys, so that `kept` are left; returns those that it dropped. `sizeOf` is the most that a count can be. */
export function dropRare<Key, Counts>(
  frequent: FrequentCounts<Key, Counts>,
  kept: number,
  sizeOf: (counts: Counts) => number,
): readonly (readonly [Key, Counts])[] {
  if (frequent.counts.size <= kept) return [];
  const ranked = [...frequent.counts].sort(([, one], [, other]) => sizeOf(other) - sizeOf(one));
  frequent.floor = sizeOf(ranked[kept]![1]);
  frequent.counts = new Map(ranked.slice(0, kept));
  return ranked.slice(kept);
}

/** What a merge adds to the counts of a key that another thread does not have: it may have dropped it with a count of up to its floor. */
export function raiseMissing<Key, Counts>(
  frequent: FrequentCounts<Key, Counts>,
  other: { readonly floor: number },
  isThere: (key: Key) => boolean,
  raise: (key: Key, counts: Counts) => void,
): void {
  if (other.floor > 0) for (const [key, counts] of frequent.counts) if (!isThere(key)) raise(key, counts);
  frequent.floor += other.floor;
}
