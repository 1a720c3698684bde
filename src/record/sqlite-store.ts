/** The record in a SQLite file, which several processes of one machine may share; the default. */
import type { SqliteReader } from "./sqlite-reader.ts";
import { createThread } from "./sqlite-thread.ts";
import type { SqliteWriter } from "./sqlite-writer.ts";
import type { Log, Store } from "./store.ts";

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

  return {
    batchRows: 2048,
    async open() {
      const wasFoundCorrupt = isFoundCorrupt;
      isFoundCorrupt = false;
      await writer.call("open", wasFoundCorrupt);
    },
    write: (batch) => writer.call("write", batch),
    tidy: (retention) => writer.call("tidy", retention),
    page: (query, start, most) => reader.call("page", query, start, most),
    count: (query) => reader.call("count", query),
    traffic: (since, until) => reader.call("traffic", since, until),
    async close() {
      // The last to close a file removes its -wal, which a reader could not.
      await reader.close();
      await writer.close();
    },
  };
}
