/** Looks for newer data at the start of a service and then from time to time. */

/** How often data were looked for, how it went, and whether the last time failed. */
export type UpdateFigures = Readonly<Record<"updated" | "unchanged" | "failed", number>> & {
  readonly isFailing: boolean;
};

export interface ScheduleOptions {
  readonly intervalMs: number;
  /** Updates once, unless `signal` aborts; resolves with the new version, undefined if there is none; rejects with why data are refused. */
  readonly update: (signal: AbortSignal) => Promise<string | undefined>;
  /** Called when the warnings have changed. */
  readonly warn: () => void;
  readonly log: (level: "info" | "error", text: string) => void;
  /** Waits; holds no process open. */
  readonly wait?: (ms: number) => Promise<void>;
}

export const updateIntervals = { daily: 86_400_000, weekly: 7 * 86_400_000 } as const;

const retryMs = 3_600_000;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());

export type UpdateSchedule = ReturnType<typeof createUpdateSchedule>;

/** Makes the schedule of a service. */
export function createUpdateSchedule({ intervalMs, update, warn, log, wait = sleep }: ScheduleOptions) {
  const figures = { updated: 0, unchanged: 0, failed: 0, isFailing: false };
  let warnings: readonly string[] = [];
  const end = new AbortController();

  async function look(): Promise<void> {
    try {
      const change = await update(end.signal);
      figures[change === undefined ? "unchanged" : "updated"]++;
      if (change !== undefined) log("info", `The data were updated: ${change}`);
      warnings = [];
    } catch (error) {
      if (end.signal.aborted) return;
      const { message } = error as Error;
      figures.failed++;
      warnings = [`Newer data failed to install; the data in use stay: ${message.replaceAll("\n", "; ")}`];
      log("error", warnings[0]!);
    }
    figures.isFailing = warnings.length > 0;
    warn();
  }

  async function run(): Promise<void> {
    while (!end.signal.aborted) {
      await look();
      // Up to a tenth later, so that the services of the world do not ask in the same minute.
      await wait((figures.isFailing ? retryMs : intervalMs) * (1 + Math.random() / 10));
    }
  }

  return {
    /** Looks now, and again after each interval. */
    start: () => void run(),
    stop: () => end.abort(),
    /** Why the newest data are not in use; none if they are. */
    warnings: () => warnings,
    figures: (): UpdateFigures => ({ ...figures }),
  };
}
