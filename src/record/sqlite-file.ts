/**
 * A record in one SQLite file, synchronously: what sqlite-store.ts runs in a thread of its own. Several processes may
 * have the same file open.
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { inodeOf, setAside, whileOpening } from "./sqlite-aside.ts";
import { isCorruption, sqliteReasonOf } from "./sqlite-reasons.ts";
import { type Row, toFilter, toRecorded } from "./sqlite-rows.ts";
import { migrateSqlite, refuseForeign } from "./sqlite-schema.ts";
import { type ListQuery, type RecordedString, type Retention, StoreError } from "./store.ts";
import { toDigest, toStored } from "./text.ts";

/** Rows of a page, and rows looked at for a page of a filtered list: each a few milliseconds of the thread. */
const pageRows = 250;
const scanRows = 5000;

/** Where a list goes on: after this row in the order by last seen, descending. */
export type Cursor = readonly [lastSeen: number, id: number];
export interface Page {
  readonly rows: readonly RecordedString[];
  readonly next?: Cursor;
}

export class SqliteFile {
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  #db: DatabaseSync | undefined;
  #statements = new Map<string, StatementSync>();
  #inode: number | undefined;
  #corrupt = false;

  /** `busyTimeoutMs`: how long to wait, blocking this thread, for another process's write. */
  constructor(path: string, busyTimeoutMs: number) {
    this.#path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Opens and migrates; returns the name under which a corrupt file was set aside, if one was. Throws StoreError. */
  open(): string | undefined {
    return this.#explained(() => {
      this.close();
      mkdirSync(dirname(this.#path), { recursive: true });
      return whileOpening(this.#path, () => {
        if (!this.#corrupt) {
          try {
            this.#explained(() => this.#connect());
            return undefined;
          } catch (error) {
            if (!this.#corrupt) throw error;
          }
        }
        this.close();
        const aside = setAside(this.#path, this.#inode);
        this.#corrupt = false;
        this.#connect();
        return aside;
      });
    });
  }

  #connect(): void {
    // Not an import: a runtime without it would then refuse the whole program, though it only wanted another store.
    const sqlite = process.getBuiltinModule?.("node:sqlite");
    if (!sqlite) throw new StoreError("a SQLite record needs Bun 1.4 or Node from 22.13 on");
    const db = new sqlite.DatabaseSync(this.#path);
    this.#db = db;
    this.#inode = inodeOf(this.#path);
    db.exec(`PRAGMA busy_timeout = ${this.#busyTimeoutMs}`);
    // Before anything is written to it.
    refuseForeign(db);
    // NORMAL syncs at checkpoints only: a killed process loses nothing, a power cut may lose the last transactions but
    // leaves the file whole. FULL would sync at every write, for counts.
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -4000; PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 16777216`);
    migrateSqlite(db);
  }

  /** Adds the rows' counts; returns how many strings left for the limit. */
  write(rows: readonly RecordedString[], limit: number): number {
    // In the order of the index: rows of one page of it are then changed together.
    const sorted = rows
      .map((row) => ({ row, stored: toStored(row.useragent) }))
      .map((each) => ({ ...each, digest: toDigest(each.stored) }))
      .sort((a, b) => a.digest.compare(b.digest));
    return this.#transaction(() => {
      const upsert = this.#prepare(`
        INSERT INTO strings (digest, useragent, cut, crawler, name, operator, category, count, first_seen, last_seen)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (digest) DO UPDATE SET cut = max(cut, excluded.cut), crawler = excluded.crawler,
          name = excluded.name, operator = excluded.operator, category = excluded.category,
          count = count + excluded.count, first_seen = min(first_seen, excluded.first_seen),
          last_seen = max(last_seen, excluded.last_seen)`);
      // New rows take the next ids, and only this transaction writes: the highest id says how many are new.
      const highest = this.#prepare("SELECT coalesce(max(id), 0) AS n FROM strings");
      const before = numberOf(highest);
      for (const { row, stored, digest } of sorted) {
        const { name, operator, category, count, firstSeen, lastSeen } = row;
        const facts = [name && toStored(name), operator, category].map((fact) => fact ?? null);
        upsert.run(digest, stored, row.cut ? 1 : 0, row.crawler ? 1 : 0, ...facts, count, firstSeen, lastSeen);
      }
      const total = numberOf(this.#prepare("SELECT total AS n FROM meta")) + numberOf(highest) - before;
      return this.#evict(total, limit);
    });
  }

  tidy({ limit, before = 0 }: Retention): void {
    this.#transaction(() => {
      this.#prepare("DELETE FROM strings WHERE last_seen < ?").run(before);
      this.#evict(numberOf(this.#prepare("SELECT count(*) AS n FROM strings")), limit);
    });
  }

  #evict(total: number, limit: number): number {
    const excess = Math.max(0, total - limit);
    if (excess > 0)
      this.#prepare("DELETE FROM strings WHERE id IN (SELECT id FROM strings ORDER BY last_seen, id LIMIT ?)").run(
        excess,
      );
    this.#prepare("UPDATE meta SET total = ?").run(total - excess);
    return excess;
  }

  /** One page of a list, and where the next begins; a page may be empty although there is a next. */
  page(query: ListQuery, after: Cursor = [Number.MAX_SAFE_INTEGER, 0]): Page {
    return this.#explained(() => {
      this.#verify();
      const filter = toFilter(query);
      const below = "(last_seen, id) < (?, ?)";
      const order = "ORDER BY last_seen DESC, id DESC";
      // A filter that matches nothing would read the whole file at once, so each page reads no further than this row.
      const last =
        filter.terms.length > 0 &&
        (this.#prepare(`SELECT last_seen, id FROM strings WHERE ${below} ${order} LIMIT 1 OFFSET ${scanRows - 1}`).get(
          ...after,
        ) as { last_seen: number; id: number } | undefined);
      const bounds = last ? ["(last_seen, id) >= (?, ?)"] : [];
      const where = [below, ...bounds, ...filter.terms].join(" AND ");
      const found = this.#prepare(`SELECT * FROM strings WHERE ${where} ${order} LIMIT ${pageRows}`).all(
        ...after,
        ...(last ? [last.last_seen, last.id] : []),
        ...filter.values,
      ) as unknown as Row[];
      const end = found.length === pageRows ? found[found.length - 1] : last || undefined;
      return { rows: found.map(toRecorded), ...(end && { next: [Number(end.last_seen), Number(end.id)] }) };
    });
  }

  count(query: ListQuery): number {
    if (toFilter(query).terms.length === 0)
      return this.#explained(() => {
        this.#verify();
        return numberOf(this.#prepare("SELECT total AS n FROM meta"));
      });
    const { terms, values } = toFilter(query);
    return this.#explained(() => {
      const sql = `SELECT count(*) AS n FROM strings WHERE ${terms.join(" AND ")}`;
      return (this.#prepare(sql).get(...values) as { n: number }).n;
    });
  }

  close(): void {
    this.#statements.clear();
    this.#db?.close();
    this.#db = undefined;
  }

  #transaction<T>(body: () => T): T {
    return this.#explained(() => {
      const db = this.#verify();
      db.exec("BEGIN IMMEDIATE");
      try {
        const result = body();
        db.exec("COMMIT");
        return result;
      } catch (error) {
        // SQLite rolls back by itself on some failures, a full disk among them; a second time is then an error.
        try {
          db.exec("ROLLBACK");
        } catch {}
        throw error;
      }
    });
  }

  /** The open database, if its file is still the one at the path: an open file may have been deleted or set aside. */
  #verify(): DatabaseSync {
    if (this.#db === undefined) throw new StoreError("the file is not open");
    if (inodeOf(this.#path) !== this.#inode) throw new StoreError("the file was removed or replaced");
    return this.#db;
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      if (!this.#db) throw new StoreError("the file is not open");
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Runs `body`; what it throws becomes a StoreError that says what happened in an operator's words. */
  #explained<T>(body: () => T): T {
    try {
      return body();
    } catch (cause) {
      if (cause instanceof StoreError) throw cause;
      this.#corrupt ||= isCorruption(cause);
      throw new StoreError(sqliteReasonOf(cause), { cause });
    }
  }
}

function numberOf(statement: StatementSync): number {
  return (statement.get() as { n: number }).n;
}
