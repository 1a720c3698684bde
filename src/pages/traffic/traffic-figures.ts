/** Sums of the hourly counts for the traffic page. */
import { hourMs, type TrafficHour } from "../../record/traffic.ts";

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
}

/** The periods that the page shows, in hours. */
export const periods = { day: 24, week: 168, month: 840 } as const;
export type Period = keyof typeof periods;

/** When a period began that ends with the hour of `nowMs`. */
export function startOf(period: Period, nowMs: number): number {
  return (Math.floor(nowMs / hourMs) + 1 - periods[period]) * hourMs;
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
  };
}

function toStatusCounts(verifications: TrafficHour["verifications"]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const byStatus of Object.values(verifications)) {
    for (const [status, count = 0] of Object.entries(byStatus)) counts[status] = (counts[status] ?? 0) + count;
  }
  return counts;
}
