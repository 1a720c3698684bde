/**
 * A rate limiter: one token bucket per key, in bounded memory. The caller decides what a key is,
 * such as a client or a crawler.
 */

/** A rate: a number of requests per time span. */
export interface Rate {
  readonly count: number;
  readonly windowMs: number;
}

/** The allowance of a key after a request. */
export interface Allowance {
  readonly isAllowed: boolean;
  /**
   * Requests per window, the window, the remaining requests, and the time until the full quota is available again or, if none remain, until
   * one more request is allowed.
   */
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** The value of `Retry-After` for a refused request: whole seconds, at least one. */
export function toRetryAfter(resetSeconds: number): string {
  return String(Math.max(1, Math.ceil(resetSeconds)));
}

/** Counts one request of a key. If the key's rate has changed, requests already made still count. */
export type RateLimiter = (key: string, rate: Rate) => Allowance;

interface Bucket {
  used: number;
  at: number;
  rate: Rate;
}

/** About 150 bytes each: 15 MB for 100,000 keys. */
const maxBuckets = 100_000;
/**
 * For crawlers, of which a catalogue has a few thousand. Keys are long if clients can reach the service and send policies of their own:
 * then 10 MB.
 */
export const maxCrawlerBuckets = 20_000;

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** Reads a rate such as `100/s`, `1000/m`, `50000/h`; undefined for other text. */
export function parseRate(text: string): Rate | undefined {
  const [, number, unit = ""] = /^(\d{1,9})\/([smh])$/.exec(text) ?? [];
  const count = Number(number);
  return count >= 1 ? { count, windowMs: units[unit]! } : undefined;
}

/**
 * Makes the buckets of all keys. They fill evenly, so that a key never gets more than twice its rate in any window.
 * `nowMs` is a clock that only goes forward.
 */
export function createRateLimiter(nowMs: () => number, most = maxBuckets): RateLimiter {
  const buckets = new Map<string, Bucket>();

  /** Evicts the least recently used keys, so a flood of new keys evicts its own keys before busy ones. */
  function makeRoom(now: number): void {
    for (const [key, { at, rate }] of buckets) {
      if (buckets.size < most && now - at < rate.windowMs) return;
      buckets.delete(key);
    }
  }

  return (key, rate) => {
    const now = nowMs();
    const { count, windowMs } = rate;
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = { used: 0, at: now, rate };
      if (buckets.size >= most) makeRoom(now);
    } else {
      // Reinserted, so that it is evicted last.
      buckets.delete(key);
      const before = bucket.rate;
      const refilled = ((now - bucket.at) * before.count) / before.windowMs;
      bucket.used = Math.min(count, Math.max(0, bucket.used - refilled));
      bucket.at = now;
      bucket.rate = rate;
    }
    buckets.set(key, bucket);
    const isAllowed = count - bucket.used >= 1;
    if (isAllowed) bucket.used++;
    return {
      isAllowed,
      quota: count,
      windowSeconds: windowMs / 1000,
      remaining: Math.floor(count - bucket.used),
      resetSeconds: ((isAllowed ? bucket.used : bucket.used - count + 1) * windowMs) / count / 1000,
    };
  };
}
