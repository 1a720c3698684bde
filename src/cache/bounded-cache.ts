/** A map of bounded size whose values may expire: answers, policies, lookups. A flood of new keys costs next to nothing. */

export interface BoundedCache<Key, Value> {
  /** The value, unless it has left or expired. */
  get(key: Key): Value | undefined;
  /** Without `ttlMs` the value does not expire. */
  set(key: Key, value: Value, ttlMs?: number): void;
  /** Values in memory, of which some may have expired. */
  readonly size: number;
}

interface Generation<Key, Value> {
  readonly values: Map<Key, { readonly value: Value; readonly expires: number }>;
  /** When the last of them expires. */
  expires: number;
}

/**
 * Makes a cache of at most `limit` values: when half of that are new, the other half leave, unless they were asked for since.
 * Halves that have expired leave at the next access. `now` returns the time in milliseconds; needed if values expire.
 */
export function createBoundedCache<Key, Value>(limit: number, now: () => number = () => 0): BoundedCache<Key, Value> {
  const empty = (): Generation<Key, Value> => ({ values: new Map(), expires: 0 });
  let young = empty();
  let old = empty();

  function dropExpired(time: number): void {
    if (old.expires <= time) old = empty();
    if (young.expires <= time) young = empty();
  }

  function keep(key: Key, value: Value, expires: number): void {
    if (young.values.size >= limit / 2) {
      old = young;
      young = empty();
    }
    young.expires = Math.max(young.expires, expires);
    young.values.set(key, { value, expires });
  }

  return {
    get(key) {
      const time = now();
      const recent = young.values.get(key);
      if (recent !== undefined && recent.expires > time) return recent.value;
      dropExpired(time);
      const older = old.values.get(key);
      if (recent !== undefined || older === undefined || older.expires <= time) return undefined;
      keep(key, older.value, older.expires);
      return older.value;
    },
    set(key, value, ttlMs = Number.POSITIVE_INFINITY) {
      const time = now();
      dropExpired(time);
      keep(key, value, time + ttlMs);
    },
    get size() {
      return young.values.size + old.values.size;
    },
  };
}
