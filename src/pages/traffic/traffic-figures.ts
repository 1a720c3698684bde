/** Rankings and intervals of the counts for the traffic page. */
import { verificationStatuses } from "../../detect/verification.ts";
import { hourMs, type TrafficHour, type TrafficSums, toHour } from "../../record/traffic.ts";
import { sumOf } from "../../scan/count/sums.ts";
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
export function toIntervals(period: Period, nowMs: number, hours: readonly TrafficHour[]): readonly Interval[] {
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

/** Ranks the sums; each ranking has at most `limit` names. */
export function toFigures({ hours, sums }: TrafficSums, limit = 12): TrafficFigures {
  const rank = (counts: ReadonlyMap<string, number>): Ranking => largestOf(counts, (count) => count, limit);
  const sumOfAll = (counts: ReadonlyMap<string, number>): number => sumOf([...counts.values()], (count) => count);
  const statuses = new Map(verificationStatuses.map((status) => [status, sumOfAll(sums[status])] as const));
  const verified = new Map<string, Map<string, number>>();
  for (const status of verificationStatuses)
    for (const [name, count] of sums[status])
      verified.set(name, (verified.get(name) ?? new Map<string, number>()).set(status, count));
  return {
    crawlers: sumOf(hours, ({ crawlers }) => crawlers),
    people: sumOf(hours, ({ people }) => people),
    categories: rank(sums.category),
    purposes: rank(sums.purpose),
    operators: rank(sums.operator),
    names: rank(sums.name),
    verifications: rank(statuses).filter(([, count]) => count > 0),
    verified: largestOf(verified, sumOfAll, limit),
  };
}

/** The names with the largest values, and the sum of all others (""), always last, because it is not a single operator. */
function largestOf<Value>(
  values: ReadonlyMap<string, Value>,
  sizeOf: (value: Value) => number,
  limit: number,
): readonly (readonly [name: string, value: Value])[] {
  const others = values.get("");
  const named = [...values].filter(([name]) => name !== "").sort(([, a], [, b]) => sizeOf(b) - sizeOf(a));
  return [...named.slice(0, limit), ...(others === undefined ? [] : [["", others] as const])];
}
