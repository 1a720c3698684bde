/**
 * Calls an object in its own thread, for SQLite: a checkpoint waits for the disk (up to 250 ms were measured on a busy disk),
 * and in the main thread it would block all requests.
 */
import { Worker } from "node:worker_threads";
import { findPackagedFile } from "../../files/find-packaged-file.ts";
import { type Log, StoreError } from "../store.ts";

export interface ThreadData {
  readonly path: string;
  readonly role: "writer" | "reader";
}
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}
export type FromThread =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string; readonly isCorrupt: boolean }
  | { readonly log: { readonly level: Parameters<Log>[0]; readonly message: string } };

interface ThreadOptions extends ThreadData {
  readonly log: Log;
  /** Called when the file was found corrupt. */
  readonly onCorrupt: () => void;
}

type Methods<T> = { [M in keyof T]: T[M] extends (...args: never[]) => unknown ? T[M] : never };

/** Calls are answered one at a time, in order; a failed one rejects with StoreError. */
interface Thread<T> {
  call<M extends keyof T>(method: M, ...args: Parameters<Methods<T>[M]>): Promise<ReturnType<Methods<T>[M]>>;
  /** Closes the file and ends the thread. */
  close(): Promise<void>;
}

/** The thread is started by the first call, and again when it has died. */
export function createThread<T>({ path, role, log, onCorrupt }: ThreadOptions): Thread<T> {
  const program = findPackagedFile("record/sqlite/sqlite-worker.ts", "sqlite-worker.js");
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: StoreError) => void }>();
  let worker: Worker | undefined;
  let lastId = 0;

  const fail = (reason: string) => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new StoreError(reason));
    waiting.clear();
  };
  const hear = (message: FromThread) => {
    if ("log" in message) return log(message.log.level, message.log.message);
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    // Holds the process open only while a call waits.
    if (waiting.size === 0) worker?.unref();
    if ("value" in message) return call?.resolve(message.value as never);
    if (message.isCorrupt) onCorrupt();
    call?.reject(new StoreError(message.error));
  };
  const start = () => {
    // A batch at a time is all it holds; without limits V8 would let its garbage grow to tens of megabytes.
    const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };
    const started = new Worker(program, { workerData: { path, role } satisfies ThreadData, resourceLimits });
    // Of a thread that is given up nothing is heard any more.
    const on = <Told>(event: string, act: (told: Told) => void) =>
      started.on(event, (told: Told) => started === worker && act(told));
    on("message", hear);
    on("error", (error: Error) => fail(`the file's thread failed: ${error.message}`));
    on("exit", () => fail("the file's thread ended"));
    return started;
  };
  const call = (method: unknown, ...args: unknown[]) =>
    new Promise<never>((resolve, reject) => {
      worker ??= start();
      worker.ref();
      waiting.set(++lastId, { resolve, reject });
      worker.postMessage({ id: lastId, method: String(method), args } satisfies Call);
    });

  return {
    call,
    async close() {
      if (!worker) return;
      await call("close").catch(() => {});
      const ended = worker;
      fail("the file is closed");
      await ended?.terminate();
    },
  };
}
