/** Remembers what DNS has said about addresses: bounded in number and in time, one question at a time for one address. */

import { LRUCache } from "lru-cache";
import { type Address, toAddressText } from "../../address/address.ts";
import { toMessage } from "../../text/error-message.ts";
import type { Asker } from "../evidence.ts";
import { checkNames, type NameCheck, type OperatorNames, type Resolver } from "./reverse-dns.ts";
import { createShares } from "./shares.ts";

/** The result for the names of an address: a check and when it was made, or why there is none. */
export type Lookup = (NameCheck & { readonly at: number }) | { readonly result: "failed"; readonly why: string };

export interface Lookups {
  /** The cached result; undefined if there is none. */
  known(address: Address, names: OperatorNames): Lookup | undefined;
  /**
   * Asks, unless the question is already on its way; never rejects. Undefined if too many questions are on their way. Half of the
   * slots are for questions whose answer is conclusive.
   */
  ask(address: Address, names: OperatorNames, isConclusive?: boolean, asker?: Asker): Promise<Lookup> | undefined;
  /** Questions that are on their way. */
  readonly pending: number;
  readonly counts: Readonly<LookupCounts>;
}

/** How many times the names of an address were asked for, and how many of these times DNS answered. */
export interface LookupCounts {
  asked: number;
  answered: number;
}

export interface LookupOptions {
  readonly resolver: Resolver;
  readonly now: () => number;
  /** For one address, all questions together. */
  readonly timeoutMs?: number;
  /** Most addresses to remember. */
  readonly limit?: number;
  /** Most addresses to ask about at a time, shared among clients (shares.ts); further ones are refused. */
  readonly mostPending?: number;
}

const minuteMs = 60_000;
/** Names of crawlers' addresses change seldom; what was missing may have been added. */
const ttlMs = {
  confirmed: 360 * minuteMs,
  other: 30 * minuteMs,
  contradicted: 30 * minuteMs,
  absent: 30 * minuteMs,
  failed: minuteMs / 2,
};

/** Makes lookups that ask through `resolver`. */
export function createLookups(options: LookupOptions): Lookups {
  const { resolver, now, timeoutMs = 4000, limit = 20_000, mostPending = 200 } = options;
  const cache = new LRUCache<string, Lookup>({ max: limit, perf: { now }, ttlResolution: 0 });
  const pending = new Map<string, Promise<Lookup>>();
  const shares = createShares(mostPending);
  const counts: LookupCounts = { asked: 0, answered: 0 };
  /** Written once for the names of each proof. */
  const texts = new WeakMap<OperatorNames, string>();
  const keyOf = (address: Address, names: OperatorNames): string => {
    const text = texts.get(names) ?? [...names.dns, "", ...(names.domains ?? [])].join(" ");
    texts.set(names, text);
    return `${toAddressText(address)} ${text}`;
  };

  async function look(key: string, address: Address, names: OperatorNames): Promise<Lookup> {
    let lookup: Lookup;
    counts.asked++;
    try {
      lookup = { ...(await within(timeoutMs, checkNames(address, names, resolver), false)), at: now() };
      counts.answered++;
    } catch (error) {
      lookup = { result: "failed", why: toMessage(error) };
    }
    cache.set(key, lookup, { ttl: ttlMs[lookup.result] });
    pending.delete(key);
    return lookup;
  }

  return {
    known: (address, names) => cache.get(keyOf(address, names)),
    ask(address, names, isConclusive = true, asker) {
      const key = keyOf(address, names);
      const known = cache.get(key);
      if (known !== undefined) return Promise.resolve(known);
      const asked = pending.get(key);
      if (asked !== undefined) return asked;
      const release = shares.take(asker, isConclusive);
      if (release === undefined) return undefined;
      const asking = look(key, address, names).finally(release);
      pending.set(key, asking);
      return asking;
    },
    get pending() {
      return pending.size;
    },
    counts,
  };
}

/** Rejects if `work` takes longer; it goes on until its own limits end it. Where `isHolding`, the process stays for that long. */
export async function within<Value>(timeoutMs: number, work: Promise<Value>, isHolding: boolean): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    if (!isHolding) timer.unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
