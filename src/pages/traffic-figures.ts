/** Sums of what was counted hour by hour, as the traffic page shows them. */

/** One hour of the record; hours without requests are left out. */
export interface TrafficHour {
  /** Its start, in milliseconds since 1970. */
  readonly hour: number;
  /** Requests. */
  readonly crawlers: number;
  readonly people: number;
  /** Requests of crawlers; the empty key stands for all that were too many to be kept apart. */
  readonly categories: Readonly<Record<string, number>>;
  readonly purposes: Readonly<Record<string, number>>;
  readonly operators: Readonly<Record<string, number>>;
  readonly names: Readonly<Record<string, number>>;
  /** By crawler, then by status: `verified`, `spoofed`, `unverifiable`. */
  readonly verifications?: Readonly<Record<string, Readonly<Partial<Record<string, number>>>>>;
}

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

export const hourMs = 3_600_000;

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
    // Last, however many they are: they are no one.
    return others === undefined ? largest : [...largest, ["", others] as const];
  };
  return {
    crawlers: hours.reduce((sum, { crawlers }) => sum + crawlers, 0),
    people: hours.reduce((sum, { people }) => sum + people, 0),
    categories: rank(({ categories }) => categories),
    purposes: rank(({ purposes }) => purposes),
    operators: rank(({ operators }) => operators),
    names: rank(({ names }) => names),
    verifications: rank(({ verifications = {} }) => toStatusCounts(verifications)),
  };
}

function toStatusCounts(verifications: NonNullable<TrafficHour["verifications"]>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const byStatus of Object.values(verifications)) {
    for (const [status, count = 0] of Object.entries(byStatus)) counts[status] = (counts[status] ?? 0) + count;
  }
  return counts;
}
