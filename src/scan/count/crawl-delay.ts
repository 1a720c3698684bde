/**
 * Counts how many requests of a crawler exceed what a Crawl-delay allows. Plain data, as in tally.ts. Counts per interval, not the time
 * between requests, because threads read a log in parts, and log lines are not always in chronological order.
 */
import type { CrawlerRules, RobotsCrawler } from "../../robots/crawler-rules.ts";

export interface DelayCounts {
  /** The delay that the crawler should keep. */
  readonly seconds: number;
  /** Requests by the client's address ("" without --verify), a line end, and the number of the interval since 1970. */
  readonly intervals: Map<string, number>;
  /** Whether there was no room for more pairs, so that some requests were not counted. */
  isFull: boolean;
}

/** A bound on memory: in each thread 20 MB for a crawler. Without --verify it is room for 138 days of requests in every minute. */
const maxIntervals = 200_000;

const minuteSeconds = 60;

/** The delay in seconds that a crawler should keep; undefined if its operator does not document that it does. */
export function delayOf(
  { crawlDelay = 0 }: CrawlerRules,
  { robotsRules }: Pick<RobotsCrawler, "robotsRules">,
): number | undefined {
  const documented = robotsRules?.crawlDelay;
  if (documented === undefined || crawlDelay === 0) return undefined;
  return documented === true ? crawlDelay : Math.min(crawlDelay, documented);
}

export function createDelayCounts(seconds: number): DelayCounts {
  return { seconds, intervals: new Map(), isFull: false };
}

/** Intervals of a minute, or of one delay if that is longer. */
function lengthOf({ seconds }: DelayCounts): number {
  return Math.max(minuteSeconds, seconds);
}

/** Counts requests at a time, in seconds since 1970. */
export function addToDelay(delay: DelayCounts, address: string, at: number, requests: number): void {
  addToInterval(delay, `${address}\n${Math.floor(at / lengthOf(delay))}`, requests);
}

function addToInterval(delay: DelayCounts, key: string, requests: number): void {
  const { intervals } = delay;
  const known = intervals.get(key);
  if (known === undefined && intervals.size >= maxIntervals) delay.isFull = true;
  else intervals.set(key, (known ?? 0) + requests);
}

/** Adds what another thread has counted. */
export function mergeDelay(delay: DelayCounts, other: DelayCounts): void {
  for (const [key, requests] of other.intervals) addToInterval(delay, key, requests);
  delay.isFull ||= other.isFull;
}

/**
 * The requests from the given addresses that exceed what the delay allows. An interval may have one request more than the number of delays
 * that fit into it: one at its beginning and one at its end.
 */
export function countExceeding(delay: DelayCounts, isIncluded: (address: string) => boolean): number {
  const sums = new Map<string, number>();
  for (const [key, requests] of delay.intervals) {
    const [address = "", interval = ""] = key.split("\n");
    if (isIncluded(address)) sums.set(interval, (sums.get(interval) ?? 0) + requests);
  }
  const allowed = Math.floor(lengthOf(delay) / delay.seconds) + 1;
  let exceeding = 0;
  for (const requests of sums.values()) exceeding += Math.max(0, requests - allowed);
  return exceeding;
}
