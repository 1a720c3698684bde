/** SQLite for the record, synchronously: sqlite-store.ts runs it in a thread. One connection to a file, or to a record in memory. */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Ask, Driver } from "./sql-driver.ts";
import { StoreError } from "./store.ts";

/** The path of a record that ends with the process, and its bound: 64 MiB in pages of 4 KiB. */
const inMemory = ":memory:";
const maxPages = 16_384;

/** Marks the file as a record of this program; "whoC" in ASCII. */
const applicationId = 0x77686f43;
const remedy = "move the file away, or set record to another file";

// NORMAL syncs at checkpoints only: a killed process loses nothing, a power cut may lose the last transactions but leaves the file whole.
const pragmas = `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000;
  PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 16777216`;

/** The driver of the file at a path. Needs `node:sqlite`: Bun 1.4, or Node from 22.13 on. */
export class SqliteDriver implements Driver {
  readonly place: string;
  readonly remedy = remedy;
  readonly text = "text";
  // Every other number of rows would need another prepared statement; one row at a time is just as fast.
  readonly insertRows = 1;
  readonly skipLocked = "";
  readonly #path: string;
  #db: DatabaseSync | undefined;
  #inode: number | undefined;
  /** The content of the open file is at fault. */
  #corruption: StoreError | undefined;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#path = path;
    this.place = basename(path);
  }

  async connect(): Promise<void> {
    if (this.#db && !this.#isGone) {
      if (this.#corruption) throw this.#corruption;
      return;
    }
    await this.close();
    try {
      this.#open();
    } catch (error) {
      await this.close();
      throw this.#toStoreError(error);
    }
  }

  #open(): void {
    // Not an import: a runtime without it could then not load the program at all, even with another store.
    const sqlite = process.getBuiltinModule?.("node:sqlite");
    if (!sqlite) throw new StoreError("a SQLite record needs Bun 1.4 or Node 22.13 or later");
    if (this.#path !== inMemory) makeFile(this.#path);
    this.#db = new sqlite.DatabaseSync(this.#path);
    this.#inode = this.#findInode();
    // How long to wait, blocking this thread, for another process's write.
    this.#db.exec("PRAGMA busy_timeout = 1000");
    // Another program's file is not written to.
    if (this.#number("PRAGMA page_count") === 0) this.#db.exec(`PRAGMA application_id = ${applicationId}`);
    else if (this.#number("PRAGMA application_id") !== applicationId)
      throw new StoreError(`${this.place} is a SQLite database of another program: ${remedy}`);
    this.#db.exec(pragmas);
  }

  async versionOf(): Promise<number | undefined> {
    return this.#number("PRAGMA user_version") || undefined;
  }

  setVersion(version: number): readonly string[] {
    return [`PRAGMA user_version = ${version}`];
  }

  transaction<T>(body: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#guard(async (db) => {
      db.exec("BEGIN IMMEDIATE");
      try {
        const result = await body(this.#ask);
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

  readonly read: Ask = (sql, values) => this.#guard(() => this.#ask(sql, values));

  async isFull(): Promise<boolean> {
    return (
      this.#path === inMemory && this.#number("PRAGMA page_count") - this.#number("PRAGMA freelist_count") > maxPages
    );
  }

  async close(): Promise<void> {
    this.#statements.clear();
    this.#corruption = undefined;
    this.#db?.close();
    this.#db = undefined;
  }

  readonly #ask: Ask = async (sql, values = []) => {
    const statement = this.#statements.get(sql) ?? this.#db!.prepare(sql.replace(/\$\d+/g, "?"));
    this.#statements.set(sql, statement);
    if (sql.startsWith("SELECT")) return { rows: statement.all(...values) as Record<string, unknown>[], changes: 0 };
    return { rows: [], changes: Number(statement.run(...values).changes) };
  };

  /** The number that a statement selects. */
  #number(sql: string): number {
    return Number(Object.values(this.#db!.prepare(sql).get() as object)[0]);
  }

  /**
   * Runs `body` if the open file is whole and still the file at the path. A removed file can stay open without a name, and what is written
   * to it would be lost.
   */
  async #guard<T>(body: (db: DatabaseSync) => Promise<T>): Promise<T> {
    if (this.#corruption) throw this.#corruption;
    if (!this.#db) throw new StoreError(`${this.place} is not open`);
    if (this.#isGone) throw new StoreError(`${this.place} was removed or replaced`);
    try {
      return await body(this.#db);
    } catch (cause) {
      const error = this.#toStoreError(cause);
      // The file stays open, so that no new file can reuse its inode.
      if ([11, 26].includes(primaryCode(cause))) this.#corruption = error;
      throw error;
    }
  }

  get #isGone(): boolean {
    return this.#findInode() !== this.#inode;
  }

  #findInode(): number | undefined {
    return this.#path === inMemory ? 0 : statSync(this.#path, { throwIfNoEntry: false })?.ino;
  }

  /** The failure in an operator's words. */
  #toStoreError(cause: unknown): StoreError {
    if (cause instanceof StoreError) return cause;
    const { code = "", message } = cause as NodeJS.ErrnoException;
    return new StoreError(`${this.place}: ${reasons[primaryCode(cause)] ?? reasons[code] ?? message}`, { cause });
  }
}

/**
 * Makes the file, which only its owner may read, and its folder where they are missing. Revokes other users' permissions on a file that
 * exists, such as a restored one, unless another user owns it. SQLite gives `-wal` and `-shm` the same rights.
 */
function makeFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const existing = statSync(path, { throwIfNoEntry: false });
  // Does not open an existing file: closing the descriptor would release this process's locks on it.
  if (existing === undefined) closeSync(openSync(path, "a", 0o600));
  // A folder such as /tmp keeps its permissions, and SQLite reports that it cannot be opened.
  else if (existing.isFile() && (existing.mode & 0o077) !== 0) {
    try {
      chmodSync(path, 0o600);
    } catch (error) {
      if (!["EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}

/** Primary result codes of SQLite (https://sqlite.org/rescode.html), and the system's of folder and file. */
const reasons: Readonly<Record<string, string>> = {
  5: "the file is locked by another process",
  6: "the file is locked by another process",
  8: "the file or its folder is read-only",
  10: "the disk reports an error",
  11: "the file is corrupt; move it away with its -wal and -shm files, and a new one will be created",
  13: "the disk is full",
  14: "the file cannot be opened",
  26: "the file is not a SQLite database; move it away with its -wal and -shm files, and a new one will be created",
  EACCES: "the file or its folder is read-only",
  EPERM: "the file or its folder is read-only",
  EROFS: "the file or its folder is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  EEXIST: "a file with the folder's name is in the way",
  ENOTDIR: "a file with the folder's name is in the way",
};

/** The upper bits of a result code only say more about the same failure. */
function primaryCode(error: unknown): number {
  return ((error as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff;
}
