/**
 * Counts the requests with people's strings that come from addresses of crawlers, by the operators' lists. Plain data, as in tally.ts: the
 * counts of each list stand where the list stands in the task.
 */
import type { CrawlerAddress } from "../../detect/verification.ts";
import type { AddressIntervals } from "./address-index.ts";
import type { CountedRequest } from "./counted-request.ts";
import { addNumbers } from "./sums.ts";

/** The lists, and the intervals of their addresses, whose values are places of lists. */
export interface CrawlerAddressTask {
  readonly lists: readonly CrawlerAddress[];
  readonly intervals: AddressIntervals;
}

/** The requests from the addresses of a list; times as in CrawlerTally. */
export interface AddressUse {
  readonly list: CrawlerAddress;
  requests: number;
  bytes: number;
  first: number;
  last: number;
  readonly paths: TextCounts;
  readonly useragents: TextCounts;
}

/** Requests by text; beyond `maxTexts` different ones they count under "". */
export type TextCounts = Map<string, number>;

/** A memory limit. */
const maxTexts = 10_000;

export function createAddressUses({ lists }: CrawlerAddressTask): AddressUse[] {
  return lists.map((list) => ({
    ...{ list, requests: 0, bytes: 0, first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY },
    ...{ paths: new Map(), useragents: new Map() },
  }));
}

/** Counts the requests of a line; `path` is undefined if it has none. */
export function countAddressUse(
  use: AddressUse,
  { requests, bytes, at }: CountedRequest,
  path: string | undefined,
  useragent: string,
): void {
  use.requests += requests;
  use.bytes += bytes;
  if (at < use.first) use.first = at;
  if (at > use.last) use.last = at;
  if (path !== undefined) addText(use.paths, path, requests);
  addText(use.useragents, useragent, requests);
}

function addText(counts: TextCounts, text: string, requests: number): void {
  const key = counts.size < maxTexts || counts.has(text) ? text : "";
  counts.set(key, (counts.get(key) ?? 0) + requests);
}

/** Adds what another thread has counted. */
export function mergeAddressUses(uses: readonly AddressUse[], others: readonly AddressUse[]): void {
  for (const [place, use] of uses.entries()) {
    const other = others[place]!;
    addNumbers(use, other);
    for (const counts of ["paths", "useragents"] as const)
      for (const [text, requests] of other[counts]) addText(use[counts], text, requests);
  }
}

/** The texts with the most requests, most first, and of those with equally many in their order. */
export function topTexts(counts: TextCounts, shown: number): { readonly text: string; readonly requests: number }[] {
  return [...counts]
    .filter(([text]) => text !== "")
    .map(([text, requests]) => ({ text, requests }))
    .sort((one, other) => other.requests - one.requests || (one.text < other.text ? -1 : 1))
    .slice(0, shown);
}
