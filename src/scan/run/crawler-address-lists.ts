/** Reads the lists that have addresses of crawlers and no others before a log is scanned, and makes what the scan counts by. */
import { type Address, isIpv4, toAddressText } from "../../address/address.ts";
import { lowBits } from "../../address/prefix.ts";
import type { CrawlerAddress } from "../../detect/verification.ts";
import type { ClaimVerifier } from "../../verify/evidence.ts";
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
  const ipv4: [start: number, end: number, value: number][] = [];
  const ipv6: { start: Address; end: Address; value: number }[] = [];
  // What Check says of an address is the same from each beginning or end of a prefix to the next.
  const bounds = prefixes.flatMap(({ address, length }) => [address, (address | lowBits[length]!) + 1n]);
  const ordered = [...new Set(bounds)].sort((one, other) => (one < other ? -1 : 1));
  for (const [at, start] of ordered.entries()) {
    const found = verifier.crawlerAddress?.(toAddressText(start));
    if (found === undefined) continue;
    const value = placeOf(lists, found);
    const end = ordered[at + 1]! - 1n;
    if (isIpv4(start)) ipv4.push([Number(start & 0xffff_ffffn), Number(end & 0xffff_ffffn), value]);
    else ipv6.push({ start, end, value });
  }
  return {
    lists,
    intervals: {
      ipv4: {
        starts: Uint32Array.from(ipv4, ([start]) => start),
        ends: Uint32Array.from(ipv4, ([, end]) => end),
        values: Uint16Array.from(ipv4, ([, , value]) => value),
      },
      ipv6,
    },
  };
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
