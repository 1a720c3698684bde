/** Joins the intervals of a report, so that a chart or a table has room for them. */
import { intervalSeconds } from "../count/times.ts";
import type { TimeReport } from "./report.ts";
import { toMinute } from "./report-text.ts";

/** Requests of an interval, which begins at an ISO time. */
export type Interval = Omit<TimeReport, "bytes" | "crawlerBytes">;

export interface Bar {
  /** Milliseconds since 1970, as a clock of the zone shows them. */
  readonly from: number;
  crawlers: number;
  all: number;
}

/** When a bar begins: a day, or a minute. */
export function toLabel(from: number, seconds: number): string {
  const iso = new Date(from).toISOString();
  return seconds % 86_400 === 0 ? iso.slice(0, 10) : toMinute(iso);
}

/** Intervals of the shortest length of which there are at most `most`, those without requests left out. Their times are of the zone. */
export function joinIntervals(
  times: readonly Interval[],
  most: number,
): { readonly seconds: number; readonly bars: readonly Bar[] } {
  const given = times[0]?.seconds ?? 60;
  const begins = times.map(({ from }) => Date.parse(from) / 1000);
  const [first = 0, last = 0] = [begins[0], begins.at(-1)];
  const count = (length: number): number => Math.floor(last / length) - Math.floor(first / length) + 1;
  const longest = intervalSeconds.at(-1) ?? given;
  let seconds =
    intervalSeconds.find((length) => length >= given && count(length) <= most) ??
    longest * Math.ceil(count(longest) / most);
  // They begin at multiples of their length, so the times may reach into one more.
  while (count(seconds) > most) seconds += longest;
  const bars = new Map<number, Bar>();
  for (const [index, { requests, crawlerRequests }] of times.entries()) {
    const at = Math.floor(begins[index]! / seconds) * seconds * 1000;
    const bar = bars.get(at) ?? { from: at, crawlers: 0, all: 0 };
    bar.crawlers += crawlerRequests;
    bar.all += requests;
    bars.set(at, bar);
  }
  return { seconds, bars: [...bars.values()] };
}
