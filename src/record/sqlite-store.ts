/**
 * The record in a SQLite file, which several processes of one machine may share, or in memory. SQLite runs in a thread of its own: a
 * checkpoint waits for the disk (up to 250 ms were measured on a busy disk), and in the main thread it would block all requests.
 */
import { Worker } from "node:worker_threads";
import { findPackagedFile } from "../files/find-packaged-file.ts";
import { type Store, StoreError } from "./store.ts";

type Method = keyof Store;
export interface Call {
  readonly method: Method;
  readonly args: readonly unknown[];
}
export type Answer = { readonly value: unknown } | { readonly error: string };

interface Waiting extends Call {
  readonly resolve: (value: never) => void;
  readonly reject: (error: StoreError) => void;
}

/** What each call does: a write waits for at most one read. */
const kinds: Readonly<Record<Method, "writes" | "reads">> = {
  ...{ open: "writes", write: "writes", tidy: "writes", close: "writes" },
  ...{ page: "reads", count: "reads", newCrawlers: "reads" },
  ...{ traffic: "reads", firstHour: "reads", sightings: "reads", hoursOf: "reads", spikes: "reads" },
};

/** Creates the store in the file at `path`, or in memory if that is `:memory:`. */
export function createSqliteStore(path: string): Store {
  const thread = new SqliteThread(path);
  const calls = Object.keys(kinds).map((method) => [
    method,
    (...args: readonly unknown[]) => thread.call(method as Method, ...args),
  ]);
  return { ...(Object.fromEntries(calls) as Store), close: () => thread.close() };
}

/** Calls are answered one at a time. The thread is started by the first call, and again after it has died. */
class SqliteThread {
  readonly #path: string;
  #worker: Worker | undefined;
  /** The pending calls; the first may be in progress. */
  #calls: Waiting[] = [];
  #isBusy = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Rejects with StoreError. */
  call(method: Method, ...args: readonly unknown[]): Promise<never> {
    return new Promise((resolve, reject) => {
      this.#calls.push({ method, args, resolve, reject });
      this.#next();
    });
  }

  /** Closes the file and ends the thread. */
  async close(): Promise<void> {
    if (!this.#worker) return;
    await this.call("close").catch(() => {});
    const ended = this.#worker;
    this.#fail("the file is closed");
    await ended?.terminate();
  }

  #next(): void {
    if (this.#isBusy) return;
    const first = this.#calls.findIndex(({ method }) => kinds[method] === "writes");
    if (first > 0) this.#calls.unshift(...this.#calls.splice(first, 1));
    const [call] = this.#calls;
    // Holds the process open only while a call waits.
    if (call === undefined) {
      this.#worker?.unref();
      return;
    }
    this.#isBusy = true;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage({ method: call.method, args: call.args } satisfies Call);
  }

  #start(): Worker {
    // It holds only one batch at a time; without limits, V8 would let garbage grow to tens of megabytes.
    const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };
    const program = findPackagedFile("record/sqlite-worker.ts", "sqlite-worker.js");
    const worker = new Worker(program, { workerData: this.#path, resourceLimits });
    // Ignores events from a thread that has been abandoned.
    const on = <Told>(event: string, act: (told: Told) => void): unknown =>
      worker.on(event, (told: Told) => worker === this.#worker && act(told));
    on("message", (answer: Answer) => this.#settle(answer));
    on("error", (error: Error) => this.#fail(`the file's thread failed: ${error.message}`));
    on("exit", () => this.#fail("the file's thread ended"));
    return worker;
  }

  #settle(answer: Answer): void {
    const call = this.#calls.shift();
    this.#isBusy = false;
    if ("value" in answer) call?.resolve(answer.value as never);
    else call?.reject(new StoreError(answer.error));
    this.#next();
  }

  #fail(reason: string): void {
    const calls = this.#calls;
    this.#calls = [];
    this.#worker = undefined;
    this.#isBusy = false;
    for (const { reject } of calls) reject(new StoreError(reason));
  }
}
