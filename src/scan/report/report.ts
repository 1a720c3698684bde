/** Makes a report on the crawlers of a log from its counts. */
import type { Purpose } from "../../detect/categories.ts";
import { type RequestedPath, topPaths, topPathsOfAll } from "../count/path-counts.ts";
import type { RequestFilter } from "../count/request-filter.ts";
import type {
  CrawlerFacts,
  CrawlerTally,
  NetworkCounts,
  Tally,
  VerificationBasis,
  VerificationCounts,
} from "../count/tally.ts";
import { widenTimes } from "../count/times.ts";
import { createToLocal, type ToLocal, toUtc } from "../count/timezone.ts";
import { type FilterReport, type Period, toFilterReport, toPeriod } from "./filter-report.ts";
import { type FleetsReport, toFleetsReport } from "./fleets-report.ts";
import { type ReferralsReport, toReferralsReport } from "./referrals-report.ts";
import { toIso } from "./report-text.ts";
import { type RobotsReport, toRobotsReport } from "./robots-report.ts";
import { type Suspects, toSuspects } from "./suspects.ts";

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

export interface CrawlerReport extends Omit<CrawlerFacts, "rule"> {
  /** Whether no entry of the catalogue knows it, only a rule. */
  readonly rule: boolean;
  readonly requests: number;
  readonly bytes: number;
  readonly first?: string;
  readonly last?: string;
  /** Requests by status code. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests of /robots.txt. */
  readonly robotsTxt: number;
  /** The ten most requested paths. */
  readonly paths: readonly RequestedPath[];
  /** Whether the counts of `paths` are exact. False: they are wrong by a tenth at most, and other paths may be missing. */
  readonly pathsExact: boolean;
  /** What robots.txt says of its requests; only with --robots. */
  readonly robots?: RobotsReport;
  /** Requests by the result of verification; only with --verify, and for crawlers with an entry. */
  readonly verification?: VerificationCounts;
  /** The addresses behind requests that are spoofed or unverifiable; only with --verify. */
  readonly suspects?: Suspects;
  /** Requests by the network of the client; only with --verify, and if any was in one. */
  readonly networks?: NetworkCounts;
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

/** Groups and crawlers with the most requests first, times in order; `fleets` and `fleetsBasis` only with --fleets. */
export interface Report extends Partial<FleetsReport> {
  /** Absent if no request in the filter's period has a time. */
  readonly period?: Period;
  /** Only with a filter: all figures except `lines` and `broken` count only requests that pass. */
  readonly filter?: FilterReport;
  readonly lines: number;
  readonly broken: number;
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
  /** As the member of a crawler. */
  readonly pathsExact: boolean;
  /** The IANA name of the zone of `times`. */
  readonly timezone: string;
  readonly times: readonly TimeReport[];
  /** Only if the log has referrers. */
  readonly referrals?: ReferralsReport;
  /** Only with --verify. */
  readonly verificationBasis?: VerificationBasis;
}

const maxTimes = 400;
const shownPaths = 10;
const shownPathsOfAll = 100;

/** The version of a report's members as JSON. */
export const reportSchema = 1;

/**
 * The report as it is written as JSON: without figures of bytes if the log has no sizes; with the version of the catalogue that named the
 * crawlers.
 */
export function toJsonReport(report: Report, catalogue: string): object {
  const whole = { schema: reportSchema, catalogue, ...report };
  if (report.hasSizes) return whole;
  return JSON.parse(
    JSON.stringify(whole, (name, value) => (/^(?:bytes|crawlerBytes)$/.test(name) ? undefined : value)),
  );
}

/**
 * Puts the report together; shortens `tally.times`. `unbound` has the names of crawlers to which robots.txt does not apply, `filter` and
 * `timezone` are the ones of the scan.
 */
export function toReport(
  tally: Tally,
  unbound: ReadonlySet<string> = new Set(),
  filter?: RequestFilter,
  timezone = "UTC",
): Report {
  const referrals = toReferralsReport(tally);
  // With a filter of paths, a crawler may have only its fetches of robots.txt.
  const crawlers = [...tally.crawlers.values()].filter(({ requests }) => requests > 0);
  const period = toPeriod(tally, filter);
  widenTimes(tally.times, maxTimes);
  return {
    ...(period !== undefined && { period }),
    ...(filter !== undefined && { filter: toFilterReport(filter, tally) }),
    lines: tally.lines,
    broken: tally.broken,
    requests: tally.requests,
    crawlerRequests: tally.crawlerRequests,
    bytes: tally.bytes,
    crawlerBytes: tally.crawlerBytes,
    hasSizes: tally.sized > 0 || tally.requests === 0,
    categories: toGroups(crawlers, ({ category }) => [category]),
    purposes: toGroups(crawlers, ({ purposes }) => purposes).map((group) => toPurposeGroup(group, crawlers)),
    operators: toGroups(crawlers, ({ operator }) => [operator ?? null]),
    crawlers: crawlers.map((crawler) => toCrawlerReport(crawler, tally, unbound)).sort(byRequests),
    paths: topPathsOfAll(tally.paths, crawlers, shownPathsOfAll).map(({ most, ...path }) => ({
      ...path,
      most: crawlers[most]!.facts.name,
    })),
    pathsExact: crawlers.every(({ paths }) => paths.floor === 0),
    timezone,
    times: toTimes(tally, createToLocal(timezone)),
    ...(referrals !== undefined && { referrals }),
    ...(tally.browsers !== undefined && toFleetsReport(tally.browsers)),
    ...(tally.basis !== undefined && { verificationBasis: tally.basis }),
  };
}

/** The purposes of AI crawlers, the most requests first. */
export function aiPurposesOf({ purposes }: Report): readonly Group[] {
  return purposes
    .map(({ name, ai }) => ({ name, ...ai }))
    .filter(({ requests }) => requests > 0)
    .sort(byRequests);
}

/** Why the requests by purpose are more than those of AI crawlers; undefined if they are not. */
export function purposesNoteOf({ crawlers }: Report): string | undefined {
  const isSummed = crawlers.some(({ category, purposes }) => category === "ai" && purposes.length > 1);
  return isSummed ? "A crawler with several purposes counts in each." : undefined;
}

function toGroups(
  crawlers: readonly CrawlerTally[],
  namesOf: (facts: CrawlerFacts) => readonly (string | null)[],
): Group[] {
  const groups = new Map<string | null, CrawlerTally[]>();
  for (const crawler of crawlers) {
    for (const name of namesOf(crawler.facts)) {
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [crawler]);
      else group.push(crawler);
    }
  }
  return [...groups].map(([name, members]) => ({ name, ...sumOf(members), ...spanOf(members) })).sort(byRequests);
}

function toPurposeGroup(group: Group, crawlers: readonly CrawlerTally[]): PurposeGroup {
  const name = group.name as Purpose;
  const ai = crawlers.filter(({ facts }) => facts.category === "ai" && facts.purposes.includes(name));
  return { ...group, name, ai: sumOf(ai) };
}

function sumOf(members: readonly CrawlerTally[]): Pick<Group, "crawlers" | "requests" | "bytes"> {
  return {
    crawlers: members.length,
    requests: members.reduce((sum, { requests }) => sum + requests, 0),
    bytes: members.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function spanOf(members: readonly CrawlerTally[]): Pick<Group, "first" | "last"> {
  const first = members.reduce((least, { first }) => Math.min(least, first), Number.POSITIVE_INFINITY);
  const last = members.reduce((most, { last }) => Math.max(most, last), Number.NEGATIVE_INFINITY);
  return first <= last ? { first: toIso(first), last: toIso(last) } : {};
}

function toCrawlerReport(crawler: CrawlerTally, tally: Tally, unbound: ReadonlySet<string>): CrawlerReport {
  const { paths, robotsTxt } = crawler;
  const { rule = false, ...facts } = crawler.facts;
  const suspects = toSuspects(crawler);
  const robots = toRobotsReport(crawler, facts.name, tally, unbound);
  return {
    ...facts,
    rule,
    requests: crawler.requests,
    bytes: crawler.bytes,
    ...spanOf([crawler]),
    statuses: Object.fromEntries(
      crawler.statuses.map(({ status, requests }) => [status, requests] as const).sort(([one], [other]) => one - other),
    ),
    robotsTxt,
    paths: topPaths(tally.paths, paths, robotsTxt, shownPaths),
    pathsExact: paths.floor === 0,
    ...(robots !== undefined && { robots }),
    ...(crawler.verification !== undefined && { verification: crawler.verification }),
    ...(suspects !== undefined && { suspects }),
    ...(crawler.networks !== undefined && { networks: crawler.networks }),
  };
}

function toTimes({ times }: Tally, toLocal: ToLocal): readonly TimeReport[] {
  return [...times.counts]
    .sort(([a], [b]) => a - b)
    .map(([number, counts]) => ({
      from: toIso(toUtc(number * times.seconds, toLocal)),
      seconds: times.seconds,
      ...counts,
    }));
}

function byRequests(
  a: { name: string | null; requests: number },
  b: { name: string | null; requests: number },
): number {
  return b.requests - a.requests || ((a.name ?? "") < (b.name ?? "") ? -1 : 1);
}
