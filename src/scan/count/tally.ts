/** The counts of a log. Plain data: threads send theirs to one that adds them up. */
import type { Purpose } from "../../detect/categories.ts";
import type { CrawlerFacts as EntryFacts, StatedFact } from "../../detect/facts.ts";
import type { NetworkKind, Verification, VerificationStatus } from "../../detect/verification.ts";
import { type BrowserStrings, mergeBrowserStrings } from "../fleets/browser-strings.ts";
import { createDelayCounts, type DelayCounts, mergeDelay } from "./crawl-delay.ts";
import { createPathCounts, createPaths, mergePaths, type PathCounts, type Paths } from "./path-counts.ts";
import { createReferralCounts, mergeReferrals, type ReferralCounts } from "./referrals.ts";
import { mergeTimes, type TimeCounts } from "./times.ts";

/** The facts about a crawler, for all its strings. */
export interface CrawlerFacts extends Pick<EntryFacts, StatedFact> {
  readonly name: string;
  readonly purposes: readonly Purpose[];
  /** Present if no entry of the catalogue knows the crawler, only a rule. */
  readonly rule?: true;
}

/** Requests by what verifying says of them; there was no time for the `unchecked` requests. */
export type VerificationCounts = Readonly<Record<VerificationStatus | "unchecked", number>>;

/** What a verification of a log was based on. */
export interface VerificationBasis {
  /** The dates of the oldest and of the newest address list of the crawlers, in ISO 8601; absent if they have no list. */
  readonly listsFrom?: string;
  readonly listsTo?: string;
  /** Addresses whose names were looked up in DNS, and for how many of them DNS gave no answer. */
  readonly dnsAsked: number;
  readonly dnsFailed: number;
}

export type NetworkCounts = Readonly<Record<NetworkKind, number>>;

export interface StatusCount {
  readonly status: number;
  requests: number;
}

/** The counts of one crawler. Times are seconds since 1970; `first` is Infinity where no line had a time. */
export interface CrawlerTally {
  readonly facts: CrawlerFacts;
  requests: number;
  bytes: number;
  first: number;
  last: number;
  /** Requests by status code. */
  readonly statuses: StatusCount[];
  /** Requests of /robots.txt, which `paths` leaves out: this count is always exact. */
  robotsTxt: number;
  readonly paths: PathCounts;
  /** What robots.txt says of its requests, where that is asked for. */
  robots?: RobotsCounts;
  /** By the client's address, where crawlers are to be verified; beyond `maxAddresses` they count under "". */
  readonly addresses?: Map<string, AddressCounts>;
  /** What verifying says of each address, once it was done; unchecked ones are missing. */
  findings?: ReadonlyMap<string, Verification>;
  /** Requests by what verifying says of them, once it was done. */
  verification?: VerificationCounts;
  /** Requests by the network of the client, if any was in one. */
  networks?: NetworkCounts;
}

/** Requests by what robots.txt says of them; /robots.txt itself counts as neither. */
export interface RobotsCounts {
  allowed: number;
  /** Of disallowed paths, since the crawler should know the file. */
  disallowed: number;
  /** Of disallowed paths, before. */
  early: number;
  /** The `disallowed` requests by path. */
  paths: PathCounts;
  /** The last fetch of /robots.txt. */
  fetch?: RobotsFetch;
  /** Present if the file has a Crawl-delay for the crawler, and its operator documents that it keeps it. */
  delay?: DelayCounts;
  /** What verifying says of these requests, once it was done. */
  verification?: RobotsVerification;
}

/** The time and the status of a fetch of /robots.txt; of fetches in the same second, the highest status. */
export interface RobotsFetch {
  readonly at: number;
  readonly status: number;
}

export interface RobotsVerification {
  readonly disallowed: VerificationCounts;
  /** Requests that are more than the Crawl-delay allows; the requests of each result are counted apart. */
  readonly exceeding: VerificationCounts;
  /** The last fetch from a verified address, and from others. */
  readonly verifiedFetch?: RobotsFetch;
  readonly otherFetch?: RobotsFetch;
}

/** Requests from an address; times as in CrawlerTally. */
export interface AddressCounts {
  requests: number;
  /** Of these, requests of disallowed paths. */
  disallowed: number;
  first: number;
  last: number;
  /** The last fetch of /robots.txt, where requests are compared with it. */
  fetch?: RobotsFetch;
}

/** So many addresses of a crawler are told apart, the first ones of each thread: a bound on memory. */
export const maxAddresses = 50_000;

/** Counts requests from `address`, and returns its counts; `first` and `last` are NaN where a line has no time. */
export function addAddress(
  addresses: Map<string, AddressCounts>,
  address: string,
  requests: number,
  first: number,
  last: number,
  disallowed: number,
): AddressCounts {
  const key = addresses.size < maxAddresses || addresses.has(address) ? address : "";
  let counts = addresses.get(key);
  if (counts === undefined) {
    counts = { requests: 0, disallowed: 0, first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY };
    addresses.set(key, counts);
  }
  counts.requests += requests;
  counts.disallowed += disallowed;
  if (first < counts.first) counts.first = first;
  if (last > counts.last) counts.last = last;
  return counts;
}

export interface Tally {
  lines: number;
  broken: number;
  /** The first lines that could not be read, cut to a length that a person reads. */
  readonly examples: string[];
  requests: number;
  /** Requests that the filter excludes, which count nowhere else. */
  excluded: number;
  /** Of these, requests without a time, where the filter has one. */
  untimed: number;
  /** The times of the first and the last request of the log, excluded ones too; `first` is Infinity where no line has a time. */
  first: number;
  last: number;
  crawlerRequests: number;
  bytes: number;
  crawlerBytes: number;
  /** Requests whose size the log has. */
  sized: number;
  /** By keyOf. */
  readonly crawlers: Map<string, CrawlerTally>;
  readonly times: TimeCounts;
  readonly paths: Paths;
  readonly referrals: ReferralCounts;
  /** How browsers' strings behave, where that is asked for. */
  browsers?: BrowserStrings | undefined;
  /** Present once the crawlers were verified. */
  basis?: VerificationBasis;
}

/** So many broken lines are shown. */
export const maxExamples = 3;

export function createTally(): Tally {
  return {
    lines: 0,
    broken: 0,
    examples: [],
    requests: 0,
    excluded: 0,
    untimed: 0,
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
    crawlerRequests: 0,
    bytes: 0,
    crawlerBytes: 0,
    sized: 0,
    crawlers: new Map(),
    times: { seconds: 60, counts: new Map() },
    paths: createPaths(),
    referrals: createReferralCounts(),
  };
}

/** Crawlers of one name may be of different operators. */
export function keyOf({ name, operator, category }: CrawlerFacts): string {
  return `${name}\n${operator ?? ""}\n${category}`;
}

/** Where the requests of crawlers are counted for which there is no room. */
export const manyOthers: CrawlerFacts = { name: "(many others)", category: "other", purposes: [], rule: true };

/**
 * Counts crawlers together that `other` does not tell apart: it may have counted some of their requests under `manyOthers`, so that
 * the rest would be too few.
 */
function foldUnknown(tally: Tally, other: Tally): void {
  const rest = keyOf(manyOthers);
  if (!other.crawlers.has(rest)) return;
  for (const [key, crawler] of tally.crawlers) {
    if (crawler.facts.rule !== true || key === rest || other.crawlers.has(key)) continue;
    const sum =
      tally.crawlers.get(rest) ?? createCrawlerTally(manyOthers, false, crawler.robots && createRobotsCounts());
    tally.crawlers.set(rest, sum);
    mergeCrawler(sum, crawler);
    mergeAllPaths(tally, sum, tally, crawler);
    tally.crawlers.delete(key);
  }
}

/** Adds what `other` has counted; `tally` may take parts of it over. */
export function mergeTally(tally: Tally, other: Tally): void {
  tally.lines += other.lines;
  tally.broken += other.broken;
  tally.examples.push(...other.examples.slice(0, maxExamples - tally.examples.length));
  tally.requests += other.requests;
  tally.excluded += other.excluded;
  tally.untimed += other.untimed;
  tally.first = Math.min(tally.first, other.first);
  tally.last = Math.max(tally.last, other.last);
  tally.crawlerRequests += other.crawlerRequests;
  tally.bytes += other.bytes;
  tally.crawlerBytes += other.crawlerBytes;
  tally.sized += other.sized;
  mergeTimes(tally.times, other.times);
  mergeReferrals(tally.referrals, other.referrals);
  if (tally.browsers === undefined) tally.browsers = other.browsers;
  else if (other.browsers !== undefined) mergeBrowserStrings(tally.browsers, other.browsers);
  if (tally.crawlers.size === 0) {
    // The first thread's: adding up all paths takes as long as reading tens of thousands of lines.
    Object.assign(tally.paths, other.paths);
    for (const [key, theirs] of other.crawlers) tally.crawlers.set(key, theirs);
    return;
  }
  foldUnknown(tally, other);
  foldUnknown(other, tally);
  for (const [key, theirs] of other.crawlers) {
    const ours = tally.crawlers.get(key);
    if (ours === undefined) {
      const robots = theirs.robots && { ...theirs.robots, paths: createPathCounts() };
      tally.crawlers.set(key, { ...theirs, paths: createPathCounts(), ...(robots && { robots }) });
    } else mergeCrawler(ours, theirs);
    mergeAllPaths(tally, tally.crawlers.get(key)!, other, theirs);
  }
}

function mergeAllPaths(tally: Tally, ours: CrawlerTally, other: Tally, theirs: CrawlerTally): void {
  mergePaths(tally.paths, ours.paths, other.paths, theirs.paths);
  if (ours.robots && theirs.robots) mergePaths(tally.paths, ours.robots.paths, other.paths, theirs.robots.paths);
}

/** Everything whose paths are counted. */
export function countedPaths({ crawlers }: Tally): { readonly requests: number; readonly paths: PathCounts }[] {
  return [...crawlers.values()].flatMap((crawler) =>
    crawler.robots === undefined
      ? [crawler]
      : [crawler, { requests: crawler.robots.disallowed, paths: crawler.robots.paths }],
  );
}

/** Notes a fetch of /robots.txt; `at` is NaN where a line has no time. */
export function noteFetch(counts: { fetch?: RobotsFetch }, at: number, status: number): void {
  counts.fetch = laterFetch(counts.fetch, { at: Number.isNaN(at) ? 0 : at, status });
}

/** The later of two fetches. */
export function laterFetch(one: RobotsFetch | undefined, other: RobotsFetch): RobotsFetch {
  if (one === undefined || other.at > one.at) return other;
  return other.at === one.at && other.status > one.status ? other : one;
}

/** Counts requests by status code. A list, because a crawler gets few different ones: a map takes twice as long. */
export function addStatus(statuses: StatusCount[], status: number, requests: number): void {
  for (let at = 0; at < statuses.length; at++) {
    const count = statuses[at]!;
    if (count.status === status) {
      count.requests += requests;
      return;
    }
  }
  statuses.push({ status, requests });
}

/** The counts of a crawler without requests; `delay` is its Crawl-delay in seconds. */
export function createRobotsCounts(delay?: number): RobotsCounts {
  return {
    allowed: 0,
    disallowed: 0,
    early: 0,
    paths: createPathCounts(),
    ...(delay !== undefined && { delay: createDelayCounts(delay) }),
  };
}

/** The counts of a crawler without requests. */
export function createCrawlerTally(facts: CrawlerFacts, countsAddresses: boolean, robots?: RobotsCounts): CrawlerTally {
  return {
    facts,
    requests: 0,
    bytes: 0,
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
    statuses: [],
    paths: createPathCounts(),
    robotsTxt: 0,
    ...(robots && { robots }),
    ...(countsAddresses && { addresses: new Map() }),
  };
}

function mergeCrawler(ours: CrawlerTally, theirs: CrawlerTally): void {
  ours.requests += theirs.requests;
  ours.bytes += theirs.bytes;
  ours.first = Math.min(ours.first, theirs.first);
  ours.last = Math.max(ours.last, theirs.last);
  for (const { status, requests } of theirs.statuses) addStatus(ours.statuses, status, requests);
  ours.robotsTxt += theirs.robotsTxt;
  if (ours.robots && theirs.robots) {
    ours.robots.allowed += theirs.robots.allowed;
    ours.robots.disallowed += theirs.robots.disallowed;
    ours.robots.early += theirs.robots.early;
    if (theirs.robots.fetch) ours.robots.fetch = laterFetch(ours.robots.fetch, theirs.robots.fetch);
    if (ours.robots.delay && theirs.robots.delay) mergeDelay(ours.robots.delay, theirs.robots.delay);
  }
  if (ours.addresses === undefined) return;
  for (const [address, { requests, first, last, disallowed, fetch }] of theirs.addresses ?? []) {
    const counts = addAddress(ours.addresses, address, requests, first, last, disallowed);
    if (fetch) counts.fetch = laterFetch(counts.fetch, fetch);
  }
}
