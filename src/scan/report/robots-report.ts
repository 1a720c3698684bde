/** Who obeyed robots.txt: the figures of each crawler, and a sentence about all. */
import { countExceeding } from "../count/crawl-delay.ts";
import type { CrawlerTally, VerificationCounts } from "../count/crawler-tally.ts";
import { type RequestedPath, topPaths } from "../count/path-counts.ts";
import { anyQuery, laterFetch, type RobotsFetch } from "../count/robots-counts.ts";
import { sumOf } from "../count/sums.ts";
import { toCount, toList, toRequests } from "./report-text.ts";
import { resultOf, sumByResult, sumOfResults, toResults, verificationResults } from "./verification.ts";

/** Requests of a crawler by what robots.txt says of them; requests of /robots.txt itself count as none of them. */
export interface RobotsReport {
  /** Whether it fetched /robots.txt in this log. */
  readonly fetched: boolean;
  /** The status of its last fetch, of verified requests if there is one, if the log has statuses. */
  readonly lastStatus?: number;
  /** Whether robots.txt applies to it; false where its operator documents that it does not. */
  readonly applies: boolean;
  readonly allowed: number;
  /** Of disallowed paths. */
  readonly disallowed: number;
  /**
   * Requests for disallowed paths that are not violations: the last fetch got a 4xx status, robots.txt does not apply, or the crawler may
   * not have known the file yet.
   */
  readonly excused: number;
  /** Of the `excused` requests, those that would be disallowed if the crawler had known the file. */
  readonly early: number;
  /** The ten most requested disallowed paths, of all results of verification together. */
  readonly paths: readonly DisallowedPath[];
  /** As the member of a crawler. */
  readonly pathsExact: boolean;
  /** The `disallowed` requests by the result of verification; only with --verify, and for crawlers with an entry. */
  readonly verification?: VerificationCounts;
  /** Present if the file has a Crawl-delay for the crawler, and its operator documents that it keeps it. */
  readonly crawlDelay?: DelayReport;
}

export interface DisallowedPath extends RequestedPath {
  /** Present if the file disallows the path only with certain queries. */
  readonly isByQuery?: true;
}

export interface DelayReport {
  readonly seconds: number;
  /** Requests that are more than the delay allows. */
  readonly exceeding: number;
  /** False: they are more than `exceeding`. */
  readonly exact: boolean;
  /** The `exceeding` requests by the result of verification, each counted apart. */
  readonly verification?: VerificationCounts;
}

const shownPaths = 10;

/** Undefined if the log was not compared with a robots.txt. `exemptFromRobots` has the names of crawlers to which none applies. */
export function toRobotsReport(crawler: CrawlerTally, exemptFromRobots: ReadonlySet<string>): RobotsReport | undefined {
  const { robots, facts, results } = crawler;
  if (robots === undefined) return undefined;
  const { allowed, disallowed, early, delay } = robots;
  const applies = !exemptFromRobots.has(facts.name);
  const isFree = (fetch: RobotsFetch | undefined): boolean =>
    !applies || (fetch !== undefined && fetch.status >= 400 && fetch.status < 500);
  const fetches = fetchesByResult(crawler);
  /** Judges the requests of each verification result separately, so that an imitator's requests do not count as the crawler's. */
  const judge = (counts: VerificationCounts | undefined): VerificationCounts | undefined =>
    counts && {
      // An imitator's fetch does not prove that the crawler has read the file.
      ...(isFree(fetches.other) ? { spoofed: 0, unverifiable: 0, unchecked: 0 } : counts),
      verified: isFree(fetches.verified) ? 0 : counts.verified,
    };
  const ofAll = (count: number): number => (isFree(robots.fetch) ? 0 : count);
  const disobedient = judge(sumByResult(crawler, ({ disallowed }) => disallowed));
  const judged = disobedient ? sumOfResults(disobedient) : ofAll(disallowed);
  const last = results ? (fetches.verified ?? fetches.other) : robots.fetch;
  const exceeding =
    delay &&
    judge(toResults(crawler, (wanted) => countExceeding(delay, (address) => resultOf(crawler, address) === wanted)));
  return {
    fetched: robots.fetch !== undefined,
    ...(last !== undefined && last.status > 0 && { lastStatus: last.status }),
    applies,
    allowed,
    disallowed: judged,
    excused: early + disallowed - judged,
    early: ofAll(early),
    paths: judged === 0 ? [] : topPaths(robots.paths, 0, shownPaths).map(toDisallowedPath),
    pathsExact: robots.paths.floor === 0,
    ...(disobedient !== undefined && { verification: disobedient }),
    ...(delay !== undefined && {
      crawlDelay: {
        seconds: delay.seconds,
        exceeding: exceeding ? sumOfResults(exceeding) : ofAll(countExceeding(delay, () => true)),
        exact: !delay.isFull,
        ...(exceeding && { verification: exceeding }),
      },
    }),
  };
}

function toDisallowedPath({ path, requests }: RequestedPath): DisallowedPath {
  if (!path.endsWith(anyQuery)) return { path, requests };
  return { path: path.slice(0, -anyQuery.length), requests, isByQuery: true };
}

/** The last fetch of /robots.txt from a verified address, and from others. */
function fetchesByResult({ addresses, results }: CrawlerTally): { verified?: RobotsFetch; other?: RobotsFetch } {
  const fetches: { verified?: RobotsFetch; other?: RobotsFetch } = {};
  for (const [address, { fetch }] of addresses ?? []) {
    const kind = results?.get(address) === "verified" ? "verified" : "other";
    if (fetch !== undefined) fetches[kind] = laterFetch(fetches[kind], fetch);
  }
  return fetches;
}

interface Compared {
  readonly name: string;
  readonly requests: number;
  readonly robots?: RobotsReport;
  readonly verification?: VerificationCounts;
}

/** Sentences about all crawlers, without their ends; `delay` only where the file has a Crawl-delay for crawlers that keep it. */
interface RobotsSentences {
  readonly paths: string;
  readonly delay: string | undefined;
  /** Both, and how many requests are excused. */
  readonly all: string;
  /** `30 of 38 crawlers made 1,926 disallowed requests; 269 excused, 200 as the file is newer.` */
  readonly summary: string;
}

/** `3 of 41 crawlers requested disallowed paths: Bytespider (unverifiable) 1,204, …`, and the same of the delay; undefined without a file. */
export function toRobotsSentences(crawlers: readonly Compared[]): RobotsSentences | undefined {
  const compared = withRobots(crawlers);
  if (compared.length === 0) return undefined;
  const delayed = compared.filter(({ robots }) => robots.crawlDelay !== undefined).length;
  const disallowed = violatingCrawlers(crawlers).map((crawler) => nameWith(crawler, crawler.robots));
  const exceeding = crawlersExceedingDelay(crawlers).map((crawler) => nameWith(crawler, crawler.robots.crawlDelay!));
  const excused = sumOf(compared, ({ robots }) => robots.excused);
  const early = sumOf(compared, ({ robots }) => robots.early);
  const paths = toCrawlers(disallowed, compared.length, "requested disallowed paths");
  const delay = delayed > 0 ? toCrawlers(exceeding, delayed, "with a Crawl-delay exceeded it") : undefined;
  const newer = early === 0 ? "" : `, ${toCount(early)} of them only because robots.txt is newer (--robots-since)`;
  const rest =
    excused === 0 ? "" : `; ${toRequests(excused)} for such paths ${excused === 1 ? "is" : "are"} excused${newer}`;
  const sum = toCount(sumOf(compared, ({ robots }) => robots.disallowed));
  const more = `${excused === 0 ? "" : `; ${toCount(excused)} excused`}${early === 0 ? "" : `, ${toCount(early)} as the file is newer`}`;
  const summary = `${toPart(disallowed, compared.length)} made ${sum} disallowed requests${more}.`;
  return { paths, delay, all: `${paths}${rest}.${delay === undefined ? "" : ` ${delay}.`}`, summary };
}

/** `3 of 41 crawlers did it: A 12, B 3, C 1`. */
function toCrawlers(some: readonly string[], all: number, what: string): string {
  return `${toPart(some, all)} ${what}${some.length === 0 ? "" : `: ${toList(some)}`}`;
}

function toPart(some: readonly string[], all: number): string {
  return `${toCount(some.length)} of ${toCount(all)} ${all === 1 ? "crawler" : "crawlers"}`;
}

/** `Bytespider 1,204`, or `GPTBot (verified) 0, GPTBot (spoofed) 12`. */
function nameWith({ name, verification }: Compared, figure: RobotsReport | DelayReport): string {
  const counts = figure.verification;
  if (counts === undefined)
    return `${name} ${"disallowed" in figure ? toCount(figure.disallowed) : toExceeding(figure)}`;
  // To distinguish the crawler from imitators, a verified crawler without such requests is named, too.
  return verificationResults
    .filter((result) => counts[result] > 0 || (result === "verified" && (verification?.verified ?? 0) > 0))
    .map((result) => `${name} (${result}) ${toCount(counts[result])}`)
    .join(", ");
}

function withRobots<Crawler extends Compared>(
  crawlers: readonly Crawler[],
): (Crawler & { readonly robots: RobotsReport })[] {
  return crawlers.flatMap((crawler) => (crawler.robots === undefined ? [] : [{ ...crawler, robots: crawler.robots }]));
}

/** The crawlers that requested disallowed paths, with the most such requests first. */
export function violatingCrawlers<Crawler extends Compared>(crawlers: readonly Crawler[]) {
  return withRobots(crawlers)
    .filter(({ robots }) => robots.disallowed > 0)
    .sort((one, other) => other.robots.disallowed - one.robots.disallowed);
}

/** The crawlers that made more requests than their Crawl-delay allows, with the most such requests first. */
export function crawlersExceedingDelay<Crawler extends Compared>(crawlers: readonly Crawler[]) {
  const exceedingOf = ({ robots }: { robots: RobotsReport }): number => robots.crawlDelay?.exceeding ?? 0;
  return withRobots(crawlers)
    .filter((crawler) => exceedingOf(crawler) > 0)
    .sort((one, other) => exceedingOf(other) - exceedingOf(one));
}

/** The count, which is a lower bound if it is not exact. */
export function toExceeding({ exceeding, exact }: DelayReport): string {
  return `${exact ? "" : "at least "}${toCount(exceeding)}`;
}

/** Whether robots.txt was fetched: `fetched, 200` or `not fetched`. */
export function toFetched({ fetched, lastStatus }: RobotsReport): string {
  if (!fetched) return "not fetched";
  return lastStatus === undefined ? "fetched" : `fetched, ${lastStatus}`;
}
