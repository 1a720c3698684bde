/** Reads the lists that have addresses of crawlers and no others before a log is scanned, and makes what the scan counts by. */
import { type Address, toAddressText } from "../../address/address.ts";
import { lowBits, mergePrefixes } from "../../address/prefix.ts";
import { readNetworkSources } from "../../detect/built-in/networks.ts";
import type { CrawlerAddress } from "../../detect/verification.ts";
import { finish } from "../../pattern/finish.ts";
import type { ClaimVerifier } from "../../verify/evidence.ts";
import { createNetworks, type Networks } from "../../verify/networks/networks.ts";
import { type AddressIntervals, toIntervals } from "../count/address-index.ts";
import type { CrawlerAddressTask } from "../count/crawler-addresses.ts";
import { createEnd, readLists, type VerifyOptions } from "./verify-tally.ts";

/** Reads the lists from their operators, if that is asked for; returns their ids. */
export async function readCrawlerAddressLists(options: VerifyOptions): Promise<ReadonlySet<string>> {
  const { proofs, refreshes, limitMs, signal, say } = options;
  const exclusive = proofs.filter((proof) => proof.exclusive);
  if (!refreshes || signal.aborted || exclusive.length === 0) return new Set();
  say(`Reading the address lists of crawlers: ${exclusive.length}.`);
  const { reached } = createEnd(limitMs, signal);
  await readLists(exclusive, options, reached);
  return new Set(exclusive.map(({ id }) => id));
}

/** The task of counting by the lists as they are now; undefined if there are none. */
export function toCrawlerAddressTask(verifier: ClaimVerifier): CrawlerAddressTask | undefined {
  const prefixes = (verifier.lists?.() ?? []).flatMap(({ proof, list }) => (proof.exclusive ? list.prefixes : []));
  if (prefixes.length === 0) return undefined;
  const lists: CrawlerAddress[] = [];
  const intervals: { start: Address; end: Address; value: number }[] = [];
  // What Check says of an address is the same from each beginning or end of a prefix to the next.
  const bounds = prefixes.flatMap(({ address, length }) => [address, (address | lowBits[length]!) + 1n]);
  const ordered = [...new Set(bounds)].sort((one, other) => (one < other ? -1 : 1));
  for (const [at, start] of ordered.entries()) {
    const found = verifier.crawlerAddress?.(toAddressText(start));
    if (found === undefined) continue;
    intervals.push({ start, end: ordered[at + 1]! - 1n, value: placeOf(lists, found) });
  }
  return { lists, intervals: toIntervals(intervals) };
}

/** The intervals of a CDN's addresses, by its list in the data folder or in this version; undefined if there is none. */
export function toCdnIntervals(id: string, networks: Pick<Networks, "list"> | undefined): AddressIntervals | undefined {
  const known = networks ?? createNetworks(readNetworkSources().filter((source) => source.id === id));
  const prefixes = finish(mergePrefixes(known.list(id)?.prefixes ?? []));
  if (prefixes.length === 0) return undefined;
  return toIntervals(
    prefixes.map(({ address, length }) => ({ start: address, end: address | lowBits[length]!, value: 0 })),
  );
}

/** The place of the list that an address is found in; its crawlers are those of all its addresses. */
function placeOf(lists: CrawlerAddress[], found: CrawlerAddress): number {
  const place = lists.findIndex(({ source }) => source === found.source);
  if (place === -1) return lists.push(found) - 1;
  const list = lists[place]!;
  if (found.crawlers.some((name) => !list.crawlers.includes(name)))
    lists[place] = { ...list, crawlers: [...new Set([...list.crawlers, ...found.crawlers])] };
  return place;
}
