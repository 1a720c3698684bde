/** The counts of one crawler, and how those of several threads are added up. Plain data, as in tally.ts. */

import type { Purpose } from "../../detect/categories.ts";
import type { CrawlerFacts as EntryFacts, StatedFact } from "../../detect/facts.ts";
import type { NetworkKind, Verification, VerificationStatus } from "../../detect/verification.ts";
import { maxStatus } from "../lines/read-fields.ts";
import { type Addresses, mergeAddresses } from "./addresses.ts";
import type { CountedRequest } from "./counted-request.ts";
import { createCrawlerHours, dropHours, type HourRoom, mergeHours, type Timed } from "./crawler-hours.ts";
import {
  type CrawlerPaths,
  createCrawlerPaths,
  mergeCrawlerPaths,
  type PathCounts,
  type Paths,
} from "./path-counts.ts";
import { createRobotsCounts, mergeRobots, type RobotsCounts } from "./robots-counts.ts";
import { countStatus, mergeStatuses, type StatusCounts } from "./statuses.ts";
import { addNumbers } from "./sums.ts";

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
  /** Present if the clients' addresses are in a column of X-Forwarded-For that was found by its values, and no number of proxies was given. */
  readonly forwardedGuessed?: true;
}

export type NetworkCounts = Readonly<Record<NetworkKind, number>>;

/** The counts of one crawler. Times are seconds since 1970; `first` is Infinity where no line had a time. */
export interface CrawlerTally extends Timed, CrawlerPaths {
  readonly facts: CrawlerFacts;
  requests: number;
  bytes: number;
  first: number;
  last: number;
  readonly statuses: StatusCounts;
  /** Requests of /robots.txt, which the counts of paths leave out: this count is always exact. */
  robotsTxt: number;
  readonly robotsStatuses: StatusCounts;
  /** What robots.txt says of its requests, where that is asked for. */
  readonly robots?: RobotsCounts;
  /** By the client's address, where crawlers are to be verified. */
  readonly addresses?: Addresses;
  /** What verifying says of each address, once it was done, and why; `findings` lacks the addresses about which it says nothing. */
  results?: ReadonlyMap<string, VerificationResult>;
  findings?: ReadonlyMap<string, Verification>;
  /** Requests by the network of the client, if any was in one. */
  networks?: NetworkCounts;
}

/** By keyOf. */
export type CrawlerTallies = Map<string, CrawlerTally>;

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
    ...createCrawlerPaths(),
    hours: createCrawlerHours(),
    ...(robots === true && { robots: createRobotsCounts(delay) }),
    ...(addresses === true && { addresses: new Map() }),
  };
}

/** Counts the requests of a line; its hours, paths, addresses and obedience are counted by themselves. */
export function countCrawler(crawler: CrawlerTally, request: CountedRequest, isRobotsTxt: boolean): void {
  const { at, requests, bytes, status } = request;
  crawler.requests += requests;
  crawler.bytes += bytes;
  if (at >= 0) {
    if (at < crawler.first) crawler.first = at;
    if (at > crawler.last) crawler.last = at;
  }
  if (isRobotsTxt) crawler.robotsTxt += requests;
  if (status === 0 || status > maxStatus) return;
  countStatus(crawler.statuses, status, requests);
  if (isRobotsTxt) countStatus(crawler.robotsStatuses, status, requests);
}

/** Everything whose paths are counted, the most requests first. */
export function countedPaths(crawlers: CrawlerTallies): PathCounts[] {
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

/** The crawlers of a thread, and the memory that their paths and hours share. */
export interface CountedCrawlers {
  readonly crawlers: CrawlerTallies;
  readonly paths: Paths;
  readonly hours: HourRoom;
}

/** Adds what another thread has counted. */
export function mergeCrawlers(counted: CountedCrawlers, other: CountedCrawlers): void {
  foldUnknown(counted, other);
  foldUnknown(other, counted);
  for (const [key, theirs] of other.crawlers) {
    const ours = counted.crawlers.get(key) ?? createLike(theirs);
    counted.crawlers.set(key, ours);
    mergeCrawler(counted, ours, theirs);
  }
  dropHours(counted.hours, counted.crawlers);
}

/**
 * Merges crawlers that `other` does not distinguish: it may have counted some of their requests under `manyOthers`, so that
 * their own counts would be too low.
 */
function foldUnknown(counted: CountedCrawlers, other: CountedCrawlers): void {
  const { crawlers } = counted;
  const rest = keyOf(manyOthers);
  if (!other.crawlers.has(rest)) return;
  for (const [key, crawler] of crawlers) {
    if (crawler.facts.rule !== true || key === rest || other.crawlers.has(key)) continue;
    const sum = crawlers.get(rest) ?? createLike(crawler, manyOthers);
    crawlers.set(rest, sum);
    mergeCrawler(counted, sum, crawler);
    crawlers.delete(key);
  }
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
function mergeCrawler({ paths, hours }: CountedCrawlers, ours: CrawlerTally, theirs: CrawlerTally): void {
  addNumbers(ours, theirs);
  mergeStatuses(ours.statuses, theirs.statuses);
  mergeStatuses(ours.robotsStatuses, theirs.robotsStatuses);
  mergeCrawlerPaths(paths, ours, theirs);
  mergeHours(hours, ours, theirs);
  if (ours.robots && theirs.robots) mergeRobots(paths, ours.robots, theirs.robots);
  if (ours.addresses && theirs.addresses) mergeAddresses(ours.addresses, theirs.addresses);
}
