/** Reads a record in a SQLite file, synchronously: runs in a thread of its own, so that no search holds up writing. */
import { existsSync, realpathSync } from "node:fs";
import { type Dialect, selectCount, selectPage, selectScanEnd, toPage, toRecorded, toTrafficCount } from "./sql.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { countedRows, isFiltered, type Page, type PageStart, type RecordQuery, StoreError } from "./store.ts";
import type { TrafficCount } from "./traffic.ts";

const dialect: Dialect = { table: "strings", key: "id", positionOf: "instr", parameter: () => "?" };

export class SqliteReader {
  readonly #path: string;
  #connection: SqliteConnection | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  page(query: RecordQuery, start: PageStart, most: number): Page {
    const connection = this.#connect();
    if (query.order)
      return { rows: connection.all(selectPage(dialect, query, start, undefined, most)).map(toRecorded) };
    const [end] = isFiltered(query) ? connection.all(selectScanEnd(dialect, start)) : [];
    return toPage(dialect, connection.all(selectPage(dialect, query, start, end, most)), end, most);
  }

  count(query: RecordQuery): number | undefined {
    const connection = this.#connect();
    const count = (asked: RecordQuery) => connection.number(selectCount(dialect, asked));
    const total = count({});
    if (!isFiltered(query)) return total;
    return total > countedRows ? undefined : count(query);
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
  }

  /** The connection to the file that is at the path now. */
  #connect(): SqliteConnection {
    if (this.#connection?.missing) this.close();
    if (!this.#connection) {
      if (!existsSync(this.#path)) throw new StoreError("the file was removed");
      this.#connection = new SqliteConnection(realpathSync(this.#path), { readOnly: true, busyTimeoutMs: 1000 });
      this.#connection.db.exec("SELECT 1 FROM strings LIMIT 1");
      this.#connection.opened();
    }
    return this.#connection;
  }
}
