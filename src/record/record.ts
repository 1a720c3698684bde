/**
 * The record of evaluated user agents: counts them in bounded memory, writes them at least once a second, and survives
 * failures of the store.
 */

import { remember } from "../cache/remember.ts";
import { entryOf } from "../detect/matched-entry.ts";
import type { Verdict } from "../detect/verdict.ts";
import { within } from "../http/within.ts";
import { toMessage } from "../text/errors.ts";
import type { Writable } from "../text/writable.ts";
import type { PeopleChoice } from "./open-store.ts";
import { listPages } from "./paging.ts";
import {
  type Batch,
  batchRows,
  type Log,
  type RecordedString,
  type RecordQuery,
  type Sighting,
  type Store,
  StoreError,
} from "./store.ts";
import { copyString, toRecorded, toStored } from "./stored-text.ts";
import { TrafficCounter, type TrafficHour, type TrafficSums, toHour, toTrafficSums, trafficKeptMs } from "./traffic.ts";
import { readNews, type TrafficNews } from "./traffic-news.ts";

export interface RecordOptions {
  readonly store: Store;
  /** The time, in ms since 1970. */
  readonly clock: () => number;
  /** Most distinct strings to keep. 100,000 when absent. */
  readonly limit?: number;
  /** Strings not seen for longer than this are removed. Absent: never. */
  readonly ttlMs?: number;
  /** What is kept of people's strings. Absent: the whole strings. */
  readonly people?: PeopleChoice;
  /** Whether the catalogue has an entry for a crawler's name: hours count only these by name. Absent: all. */
  readonly hasEntry?: (name: string) => boolean;
  /** Time between two writes. 800 ms when absent, so that a killed process loses less than a second. */
  readonly flushIntervalMs?: number;
  /** Maximum memory for waiting notes: number of strings, and their estimated bytes. 8,192 and 8 MiB when absent. */
  readonly bounds?: { readonly strings: number; readonly bytes: number };
  /** How long a read waits for the newest notes to be written before it proceeds without them. 1 s when absent. */
  readonly readWaitMs?: number;
  readonly log?: Log;
}

export interface RecordStatus {
  /** `paused`: the store fails; notes are kept within the memory bound, and writing is retried automatically. */
  readonly state: "off" | "opening" | "recording" | "paused" | "closed";
  /** Why it is not recording, in an operator's words; never a credential or a user agent string. */
  readonly reason?: string;
  /** Strings that wait to be written. */
  readonly queued: number;
  /** Notes dropped for lack of room since the start. */
  readonly dropped: number;
  /** Notes written to the store since the start. */
  readonly written: number;
  /** How long the oldest unwritten note has been waiting; 0 if none is. */
  readonly lagMs: number;
}

/** What pages and metrics read of the counts by hour. All reject with StoreError. */
export interface RecordedTraffic {
  /** Sums from the hour of `sinceMs` (ms since 1970) on. */
  sums(sinceMs: number): Promise<TrafficSums>;
  /** Crawlers by name: those with an entry in the last five weeks, others since the first of their recorded strings. */
  sightings(): Promise<readonly Sighting[]>;
  /** The hours of the last five weeks with requests by a crawler with an entry, the oldest first. */
  hoursOf(name: string): Promise<readonly TrafficHour[]>;
  /** New crawlers and spikes of the last 24 hours, at most a minute old. */
  news(): Promise<TrafficNews>;
}

/** The status where nothing is recorded. */
export const notRecording: RecordStatus = { state: "off", queued: 0, dropped: 0, written: 0, lagMs: 0 };

const closeRetryMs = 100;
const closeStoreMs = 250;
/** A store that takes longer than this to answer is reported as failing. */
const stalledMs = 3000;
const maxTidyIntervalMs = 60_000;
const dropLogIntervalMs = 60_000;
const [firstBackoffMs, maxBackoffMs] = [100, 5000];
/** Reading the news reads the whole record and eight days of hours. */
const newsKeptMs = 60_000;
/** In the worst case, engines use two bytes per UTF-16 unit; the rest (map slot, object, string headers) was measured. */
const rowBytes = 320;

/** A record over a store that need not be reachable yet; it opens the store itself. */
export class UserAgentRecord {
  /** Read the counts of all processes that write to the store. */
  readonly traffic: RecordedTraffic;
  readonly #options: Required<Omit<RecordOptions, "store" | "clock" | "hasEntry">>;
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #counter: TrafficCounter;
  /** By their strings, in the order in which they came. */
  readonly #waiting = new Map<string, Writable<RecordedString>>();
  /** The batch being written. After a failure it is resent unchanged, because it may have been written although no response arrived. */
  #batch: Batch | undefined;
  #lastBatch = 0;
  /** The bytes of the waiting notes and of the batch being written. */
  #bytes = 0;
  #dropped = 0;
  #written = 0;
  #state: "opening" | "recording" | "paused" | "closed" = "opening";
  #reason: string | undefined;
  #opening: Promise<void> | undefined;
  #flushing: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #backoffMs = firstBackoffMs;
  /** The following times are on the monotonic clock. */
  #retryAt = 0;
  #tidyAt = 0;
  #dropsLoggedAt = -dropLogIntervalMs;
  #dropsLogged = 0;
  /** Strings written since the record was tidied. */
  #untidied = 0;

  constructor({ store, clock, hasEntry = () => true, ...options }: RecordOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#counter = new TrafficCounter(hasEntry);
    this.#options = {
      limit: 100_000,
      ttlMs: Infinity,
      people: "full",
      flushIntervalMs: 800,
      bounds: { strings: 8192, bytes: 8 * 1024 * 1024 },
      readWaitMs: 1000,
      log: () => {},
      ...options,
    };
    this.traffic = this.#openTraffic(hasEntry);
    void this.flush();
  }

  /** Records an evaluation. Constant time, no input or output, never throws. */
  note(verdict: Verdict): void {
    try {
      if (this.#state === "closed" || !this.#add(verdict)) this.#dropped++;
    } catch {
      // Whatever the argument, the record must not make the request fail.
      this.#dropped++;
    }
  }

  /** Whether there was room. */
  #add(verdict: Verdict): boolean {
    const now = this.#clock();
    this.#counter.note(verdict, now);
    if (!verdict.crawler && this.#options.people === "off") return true;
    const row = this.#waiting.get(verdict.useragent) ?? this.#begin(verdict, now);
    if (row === undefined) return false;
    row.count++;
    row.lastSeen = now;
    return true;
  }

  /** The row of a string that is not waiting as it is; undefined if there is no room for it. */
  #begin(verdict: Verdict, firstSeen: number): Writable<RecordedString> | undefined {
    const useragent = toRecorded(verdict.useragent);
    const known = this.#waiting.get(useragent);
    if (known !== undefined) return known;
    const { crawler, operator, category } = verdict;
    const name = entryOf(verdict);
    const row = {
      useragent: copyString(useragent),
      ...(useragent.length < verdict.useragent.length && { cut: true as const }),
      crawler,
      ...(name !== undefined && { name: copyString(toStored(name)) }),
      ...(operator !== undefined && { operator }),
      ...(category !== undefined && { category }),
      count: 0,
      firstSeen,
      lastSeen: firstSeen,
    };
    const { strings, bytes } = this.#options.bounds;
    if (this.#queued >= strings || this.#bytes + bytesOf(row) > bytes) return undefined;
    this.#bytes += bytesOf(row);
    this.#waiting.set(row.useragent, row);
    return row;
  }

  get #queued(): number {
    return this.#waiting.size + (this.#batch?.rows.length ?? 0);
  }

  /** Writes the notes before the call; resolves to whether the store has it now. Never rejects. */
  async flush(): Promise<boolean> {
    // A flush in progress may have started before the newest notes.
    await this.#flushing;
    if (this.#state === "closed" || performance.now() < this.#retryAt) return false;
    this.#flushing ??= this.#flushNow();
    return this.#flushing;
  }

  /** One attempt to write everything to the store. */
  async #flushNow(): Promise<boolean> {
    const start = performance.now();
    let isDone = false;
    try {
      await this.#inTime(this.#open());
      await this.#write();
      if (performance.now() >= this.#tidyAt || this.#untidied > this.#options.limit / 20) await this.#tidy();
      isDone = true;
      this.#resume();
    } catch (error) {
      this.#opening = undefined;
      this.#pause(toMessage(error));
    }
    this.#logDrops();
    this.#plan(isDone, performance.now() - start);
    this.#flushing = undefined;
    return isDone;
  }

  async #inTime(answer: Promise<unknown>): Promise<void> {
    const stalled = setTimeout(() => this.#pause("the store does not answer"), stalledMs).unref();
    await answer.finally(() => clearTimeout(stalled));
  }

  /** Opens the store where that has not been done since the last failure. */
  #open(): Promise<void> {
    this.#opening ??= this.#store.open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #write(): Promise<void> {
    // Not "until none is waiting", which under a flood would never end.
    let batches = Math.max(Math.ceil(this.#waiting.size / batchRows), Number(this.#counter.isWaiting));
    if (this.#batch !== undefined) batches++;
    for (; batches > 0; batches--) {
      this.#batch ??= this.#take();
      await this.#inTime(this.#store.write(this.#batch));
      for (const row of this.#batch.rows) {
        this.#written += row.count;
        this.#bytes -= bytesOf(row);
      }
      this.#untidied += this.#batch.rows.length;
      this.#batch = undefined;
    }
  }

  #take(): Batch {
    const rows: RecordedString[] = [];
    for (const [useragent, row] of this.#waiting) {
      if (rows.length === batchRows) break;
      rows.push(row);
      this.#waiting.delete(useragent);
    }
    return { id: ++this.#lastBatch, rows, traffic: this.#counter.take() };
  }

  async #tidy(): Promise<void> {
    const { limit, ttlMs } = this.#options;
    const now = this.#clock();
    const before = ttlMs < Infinity ? { before: now - ttlMs } : {};
    await this.#inTime(this.#store.tidy({ limit, ...before, trafficBefore: now - trafficKeptMs }));
    this.#untidied = 0;
    const intervalMs = Math.min(maxTidyIntervalMs, Math.max(1000, ttlMs / 2));
    // A little less than the interval, or a timer of that interval would come too early every other time.
    this.#tidyAt = performance.now() + 0.9 * intervalMs;
  }

  /** Schedules the next attempt, even if nothing is waiting: the record is tidied, and a failing store is retried. */
  #plan(isDone: boolean, tookMs: number): void {
    clearTimeout(this.#timer);
    if (this.#state === "closed") return;
    const { flushIntervalMs } = this.#options;
    // Writing takes at most two thirds of the time.
    let delayMs = Math.max(flushIntervalMs - tookMs, flushIntervalMs / 2);
    if (isDone) this.#backoffMs = firstBackoffMs;
    else {
      // Randomized, because all instances that lost the database retry at the same time.
      delayMs = this.#backoffMs * (0.75 + Math.random() / 2);
      this.#backoffMs = Math.min(2 * this.#backoffMs, maxBackoffMs);
      this.#retryAt = performance.now() + delayMs;
    }
    this.#timer = setTimeout(() => {
      this.#flushing ??= this.#flushNow();
    }, delayMs).unref();
  }

  #pause(reason: string): void {
    if (this.#state === "closed") return;
    if (reason !== this.#reason) this.#options.log("error", `recording is paused: ${reason}`);
    this.#state = "paused";
    this.#reason = reason;
  }

  #resume(): void {
    if (this.#state === "closed") return;
    if (this.#state === "paused") this.#options.log("info", "recording has resumed");
    this.#state = "recording";
    this.#reason = undefined;
  }

  /** Logs dropped notes once a minute. */
  #logDrops(): void {
    const drops = this.#dropped - this.#dropsLogged;
    if (drops === 0 || performance.now() - this.#dropsLoggedAt < dropLogIntervalMs) return;
    this.#options.log("warn", `${drops} evaluations were dropped because the buffer was full`);
    this.#dropsLogged = this.#dropped;
    this.#dropsLoggedAt = performance.now();
  }

  /**
   * Pages of recorded strings, the last seen first, with what this process has noted until now. Rejects with StoreError,
   * or with the reason of `signal`.
   */
  async *list(query: RecordQuery = {}, signal?: AbortSignal): AsyncIterable<readonly RecordedString[]> {
    try {
      await this.#readable();
      yield* listPages(this.#store, query, signal);
    } catch (error) {
      throw signal?.aborted ? error : this.#unreadable(error);
    }
  }

  /** Number of strings that match, whatever `offset` and `limit` say; undefined if a long search would have to tell. */
  count(query: RecordQuery = {}): Promise<number | undefined> {
    return this.#read(() => this.#store.count(query));
  }

  #openTraffic(hasEntry: (name: string) => boolean): RecordedTraffic {
    const store = this.#store;
    const firstKept = () => toHour(this.#clock() - trafficKeptMs);
    const news = remember(() => this.#read(() => readNews(store, this.#clock())), newsKeptMs);
    return {
      sums: (sinceMs) => this.#read(async () => toTrafficSums(await store.traffic(toHour(sinceMs), this.#clock() + 1))),
      sightings: () =>
        this.#read(async () => {
          const others = (await store.newCrawlers(0)).filter(({ name }) => !hasEntry(name));
          return [...(await store.sightings(firstKept())), ...others.map(({ name, count }) => ({ name, count }))];
        }),
      hoursOf: (name) => this.#read(() => store.hoursOf(name, firstKept())),
      news: () => news(undefined),
    };
  }

  async #read<T>(read: () => Promise<T>): Promise<T> {
    try {
      await this.#readable();
      return await read();
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  /** A failed read does not stop writing. The record is tidied with the next attempt, which finds out whether writing fails, too. */
  #unreadable(error: unknown): StoreError {
    this.#tidyAt = 0;
    return error instanceof StoreError ? error : new StoreError("the record cannot be read", { cause: error });
  }

  /** Ensures that the store can be read; waits for this process's own notes, but not for a failing store. */
  async #readable(): Promise<void> {
    if (this.#state === "closed") throw new StoreError("the record is closed");
    await within(this.flush(), this.#options.readWaitMs, () => {});
    await this.#open();
  }

  status(): RecordStatus {
    const [oldest] = this.#batch?.rows ?? this.#waiting.values();
    return {
      state: this.#state,
      ...(this.#reason !== undefined && { reason: this.#reason }),
      queued: this.#queued,
      dropped: this.#dropped,
      written: this.#written,
      lagMs: oldest === undefined ? 0 : Math.max(0, this.#clock() - oldest.firstSeen),
    };
  }

  /** Writes the rest, trying for up to `timeoutMs`, then closes the store within 250 ms. `lost`: notes it could not write. */
  async close(timeoutMs = 5000): Promise<{ lost: number }> {
    if (this.#state === "closed") return { lost: 0 };
    const deadline = performance.now() + timeoutMs;
    while (this.#queued > 0 || this.#counter.isWaiting) {
      // The store may be back.
      this.#retryAt = 0;
      const isWritten = await within(this.flush(), deadline - performance.now(), () => false);
      if (isWritten || performance.now() >= deadline) break;
      await new Promise((resolve) => setTimeout(resolve, closeRetryMs));
    }
    this.#state = "closed";
    clearTimeout(this.#timer);
    const rows = [...(this.#batch?.rows ?? []), ...this.#waiting.values()];
    // The requests of people whose strings are not kept.
    const counts = this.#options.people === "off" ? [...(this.#batch?.traffic ?? []), ...this.#counter.take()] : [];
    const left = [...rows, ...counts.filter(({ dimension, value }) => dimension === "crawler" && value === "false")];
    const closed = this.#store.close().catch(() => {});
    await within(closed, closeStoreMs, () => {});
    return { lost: left.reduce((sum, { count }) => sum + count, 0) };
  }
}

function bytesOf({ useragent, name = "" }: RecordedString): number {
  return rowBytes + 2 * (useragent.length + name.length);
}
