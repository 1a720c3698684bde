/** The counts of a log. Plain data: threads send theirs to one that adds them up. */
import type { Category, Purpose } from "../../detect/categories.ts";
import type { NetworkKind, Verification, VerificationStatus } from "../../detect/verification.ts";
import { mergeTimes, type TimeCounts } from "./times.ts";
import { mergeTop, type Top } from "./top.ts";

/** The facts about a crawler, for all its strings. */
export interface CrawlerFacts {
  readonly name: string;
  readonly operator?: string;
  readonly category: Category;
  readonly purposes: readonly Purpose[];
  readonly url?: string;
  /** Present if no entry of the catalogue knows the crawler, only a rule. */
  readonly rule?: true;
}

/** A path that was fetched; while it is remembered, the same one is the same object. */
export interface Path {
  readonly text: string;
}

/** Requests by what verifying says of them; `unchecked` are those for which there was no time. */
export type VerificationCounts = Readonly<Record<VerificationStatus | "unchecked", number>>;

export type NetworkCounts = Readonly<Record<NetworkKind, number>>;

/** The counts of one crawler. Times are seconds since 1970; `first` is Infinity where no line had a time. */
export interface CrawlerTally {
  readonly facts: CrawlerFacts;
  requests: number;
  bytes: number;
  first: number;
  last: number;
  statuses: Top<number>;
  paths: Top<Path>;
  /** By the client's address, where crawlers are to be verified; beyond `maxAddresses` they count under "". */
  readonly addresses?: Map<string, AddressCounts>;
  /** What verifying says of each address, once it was done; unchecked ones are missing. */
  findings?: ReadonlyMap<string, Verification>;
  /** Requests by what verifying says of them, once it was done. */
  verification?: VerificationCounts;
  /** Requests by the network of the client, if any was in one. */
  networks?: NetworkCounts;
}

/** Requests from an address; times as those of a crawler. */
export interface AddressCounts {
  requests: number;
  first: number;
  last: number;
}

/** So many addresses of a crawler are told apart, the first ones of each thread: a bound on memory. */
export const maxAddresses = 50_000;

/** Counts requests from `address`; `first` and `last` are NaN where a line has no time. */
export function addAddress(
  addresses: Map<string, AddressCounts>,
  address: string,
  requests: number,
  first: number,
  last: number,
): void {
  const key = addresses.size < maxAddresses || addresses.has(address) ? address : "";
  let counts = addresses.get(key);
  if (counts === undefined) {
    counts = { requests: 0, first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
    addresses.set(key, counts);
  }
  counts.requests += requests;
  if (first < counts.first) counts.first = first;
  if (last > counts.last) counts.last = last;
}

export interface Tally {
  lines: number;
  broken: number;
  /** The first lines that could not be read, cut to a length that a person reads. */
  readonly examples: string[];
  requests: number;
  crawlerRequests: number;
  bytes: number;
  crawlerBytes: number;
  /** By keyOf. */
  readonly crawlers: Map<string, CrawlerTally>;
  readonly times: TimeCounts;
}

/** So many broken lines are shown. */
export const maxExamples = 3;

export function createTally(): Tally {
  return {
    lines: 0,
    broken: 0,
    examples: [],
    requests: 0,
    crawlerRequests: 0,
    bytes: 0,
    crawlerBytes: 0,
    crawlers: new Map(),
    times: { seconds: 60, counts: new Map() },
  };
}

/** Crawlers of one name may be of different operators. */
export function keyOf({ name, operator, category }: CrawlerFacts): string {
  return `${name}\n${operator ?? ""}\n${category}`;
}

/** Adds what `other` has counted; `tally` may take parts of it over. */
export function mergeTally(tally: Tally, other: Tally): void {
  tally.lines += other.lines;
  tally.broken += other.broken;
  tally.examples.push(...other.examples.slice(0, maxExamples - tally.examples.length));
  tally.requests += other.requests;
  tally.crawlerRequests += other.crawlerRequests;
  tally.bytes += other.bytes;
  tally.crawlerBytes += other.crawlerBytes;
  mergeTimes(tally.times, other.times);
  for (const [key, theirs] of other.crawlers) {
    const ours = tally.crawlers.get(key);
    if (ours === undefined) tally.crawlers.set(key, theirs);
    else mergeCrawler(ours, theirs);
  }
}

export function textOf({ text }: Path): string {
  return text;
}

function mergeCrawler(ours: CrawlerTally, theirs: CrawlerTally): void {
  ours.requests += theirs.requests;
  ours.bytes += theirs.bytes;
  ours.first = Math.min(ours.first, theirs.first);
  ours.last = Math.max(ours.last, theirs.last);
  ours.statuses = mergeTop(ours.statuses, theirs.statuses, (status) => status);
  ours.paths = mergeTop(ours.paths, theirs.paths, textOf);
  if (ours.addresses === undefined) return;
  for (const [address, { requests, first, last }] of theirs.addresses ?? [])
    addAddress(ours.addresses, address, requests, first, last);
}
