/** Writes a record in a SQLite file, synchronously: runs in a thread of its own. Several processes may write the same file. */
import { toDigest, toTrafficCount } from "../sql-queries.ts";
import { type Batch, type Log, type Retention, StoreError } from "../store.ts";
import { toFoldedColumn, toStored } from "../stored-text.ts";
import { foldTraffic, type TrafficCount } from "../traffic.ts";
import { inodeOf, isCorruption, SqliteConnection } from "./sqlite-connection.ts";
import { isNewFile, makeFile, makeTables, quarantine, whileOpening } from "./sqlite-file.ts";

const busyTimeoutMs = 250;

const upsert = `
  INSERT INTO strings (digest, useragent, folded, truncated, crawler, name, operator, category, count, first_seen, last_seen)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (digest) DO UPDATE SET truncated = max(truncated, excluded.truncated), crawler = excluded.crawler,
    folded = excluded.folded, name = excluded.name, operator = excluded.operator, category = excluded.category,
    count = count + excluded.count, first_seen = min(first_seen, excluded.first_seen),
    last_seen = max(last_seen, excluded.last_seen)`;

export class SqliteWriter {
  readonly #log: Log;
  #path: string;
  #connection: SqliteConnection | undefined;
  /** The file that was found corrupt. */
  #corrupt: number | undefined;

  constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Opens the file, or makes it. A corrupt file, which a reader may have found to be so, goes into quarantine, and a new one begins. */
  open(isFoundCorrupt: boolean): void {
    if (isFoundCorrupt) this.#corrupt ??= inodeOf(this.#path);
    this.#path = makeFile(this.#path);
    whileOpening(this.#path, () => {
      try {
        // Otherwise another process has begun a new one already.
        if (inodeOf(this.#path) !== this.#corrupt) return this.#connect();
      } catch (error) {
        if (!isCorruption(error)) throw error;
      }
      // Still open, since closing it would remove its -wal.
      this.#log("error", `the record was corrupt; it is kept as ${quarantine(this.#path)} and a new one has begun`);
      this.close();
      makeFile(this.#path);
      this.#connect();
    });
    this.#corrupt = undefined;
  }

  #connect(): void {
    this.close();
    const connection = new SqliteConnection(this.#path, { readOnly: false, busyTimeoutMs });
    this.#connection = connection;
    const isNew = isNewFile(this.#path, connection);
    // NORMAL syncs at checkpoints only: a killed process loses nothing, a power cut may lose the last transactions but
    // leaves the file whole. FULL would sync at every write, for counts.
    connection.db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000;
      PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 16777216`);
    if (isNew) makeTables(connection);
  }

  write({ rows, traffic }: Batch): void {
    // In the order of the index: rows of one page of it are then changed together.
    const sorted = rows
      .map((row) => ({ row, stored: toStored(row.useragent) }))
      .map((each) => ({ ...each, digest: toDigest(each.stored) }))
      .sort((a, b) => a.digest.compare(b.digest));
    this.#transaction((connection) => {
      const insert = connection.prepare(upsert);
      for (const { row, stored, digest } of sorted) {
        const { useragent, name, operator = null, category = null, count, firstSeen, lastSeen } = row;
        const facts = [row.crawler ? 1 : 0, name === undefined ? null : toStored(name), operator, category];
        const flag = row.cut ? 1 : 0;
        insert.run(digest, stored, toFoldedColumn(useragent), flag, ...facts, count, firstSeen, lastSeen);
      }
      addTraffic(connection, traffic);
    });
  }

  tidy({ limit, before = 0, trafficOpen, trafficBefore }: Retention): number {
    return this.#transaction((connection) => {
      connection.prepare("DELETE FROM traffic WHERE hour < ?").run(trafficBefore);
      const open = connection.all({ sql: "SELECT * FROM traffic WHERE hour >= ?", values: [trafficOpen] });
      connection.prepare("DELETE FROM traffic WHERE hour >= ?").run(trafficOpen);
      addTraffic(connection, foldTraffic(open.map(toTrafficCount)));
      connection.prepare("DELETE FROM strings WHERE last_seen < ?").run(before);
      const excess = "SELECT id FROM strings ORDER BY last_seen DESC, id DESC LIMIT -1 OFFSET ?";
      return Number(connection.prepare(`DELETE FROM strings WHERE id IN (${excess})`).run(limit).changes);
    });
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Runs `body` in a transaction, if the open file is still the file at the path. */
  #transaction<T>(body: (connection: SqliteConnection) => T): T {
    const connection = this.#connection;
    if (!connection) throw new StoreError("the file is not open");
    if (connection.isGone) throw new StoreError("the file was removed or replaced");
    try {
      return connection.transaction(() => body(connection));
    } catch (error) {
      if (isCorruption(error)) this.#corrupt = inodeOf(this.#path);
      throw error;
    }
  }
}

function addTraffic(connection: SqliteConnection, traffic: readonly TrafficCount[]): void {
  const add = connection.prepare(
    "INSERT INTO traffic VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
  );
  for (const { hour, dimension, value, count } of traffic) add.run(hour, dimension, toStored(value), count);
}
