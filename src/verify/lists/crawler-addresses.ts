/** Says whose crawlers have an address, by the lists that have addresses of these crawlers and no others. */

import type { Address } from "../../address/address.ts";
import type { Prefix } from "../../address/prefix.ts";
import type { CrawlerAddress, Proof } from "../../detect/verification.ts";
import { type RangeLists, verifiesUntil } from "./operator-lists.ts";
import type { RangeList } from "./range-list.ts";

export interface CrawlerAddresses {
  /** What the exclusive lists say that verify the address; undefined if none does. One object until a list is replaced or an operator renamed. */
  find(address: Address): CrawlerAddress | undefined;
  /** Makes the tables of the lists in steps, so that no request has to wait for them. */
  prepare(): Generator<undefined, void>;
}

/** A list with its longest prefix that contains an address. */
interface Found {
  readonly proof: Proof;
  readonly list: RangeList;
  readonly prefix: Prefix;
}

/** Finds in the exclusive lists of the proofs, as they are at each question. */
export function createCrawlerAddresses(
  proofs: readonly Proof[],
  lists: RangeLists,
  operatorOf: (proof: Proof) => string | undefined,
  now: () => number,
): CrawlerAddresses {
  const exclusive = proofs.filter((proof) => proof.exclusive);
  /** By the list that is named, its operator's name, and the ids of all that contain the address. */
  const made = new WeakMap<RangeList, Map<string, CrawlerAddress>>();

  function findAll(address: Address): Found[] {
    const found: Found[] = [];
    for (const proof of exclusive) {
      const list = lists.find(proof.id);
      const prefix = list?.table.find(address);
      if (list === undefined || prefix === undefined) continue;
      if (verifiesUntil(proof, list.asOf, prefix) >= now()) found.push({ proof, list, prefix });
    }
    return found;
  }

  function toCrawlerAddress(operator: string, found: readonly Found[], { proof, list }: Found): CrawlerAddress {
    return {
      operator,
      crawlers: [...new Set(found.flatMap(({ proof }) => proof.crawlers))],
      source: proof.ranges?.[0]?.url ?? "",
      asOf: new Date(list.asOf).toISOString(),
    };
  }

  return {
    find(address) {
      const found = findAll(address);
      const [first] = found;
      if (first === undefined) return undefined;
      const named = found.reduce((one, other) => (other.prefix.length > one.prefix.length ? other : one), first);
      const ofList = made.get(named.list) ?? new Map<string, CrawlerAddress>();
      const operator = operatorOf(named.proof) ?? named.proof.id;
      const key = [operator, ...found.map(({ proof }) => proof.id)].join();
      const crawlerAddress = ofList.get(key) ?? toCrawlerAddress(operator, found, named);
      made.set(named.list, ofList.set(key, crawlerAddress));
      return crawlerAddress;
    },
    *prepare() {
      for (const { id } of exclusive) {
        yield* lists.prepare(id);
        yield;
      }
    },
  };
}
