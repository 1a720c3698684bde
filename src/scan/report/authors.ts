/** Which crawler made the most requests in a period. */

import { sumOf } from "../count/sums.ts";
import type { Report } from "./report.ts";

/** A crawler, and its requests in a period. */
interface Author {
  readonly name: string;
  readonly requests: number;
}

/**
 * Makes the function that finds the crawler with the most requests in a period, in seconds since 1970 as clocks of the report's zone show
 * them, as exactly as `crawlerTimes` are; undefined where none was counted.
 */
export function authorsOf({
  crawlers,
  crawlerTimes,
}: Pick<Report, "crawlers" | "crawlerTimes">): (from: number, seconds: number) => Author | undefined {
  if (crawlerTimes === undefined) return () => undefined;
  const start = Date.parse(crawlerTimes.from) / 1000;
  return (from, seconds) => {
    const first = Math.max(0, Math.floor((from - start) / crawlerTimes.seconds));
    const last = Math.ceil((from + seconds - start) / crawlerTimes.seconds);
    const sums = crawlers.map(({ name, times = [] }) => ({
      name,
      requests: sumOf(times.slice(first, last), (requests) => requests),
    }));
    const most = sums.reduce<Author | undefined>(
      (most, one) => (one.requests > (most?.requests ?? 0) ? one : most),
      undefined,
    );
    return most;
  };
}
