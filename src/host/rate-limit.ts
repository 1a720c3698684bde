// Limits how often one client asks: a token bucket for each address, as many as fit in bounded memory.
import { isIPv6 } from "node:net";
import type { Allowance } from "../service/guards.ts";
import type { Rate } from "./parse-values.ts";

/** About 150 bytes each: 15 MB where somebody has a hundred thousand addresses. */
const maxClients = 100_000;

interface Bucket {
  level: number;
  at: number;
}

/**
 * Makes the function that counts one request of a client. Buckets fill evenly, so that a client never gets more than
 * twice its rate in any window. `nowMs` is a clock that only goes forward.
 */
export function createRateLimit(
  { count, windowMs }: Rate,
  nowMs: () => number,
  most = maxClients,
): (address: string) => Allowance {
  const buckets = new Map<string, Bucket>();
  const perMs = count / windowMs;

  return (address) => {
    const key = toClient(address);
    const now = nowMs();
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = { level: count, at: now };
      if (buckets.size >= most) makeRoom(now);
    } else {
      // Asked again: it becomes the last to leave.
      buckets.delete(key);
      bucket.level = Math.min(count, bucket.level + (now - bucket.at) * perMs);
      bucket.at = now;
    }
    buckets.set(key, bucket);
    const isAllowed = bucket.level >= 1;
    if (isAllowed) bucket.level -= 1;
    return {
      isAllowed,
      quota: count,
      windowSeconds: windowMs / 1000,
      remaining: Math.floor(bucket.level),
      resetSeconds: (isAllowed ? count - bucket.level : 1 - bucket.level) / perMs / 1000,
    };
  };

  /** Those that asked least recently leave: a flood of addresses pushes out itself before those that are busy. */
  function makeRoom(now: number): void {
    for (const [key, { at }] of buckets) {
      if (buckets.size < most && now - at < windowMs) return;
      buckets.delete(key);
    }
  }
}

/** Who an address stands for: an IPv6 network of 64 bits is one customer's, who may use any address in it. */
export function toClient(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = "", tail = ""] = address.split("%")[0]!.split("::");
  const first = head.split(":").filter((group) => group !== "");
  const last = tail.split(":").filter((group) => group !== "");
  const groups = [...first, ...Array(Math.max(0, 8 - first.length - last.length)).fill("0"), ...last];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
