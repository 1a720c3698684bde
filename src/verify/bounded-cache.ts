/** A map of bounded size whose values expire: what is known for now about addresses and in the record. */

export interface BoundedCache<Value> {
  /** The value, unless it has expired. */
  get(key: string): Value | undefined;
  set(key: string, value: Value, ttlMs: number): void;
  /** Values in memory, of which some may have expired. */
  readonly size: number;
}

interface Kept<Value> {
  readonly value: Value;
  readonly expires: number;
}

interface Generation<Value> {
  readonly values: Map<string, Kept<Value>>;
  /** When the last of them expires. */
  expires: number;
}

/**
 * Makes a cache of at most `limit` values: when half of that are new, the other half leave, unless they were asked for since.
 * Halves that have expired leave at the next access. `now` tells the time in milliseconds.
 */
export function createBoundedCache<Value>(limit: number, now: () => number): BoundedCache<Value> {
  const empty = (): Generation<Value> => ({ values: new Map(), expires: Infinity });
  let young = empty();
  let old = empty();

  function keep(key: string, kept: Kept<Value>): void {
    if (young.values.size >= limit / 2) {
      old = young;
      young = empty();
    }
    young.expires = young.values.size === 0 ? kept.expires : Math.max(young.expires, kept.expires);
    young.values.set(key, kept);
  }

  function dropExpired(time: number): void {
    if (old.expires <= time) old = empty();
    if (young.expires <= time) young = empty();
  }

  return {
    get(key) {
      const time = now();
      dropExpired(time);
      const recent = young.values.get(key);
      const kept = recent ?? old.values.get(key);
      if (kept === undefined || kept.expires <= time) return undefined;
      if (recent === undefined) keep(key, kept);
      return kept.value;
    },
    set(key, value, ttlMs) {
      const time = now();
      dropExpired(time);
      keep(key, { value, expires: time + ttlMs });
    },
    get size() {
      return young.values.size + old.values.size;
    },
  };
}
