/** Reads a record in a SQLite file, synchronously: in a separate thread, so that no search delays writes or requests. */
import { existsSync, realpathSync } from "node:fs";
import {
  type Dialect,
  selectCount,
  selectNewCrawlers,
  selectPage,
  selectScanEnd,
  toNewCrawler,
  toPage,
  toRecorded,
  toTrafficCount,
} from "../sql-queries.ts";
import {
  countedRows,
  isFiltered,
  type NewCrawler,
  type Page,
  type PageStart,
  type RecordQuery,
  StoreError,
} from "../store.ts";
import type { TrafficCount } from "../traffic.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

const dialect: Dialect = { table: "strings", key: "id", positionOf: "instr", parameter: () => "?" };

export class SqliteReader {
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  #connection: SqliteConnection | undefined;
  /** The number of strings in this version of the file's content. */
  #counted: { readonly version: number; readonly total: number } | undefined;

  constructor(path: string, busyTimeoutMs = 1000) {
    this.#path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  page(query: RecordQuery, start: PageStart, most: number): Page {
    const connection = this.#connect();
    if (query.order)
      return { rows: connection.all(selectPage(dialect, query, start, undefined, most)).map(toRecorded) };
    const [end] = isFiltered(query) ? connection.all(selectScanEnd(dialect, start)) : [];
    return toPage(dialect, connection.all(selectPage(dialect, query, start, end, most)), end, most);
  }

  count(query: RecordQuery): number | undefined {
    const total = this.total();
    if (!isFiltered(query)) return total;
    return total > countedRows ? undefined : this.#connect().number(selectCount(dialect, query));
  }

  /** Number of strings; a millisecond for a hundred thousand if the file has changed, else microseconds. */
  total(): number {
    const connection = this.#connect();
    const version = connection.number({ sql: "PRAGMA data_version", values: [] });
    if (this.#counted?.version !== version)
      this.#counted = { version, total: connection.number(selectCount(dialect, {})) };
    return this.#counted.total;
  }

  newCrawlers(since: number): NewCrawler[] {
    return this.#connect().all(selectNewCrawlers(dialect, since)).map(toNewCrawler);
  }

  traffic(since: number, until: number): TrafficCount[] {
    const sql = "SELECT * FROM traffic WHERE hour >= ? AND hour < ?";
    return this.#connect()
      .all({ sql, values: [since, until] })
      .map(toTrafficCount);
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
    this.#counted = undefined;
  }

  /** The connection to the file that is at the path now. */
  #connect(): SqliteConnection {
    if (this.#connection?.isGone) this.close();
    if (!this.#connection) {
      if (!existsSync(this.#path)) throw new StoreError("the file was removed");
      this.#connection = new SqliteConnection(realpathSync(this.#path), {
        readOnly: true,
        busyTimeoutMs: this.#busyTimeoutMs,
      });
      this.#connection.db.exec("PRAGMA cache_size = -4000");
    }
    return this.#connection;
  }
}
