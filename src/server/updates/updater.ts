/**
 * Looks for newer data from time to time, for a running service. Several services with one data folder ask as rarely as one:
 * each knows when any of them asked last.
 */

import type { UpdateReport } from "../../catalogue/updates/update-data.ts";
import type { Log } from "../observe/log.ts";

/** How often data were looked for, and how it went. */
export interface UpdateFigures {
  readonly updated: number;
  readonly unchanged: number;
  readonly failed: number;
  /** Whether the last time failed. */
  readonly isFailing: boolean;
}

export interface Updater {
  start(): void;
  stop(): void;
  /** Why the newest data are not in use; none if they are. */
  readonly warnings: readonly string[];
  readonly figures: UpdateFigures;
}

export interface UpdaterOptions {
  readonly intervalMs: number;
  /** Updates once, unless `signal` aborts; rejects with why data are refused. */
  readonly update: (signal: AbortSignal) => Promise<UpdateReport>;
  /** When data were last looked for at this place, by whichever process, in milliseconds since 1970. */
  readonly checkedAt: () => Promise<number | undefined>;
  /** Called when the warnings have changed. */
  readonly warn: () => void;
  readonly log: Pick<Log, "message">;
}

export const updateIntervals = { daily: 86_400_000, weekly: 7 * 86_400_000 } as const;

/** Services that are started at once do not ask at once. */
const firstDelayMs = 60_000;
const retryMs = 3_600_000;
const mostShown = 300;

/** Makes the updater of a service. Its timers hold no process open. */
export function createUpdater({ intervalMs, update, checkedAt, warn, log }: UpdaterOptions): Updater {
  const figures = { updated: 0, unchanged: 0, failed: 0, isFailing: false };
  let warnings: readonly string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new AbortController();

  /** Up to a tenth later than `ms`, so that the services of the world do not ask in the same minute. */
  const later = (ms: number): number => ms * (1 + Math.random() / 10);

  function after(ms: number): void {
    if (end.signal.aborted) return;
    timer = setTimeout(() => void look().then(after), ms);
    timer.unref();
  }

  /** Looks for data unless another process has done it; resolves with the time until the next look. */
  async function look(): Promise<number> {
    const sinceMs = Date.now() - ((await checkedAt()) ?? 0);
    // A clock that was set back counts as nothing.
    if (sinceMs >= 0 && sinceMs < intervalMs && !figures.isFailing) return later(intervalMs - sinceMs);
    try {
      const { outcome, summary } = await update(end.signal);
      if (outcome === "busy") return later(firstDelayMs);
      figures[outcome]++;
      settle([]);
      if (summary !== undefined) log.message("info", `the data were updated: ${summary}`);
      return later(intervalMs);
    } catch (error) {
      if (end.signal.aborted) return retryMs;
      const reason = (error instanceof Error ? error.message : String(error)).replaceAll("\n", "; ");
      figures.failed++;
      log.message("error", `the data could not be updated, those before are used: ${reason}`);
      const shown = reason.length > mostShown ? `${reason.slice(0, mostShown)}…` : reason;
      settle([`the data could not be updated, those before are used: ${shown}`]);
      return later(retryMs);
    }
  }

  function settle(next: readonly string[]): void {
    figures.isFailing = next.length > 0;
    warnings = next;
    warn();
  }

  return {
    start: () => after(Math.random() * firstDelayMs),
    stop() {
      end.abort();
      clearTimeout(timer);
    },
    get warnings() {
      return warnings;
    },
    get figures() {
      return { ...figures };
    },
  };
}
