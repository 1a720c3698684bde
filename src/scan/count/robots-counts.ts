/** Counts what robots.txt says of a crawler's requests: whether it asks for the file, disobeys it, and exceeds its Crawl-delay. */
import type { CountedRequest } from "./counted-request.ts";
import { addToDelay, createDelayCounts, type DelayCounts, mergeDelay } from "./crawl-delay.ts";
import { addPath, createPathCounts, mergePaths, type Path, type PathCounts, type Paths } from "./path-counts.ts";
import { addNumbers } from "./sums.ts";

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

/** Ends a path that is disallowed only with certain queries: paths themselves have none. */
export const anyQuery = "?…";

/** `delay` is the Crawl-delay in seconds. */
export function createRobotsCounts(delay: number | undefined): RobotsCounts {
  return {
    ...{ allowed: 0, disallowed: 0, early: 0, paths: createPathCounts() },
    ...(delay !== undefined && { delay: createDelayCounts(delay) }),
  };
}

/** Counts the requests of a line for a path, from an address ("" if addresses are not counted), against the Crawl-delay. */
export function countDelay({ delay }: RobotsCounts, address: string, { at, requests }: CountedRequest): void {
  if (delay !== undefined) addToDelay(delay, address, at, requests);
}

/** Counts requests for a path that is not /robots.txt; `isEarly`: before the crawler should know the file. Returns how many disobey. */
export function countRobots(
  paths: Paths,
  counts: RobotsCounts,
  path: Path,
  {
    requests,
    isDisallowed,
    isEarly,
  }: { readonly requests: number; readonly isDisallowed: boolean; readonly isEarly: boolean },
): number {
  if (!isDisallowed) counts.allowed += requests;
  else if (isEarly) counts.early += requests;
  else {
    counts.disallowed += requests;
    addPath(paths, counts.paths, path, requests);
    return requests;
  }
  return 0;
}

/** Adds what another thread has counted; its paths may be of another tally. */
export function mergeRobots(paths: Paths, counts: RobotsCounts, other: RobotsCounts): void {
  addNumbers(counts, other);
  mergePaths(paths, counts.paths, other.paths);
  mergeFetch(counts, other);
  if (counts.delay && other.delay) mergeDelay(counts.delay, other.delay);
}

/** The time and the status of a fetch; of fetches in the same second, the highest status. */
export interface RobotsFetch {
  readonly at: number;
  readonly status: number;
}

/** Notes a fetch; `at` is NaN where a line has no time. */
export function noteFetch(counts: { fetch?: RobotsFetch }, at: number, status: number): void {
  counts.fetch = laterFetch(counts.fetch, { at: Number.isNaN(at) ? 0 : at, status });
}

/** Adds what another thread has noted. */
export function mergeFetch(counts: { fetch?: RobotsFetch }, other: { readonly fetch?: RobotsFetch }): void {
  if (other.fetch !== undefined) counts.fetch = laterFetch(counts.fetch, other.fetch);
}

/** The later of two fetches. */
export function laterFetch(one: RobotsFetch | undefined, other: RobotsFetch): RobotsFetch {
  if (one === undefined || other.at > one.at) return other;
  return other.at === one.at && other.status > one.status ? other : one;
}
