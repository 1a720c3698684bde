/** Sums of the hourly counts for the traffic page. */
import { type VerificationStatus, verificationStatuses } from "../../detect/verification.ts";
import { hourMs, type TrafficHour } from "../../record/traffic.ts";
import type { Interval } from "../../scan/report/join-intervals.ts";

type StatusCounts = Readonly<Partial<Record<VerificationStatus, number>>>;

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
  /** Crawlers whose requests were verified, the ones with the most of these first; "" is all others. */
  readonly verified: readonly (readonly [name: string, counts: StatusCounts])[];
}

/** The periods that the page shows, in hours. */
export const periods = { day: 24, week: 168, month: 840 } as const;
export type Period = keyof typeof periods;

/** When a period began that ends with the hour of `nowMs`. */
export function startOf(period: Period, nowMs: number): number {
  return (Math.floor(nowMs / hourMs) + 1 - periods[period]) * hourMs;
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
    toInterval(Math.floor(nowMs / hourMs) * hourMs, 0, 0),
  ];
}

/** Sums hours; each ranking has at most `limit` names. */
export function toFigures(hours: readonly TrafficHour[], limit = 12): TrafficFigures {
  const rank = (counts: (hour: TrafficHour) => Readonly<Record<string, number>>) => {
    const sums = new Map<string, number>();
    for (const hour of hours) {
      for (const [name, count] of Object.entries(counts(hour))) sums.set(name, (sums.get(name) ?? 0) + count);
    }
    const others = sums.get("");
    sums.delete("");
    const largest = [...sums].sort(([, a], [, b]) => b - a).slice(0, limit);
    // Always last, because they are not one operator.
    return others === undefined ? largest : [...largest, ["", others] as const];
  };
  return {
    crawlers: hours.reduce((sum, { crawlers }) => sum + crawlers, 0),
    people: hours.reduce((sum, { people }) => sum + people, 0),
    categories: rank(({ categories }) => categories),
    purposes: rank(({ purposes }) => purposes),
    operators: rank(({ operators }) => operators),
    names: rank(({ names }) => names),
    verifications: rank(({ verifications }) => toStatusCounts(verifications)),
    verified: toVerified(hours, limit),
  };
}

function toVerified(hours: readonly TrafficHour[], limit: number): TrafficFigures["verified"] {
  const sums = new Map<string, Partial<Record<VerificationStatus, number>>>();
  for (const { verifications } of hours) {
    for (const [name, counts] of Object.entries(verifications)) {
      const sum = sums.get(name) ?? {};
      sums.set(name, sum);
      for (const status of verificationStatuses) sum[status] = (sum[status] ?? 0) + (counts[status] ?? 0);
    }
  }
  const total = (counts: StatusCounts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
  const others = sums.get("");
  sums.delete("");
  const largest = [...sums].sort(([, a], [, b]) => total(b) - total(a)).slice(0, limit);
  return others === undefined ? largest : [...largest, ["", others]];
}

function toStatusCounts(verifications: TrafficHour["verifications"]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const byStatus of Object.values(verifications)) {
    for (const [status, count = 0] of Object.entries(byStatus)) counts[status] = (counts[status] ?? 0) + count;
  }
  return counts;
}
