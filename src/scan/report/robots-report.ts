/** Who obeyed robots.txt: the figures of each crawler, and a sentence about all. */
import { type RequestedPath, topPaths } from "../count/path-counts.ts";
import type { CrawlerTally, Tally, VerificationCounts } from "../count/tally.ts";
import { toCount, verificationResults } from "./report-text.ts";

/** Requests of a crawler by what robots.txt says of them; requests of /robots.txt itself count as none of them. */
export interface RobotsReport {
  /** Whether it fetched /robots.txt in this log. */
  readonly fetched: boolean;
  /** The status of its last fetch, if the log has one. */
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
  /** The ten most requested disallowed paths. */
  readonly paths: readonly RequestedPath[];
  /** As the member of a crawler. */
  readonly pathsExact: boolean;
  /** The `disallowed` requests by the result of verification; only with --verify, and for crawlers with an entry. */
  readonly verification?: VerificationCounts;
}

const shownPaths = 10;

/** Undefined if the log was not compared with a robots.txt. `unbound` has the names of crawlers to which none applies. */
export function toRobotsReport(
  { robots, robotsTxt }: CrawlerTally,
  name: string,
  { paths }: Tally,
  unbound: ReadonlySet<string>,
): RobotsReport | undefined {
  if (robots === undefined) return undefined;
  const { lastStatus, allowed, disallowed, early, verification } = robots;
  const applies = !unbound.has(name);
  const isExcused = !applies || (lastStatus >= 400 && lastStatus < 500);
  return {
    fetched: robotsTxt > 0,
    ...(lastStatus > 0 && { lastStatus }),
    applies,
    allowed,
    disallowed: isExcused ? 0 : disallowed,
    excused: early + (isExcused ? disallowed : 0),
    paths: isExcused ? [] : topPaths(paths, robots.paths, 0, shownPaths),
    pathsExact: robots.paths.floor === 0,
    ...(verification !== undefined && {
      verification: isExcused ? { verified: 0, spoofed: 0, unverifiable: 0, unchecked: 0 } : verification,
    }),
  };
}

interface Compared {
  readonly name: string;
  readonly requests: number;
  readonly robots?: RobotsReport;
  readonly verification?: VerificationCounts;
}

/** The sentence names so many crawlers. */
const shownNames = 3;

/** `3 of 41 crawlers requested disallowed paths: Bytespider (unverifiable) 1,204, …`; undefined without a robots.txt. */
export function toRobotsSentence(crawlers: readonly Compared[]): string | undefined {
  const compared = crawlers.flatMap((crawler) =>
    crawler.robots === undefined ? [] : { ...crawler, robots: crawler.robots },
  );
  if (compared.length === 0) return undefined;
  const disobeying = disobeyingCrawlers(crawlers);
  const named = disobeying.slice(0, shownNames).flatMap(({ name, robots, verification }) => {
    if (robots.verification === undefined) return [`${name} ${toCount(robots.disallowed)}`];
    const counts = robots.verification;
    // An imitator is told from the crawler: a verified crawler without such requests is named, too.
    return verificationResults
      .filter((result) => counts[result] > 0 || (result === "verified" && (verification?.verified ?? 0) > 0))
      .map((result) => `${name} (${result}) ${toCount(counts[result])}`);
  });
  const more = disobeying.length > shownNames ? [`${toCount(disobeying.length - shownNames)} more`] : [];
  const all = `${toCount(disobeying.length)} of ${toCount(compared.length)} ${compared.length === 1 ? "crawler" : "crawlers"} requested disallowed paths`;
  return `${all}${disobeying.length === 0 ? "" : `: ${[...named, ...more].join(", ")}`}.`;
}

/** The crawlers that requested disallowed paths, with the most such requests first. */
export function disobeyingCrawlers<Crawler extends Compared>(
  crawlers: readonly Crawler[],
): (Crawler & { readonly robots: RobotsReport })[] {
  return crawlers
    .flatMap((crawler) => (crawler.robots === undefined ? [] : [{ ...crawler, robots: crawler.robots }]))
    .filter(({ robots }) => robots.disallowed > 0)
    .sort((one, other) => other.robots.disallowed - one.robots.disallowed);
}

/** `unverifiable 1,204, spoofed 12`; empty without --verify. */
export function toResults({ verification }: RobotsReport): string {
  if (verification === undefined) return "";
  const results = verificationResults.filter((result) => verification[result] > 0);
  return results.map((result) => `${result} ${toCount(verification[result])}`).join(", ");
}

/** Whether robots.txt was fetched: `fetched, 200` or `not fetched`. */
export function toFetched({ fetched, lastStatus }: RobotsReport): string {
  if (!fetched) return "not fetched";
  return lastStatus === undefined ? "fetched" : `fetched, ${lastStatus}`;
}
