/**
 * The record of evaluated user agents: counts notes, writes them at least once a second, and survives failures of the
 * store. write-buffer.ts bounds memory, writer.ts orders the writes.
 */
import type { Verdict } from "../detect/verdict.ts";
import type { PeopleChoice } from "./family.ts";
import { FlushTimer } from "./flush-timer.ts";
import { Health } from "./health.ts";
import { listPages, readTraffic } from "./paging.ts";
import { type Log, type NewCrawler, type RecordedString, type RecordQuery, type Store, StoreError } from "./store.ts";
import type { TrafficHour } from "./traffic.ts";
import { type BufferBounds, defaultBounds, WriteBuffer } from "./write-buffer.ts";
import { Writer } from "./writer.ts";

export interface RecordOptions {
  readonly store: Store;
  /** The time, in ms since 1970. */
  readonly clock: () => number;
  /** Most distinct strings to keep. 100,000 when absent. */
  readonly limit?: number;
  /** Strings unseen for longer than this leave. Never, when absent. */
  readonly ttlMs?: number;
  /** The part of people's strings that is kept. The whole string when absent. */
  readonly people?: PeopleChoice;
  /** Time between two writes while there is something to write. 500 ms when absent, so that a killed process loses less than a second. */
  readonly flushIntervalMs?: number;
  /** Most memory for what waits and for what is known: 16,384 strings and 8 MiB when absent. */
  readonly bounds?: BufferBounds;
  readonly log?: Log;
}

export interface RecordStatus {
  /** `paused`: the store fails; notes are kept within the memory bound, and writing is tried again by itself. */
  readonly state: "off" | "opening" | "recording" | "paused" | "closed";
  /** Why it is not recording, in an operator's words; never a credential or a user agent string. */
  readonly reason?: string;
  /** Distinct strings that wait to be written. */
  readonly queued: number;
  /** Notes that found no room, since the start. */
  readonly dropped: number;
  /** Notes the store has, since the start. */
  readonly written: number;
  /** For how long the longest waiting note has waited; 0 when none waits. */
  readonly lagMs: number;
}

export interface UserAgentRecord {
  /** Records `times` evaluations, 1 by default. Constant time, no input or output, never throws. */
  note(verdict: Verdict, times?: number): void;
  /** Writes the notes before the call; resolves to whether the store has it now. Never rejects. */
  flush(): Promise<boolean>;
  /**
   * Pages of recorded strings, the last seen first, with what this process has noted until now. Rejects with StoreError,
   * or with the reason of `signal`.
   */
  list(query?: RecordQuery, signal?: AbortSignal): AsyncIterable<readonly RecordedString[]>;
  /** Number of strings that match, whatever `offset` and `limit` say; undefined if a long search would have to tell. */
  count(query?: RecordQuery): Promise<number | undefined>;
  /**
   * Number of strings, without waiting; strings that wait to be written count as new ones. undefined if it cannot be
   * known at once.
   */
  total(): number | undefined;
  /** Requests an hour from the hour of `sinceMs` (ms since 1970) on, at most five weeks, the oldest first. Rejects with StoreError. */
  traffic(sinceMs: number): Promise<readonly TrafficHour[]>;
  /** Crawlers none of whose strings was recorded before `sinceMs`, the newest first, and 1,000 at most. Rejects with StoreError. */
  newCrawlers(sinceMs: number): Promise<readonly NewCrawler[]>;
  status(): RecordStatus;
  /** Writes the rest, trying for up to `timeoutMs` (5 s when absent), and closes the store. `lost`: notes it could not write. */
  close(timeoutMs?: number): Promise<{ lost: number }>;
}

/** The record that keeps nothing. */
export const noRecord: UserAgentRecord = {
  note() {},
  flush: async () => true,
  async *list() {},
  count: async () => 0,
  total: () => 0,
  traffic: async () => [],
  newCrawlers: async () => [],
  status: () => ({ state: "off", queued: 0, dropped: 0, written: 0, lagMs: 0 }),
  close: async () => ({ lost: 0 }),
};

/** Holds no process open. */
const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, Math.max(0, ms)).unref());

/** How long a list waits for the newest notes to be written before it goes without them. */
const readWaitMs = 1000;
const closeRetryMs = 100;
const closeStoreMs = 1000;
/** A store that takes longer than this to answer is reported as failing. */
const stalledMs = 3000;

/** Creates a record over a store that need not be reachable yet; it opens the store itself. */
export function createRecord(options: RecordOptions): UserAgentRecord {
  return new Recorder(options);
}

class Recorder implements UserAgentRecord {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #health: Health;
  readonly #buffer: WriteBuffer;
  readonly #writer: Writer;
  readonly #timer: FlushTimer;
  #flushing: Promise<boolean> | undefined;
  #flushingSince = 0;

  constructor({ store, clock, limit = 100_000, ttlMs, ...options }: RecordOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#health = new Health(options.log ?? (() => {}));
    this.#buffer = new WriteBuffer(options.bounds ?? defaultBounds, clock, options.people);
    this.#writer = new Writer(store, this.#buffer, { limit, ttlMs, clock });
    this.#timer = new FlushTimer(
      options.flushIntervalMs ?? 500,
      () => this.#tick(),
      // What runs already looks at what is left when it is done.
      () => this.#flushing ?? this.flush(),
    );
    void this.flush();
  }

  note(verdict: Verdict, times = 1): void {
    try {
      if (this.#health.state === "closed") this.#buffer.dropped += times;
      else this.#buffer.note(verdict, times);
      if (this.#buffer.isPressing) this.#timer.soon();
    } catch {
      // For any argument, the record must not make the answer fail.
      this.#buffer.dropped += times;
    }
  }

  async flush(): Promise<boolean> {
    // What runs already may have begun before the newest notes.
    await this.#flushing;
    this.#flushing ??= this.#flushNow().finally(() => {
      this.#flushing = undefined;
      this.#health.logDrops(this.#buffer.dropped);
      if (this.#buffer.isPressing) this.#timer.soon();
    });
    return this.#flushing;
  }

  async *list(query: RecordQuery = {}, signal?: AbortSignal): AsyncIterable<readonly RecordedString[]> {
    try {
      await this.#readable();
      yield* listPages(this.#store, query, signal);
    } catch (error) {
      throw signal?.aborted ? error : this.#unreadable(error);
    }
  }

  count(query: RecordQuery = {}): Promise<number | undefined> {
    return this.#read(() => this.#store.count(query));
  }

  total(): number | undefined {
    const total = this.#health.state === "recording" ? this.#store.total?.() : undefined;
    return total === undefined ? undefined : total + this.#buffer.unwritten;
  }

  traffic(sinceMs: number): Promise<readonly TrafficHour[]> {
    return this.#read(() => readTraffic(this.#store, sinceMs, this.#clock()));
  }

  newCrawlers(sinceMs: number): Promise<readonly NewCrawler[]> {
    return this.#read(() => this.#store.newCrawlers(sinceMs));
  }

  status(): RecordStatus {
    const { state, reason } = this.#health;
    const { queued, dropped, oldest = Infinity } = this.#buffer;
    return {
      state,
      ...(reason !== undefined && { reason }),
      queued,
      dropped,
      written: this.#writer.written,
      lagMs: Math.max(0, this.#clock() - oldest),
    };
  }

  async close(timeoutMs = 5000): Promise<{ lost: number }> {
    if (this.#health.state === "closed") return { lost: 0 };
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      this.#timer.skipBackoff();
      const isWritten = await Promise.race([this.flush(), sleep(deadline - performance.now())]);
      if (isWritten || performance.now() >= deadline) break;
      await sleep(closeRetryMs);
    }
    const lost = this.#buffer.waiting;
    this.#health.state = "closed";
    this.#timer.stop();
    await Promise.race([this.#store.close().catch(() => {}), sleep(closeStoreMs)]);
    return { lost };
  }

  /** One attempt to bring everything to the store. */
  async #flushNow(): Promise<boolean> {
    if (this.#health.state === "closed" || this.#timer.isBackingOff) return false;
    this.#flushingSince = performance.now();
    try {
      await this.#writer.write();
    } catch (error) {
      this.#health.pause(error instanceof Error ? error.message : String(error));
      this.#writer.reopen();
      this.#timer.failed();
      return false;
    }
    this.#health.resume();
    // Writing may take half of the time, so that nothing is missing; less where it is worth little.
    this.#timer.succeeded(this.#buffer.isChurning ? Infinity : performance.now() - this.#flushingSince);
    return true;
  }

  #tick(): void {
    if (this.#flushing) {
      if (performance.now() - this.#flushingSince > stalledMs) this.#health.pause("the store does not answer");
      // Also when nothing waits: the record must be tidied, and the log and /readyz must report that a store has recovered.
    } else this.#timer.soon();
  }

  async #read<T>(read: () => Promise<T>): Promise<T> {
    try {
      await this.#readable();
      return await read();
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  /** Sees that there is something to read; waits for this process's own notes, though not for a store that fails. */
  async #readable(): Promise<void> {
    if (this.#health.state === "closed") throw new StoreError("the record is closed");
    await Promise.race([this.flush(), sleep(readWaitMs)]);
    await this.#writer.open();
  }

  /** A failed read says nothing about writing; that the store is opened afresh does, and mends what reading found. */
  #unreadable(error: unknown): StoreError {
    this.#writer.reopen();
    this.#timer.soon();
    return error instanceof StoreError ? error : new StoreError("the record cannot be read", { cause: error });
  }
}
