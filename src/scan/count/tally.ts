/** The counts of a log. Plain data: threads send theirs to one that adds them up. */

import { type BrowserStrings, createBrowserStrings, mergeBrowserStrings } from "./browser-strings.ts";
import type { CountedRequest } from "./counted-request.ts";
import { type AddressUse, type CrawlerAddressTask, createAddressUses, mergeAddressUses } from "./crawler-addresses.ts";
import type { HourRoom } from "./crawler-hours.ts";
import { type CrawlerTallies, mergeCrawlers, type VerificationBasis } from "./crawler-tally.ts";
import { type HiddenAgentCounts, mergeHidden } from "./hidden-agents.ts";
import type { InvalidAddresses } from "./invalid-addresses.ts";
import { createPaths, mergePathSums, type Paths } from "./path-counts.ts";
import { createReferralCounts, mergeReferrals, type ReferralCounts } from "./referrals.ts";
import { addNumbers } from "./sums.ts";
import { createTimes, mergeTimes, type TimeCounts } from "./times.ts";
import { createUnreadable, mergeUnreadable, type Unreadable } from "./unreadable.ts";

export interface Tally {
  lines: number;
  broken: number;
  /** The first lines that could not be read, cut to a length that a person reads. */
  readonly examples: string[];
  /** Fields of requests that could not be read. */
  readonly unreadable: Unreadable;
  requests: number;
  /** Of these, requests in lines that end before the user agent, among others that have one. */
  withoutAgent: number;
  /** Requests whose user agent looks like another field, and the first such line, cut as the broken ones. */
  unlikely: number;
  unlikelyExample: string;
  /** Requests that the filter excludes, which count nowhere else. */
  excluded: number;
  /** Of these, requests without a time, where the filter has one. */
  untimed: number;
  /** The names of the filter that crawlers of the log have, in lowercase, even if all their requests are excluded. */
  readonly seenNames: Set<string>;
  /** The times of the first and the last request of the log, excluded ones too; `first` is Infinity where no line has a time. */
  first: number;
  last: number;
  crawlerRequests: number;
  bytes: number;
  crawlerBytes: number;
  /** Requests whose size the log has. */
  sized: number;
  readonly crawlers: CrawlerTallies;
  readonly times: TimeCounts;
  readonly hours: HourRoom;
  readonly paths: Paths;
  readonly referrals: ReferralCounts;
  readonly hidden: HiddenAgentCounts;
  /** How browsers' strings behave, where that is asked for. */
  readonly browsers?: BrowserStrings | undefined;
  /** The requests with people's strings from addresses of crawlers, where that is asked for. */
  readonly addressUses?: readonly AddressUse[] | undefined;
  /** Of the addresses that were read. */
  readonly invalidAddresses: InvalidAddresses;
  /** Present once the crawlers were verified. */
  basis?: VerificationBasis;
}

/** How many broken lines are shown. */
export const maxExamples = 3;

/** What is counted only where it is asked for. */
interface TallyParts {
  /** Whether the behavior of browsers' strings is counted. */
  readonly fleets?: boolean | undefined;
  readonly crawlerAddresses?: CrawlerAddressTask | undefined;
}

export function createTally({ fleets = false, crawlerAddresses }: TallyParts = {}): Tally {
  return {
    ...{ lines: 0, broken: 0, examples: [], unreadable: createUnreadable() },
    ...{ requests: 0, excluded: 0, untimed: 0, crawlerRequests: 0, bytes: 0, crawlerBytes: 0, sized: 0 },
    ...{ seenNames: new Set<string>(), withoutAgent: 0, unlikely: 0, unlikelyExample: "" },
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
    crawlers: new Map(),
    times: createTimes(),
    hours: { used: 0 },
    paths: createPaths(),
    referrals: createReferralCounts(),
    hidden: new Map(),
    invalidAddresses: new Set(),
    ...(fleets && { browsers: createBrowserStrings() }),
    ...(crawlerAddresses && { addressUses: createAddressUses(crawlerAddresses) }),
  };
}

/** Counts the requests of a line in the sums. */
export function countTotals(tally: Tally, { requests, bytes, hasSize }: CountedRequest, isCrawler: boolean): void {
  tally.requests += requests;
  tally.bytes += bytes;
  if (hasSize) tally.sized += requests;
  if (!isCrawler) return;
  tally.crawlerRequests += requests;
  tally.crawlerBytes += bytes;
}

/** Adds what `other` has counted; `tally` may take parts of it over. */
export function mergeTally(tally: Tally, other: Tally): void {
  addNumbers(tally, other);
  tally.unlikelyExample ||= other.unlikelyExample;
  for (const name of other.seenNames) tally.seenNames.add(name);
  mergeUnreadable(tally.unreadable, other.unreadable);
  tally.examples.push(...other.examples.slice(0, maxExamples - tally.examples.length));
  mergeTimes(tally.times, other.times);
  mergeReferrals(tally.referrals, other.referrals);
  for (const text of other.invalidAddresses) tally.invalidAddresses.add(text);
  mergeHidden(tally.hidden, other.hidden);
  if (tally.browsers !== undefined && other.browsers !== undefined) mergeBrowserStrings(tally.browsers, other.browsers);
  if (tally.addressUses !== undefined && other.addressUses !== undefined)
    mergeAddressUses(tally.addressUses, other.addressUses);
  if (tally.crawlers.size > 0) {
    mergeCrawlers(tally, other);
    mergePathSums(tally.paths, other.paths);
    return;
  }
  // Takes over the first thread's paths, because summing all paths takes as long as reading tens of thousands of lines.
  Object.assign(tally.paths, other.paths);
  Object.assign(tally.hours, other.hours);
  for (const [key, theirs] of other.crawlers) tally.crawlers.set(key, theirs);
}
