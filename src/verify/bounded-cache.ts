/** A map of bounded size whose values expire: what is known for now about addresses, keys and nonces. */

export interface BoundedCache<Value> {
  /** The value, unless it has expired. */
  get(key: string): Value | undefined;
  set(key: string, value: Value, ttlMs: number): void;
  readonly size: number;
}

interface Kept<Value> {
  readonly value: Value;
  readonly expires: number;
}

/**
 * Makes a cache of at most `limit` values: when half of that are new, the other half leave, unless they were asked for since.
 * `now` tells the time in milliseconds.
 */
export function createBoundedCache<Value>(limit: number, now: () => number): BoundedCache<Value> {
  let young = new Map<string, Kept<Value>>();
  let old = new Map<string, Kept<Value>>();

  function keep(key: string, kept: Kept<Value>): void {
    if (young.size >= limit / 2) {
      old = young;
      young = new Map();
    }
    young.set(key, kept);
  }

  return {
    get(key) {
      const recent = young.get(key);
      const kept = recent ?? old.get(key);
      if (kept === undefined || kept.expires <= now()) return undefined;
      if (recent === undefined) keep(key, kept);
      return kept.value;
    },
    set(key, value, ttlMs) {
      keep(key, { value, expires: now() + ttlMs });
    },
    get size() {
      return young.size + old.size;
    },
  };
}
