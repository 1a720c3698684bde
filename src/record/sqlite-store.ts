/** The record in a SQLite file, which several processes of one machine may share; the default. */
import { type Calls, createDirectCalls, createThreadCalls, hasThread } from "./sqlite-calls.ts";
import type { Cursor } from "./sqlite-file.ts";
import type { ListQuery, Log, RecordedString, Retention, Store } from "./store.ts";

export interface SqliteOptions {
  /** The file; it and its folder are made when missing. */
  readonly path: string;
  readonly log?: Log;
  /** Whether the file is served by a thread of its own; true wherever the thread's program is found. */
  readonly thread?: boolean;
}

/** Creates a store in a SQLite file. Needs `node:sqlite`: Bun 1.4, or Node from 22.13 on. */
export function createSqliteStore({ path, log = () => {}, thread = hasThread() }: SqliteOptions): Store {
  // In this thread waiting for another process's write would stall requests; trying again later does not.
  const options = { path, busyTimeoutMs: thread ? 250 : 10 };
  const calls: Promise<Calls> = thread ? Promise.resolve(createThreadCalls(options)) : createDirectCalls(options);

  return {
    kind: "sqlite",
    batchSize: thread ? 1000 : 250,
    async open() {
      const aside = await (await calls).call("open");
      if (aside) log("error", `the record was corrupt; it is kept as ${aside} and a new one has begun`);
    },
    async write(rows: readonly RecordedString[], limit: number) {
      return (await calls).call("write", rows, limit);
    },
    async tidy(retention: Retention) {
      await (await calls).call("tidy", retention);
    },
    async *list(query: ListQuery) {
      let after: Cursor | undefined;
      do {
        const page = await (await calls).call("page", query, after);
        if (page.rows.length > 0) yield page.rows;
        after = page.next;
      } while (after);
    },
    async count(query: ListQuery) {
      return (await calls).call("count", query);
    },
    async close() {
      await (await calls).call("close");
      await (await calls).end();
    },
  };
}
