/**
 * Calls of a SQLite file from the main thread. They run in a thread of their own, because a checkpoint waits for the
 * disk: up to 250 ms were measured on a busy one, in which no request would be answered.
 */
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { SqliteFile } from "./sqlite-file.ts";
import { StoreError } from "./store.ts";

export interface FileOptions {
  readonly path: string;
  /** How long a write waits, blocking its thread, for another process's. */
  readonly busyTimeoutMs: number;
}

type Method = "open" | "write" | "tidy" | "page" | "count" | "close";
type Arguments<M extends Method> = Parameters<SqliteFile[M]>;
export interface Call<M extends Method = Method> {
  readonly id: number;
  readonly method: M;
  readonly args: Arguments<M>;
}
export type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string });

/** Calls are answered one at a time, in order; a failed one rejects with StoreError. */
export interface Calls {
  call<M extends Method>(method: M, ...args: Arguments<M>): Promise<ReturnType<SqliteFile[M]>>;
  end(): Promise<void>;
}

/** Carries out one call; never throws. */
export function answer(file: SqliteFile, { id, method, args }: Call): Answer {
  try {
    return { id, value: Reflect.apply(file[method], file, args) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

/** The thread's program: beside this file as source; in the package this file may be in a folder of chunks beneath it. */
const program = (
  import.meta.url.endsWith(".ts") ? ["./sqlite-worker.ts"] : ["./sqlite-worker.js", "../sqlite-worker.js"]
)
  .map((path) => new URL(path, import.meta.url))
  .find((url) => url.protocol === "file:" && existsSync(url));

/** Whether the thread's program is where it should be; a bundle into a single file may have none. */
export function hasThread(): boolean {
  return program !== undefined;
}

/** Calls answered in a thread, which is started by the first call and again when it has died. */
export function createThreadCalls(options: FileOptions): Calls {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: StoreError) => void }>();
  let worker: Worker | undefined;
  let lastId = 0;

  const fail = (reason: string) => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new StoreError(reason));
    waiting.clear();
  };
  const start = () => {
    // A batch at a time is all it holds; without limits V8 would let its garbage grow to tens of megabytes.
    const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };
    if (program === undefined) throw new StoreError("the file's thread has no program");
    const started = new Worker(program, { workerData: options, resourceLimits });
    started.on("message", (given: Answer) => {
      const call = waiting.get(given.id);
      waiting.delete(given.id);
      // Holds the process open while somebody waits, and only then.
      if (waiting.size === 0) started.unref();
      if ("error" in given) call?.reject(new StoreError(given.error));
      else call?.resolve(given.value as never);
    });
    started.on("error", (error) => started === worker && fail(`the file's thread failed: ${error.message}`));
    started.on("exit", () => started === worker && fail("the file's thread ended"));
    return started;
  };

  return {
    call(method, ...args) {
      return new Promise((resolve, reject) => {
        worker ??= start();
        worker.ref();
        waiting.set(++lastId, { resolve, reject });
        worker.postMessage({ id: lastId, method, args } satisfies Call<typeof method>);
      });
    },
    async end() {
      const ended = worker;
      fail("the file is closed");
      await ended?.terminate();
    },
  };
}

/** Calls carried out at once in this thread, where there can be no other. */
export async function createDirectCalls(options: FileOptions): Promise<Calls> {
  const { SqliteFile } = await import("./sqlite-file.ts");
  const file = new SqliteFile(options.path, options.busyTimeoutMs);
  return {
    async call(method, ...args) {
      const given = answer(file, { id: 0, method, args });
      // Between two calls of a list or a flush others get their turn.
      await new Promise((resolve) => setImmediate(resolve));
      if ("error" in given) throw new StoreError(given.error);
      return given.value as ReturnType<(typeof file)[typeof method]>;
    },
    async end() {},
  };
}
