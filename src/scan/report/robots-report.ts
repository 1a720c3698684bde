/** Who obeyed robots.txt: the figures of each crawler, and a sentence about all. */
import { countExceeding } from "../count/crawl-delay.ts";
import { type RequestedPath, topPaths } from "../count/path-counts.ts";
import type { CrawlerTally, RobotsFetch, Tally, VerificationCounts } from "../count/tally.ts";
import { toCount, toRequests, verificationResults } from "./report-text.ts";

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
   * Of disallowed paths, where that is no disobedience: the last fetch got a status of 4xx, robots.txt does not apply, or the crawler may
   * not have known the file yet.
   */
  readonly excused: number;
  /** The ten most requested disallowed paths, of all results of verification together. */
  readonly paths: readonly RequestedPath[];
  /** As the member of a crawler. */
  readonly pathsExact: boolean;
  /** The `disallowed` requests by the result of verification; only with --verify, and for crawlers with an entry. */
  readonly verification?: VerificationCounts;
  /** Present if the file has a Crawl-delay for the crawler, and its operator documents that it keeps it. */
  readonly crawlDelay?: DelayReport;
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

/** Undefined if the log was not compared with a robots.txt. `unbound` has the names of crawlers to which none applies. */
export function toRobotsReport(
  { robots }: CrawlerTally,
  name: string,
  { paths }: Tally,
  unbound: ReadonlySet<string>,
): RobotsReport | undefined {
  if (robots === undefined) return undefined;
  const { allowed, disallowed, early, verification, delay } = robots;
  const applies = !unbound.has(name);
  const isFree = (fetch: RobotsFetch | undefined): boolean =>
    !applies || (fetch !== undefined && fetch.status >= 400 && fetch.status < 500);
  const judge = (counts: VerificationCounts): VerificationCounts => {
    const { verified, ...others } = counts;
    return {
      verified: isFree(verification?.verifiedFetch) ? 0 : verified,
      // An imitator's fetch is no evidence that the crawler has read the file.
      ...(isFree(verification?.otherFetch) ? { spoofed: 0, unverifiable: 0, unchecked: 0 } : others),
    };
  };
  const results = verification && judge(verification.disallowed);
  const exceeding = verification && judge(verification.exceeding);
  const ofAll = (count: number): number => (isFree(robots.fetch) ? 0 : count);
  const judged = results ? sumOf(results) : ofAll(disallowed);
  const last = verification ? (verification.verifiedFetch ?? verification.otherFetch) : robots.fetch;
  return {
    fetched: robots.fetch !== undefined,
    ...(last !== undefined && last.status > 0 && { lastStatus: last.status }),
    applies,
    allowed,
    disallowed: judged,
    excused: early + disallowed - judged,
    paths: judged === 0 ? [] : topPaths(paths, robots.paths, 0, shownPaths),
    pathsExact: robots.paths.floor === 0,
    ...(results !== undefined && { verification: results }),
    ...(delay !== undefined && {
      crawlDelay: {
        seconds: delay.seconds,
        exceeding: exceeding ? sumOf(exceeding) : ofAll(countExceeding(delay, () => true)),
        exact: !delay.isFull,
        ...(exceeding && { verification: exceeding }),
      },
    }),
  };
}

function sumOf(counts: VerificationCounts): number {
  return verificationResults.reduce((sum, result) => sum + counts[result], 0);
}

interface Compared {
  readonly name: string;
  readonly requests: number;
  readonly robots?: RobotsReport;
  readonly verification?: VerificationCounts;
}

/** The sentence names so many crawlers. */
const shownNames = 3;

/**
 * `3 of 41 crawlers requested disallowed paths: Bytespider (unverifiable) 1,204, …; 9,666 requests of such paths are excused.`, and, where the file has a Crawl-delay for crawlers
 * that keep it, the same of the delay; undefined without a robots.txt.
 */
export function toRobotsSentence(crawlers: readonly Compared[]): string | undefined {
  const compared = withRobots(crawlers);
  if (compared.length === 0) return undefined;
  const delayed = compared.filter(({ robots }) => robots.crawlDelay !== undefined).length;
  const disallowed = disobeyingCrawlers(crawlers).map((crawler) => nameOf(crawler, crawler.robots));
  const exceeding = hurryingCrawlers(crawlers).map((crawler) => nameOf(crawler, crawler.robots.crawlDelay!));
  const excused = compared.reduce((sum, { robots }) => sum + robots.excused, 0);
  const rest = excused === 0 ? "" : `; ${toRequests(excused)} of such paths ${excused === 1 ? "is" : "are"} excused`;
  return [
    `${toCrawlers(disallowed, compared.length)} requested disallowed paths${toList(disallowed)}${rest}.`,
    ...(delayed > 0 ? [`${toCrawlers(exceeding, delayed)} with a Crawl-delay exceeded it${toList(exceeding)}.`] : []),
  ].join(" ");
}

function toCrawlers(some: readonly unknown[], all: number): string {
  return `${toCount(some.length)} of ${toCount(all)} ${all === 1 ? "crawler" : "crawlers"}`;
}

function toList(named: readonly string[]): string {
  const more = named.length > shownNames ? [`${toCount(named.length - shownNames)} more`] : [];
  return named.length === 0 ? "" : `: ${[...named.slice(0, shownNames), ...more].join(", ")}`;
}

/** `Bytespider 1,204`, or `GPTBot (verified) 0, GPTBot (spoofed) 12`. */
function nameOf({ name, verification }: Compared, figure: RobotsReport | DelayReport): string {
  const counts = figure.verification;
  if (counts === undefined)
    return `${name} ${"disallowed" in figure ? toCount(figure.disallowed) : toExceeding(figure)}`;
  // An imitator is told from the crawler: a verified crawler without such requests is named, too.
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
export function disobeyingCrawlers<Crawler extends Compared>(crawlers: readonly Crawler[]) {
  return withRobots(crawlers)
    .filter(({ robots }) => robots.disallowed > 0)
    .sort((one, other) => other.robots.disallowed - one.robots.disallowed);
}

/** The crawlers that made more requests than their Crawl-delay allows, with the most such requests first. */
export function hurryingCrawlers<Crawler extends Compared>(crawlers: readonly Crawler[]) {
  const exceedingOf = ({ robots }: { robots: RobotsReport }): number => robots.crawlDelay?.exceeding ?? 0;
  return withRobots(crawlers)
    .filter((crawler) => exceedingOf(crawler) > 0)
    .sort((one, other) => exceedingOf(other) - exceedingOf(one));
}

/** The count, which is a lower bound if it is not exact. */
export function toExceeding({ exceeding, exact }: DelayReport): string {
  return `${exact ? "" : "at least "}${toCount(exceeding)}`;
}

/** `unverifiable 1,204, spoofed 12`; empty without --verify. */
export function toResults(verification: VerificationCounts | undefined): string {
  if (verification === undefined) return "";
  const results = verificationResults.filter((result) => verification[result] > 0);
  return results.map((result) => `${result} ${toCount(verification[result])}`).join(", ");
}

/** Whether robots.txt was fetched: `fetched, 200` or `not fetched`. */
export function toFetched({ fetched, lastStatus }: RobotsReport): string {
  if (!fetched) return "not fetched";
  return lastStatus === undefined ? "fetched" : `fetched, ${lastStatus}`;
}
