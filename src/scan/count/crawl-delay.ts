/**
 * Counts how many requests of a crawler exceed what a Crawl-delay allows. Plain data, as in tally.ts. Counts per interval, not the time
 * between requests, because threads read a log in parts, and log lines are not always in chronological order.
 */
import type { CrawlerRules, RobotsCrawler } from "../../robots/crawler-rules.ts";

export interface DelayCounts {
  /** The delay that the crawler should keep. */
  readonly seconds: number;
  /** Requests by the client's address ("" without --verify), then by the number of the interval since 1970. */
  readonly intervals: Map<string, Map<number, number>>;
  /** Pairs of address and interval. */
  size: number;
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
  return { seconds, intervals: new Map(), size: 0, isFull: false };
}

/** Intervals of a minute, or of one delay if that is longer. */
function lengthOf({ seconds }: DelayCounts): number {
  return Math.max(minuteSeconds, seconds);
}

/** Counts requests at a time, in seconds since 1970. */
export function addToDelay(delay: DelayCounts, address: string, at: number, requests: number): void {
  addToInterval(delay, address, Math.floor(at / lengthOf(delay)), requests);
}

function addToInterval(delay: DelayCounts, address: string, interval: number, requests: number): void {
  let counts = delay.intervals.get(address);
  const known = counts?.get(interval);
  if (known === undefined) {
    if (delay.size >= maxIntervals) {
      delay.isFull = true;
      return;
    }
    delay.size++;
    if (counts === undefined) {
      counts = new Map();
      delay.intervals.set(address, counts);
    }
  }
  counts!.set(interval, (known ?? 0) + requests);
}

/** Adds what another thread has counted. */
export function mergeDelay(delay: DelayCounts, other: DelayCounts): void {
  for (const [address, counts] of other.intervals)
    for (const [interval, requests] of counts) addToInterval(delay, address, interval, requests);
  delay.isFull ||= other.isFull;
}

/**
 * The requests from the given addresses that exceed what the delay allows. An interval may have one request more than the number of delays
 * that fit into it: one at its beginning and one at its end.
 */
export function countExceeding(delay: DelayCounts, isIncluded: (address: string) => boolean): number {
  const sums = new Map<number, number>();
  for (const [address, counts] of delay.intervals)
    if (isIncluded(address))
      for (const [interval, requests] of counts) sums.set(interval, (sums.get(interval) ?? 0) + requests);
  const allowed = Math.floor(lengthOf(delay) / delay.seconds) + 1;
  let exceeding = 0;
  for (const requests of sums.values()) exceeding += Math.max(0, requests - allowed);
  return exceeding;
}
