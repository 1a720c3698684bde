/** Notices signatures that are used again by somebody else, for as long as they are valid; bounded in number. */
import { createBoundedCache } from "./bounded-cache.ts";

export interface Nonces {
  /**
   * Whether this nonce of a key has been seen with another signature or from another address; otherwise it is remembered for
   * `ttlMs`. Asking twice about one request of one client is no replay: a proxy may ask for each part of a page.
   */
  isReplay(key: string, nonce: string, use: string, ttlMs: number): boolean;
}

/** Makes a memory of at most `limit` nonces. */
export function createNonces(limit: number, now: () => number): Nonces {
  const seen = createBoundedCache<string>(limit, now);
  return {
    isReplay(key, nonce, use, ttlMs) {
      const name = `${key} ${nonce}`;
      const before = seen.get(name);
      if (before === undefined) seen.set(name, use, ttlMs);
      return before !== undefined && before !== use;
    },
  };
}
