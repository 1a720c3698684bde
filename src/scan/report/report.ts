/** Makes a report on the crawlers of a log from its counts. */
import type { Purpose } from "../../detect/categories.ts";
import { groupBy } from "../../text/group-by.ts";
import { hourSeconds } from "../count/crawler-hours.ts";
import {
  type CrawlerFacts,
  type CrawlerTally,
  manyOthers,
  type NetworkCounts,
  type VerificationBasis,
  type VerificationCounts,
} from "../count/crawler-tally.ts";
import {
  type PathCounts,
  type PathSums,
  type RequestedPath,
  topDirectories,
  topPaths,
  topPathsByBytes,
  topPathsOfAll,
} from "../count/path-counts.ts";
import type { RequestFilter } from "../count/request-filter.ts";
import { statusesOf } from "../count/statuses.ts";
import { sumOf } from "../count/sums.ts";
import type { Tally } from "../count/tally.ts";
import { intervalSeconds, timesOf } from "../count/times.ts";
import { createToLocal, type ToLocal, toUtc } from "../count/timezone.ts";
import { type CheckedField, checkedFields, type Unreadable } from "../count/unreadable.ts";
import { type BrowsersReport, toBrowsersReport } from "./browsers-report.ts";
import { type CrawlerAddressReport, toCrawlerAddressReports } from "./crawler-addresses-report.ts";
import { type FilterReport, type Period, toFilterReport, toPeriod } from "./filter-report.ts";
import { type ReferralsReport, toReferralsReport } from "./referrals-report.ts";
import { toIso } from "./report-text.ts";
import { type RobotsReport, toRobotsReport } from "./robots-report.ts";
import { type Suspects, toSuspects } from "./suspects.ts";
import { sumByResult } from "./verification.ts";

/** Crawlers that have something in common. Times are ISO 8601, absent if the log has none. */
export interface Group {
  /** Null for crawlers with an unknown operator. */
  readonly name: string | null;
  readonly crawlers: number;
  readonly requests: number;
  readonly bytes: number;
  readonly first?: string;
  readonly last?: string;
}

interface PurposeGroup extends Group {
  readonly name: Purpose;
  /** Of these, the crawlers of the category ai. */
  readonly ai: Pick<Group, "crawlers" | "requests" | "bytes">;
}

/** Requests by status code. */
type Statuses = Readonly<Record<string, number>>;

export interface CrawlerReport extends Omit<CrawlerFacts, "rule"> {
  /** Whether no entry of the catalogue knows it, only a rule. */
  readonly rule: boolean;
  readonly requests: number;
  readonly bytes: number;
  readonly first?: string;
  readonly last?: string;
  readonly statuses: Statuses;
  /** Requests of /robots.txt, and their status codes. */
  readonly robotsTxt: number;
  readonly robotsStatuses: Statuses;
  /** The ten most requested paths. */
  readonly paths: readonly RequestedPath[];
  /** Whether the counts of `paths` are exact. If not, they are off by at most a tenth, and other paths may be missing. */
  readonly pathsExact: boolean;
  /** The ten paths with most answers of 4xx, and of 5xx; as exact as `paths`. */
  readonly clientErrors: readonly RequestedPath[];
  readonly serverErrors: readonly RequestedPath[];
  /** Requests in each interval of `crawlerTimes`; absent without times, and if there was no room to count them. */
  readonly times?: readonly number[];
  /** Its hour with most requests; absent as `times`. */
  readonly peak?: Peak;
  /** What robots.txt says of its requests; only with --robots. */
  readonly robots?: RobotsReport;
  /** Requests by the result of verification; only with --verify, and for crawlers with an entry. */
  readonly verification?: VerificationCounts;
  /** Of the verified ones, how many were answered with 403 or 429, and with 5xx. */
  readonly verifiedRefused?: number;
  readonly verifiedErrors?: number;
  /** The addresses behind requests that are spoofed or unverifiable; only with --verify. */
  readonly suspects?: Suspects;
  /** Requests by the network of the client; only with --verify, and if any was in one. */
  readonly networks?: NetworkCounts;
}

/** An hour, and the median of the hours in which the crawler made requests. */
export interface Peak {
  readonly from: string;
  readonly requests: number;
  readonly bytes: number;
  readonly medianRequests: number;
}

/** A path, and how often crawlers requested it. */
export interface PathReport extends RequestedPath {
  /** The crawler that requested it most. */
  readonly most: string;
}

/** An interval of the report's zone; those without requests are left out. */
export interface TimeReport {
  /** ISO 8601 in UTC. */
  readonly from: string;
  readonly seconds: number;
  readonly requests: number;
  readonly crawlerRequests: number;
  readonly bytes: number;
  readonly crawlerBytes: number;
}

/** Groups and crawlers with the most requests first, times in order. */
export interface Report {
  /** Absent if no request in the filter's period has a time. */
  readonly period?: Period;
  /** The times of all requests of the log, those that the filter excludes included; absent if the log has none. */
  readonly logPeriod?: Period;
  /** Only with a filter: all figures except `lines` and `broken` count only requests that pass. */
  readonly filter?: FilterReport;
  readonly lines: number;
  readonly broken: number;
  /** The share of `broken`, rounded to three digits. */
  readonly brokenShare: number;
  /** Fields that could not be read in more than a few lines: they count as missing there. */
  readonly unreadable: readonly UnreadableReport[];
  readonly requests: number;
  readonly crawlerRequests: number;
  readonly bytes: number;
  readonly crawlerBytes: number;
  /** Whether the log has sizes; without them all figures of bytes are 0, and no output shows them. */
  readonly hasSizes: boolean;
  readonly categories: readonly Group[];
  readonly purposes: readonly PurposeGroup[];
  readonly operators: readonly Group[];
  readonly crawlers: readonly CrawlerReport[];
  /** The paths that crawlers requested most, over all crawlers. */
  readonly paths: readonly PathReport[];
  /** As the member of a crawler; false: the figures of `pathsByBytes` and `directories` are lower bounds. */
  readonly pathsExact: boolean;
  readonly pathsByBytes: readonly PathSums[];
  readonly directories: readonly PathSums[];
  /** The paths with most answers of 4xx, and of 5xx, to crawlers. */
  readonly clientErrors: readonly PathReport[];
  readonly serverErrors: readonly PathReport[];
  /** The IANA name of the zone of `times`. */
  readonly timezone: string;
  readonly times: readonly TimeReport[];
  /** Where the `times` of crawlers begin, and the length of their intervals; absent without times. */
  readonly crawlerTimes?: { readonly from: string; readonly seconds: number };
  /** Only if the log has referrers. */
  readonly referrals?: ReferralsReport;
  /** Only if a proxy or CDN hides user agents: the strings that it sends in their place, the most requests first. */
  readonly hiddenAgents?: readonly HiddenAgentReport[];
  /** Only with --fleets. */
  readonly browsers?: BrowsersReport;
  /** Only with --verify: requests with people's strings from addresses of crawlers. */
  readonly crawlerAddresses?: readonly CrawlerAddressReport[];
  /** Only with --verify. */
  readonly verificationBasis?: VerificationBasis;
}

export interface HiddenAgentReport {
  readonly useragent: string;
  readonly requests: number;
}

/** A field that could not be read. */
export interface UnreadableReport {
  readonly field: CheckedField;
  readonly lines: number;
  /** The value in one of the lines. */
  readonly example: string;
}

/** Fewer unreadable values are ignored as accidental. */
const fewLines = 3;

function toUnreadableReport(unreadable: Unreadable): readonly UnreadableReport[] {
  return checkedFields.map((field) => ({ field, ...unreadable[field] })).filter(({ lines }) => lines > fewLines);
}

const maxTimes = 400;
const shownPaths = 10;
const shownPathsOfAll = 100;
/** The number of intervals in the widest chart. */
const maxCrawlerTimes = 109;

/** The version of a report's members as JSON. */
export const reportSchema = 3;

/** Without the members of bytes if the log has no sizes, as it is written as JSON. */
export function withoutSizes(report: object): object {
  return JSON.parse(
    JSON.stringify(report, (name, value) => (/^(?:bytes|crawlerBytes)$/.test(name) ? undefined : value)),
  );
}

/**
 * Puts the report together. `exemptFromRobots` has the names of crawlers to which robots.txt does not apply, `filter` and
 * `timezone` are the ones of the scan.
 */
export function toReport(
  tally: Tally,
  exemptFromRobots: ReadonlySet<string> = new Set(),
  filter?: RequestFilter,
  timezone = "UTC",
): Report {
  const toLocal = createToLocal(timezone);
  const referrals = toReferralsReport(tally);
  // With a filter of paths, a crawler may have only its fetches of robots.txt.
  const crawlers = [...tally.crawlers.values()].filter(({ requests }) => requests > 0).sort(byCrawlerRequests);
  const period = toPeriod(tally, filter);
  const logPeriod = toPeriod(tally);
  const grid = toGrid(crawlers);
  const topOf = (countsOf: (crawler: CrawlerTally) => PathCounts, robotsTxt: readonly number[] = []): PathReport[] =>
    topPathsOfAll(tally.paths, crawlers.map(countsOf), robotsTxt, shownPathsOfAll).map(({ most, ...path }) => ({
      ...path,
      most: crawlers[most]!.facts.name,
    }));
  return {
    ...(period !== undefined && { period }),
    ...(logPeriod !== undefined && { logPeriod }),
    ...(filter !== undefined && { filter: toFilterReport(filter, tally) }),
    lines: tally.lines,
    broken: tally.broken,
    brokenShare: tally.lines === 0 ? 0 : Number((tally.broken / tally.lines).toFixed(3)),
    unreadable: toUnreadableReport(tally.unreadable),
    requests: tally.requests,
    crawlerRequests: tally.crawlerRequests,
    bytes: tally.bytes,
    crawlerBytes: tally.crawlerBytes,
    hasSizes: tally.sized > 0 || tally.requests === 0,
    categories: toGroups(crawlers, ({ category }) => [category]),
    purposes: toGroups(crawlers, ({ purposes }) => purposes).map((group) => toPurposeGroup(group, crawlers)),
    operators: toGroups(crawlers, ({ operator }) => [operator ?? null]),
    crawlers: crawlers.map((crawler) => toCrawlerReport(crawler, grid, exemptFromRobots, toLocal)),
    paths: topOf(
      ({ paths }) => paths,
      crawlers.map(({ robotsTxt }) => robotsTxt),
    ),
    pathsExact: crawlers.every(({ paths }) => paths.floor === 0),
    pathsByBytes: tally.sized > 0 ? topPathsByBytes(tally.paths, shownPathsOfAll) : [],
    directories: topDirectories(tally.paths, shownPathsOfAll),
    clientErrors: topOf(({ clientErrors }) => clientErrors),
    serverErrors: topOf(({ serverErrors }) => serverErrors),
    timezone,
    times: toTimes(tally, toLocal),
    ...(grid !== undefined && { crawlerTimes: { from: toIso(toUtc(grid.from, toLocal)), seconds: grid.seconds } }),
    ...(referrals !== undefined && { referrals }),
    ...(tally.hidden.size > 0 && { hiddenAgents: toHiddenAgents(tally) }),
    ...(tally.browsers !== undefined && { browsers: toBrowsersReport(tally.browsers) }),
    ...(tally.addressUses !== undefined && { crawlerAddresses: toCrawlerAddressReports(tally.addressUses) }),
    ...(tally.basis !== undefined && { verificationBasis: tally.basis }),
  };
}

/** Whether further crawlers are counted together, so that there are more than the report names. */
export function hasManyOthers({ crawlers }: Pick<Report, "crawlers">): boolean {
  return crawlers.some(({ name, rule }) => rule && name === manyOthers.name);
}

function toHiddenAgents({ hidden }: Tally): readonly HiddenAgentReport[] {
  return [...hidden].map(([useragent, requests]) => ({ useragent, requests })).sort((a, b) => b.requests - a.requests);
}

function toGroups(
  crawlers: readonly CrawlerTally[],
  namesOf: (facts: CrawlerFacts) => readonly (string | null)[],
): Group[] {
  const named = crawlers.flatMap((crawler) => namesOf(crawler.facts).map((name) => ({ name, crawler })));
  const groups = groupBy(named, ({ name }) => name);
  return [...groups]
    .map(([name, all]) => ({ name, members: all.map(({ crawler }) => crawler) }))
    .map(({ name, members }) => ({ name, ...toSums(members), ...spanOf(members) }))
    .sort(byRequests);
}

function toPurposeGroup(group: Group, crawlers: readonly CrawlerTally[]): PurposeGroup {
  const name = group.name as Purpose;
  const ai = crawlers.filter(({ facts }) => facts.category === "ai" && facts.purposes.includes(name));
  return { ...group, name, ai: toSums(ai) };
}

function toSums(members: readonly CrawlerTally[]): Pick<Group, "crawlers" | "requests" | "bytes"> {
  return {
    crawlers: members.length,
    requests: sumOf(members, ({ requests }) => requests),
    bytes: sumOf(members, ({ bytes }) => bytes),
  };
}

function spanOf(members: readonly CrawlerTally[]): Pick<Group, "first" | "last"> {
  const first = members.reduce((least, { first }) => Math.min(least, first), Number.POSITIVE_INFINITY);
  const last = members.reduce((most, { last }) => Math.max(most, last), Number.NEGATIVE_INFINITY);
  return first <= last ? { first: toIso(first), last: toIso(last) } : {};
}

function toCrawlerReport(
  crawler: CrawlerTally,
  grid: Grid | undefined,
  exemptFromRobots: ReadonlySet<string>,
  toLocal: ToLocal,
): CrawlerReport {
  const { paths, robotsTxt } = crawler;
  const { rule = false, ...facts } = crawler.facts;
  const suspects = toSuspects(crawler);
  const robots = toRobotsReport(crawler, exemptFromRobots);
  const verification = sumByResult(crawler, ({ requests }) => requests);
  return {
    ...facts,
    rule,
    requests: crawler.requests,
    bytes: crawler.bytes,
    ...spanOf([crawler]),
    statuses: statusesOf(crawler.statuses),
    robotsTxt,
    robotsStatuses: statusesOf(crawler.robotsStatuses),
    paths: topPaths(paths, robotsTxt, shownPaths),
    pathsExact: paths.floor === 0,
    clientErrors: topPaths(crawler.clientErrors, 0, shownPaths),
    serverErrors: topPaths(crawler.serverErrors, 0, shownPaths),
    ...toCrawlerTimes(crawler, grid, toLocal),
    ...(robots !== undefined && { robots }),
    ...(verification !== undefined && {
      verification,
      verifiedRefused: sumByResult(crawler, ({ refused }) => refused)!.verified,
      verifiedErrors: sumByResult(crawler, ({ errors }) => errors)!.verified,
    }),
    ...(suspects !== undefined && { suspects }),
    ...(crawler.networks !== undefined && { networks: crawler.networks }),
  };
}

/** The intervals of crawlers' times; `from` in seconds since 1970 as clocks of the zone show them. */
interface Grid {
  readonly from: number;
  readonly seconds: number;
  readonly count: number;
}

/** The shortest intervals of which there are not too many; undefined without times. */
function toGrid(crawlers: readonly CrawlerTally[]): Grid | undefined {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { hours } of crawlers)
    for (const hour of hours?.hours ?? []) {
      first = Math.min(first, hour * hourSeconds);
      last = Math.max(last, hour * hourSeconds);
    }
  if (first > last) return undefined;
  const countOf = (seconds: number): number => Math.floor(last / seconds) - Math.floor(first / seconds) + 1;
  const seconds =
    intervalSeconds.find((length) => length >= hourSeconds && countOf(length) <= maxCrawlerTimes) ??
    intervalSeconds.at(-1)!;
  return { from: Math.floor(first / seconds) * seconds, seconds, count: countOf(seconds) };
}

function toCrawlerTimes(
  { hours }: CrawlerTally,
  grid: Grid | undefined,
  toLocal: ToLocal,
): Pick<CrawlerReport, "times" | "peak"> {
  if (hours === undefined || hours.hours.length === 0 || grid === undefined) return {};
  const times = new Array<number>(grid.count).fill(0);
  for (const [at, hour] of hours.hours.entries())
    times[Math.floor((hour * hourSeconds - grid.from) / grid.seconds)]! += hours.requests[at]!;
  const ranked = hours.requests.toSorted((one, other) => one - other);
  const requests = ranked.at(-1)!;
  const at = hours.requests.indexOf(requests);
  const from = toIso(toUtc(hours.hours[at]! * hourSeconds, toLocal));
  return { times, peak: { from, requests, bytes: hours.bytes[at]!, medianRequests: ranked[ranked.length >> 1]! } };
}

function toTimes(tally: Tally, toLocal: ToLocal): readonly TimeReport[] {
  const { seconds, counts } = timesOf(tally.times, maxTimes);
  return [...counts].map(([number, sums]) => ({ from: toIso(toUtc(number * seconds, toLocal)), seconds, ...sums }));
}

function byRequests(
  a: { name: string | null; requests: number },
  b: { name: string | null; requests: number },
): number {
  return b.requests - a.requests || ((a.name ?? "") < (b.name ?? "") ? -1 : 1);
}

/** Makes ties between crawlers that requested a path equally often independent of the order in which threads found them. */
function byCrawlerRequests(one: CrawlerTally, other: CrawlerTally): number {
  return byRequests({ ...one.facts, requests: one.requests }, { ...other.facts, requests: other.requests });
}
