/**
 * Brings what waits to the store, in batches, each counted once whatever becomes of it. When to do so, and what to do
 * about a failure, is recorder.ts's work.
 */
import type { Gather } from "./gather.ts";
import type { RecordOptions } from "./record.ts";
import { type RecordedString, type Store, StoreError } from "./store.ts";

/** More waiting strings than this are written ahead of time. */
export const flushEarlyAt = 2048;
const longestTidyIntervalMs = 60_000;

/** Rows whose transaction may or may not have been committed. */
interface Doubt {
  readonly rows: readonly RecordedString[];
  readonly settle: () => Promise<boolean>;
}

export class Writer {
  /** Time between two removals of what is too old. */
  readonly tidyIntervalMs: number;
  /** Notes the store has. */
  written = 0;
  /** What the store is writing now, or may have written. */
  inFlight: readonly RecordedString[] = [];
  readonly #options: RecordOptions;
  readonly #store: Store;
  readonly #limit: number;
  readonly #gather: Gather;
  #opened = false;
  #opening: Promise<void> | undefined;
  #doubt: Doubt | undefined;
  #tidyAt = 0;

  constructor(options: RecordOptions, gather: Gather) {
    this.#options = options;
    this.#store = options.store;
    this.#limit = options.limit ?? 100_000;
    this.#gather = gather;
    this.tidyIntervalMs = Math.min(longestTidyIntervalMs, Math.max(1000, (options.ttlMs ?? Infinity) / 2));
  }

  /**
   * One attempt to bring everything to the store; rejects as the store does. Resolves to whether the record is full and
   * new strings only push out others.
   */
  async write(): Promise<boolean> {
    await this.open();
    await this.#settle();
    // Not "until it is empty": under a flood that would never end.
    const waiting = this.#gather.queued;
    let evicted = 0;
    for (let left = waiting; left > 0; ) {
      const rows = this.#gather.take(Math.min(left, this.#store.batchSize));
      left -= rows.length;
      evicted += await this.#writeBatch(rows);
    }
    // Where new strings only push out others, recording more of them is worth little: then they get little of the
    // machine. Otherwise writing may take half of the time, so that nothing is missing.
    const churning = evicted > 0 && evicted * 2 >= waiting;
    this.#gather.room = churning ? Math.min(flushEarlyAt, this.#gather.mostRoom) : this.#gather.mostRoom;
    await this.#tidy();
    return churning;
  }

  /** Opens the store where that has not been done since the last failure. */
  open(): Promise<void> | undefined {
    if (this.#opened) return undefined;
    this.#opening ??= this.#store
      .open()
      .then(() => {
        this.#opened = true;
      })
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  /** Sees that the store is opened again before it is used. */
  reopen(): void {
    this.#opened = false;
  }

  /** Resolves to how many strings left the store for these. */
  async #writeBatch(rows: readonly RecordedString[]): Promise<number> {
    this.inFlight = rows;
    let evicted: number;
    try {
      evicted = await this.#store.write(rows, this.#limit);
    } catch (error) {
      if (error instanceof StoreError && error.settle) this.#doubt = { rows, settle: error.settle };
      else this.#conclude(rows, false);
      throw error;
    }
    this.#conclude(rows, true);
    return evicted;
  }

  /** Finds out about a transaction whose answer was lost, before anything else is written. */
  async #settle(): Promise<void> {
    if (!this.#doubt) return;
    const { rows, settle } = this.#doubt;
    const committed = await settle();
    this.#doubt = undefined;
    this.#conclude(rows, committed);
  }

  #conclude(rows: readonly RecordedString[], written: boolean): void {
    this.inFlight = [];
    if (written) {
      this.written += countOf(rows);
      this.#gather.wrote(rows);
    } else this.#gather.restore(rows);
  }

  async #tidy(): Promise<void> {
    const { clock, ttlMs } = this.#options;
    if (performance.now() < this.#tidyAt) return;
    await this.#store.tidy({ limit: this.#limit, ...(ttlMs !== undefined && { before: clock() - ttlMs }) });
    // A little less than the interval, or a timer of that interval would come too early every other time.
    this.#tidyAt = performance.now() + 0.9 * this.tidyIntervalMs;
  }
}

/** Sum of the rows' counts. */
export function countOf(rows: readonly RecordedString[]): number {
  return rows.reduce((sum, row) => sum + row.count, 0);
}
