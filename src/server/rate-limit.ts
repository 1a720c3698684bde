/** Rate limits of a service: of clients and of crawlers, in one process, or shared by several workers, whose supervisor counts. */
import { toClient } from "../address/address.ts";
import { type Allowance, type Lease, mostBuckets, type Rate, type TakeOne } from "../cache/token-buckets.ts";
import type { Limit } from "../http/guards.ts";

/** Makes the limit of clients: an address has the bucket of its network. */
export function createClientLimit(rate: Rate, takeOne: TakeOne): Limit {
  return (address) => takeOne(toClient(address), rate);
}

interface Leased {
  left: number;
  readonly allowance: Allowance;
  readonly endMs: number;
}

/**
 * Makes the limit of one worker among several, which count together: it asks for a fiftieth of a key's rate at once, so
 * that busy keys cost few questions, and for one request where that is less. Without an answer, it allows the request.
 */
export function createSharedLimit(
  ask: (key: string, rate: Rate, most: number) => Promise<Lease>,
  nowMs: () => number,
  most = mostBuckets,
): TakeOne {
  const leases = new Map<string, Leased>();

  async function askAnew(key: string, rate: Rate): Promise<Allowance> {
    const { count, windowMs } = rate;
    try {
      const { taken, allowance } = await ask(key, rate, Math.max(1, Math.floor(count / 50)));
      if (leases.size >= most) leases.clear();
      const endMs = nowMs() + (taken > 0 ? windowMs : allowance.resetSeconds * 1000);
      // Another request of the same key may have asked, too.
      const left = Math.max(0, taken - 1) + Math.max(0, leases.get(key)?.left ?? 0);
      leases.set(key, { left, allowance, endMs });
      return { ...allowance, remaining: allowance.remaining + left };
    } catch {
      return { isAllowed: true, quota: count, windowSeconds: windowMs / 1000, remaining: 0, resetSeconds: 0 };
    }
  }

  return (key, rate) => {
    const lease = leases.get(key);
    const leftMs = lease === undefined ? 0 : lease.endMs - nowMs();
    if (lease === undefined || leftMs <= 0) return askAnew(key, rate);
    if (!lease.allowance.isAllowed) return { ...lease.allowance, resetSeconds: leftMs / 1000 };
    if (lease.left === 0) return askAnew(key, rate);
    lease.left -= 1;
    return { ...lease.allowance, remaining: lease.allowance.remaining + lease.left };
  };
}
