/** The counts of a log. Plain data: threads send theirs to one that adds them up. */
import type { Purpose } from "../../detect/categories.ts";
import type { CrawlerFacts as EntryFacts, StatedFact } from "../../detect/facts.ts";
import type { NetworkKind, Verification, VerificationStatus } from "../../detect/verification.ts";
import { type BrowserStrings, mergeBrowserStrings } from "./browser-strings.ts";
import { createDelayCounts, type DelayCounts, mergeDelay } from "./crawl-delay.ts";
import { createCrawlerHours, dropHours, type HourRoom, mergeHours, type Timed } from "./crawler-hours.ts";
import { type HiddenAgentCounts, mergeHidden } from "./hidden-agents.ts";
import { createPathCounts, createPaths, mergePaths, type PathCounts, type Paths } from "./path-counts.ts";
import { createReferralCounts, mergeReferrals, type ReferralCounts } from "./referrals.ts";
import { addNumbers } from "./sums.ts";
import { mergeTimes, type TimeCounts } from "./times.ts";
import { createUnreadable, mergeUnreadable, type Unreadable } from "./unreadable.ts";

/** The facts about a crawler, for all its strings. */
export interface CrawlerFacts extends Pick<EntryFacts, StatedFact> {
  readonly name: string;
  readonly purposes: readonly Purpose[];
  /** Present if no entry of the catalogue knows the crawler, only a rule. */
  readonly rule?: true;
}

/** The verification result of an address; `unchecked` if time ran out. */
export type VerificationResult = VerificationStatus | "unchecked";

/** Requests by verification result. */
export type VerificationCounts = Readonly<Record<VerificationResult, number>>;

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
export interface CrawlerTally extends Timed {
  readonly facts: CrawlerFacts;
  requests: number;
  bytes: number;
  first: number;
  last: number;
  /** Requests by status code. */
  readonly statuses: StatusCount[];
  /** Requests of /robots.txt, which the counts of paths leave out: this count is always exact. */
  robotsTxt: number;
  /** The requests of /robots.txt by status code. */
  readonly robotsStatuses: StatusCount[];
  readonly paths: PathCounts;
  /** Of these, answered with 4xx and with 5xx. */
  readonly clientErrors: PathCounts;
  readonly serverErrors: PathCounts;
  /** What robots.txt says of its requests, where that is asked for. */
  robots?: RobotsCounts;
  /** By the client's address, where crawlers are to be verified; beyond `maxAddresses` they count under "". */
  readonly addresses?: Map<string, AddressCounts>;
  /** What verifying says of each address, once it was done, and why; `findings` lacks the addresses about which it says nothing. */
  results?: ReadonlyMap<string, VerificationResult>;
  findings?: ReadonlyMap<string, Verification>;
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
  readonly paths: PathCounts;
  /** The last fetch of /robots.txt. */
  fetch?: RobotsFetch;
  /** Present if the file has a Crawl-delay for the crawler, and its operator documents that it keeps it. */
  delay?: DelayCounts;
}

/** The time and the status of a fetch of /robots.txt; of fetches in the same second, the highest status. */
export interface RobotsFetch {
  readonly at: number;
  readonly status: number;
}

/** Requests from an address; times as in CrawlerTally. */
export interface AddressCounts {
  requests: number;
  /** Of these, requests of disallowed paths, requests that were answered with 403 or 429, and with 5xx. */
  disallowed: number;
  refused: number;
  errors: number;
  first: number;
  last: number;
  /** The last fetch of /robots.txt, where requests are compared with it. */
  fetch?: RobotsFetch;
}

/** How many addresses of a crawler are counted individually, the first ones of each thread: a memory limit. */
export const maxAddresses = 50_000;

/** The counts of an address, or of all further ones if there is no more room. */
export function addressOf(addresses: Map<string, AddressCounts>, address: string): AddressCounts {
  const key = addresses.size < maxAddresses || addresses.has(address) ? address : "";
  let counts = addresses.get(key);
  if (counts === undefined) {
    const [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    counts = { requests: 0, disallowed: 0, refused: 0, errors: 0, first, last };
    addresses.set(key, counts);
  }
  return counts;
}

export interface Tally {
  lines: number;
  broken: number;
  /** The first lines that could not be read, cut to a length that a person reads. */
  readonly examples: string[];
  /** Fields of requests that could not be read. */
  readonly unreadable: Unreadable;
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
  readonly hours: HourRoom;
  readonly paths: Paths;
  readonly referrals: ReferralCounts;
  readonly hidden: HiddenAgentCounts;
  /** How browsers' strings behave, where that is asked for. */
  browsers?: BrowserStrings | undefined;
  /** Present once the crawlers were verified. */
  basis?: VerificationBasis;
}

/** How many broken lines are shown. */
export const maxExamples = 3;

export function createTally(): Tally {
  return {
    lines: 0,
    broken: 0,
    unreadable: createUnreadable(),
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
    hours: { used: 0 },
    paths: createPaths(),
    referrals: createReferralCounts(),
    hidden: new Map(),
  };
}

/** Crawlers with the same name may have different operators. */
export function keyOf({
  name,
  operator,
  category,
}: {
  readonly name: string;
  readonly operator?: string | undefined;
  readonly category: string;
}): string {
  return `${name}\n${operator ?? ""}\n${category}`;
}

/** Where the requests of crawlers are counted for which there is no room. */
export const manyOthers: CrawlerFacts = { name: "(many others)", category: "other", purposes: [], rule: true };

/**
 * Merges crawlers that `other` does not distinguish: it may have counted some of their requests under `manyOthers`, so that
 * their own counts would be too low.
 */
function foldUnknown(tally: Tally, other: Tally): void {
  const rest = keyOf(manyOthers);
  if (!other.crawlers.has(rest)) return;
  for (const [key, crawler] of tally.crawlers) {
    if (crawler.facts.rule !== true || key === rest || other.crawlers.has(key)) continue;
    const sum = tally.crawlers.get(rest) ?? createLike(crawler, manyOthers);
    tally.crawlers.set(rest, sum);
    mergeCrawler(tally, sum, crawler);
    tally.crawlers.delete(key);
  }
}

/** Adds what `other` has counted; `tally` may take parts of it over. */
export function mergeTally(tally: Tally, other: Tally): void {
  addNumbers(tally, other);
  mergeUnreadable(tally.unreadable, other.unreadable);
  tally.examples.push(...other.examples.slice(0, maxExamples - tally.examples.length));
  mergeTimes(tally.times, other.times);
  mergeReferrals(tally.referrals, other.referrals);
  mergeHidden(tally.hidden, other.hidden);
  if (tally.browsers === undefined) tally.browsers = other.browsers;
  else if (other.browsers !== undefined) mergeBrowserStrings(tally.browsers, other.browsers);
  if (tally.crawlers.size === 0) {
    // Takes over the first thread's paths, because summing all paths takes as long as reading tens of thousands of lines.
    Object.assign(tally.paths, other.paths);
    Object.assign(tally.hours, other.hours);
    for (const [key, theirs] of other.crawlers) tally.crawlers.set(key, theirs);
    return;
  }
  foldUnknown(tally, other);
  foldUnknown(other, tally);
  for (const [key, theirs] of other.crawlers) {
    const ours = tally.crawlers.get(key) ?? createLike(theirs);
    tally.crawlers.set(key, ours);
    mergeCrawler(tally, ours, theirs);
  }
  for (const [text, path] of other.paths.byText) {
    const ours = tally.paths.byText.get(text);
    if (ours !== undefined) addNumbers(ours, { requests: path.requests, bytes: path.bytes });
  }
  dropHours(tally.hours, tally.crawlers);
}

/** Everything whose paths are counted, the most requests first. */
export function countedPaths({ crawlers }: Tally): PathCounts[] {
  return [...crawlers.values()]
    .flatMap(({ requests, paths, clientErrors, serverErrors, robots }) => [
      { requests, paths },
      { requests: 0, paths: clientErrors },
      { requests: 0, paths: serverErrors },
      ...(robots === undefined ? [] : [{ requests: robots.disallowed, paths: robots.paths }]),
    ])
    .sort((one, other) => other.requests - one.requests)
    .map(({ paths }) => paths);
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

/** Counts requests by status code. A list, because a crawler gets few different codes, and a map takes twice as long. */
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

/** What is counted of a crawler besides its requests: its addresses, and what robots.txt says, with its Crawl-delay in seconds. */
export interface CrawlerParts {
  readonly addresses?: boolean | undefined;
  readonly robots?: boolean | undefined;
  readonly delay?: number | undefined;
}

/** The counts of a crawler without requests. */
export function createCrawlerTally(facts: CrawlerFacts, { addresses, robots, delay }: CrawlerParts = {}): CrawlerTally {
  return {
    facts,
    requests: 0,
    bytes: 0,
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
    statuses: [],
    robotsTxt: 0,
    robotsStatuses: [],
    paths: createPathCounts(),
    clientErrors: createPathCounts(),
    serverErrors: createPathCounts(),
    hours: createCrawlerHours(),
    ...(robots === true && {
      robots: {
        allowed: 0,
        disallowed: 0,
        early: 0,
        paths: createPathCounts(),
        ...(delay !== undefined && { delay: createDelayCounts(delay) }),
      },
    }),
    ...(addresses === true && { addresses: new Map() }),
  };
}

/** Empty counts with the same parts as those of another crawler. */
function createLike({ facts, addresses, robots }: CrawlerTally, otherFacts = facts): CrawlerTally {
  return createCrawlerTally(otherFacts, {
    addresses: otherFacts === facts && addresses !== undefined,
    robots: robots !== undefined,
    delay: otherFacts === facts ? robots?.delay?.seconds : undefined,
  });
}

/** Adds what is counted of `theirs`, whose paths may be of another tally. */
function mergeCrawler({ paths, hours }: Tally, ours: CrawlerTally, theirs: CrawlerTally): void {
  addNumbers(ours, theirs);
  for (const list of ["statuses", "robotsStatuses"] as const)
    for (const { status, requests } of theirs[list]) addStatus(ours[list], status, requests);
  for (const counts of ["paths", "clientErrors", "serverErrors"] as const)
    mergePaths(paths, ours[counts], theirs[counts]);
  mergeHours(hours, ours, theirs);
  if (ours.robots && theirs.robots) {
    addNumbers(ours.robots, theirs.robots);
    mergePaths(paths, ours.robots.paths, theirs.robots.paths);
    if (theirs.robots.fetch) ours.robots.fetch = laterFetch(ours.robots.fetch, theirs.robots.fetch);
    if (ours.robots.delay && theirs.robots.delay) mergeDelay(ours.robots.delay, theirs.robots.delay);
  }
  if (ours.addresses === undefined) return;
  for (const [address, counts] of theirs.addresses ?? []) {
    const own = addressOf(ours.addresses, address);
    addNumbers(own, counts);
    if (counts.fetch) own.fetch = laterFetch(own.fetch, counts.fetch);
  }
}
