/** The record in a SQLite file, which several processes of one machine may share; the default. */

import type { Log, Store } from "../store.ts";
import { SqliteReader } from "./sqlite-reader.ts";
import { createThread } from "./sqlite-thread.ts";
import type { SqliteWriter } from "./sqlite-writer.ts";

interface SqliteOptions {
  /** The file; it and its folder are made when missing. */
  readonly path: string;
  readonly log?: Log;
}

/** Creates a store in a SQLite file. Needs `node:sqlite`: Bun 1.4, or Node from 22.13 on. */
export function createSqliteStore({ path, log = () => {} }: SqliteOptions): Store {
  let isFoundCorrupt = false;
  const onCorrupt = () => {
    isFoundCorrupt = true;
  };
  // SQLite's WAL lets one connection read while another writes.
  const writer = createThread<SqliteWriter>({ path, role: "writer", log, onCorrupt: () => {} });
  const reader = createThread<SqliteReader>({ path, role: "reader", log, onCorrupt });

  const counter = createCounter(path);

  return {
    // Requests wait while a batch is sent to the thread: for 2,048 rows 3.5 ms, for these 0.5 ms.
    batchRows: 256,
    async open() {
      const wasFoundCorrupt = isFoundCorrupt;
      isFoundCorrupt = false;
      await writer.call("open", wasFoundCorrupt);
    },
    write: (batch) => writer.call("write", batch),
    tidy: (retention) => writer.call("tidy", retention),
    page: (query, start, most) => reader.call("page", query, start, most),
    count: (query) => reader.call("count", query),
    total: counter.total,
    newCrawlers: (since) => reader.call("newCrawlers", since),
    traffic: (since, until) => reader.call("traffic", since, until),
    async close() {
      counter.close();
      // The last to close a file removes its -wal, which a reader could not.
      await reader.close();
      await writer.close();
    },
  };
}

/** Counting blocks this thread, so a record that takes longer than this is left to the reader's thread. */
const longestCountMs = 50;

/** Counts the strings of a file in this thread, without waiting for anybody. */
function createCounter(path: string) {
  const reader = new SqliteReader(path, 0);
  let restUntil = 0;
  return {
    total(): number | undefined {
      const start = performance.now();
      if (start < restUntil) return undefined;
      try {
        const total = reader.total();
        const ms = performance.now() - start;
        if (ms > longestCountMs) restUntil = start + 1000 * ms;
        return total;
      } catch {
        // Why it cannot be read, the thread finds out.
        return undefined;
      }
    },
    close: () => reader.close(),
  };
}
