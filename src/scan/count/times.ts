/**
 * Requests over time, in a fixed amount of memory: the more time a log covers, the longer the intervals are. Times are a zone's
 * (timezone.ts).
 */
import type { CountedRequest } from "./counted-request.ts";
import { addNumbers } from "./sums.ts";

/** What happened in an interval. */
export interface IntervalCounts {
  requests: number;
  crawlerRequests: number;
  bytes: number;
  crawlerBytes: number;
}

/** Intervals of `seconds`, by their number since 1970; intervals without requests are absent. */
export interface TimeCounts {
  seconds: number;
  readonly counts: Map<number, IntervalCounts>;
}

/** Each length divides the next, so that intervals can be joined. The last one covers 130 years in fewer than maxIntervals. */
export const intervalSeconds = [60, 300, 900, 3600, 10_800, 21_600, 86_400, 604_800, 6_048_000] as const;
const maxIntervals = 1500;

export function createTimes(): TimeCounts {
  return { seconds: intervalSeconds[0], counts: new Map() };
}

/** Makes the function that counts the requests of a line; it looks up the interval only if it has changed. */
export function createCountTime(times: TimeCounts): (request: CountedRequest, isCrawler: boolean) => void {
  let interval: IntervalCounts | undefined;
  let from = 0;
  let to = 0;
  return ({ at, local, requests, bytes }, isCrawler) => {
    if (!(at >= 0)) return;
    if (interval === undefined || local < from || local >= to) {
      interval = intervalAt(times, local);
      from = Math.floor(local / times.seconds) * times.seconds;
      to = from + times.seconds;
    }
    interval.requests += requests;
    interval.bytes += bytes;
    if (!isCrawler) return;
    interval.crawlerRequests += requests;
    interval.crawlerBytes += bytes;
  };
}

/** The counts of the interval that the time `at`, in seconds since 1970, belongs to. */
export function intervalAt(times: TimeCounts, at: number): IntervalCounts {
  const number = Math.floor(at / times.seconds);
  const known = times.counts.get(number);
  if (known !== undefined) return known;
  if (times.counts.size >= maxIntervals) {
    widenTimes(times, maxIntervals / 2);
    return intervalAt(times, at);
  }
  const counts = { requests: 0, crawlerRequests: 0, bytes: 0, crawlerBytes: 0 };
  times.counts.set(number, counts);
  return counts;
}

/** Joins intervals until there are no more than `limit`, or none longer. */
export function widenTimes(times: TimeCounts, limit: number): void {
  while (times.counts.size > limit) {
    const seconds = intervalSeconds.find((length) => length > times.seconds);
    if (seconds === undefined) return;
    setLength(times, seconds);
  }
}

function setLength(times: TimeCounts, seconds: number): void {
  const old = [...times.counts];
  const factor = seconds / times.seconds;
  times.seconds = seconds;
  times.counts.clear();
  for (const [number, counts] of old) addNumbers(intervalAt(times, Math.floor(number / factor) * seconds), counts);
}

/** Adds what `other` has counted. */
export function mergeTimes(times: TimeCounts, other: TimeCounts): void {
  if (times.seconds < other.seconds) setLength(times, other.seconds);
  for (const [number, counts] of other.counts) addNumbers(intervalAt(times, number * other.seconds), counts);
}

/** The counts in order, in the shortest intervals of which there are at most `limit`. */
export function timesOf(times: TimeCounts, limit: number): TimeCounts {
  const joined: TimeCounts = createTimes();
  mergeTimes(joined, times);
  widenTimes(joined, limit);
  return { seconds: joined.seconds, counts: new Map([...joined.counts].sort(([one], [other]) => one - other)) };
}
