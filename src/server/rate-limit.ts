/**
 * Limits how often one client asks: a token bucket for each address, as many as fit in bounded memory. Several workers
 * share the buckets of their supervisor.
 */

import { toClient } from "../address/address.ts";
import type { Allowance, Limit } from "../http/guards.ts";
import type { Rate } from "./settings/parse-values.ts";

/** About 150 bytes each: 15 MB for 100,000 addresses. */
const maxClients = 100_000;

/** The allowance of a client: `taken` requests are allowed, and the allowance is the rest after them. */
export interface Lease {
  readonly taken: number;
  readonly allowance: Allowance;
}

/** The buckets of all clients. */
export interface Buckets {
  /** Takes up to `most` requests of a client. */
  take(client: string, most: number): Lease;
  /** Applies another rate from now on. What clients have used of theirs stays used. */
  changeRate(rate: Rate): void;
}

interface Bucket {
  level: number;
  at: number;
}

/**
 * Makes the buckets of all clients. They fill evenly, so that a client never gets more than twice its rate in any window.
 * `nowMs` is a clock that only goes forward.
 */
export function createBuckets(rate: Rate, nowMs: () => number, most = maxClients): Buckets {
  const buckets = new Map<string, Bucket>();
  let { count, windowMs } = rate;
  let perMs = count / windowMs;

  /** Those that asked least recently leave: a flood of addresses pushes out itself before those that are busy. */
  function makeRoom(now: number): void {
    for (const [client, { at }] of buckets) {
      if (buckets.size < most && now - at < windowMs) return;
      buckets.delete(client);
    }
  }

  function refill(bucket: Bucket, now: number): void {
    bucket.level = Math.min(count, bucket.level + (now - bucket.at) * perMs);
    bucket.at = now;
  }

  function take(client: string, wanted: number): Lease {
    const now = nowMs();
    let bucket = buckets.get(client);
    if (bucket === undefined) {
      bucket = { level: count, at: now };
      if (buckets.size >= most) makeRoom(now);
    } else {
      // Asked again: it becomes the last to leave.
      buckets.delete(client);
      refill(bucket, now);
    }
    buckets.set(client, bucket);
    const taken = Math.min(wanted, Math.floor(bucket.level));
    bucket.level -= taken;
    const missing = taken > 0 ? count - bucket.level : 1 - bucket.level;
    const allowance = {
      isAllowed: taken > 0,
      quota: count,
      windowSeconds: windowMs / 1000,
      remaining: Math.floor(bucket.level),
      resetSeconds: missing / perMs / 1000,
    };
    return { taken, allowance };
  }

  return {
    take,
    changeRate(rate) {
      const now = nowMs();
      for (const bucket of buckets.values()) {
        refill(bucket, now);
        bucket.level = Math.max(0, rate.count - (count - bucket.level));
      }
      ({ count, windowMs } = rate);
      perMs = count / windowMs;
    },
  };
}

/** Makes the limit of a single process. */
export function createRateLimit(rate: Rate, nowMs: () => number, most?: number): (address: string) => Allowance {
  const buckets = createBuckets(rate, nowMs, most);
  return (address) => buckets.take(toClient(address), 1).allowance;
}

interface Leased {
  left: number;
  readonly allowance: Allowance;
  readonly endMs: number;
}

/**
 * Makes the limit of one worker among several, which count together: it asks for a fiftieth of a client's rate at once, so
 * that busy clients cost few questions, and for one request where that is less. Without an answer, it allows the request.
 */
export function createSharedLimit(
  { count, windowMs }: Rate,
  ask: (client: string, most: number) => Promise<Lease>,
  nowMs: () => number,
  most = maxClients,
): Limit {
  const leases = new Map<string, Leased>();
  const wanted = Math.max(1, Math.floor(count / 50));

  async function askAnew(client: string): Promise<Allowance> {
    try {
      const { taken, allowance } = await ask(client, wanted);
      if (leases.size >= most) leases.clear();
      const endMs = nowMs() + (taken > 0 ? windowMs : allowance.resetSeconds * 1000);
      // Another request of the same client may have asked, too.
      const left = Math.max(0, taken - 1) + Math.max(0, leases.get(client)?.left ?? 0);
      leases.set(client, { left, allowance, endMs });
      return { ...allowance, remaining: allowance.remaining + left };
    } catch {
      return { isAllowed: true, quota: count, windowSeconds: windowMs / 1000, remaining: 0, resetSeconds: 0 };
    }
  }

  return (address) => {
    const client = toClient(address);
    const lease = leases.get(client);
    const leftMs = lease === undefined ? 0 : lease.endMs - nowMs();
    if (lease === undefined || leftMs <= 0) return askAnew(client);
    if (!lease.allowance.isAllowed) return { ...lease.allowance, resetSeconds: leftMs / 1000 };
    if (lease.left === 0) return askAnew(client);
    lease.left -= 1;
    return { ...lease.allowance, remaining: lease.allowance.remaining + lease.left };
  };
}
