/** One connection to a SQLite file, and what its failures mean to an operator. */
import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Row, Statement } from "../sql-queries.ts";
import { StoreError } from "../store.ts";

export class SqliteConnection {
  readonly db: DatabaseSync;
  readonly #path: string;
  readonly #statements = new Map<string, StatementSync>();
  readonly #file: number | undefined;

  /** `busyTimeoutMs`: how long to wait, blocking this thread, for another process's write. */
  constructor(path: string, { readOnly, busyTimeoutMs }: { readOnly: boolean; busyTimeoutMs: number }) {
    // Not an import: a runtime without it would then refuse the whole program, though it only wanted another store.
    const sqlite = process.getBuiltinModule?.("node:sqlite");
    if (!sqlite) throw new StoreError("a SQLite record needs Bun 1.4 or Node from 22.13 on");
    this.#path = path;
    this.db = new sqlite.DatabaseSync(path, { readOnly });
    this.db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    this.#file = inodeOf(path);
  }

  /** Whether the file was removed or replaced since it was opened: an open file lives on without a name, and would be lost. */
  get isGone(): boolean {
    return inodeOf(this.#path) !== this.#file;
  }

  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  all({ sql, values }: Statement): Row[] {
    return this.prepare(sql).all(...values) as Row[];
  }

  /** The first column of the first row; 0 if there is none. */
  number({ sql, values }: Statement): number {
    return Number(Object.values(this.all({ sql, values })[0] ?? {})[0] ?? 0);
  }

  /** Runs `body` in one transaction that waits for other writers; what `body` throws rolls it back. */
  transaction<T>(body: () => T): T {
    try {
      this.db.exec("BEGIN IMMEDIATE");
      const result = body();
      this.db.exec("COMMIT");
      return result;
    } catch (error) {
      // SQLite rolls back by itself on some failures, a full disk among them; a second time is then an error.
      try {
        this.db.exec("ROLLBACK");
      } catch {}
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.db.close();
  }
}

/** The file's identity on its disk, or undefined when there is none. Renaming keeps it. */
export function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Primary result codes of SQLite (https://sqlite.org/rescode.html), and the system's of folder and lock. */
const reasons: Readonly<Record<string, string>> = {
  5: "the file is locked by another process",
  6: "the file is locked by another process",
  8: "the file or its folder is read-only",
  10: "the disk reports an error",
  11: "the file is corrupt",
  13: "the disk is full",
  14: "the file cannot be opened",
  26: "the file is not a SQLite database",
  EACCES: "the file or its folder is read-only",
  EPERM: "the file or its folder is read-only",
  EROFS: "the file or its folder is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  EEXIST: "the folder's name is taken by a file",
  ENOTDIR: "the folder's name is taken by a file",
};

/** The failure as a StoreError in an operator's words. */
export function toStoreError(cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  return new StoreError(reasons[primaryCode(cause)] ?? reasons[code ?? ""] ?? message, { cause });
}

/** Whether the file's content is at fault, rather than its surroundings. */
export function isCorruption(error: unknown): boolean {
  const cause = error instanceof StoreError ? error.cause : error;
  return [11, 26].includes(primaryCode(cause));
}

/** The upper bits of a result code only say more about the same failure. */
function primaryCode(error: unknown): number {
  return ((error as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff;
}
