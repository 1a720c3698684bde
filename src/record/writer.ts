/** Writes waiting counts to the store in batches. record.ts decides when, and handles failures. */
import type { Batch, Retention, Store } from "./store.ts";
import { trafficKeptMs, trafficOpenMs } from "./traffic.ts";
import type { WriteBuffer } from "./write-buffer.ts";

const longestTidyIntervalMs = 60_000;

export class Writer {
  /** Notes the store has. */
  written = 0;
  readonly #store: Store;
  readonly #buffer: WriteBuffer;
  readonly #limit: number;
  readonly #retention: () => Retention;
  readonly #tidyIntervalMs: number;
  #tidyAt = 0;
  #untidied = 0;
  #opening: Promise<void> | undefined;
  #batch: Batch | undefined;
  #lastId = 0;

  constructor(store: Store, buffer: WriteBuffer, { limit, ttlMs = Infinity, clock }: WriterOptions) {
    this.#store = store;
    this.#buffer = buffer;
    this.#limit = limit;
    this.#retention = () => {
      const now = clock();
      const traffic = { trafficOpen: now - trafficOpenMs, trafficBefore: now - trafficKeptMs };
      return { limit, ...traffic, ...(ttlMs < Infinity && { before: now - ttlMs }) };
    };
    this.#tidyIntervalMs = Math.min(longestTidyIntervalMs, Math.max(1000, ttlMs / 2));
  }

  /** Opens the store where that has not been done since the last failure. */
  open(): Promise<void> {
    this.#opening ??= this.#store.open().catch((error) => {
      this.reopen();
      throw error;
    });
    return this.#opening;
  }

  /** Sees that the store is opened again before it is used. */
  reopen(): void {
    this.#opening = undefined;
  }

  /** One attempt to bring everything to the store; rejects as the store does. */
  async write(): Promise<void> {
    await this.open();
    // Not "until it is empty": under a flood that would never end.
    const isWaiting = this.#batch !== undefined || this.#buffer.hasTraffic;
    for (let left = Math.max(this.#buffer.queued, Number(isWaiting)); left > 0; ) {
      // A failed batch is sent again unchanged, because it may have been written although no answer came.
      this.#batch ??= { id: ++this.#lastId, ...this.#buffer.take(this.#store.batchRows) };
      await this.#store.write(this.#batch);
      left -= Math.max(1, this.#batch.rows.length);
      this.#untidied += this.#batch.rows.length;
      this.#batch = undefined;
      this.written += this.#buffer.confirm();
    }
    if (performance.now() >= this.#tidyAt || this.#untidied > this.#limit / 20) await this.#tidy();
  }

  async #tidy(): Promise<void> {
    const evicted = await this.#store.tidy(this.#retention());
    // Recording more strings that only push out others is worth little, so they get little of the machine.
    this.#buffer.isChurning = evicted > 0 && evicted * 2 >= this.#untidied;
    this.#untidied = 0;
    // A little less than the interval, or a timer of that interval would come too early every other time.
    this.#tidyAt = performance.now() + 0.9 * this.#tidyIntervalMs;
  }
}

interface WriterOptions {
  readonly limit: number;
  readonly ttlMs: number | undefined;
  readonly clock: () => number;
}
