/** Caches DNS results for addresses, bounded in number and time, with one query at a time per address. */

import { LRUCache } from "lru-cache";
import { type Address, toAddressText } from "../../address/address.ts";
import { within } from "../../http/within.ts";
import { toMessage } from "../../text/errors.ts";
import type { LookupClient } from "../evidence.ts";
import { checkNames, type NameCheck, type OperatorNames, type Resolver } from "./reverse-dns.ts";
import { createShares } from "./shares.ts";

/** The result for the names of an address: a check and when it was made, or why there is none. */
export type Lookup = (NameCheck & { readonly at: number }) | { readonly result: "failed"; readonly why: string };

export interface Lookups {
  /**
   * The cached result, or the pending query, which never rejects. Undefined if too many queries are pending: half of the
   * slots are reserved for queries whose answer is conclusive, and clients share them.
   */
  find(
    address: Address,
    names: OperatorNames,
    isConclusive: boolean,
    lookupClient?: LookupClient,
  ): Lookup | Promise<Lookup> | undefined;
  /** The number of pending queries. */
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
  /** The maximum number of addresses to cache. */
  readonly limit?: number;
  /** The maximum number of pending queries, shared among clients (shares.ts); further ones are refused. */
  readonly maxPending?: number;
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
  const { resolver, now, timeoutMs = 4000, limit = 20_000, maxPending = 200 } = options;
  const cache = new LRUCache<string, Lookup>({ max: limit, perf: { now }, ttlResolution: 0 });
  const pending = new Map<string, Promise<Lookup>>();
  const shares = createShares(maxPending);
  const counts: LookupCounts = { asked: 0, answered: 0 };
  const keyOf = (address: Address, { dns, domains = [] }: OperatorNames): string =>
    [toAddressText(address), ...dns, "", ...domains].join(" ");

  // A query that has been sent continues until its own time limit.
  const fail = (): never => {
    throw new Error(`no answer within ${timeoutMs} ms`);
  };

  async function look(key: string, address: Address, names: OperatorNames): Promise<Lookup> {
    let lookup: Lookup;
    counts.asked++;
    try {
      lookup = { ...(await within(checkNames(address, names, resolver), timeoutMs, fail)), at: now() };
      counts.answered++;
    } catch (error) {
      lookup = { result: "failed", why: toMessage(error) };
    }
    cache.set(key, lookup, { ttl: ttlMs[lookup.result] });
    pending.delete(key);
    return lookup;
  }

  return {
    find(address, names, isConclusive, lookupClient) {
      const key = keyOf(address, names);
      const found = cache.get(key) ?? pending.get(key);
      if (found !== undefined) return found;
      const release = shares.take(lookupClient, isConclusive);
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
