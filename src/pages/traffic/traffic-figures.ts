/** Sums of the hourly counts for the traffic page. */
import { hourMs, type TrafficHour, toHour } from "../../record/traffic.ts";
import type { Interval } from "../../scan/report/join-intervals.ts";

/** Names with their counts, the largest first. */
export type Ranking = readonly (readonly [name: string, count: number])[];

export interface TrafficFigures {
  readonly crawlers: number;
  readonly people: number;
  readonly categories: Ranking;
  readonly purposes: Ranking;
  readonly operators: Ranking;
  readonly names: Ranking;
  readonly verifications: Ranking;
  /** Crawlers whose requests were verified, by status, the ones with the most of these first; "" is all others. */
  readonly verified: readonly (readonly [name: string, counts: ReadonlyMap<string, number>])[];
}

/** The periods that the page shows, in hours. */
export const periods = { day: 24, week: 168, month: 840 } as const;
export type Period = keyof typeof periods;

/** When a period began that ends with the hour of `nowMs`. */
export function startOf(period: Period, nowMs: number): number {
  return toHour(nowMs) + (1 - periods[period]) * hourMs;
}

/** Hours with requests, in order, and the first and last hour of the period, which decide how much time a chart shows. */
export function toIntervals(
  period: Period,
  nowMs: number,
  hours: readonly Pick<TrafficHour, "hour" | "crawlers" | "people">[],
): readonly Interval[] {
  const toInterval = (hour: number, crawlers: number, people: number): Interval => ({
    from: new Date(hour).toISOString(),
    seconds: hourMs / 1000,
    requests: crawlers + people,
    crawlerRequests: crawlers,
  });
  return [
    toInterval(startOf(period, nowMs), 0, 0),
    ...hours.map(({ hour, crawlers, people }) => toInterval(hour, crawlers, people)),
    toInterval(toHour(nowMs), 0, 0),
  ];
}

/** Sums hours; each ranking has at most `limit` names. */
export function toFigures(hours: readonly TrafficHour[], limit = 12): TrafficFigures {
  const rank = (counts: (hour: TrafficHour) => Readonly<Record<string, number>>): Ranking => {
    const sums = new Map<string, number>();
    for (const hour of hours) for (const [name, count] of Object.entries(counts(hour))) add(sums, name, count);
    return largestOf(sums, (count) => count, limit);
  };
  const statuses = new Map<string, number>();
  const verified = new Map<string, Map<string, number>>();
  for (const { verifications } of hours) {
    for (const [name, counts] of Object.entries(verifications)) {
      const sums = verified.get(name) ?? new Map<string, number>();
      verified.set(name, sums);
      for (const [status, count = 0] of Object.entries(counts)) {
        add(sums, status, count);
        add(statuses, status, count);
      }
    }
  }
  return {
    crawlers: hours.reduce((sum, { crawlers }) => sum + crawlers, 0),
    people: hours.reduce((sum, { people }) => sum + people, 0),
    categories: rank(({ categories }) => categories),
    purposes: rank(({ purposes }) => purposes),
    operators: rank(({ operators }) => operators),
    names: rank(({ names }) => names),
    verifications: largestOf(statuses, (count) => count, limit),
    verified: largestOf(verified, (counts) => [...counts.values()].reduce((sum, count) => sum + count, 0), limit),
  };
}

function add(sums: Map<string, number>, name: string, count: number): void {
  sums.set(name, (sums.get(name) ?? 0) + count);
}

/** The names with the largest values, and the sum of all others (""), always last, because it is not a single operator. */
function largestOf<Value>(
  values: Map<string, Value>,
  sizeOf: (value: Value) => number,
  limit: number,
): readonly (readonly [name: string, value: Value])[] {
  const others = values.get("");
  values.delete("");
  const largest = [...values].sort(([, a], [, b]) => sizeOf(b) - sizeOf(a)).slice(0, limit);
  return others === undefined ? largest : [...largest, ["", others]];
}
