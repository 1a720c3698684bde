/**
 * The record's life: writes what was noted at least once a second, and outlives the store's failures: it pauses, says
 * so, and tries again by itself. The bound on memory is gather.ts's, the order of the store's calls writer.ts's.
 */
import type { Verdict } from "../detect/verdict.ts";
import { defaultBounds, Gather } from "./gather.ts";
import { Pace } from "./pace.ts";
import type { RecordOptions, RecordStatus, UserAgentRecord } from "./record.ts";
import { type ListQuery, type RecordedString, StoreError } from "./store.ts";
import { countOf, flushEarlyAt, Writer } from "./writer.ts";

/** A store that takes longer than this to answer is reported as failing. */
const stalledMs = 5000;
/** How long a list waits for the newest notes to be written before it goes without them. */
const readWaitMs = 1000;
const closeRetryMs = 100;
const closeStoreMs = 1000;
const dropLogIntervalMs = 60_000;

export class Recorder implements UserAgentRecord {
  readonly #options: RecordOptions;
  readonly #gather: Gather;
  #state: "opening" | "recording" | "paused" = "opening";
  #closed = false;
  #reason: string | undefined;
  readonly #writer: Writer;
  readonly #pace: Pace;
  #flushing: Promise<boolean> | undefined;
  #flushingSince = 0;
  readonly #tidyTimer: NodeJS.Timeout;
  #stallLogged = false;
  #dropsLogged = 0;
  #dropsLoggedAt = -dropLogIntervalMs;

  constructor(options: RecordOptions) {
    this.#options = options;
    this.#pace = new Pace(options.flushIntervalMs ?? 500, () => this.#due());
    this.#gather = new Gather(options.bounds ?? defaultBounds, (queued) => {
      if (queued === 1) {
        this.#gather.now = options.clock();
        this.#pace.arm();
      } else if (queued === flushEarlyAt) this.#pace.arm(0);
    });
    this.#writer = new Writer(options, this.#gather);
    // A service that nobody asks anything must still forget what has reached its time to live.
    this.#tidyTimer = setInterval(() => void this.flush(), this.#writer.tidyIntervalMs).unref();
    void this.flush();
  }

  note(verdict: Verdict): void {
    try {
      if (this.#closed) this.#gather.dropped++;
      else this.#gather.note(verdict);
    } catch {
      // Whatever was handed in, a record must not fail the answer it belongs to.
      this.#gather.dropped++;
    }
  }

  async flush(): Promise<boolean> {
    // What runs already may have begun before the newest notes.
    await this.#flushing;
    this.#flushing ??= this.#run().finally(() => {
      this.#flushing = undefined;
      this.#armNext();
    });
    return this.#flushing;
  }

  async *list(query: ListQuery = {}): AsyncIterable<readonly RecordedString[]> {
    await this.#readable();
    try {
      yield* this.#options.store.list(query);
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  async count(query: ListQuery = {}): Promise<number> {
    await this.#readable();
    try {
      return await this.#options.store.count(query);
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  status(): RecordStatus {
    const oldest = this.#writer.inFlight[0]?.firstSeen ?? this.#gather.oldest;
    const stall = this.#state === "recording" ? this.#stall() : undefined;
    const reason = stall ?? this.#reason;
    return {
      state: this.#closed ? "closed" : stall ? "paused" : this.#state,
      ...(reason !== undefined && { reason }),
      queued: this.#gather.queued + this.#writer.inFlight.length,
      dropped: this.#gather.dropped,
      written: this.#writer.written,
      lagMs: oldest === undefined ? 0 : Math.max(0, this.#options.clock() - oldest),
    };
  }

  async close(timeoutMs = 5000): Promise<{ lost: number }> {
    if (this.#closed) return { lost: 0 };
    const deadline = performance.now() + timeoutMs;
    let lateTimer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      lateTimer = setTimeout(resolve, timeoutMs, false);
    });
    clearInterval(this.#tidyTimer);
    for (;;) {
      this.#pace.hurry();
      if ((await Promise.race([this.flush(), late])) || performance.now() >= deadline) break;
      await sleep(closeRetryMs);
    }
    const lost = this.#gather.waiting + countOf(this.#writer.inFlight);
    this.#closed = true;
    this.#pace.stop();
    clearTimeout(lateTimer);
    await Promise.race([this.#options.store.close().catch(() => {}), sleep(closeStoreMs)]);
    return { lost };
  }

  /** One attempt to bring everything to the store. */
  async #run(): Promise<boolean> {
    const began = performance.now();
    this.#flushingSince = began;
    if (this.#closed || this.#pace.backingOff) return false;
    let churning: boolean;
    try {
      churning = await this.#writer.write();
    } catch (error) {
      this.#failed(error);
      return false;
    }
    if (this.#state === "paused" || this.#stallLogged) this.#options.log?.("info", "recording goes on");
    this.#stallLogged = false;
    this.#state = "recording";
    this.#reason = undefined;
    this.#pace.succeeded(churning ? Infinity : performance.now() - began);
    return true;
  }

  #failed(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#state !== "paused" || reason !== this.#reason)
      this.#options.log?.("error", `recording is paused: ${reason}`);
    this.#state = "paused";
    this.#reason = reason;
    this.#writer.reopen();
    this.#pace.failed();
  }

  /** Sees that there is something to read; waits for this process's own notes, though not for a store that fails. */
  async #readable(): Promise<void> {
    if (this.#closed) throw new StoreError("the record is closed");
    await Promise.race([this.flush(), sleep(readWaitMs)]);
    try {
      await this.#writer.open();
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  /** A failed read says nothing about writing; that the store is opened afresh does, and mends what reading found. */
  #unreadable(error: unknown): StoreError {
    this.#writer.reopen();
    if (!this.#closed) this.#pace.arm(0);
    return error instanceof StoreError ? error : new StoreError("the record cannot be read", { cause: error });
  }

  #armNext(): void {
    this.#logDrops();
    if (this.#closed) return;
    // A store that fails is tried again even when nothing waits: whoever asks is to hear that it has come back.
    if (this.#gather.queued >= flushEarlyAt) this.#pace.arm(0);
    else if (this.#gather.queued > 0 || this.#state === "paused") this.#pace.arm();
  }

  #due(): void {
    // While a flush takes its time the clock goes on for those who note.
    this.#gather.now = this.#options.clock();
    if (!this.#flushing) {
      void this.flush();
      return;
    }
    this.#pace.arm();
    const stall = this.#stall();
    if (stall && !this.#stallLogged) this.#options.log?.("error", `recording is paused: ${stall}`);
    this.#stallLogged = stall !== undefined;
  }

  /** What to say of a store that takes too long to answer; undefined where it does not. */
  #stall(): string | undefined {
    const forMs = this.#flushing ? performance.now() - this.#flushingSince : 0;
    return forMs > stalledMs ? `the store has not answered for ${Math.round(forMs / 1000)} s` : undefined;
  }

  #logDrops(): void {
    const { dropped } = this.#gather;
    const now = performance.now();
    if (dropped === this.#dropsLogged || now - this.#dropsLoggedAt < dropLogIntervalMs) return;
    this.#options.log?.("warn", `${dropped - this.#dropsLogged} evaluations found no room and were not recorded`);
    this.#dropsLogged = dropped;
    this.#dropsLoggedAt = now;
  }
}

/** Does not hold the process open. */
function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
