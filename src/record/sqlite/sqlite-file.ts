/** The file of a SQLite record: makes it with its schema, opens it one process at a time, and keeps a corrupt one aside. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, renameSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { StoreError } from "../store.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

const waitForLockMs = 1000;

/** Marks the file as a record of this program; "whoC" in ASCII. */
const applicationId = 0x77686f43;
const schemaVersion = 3;

// `folded` is what a search compares where `lower`, which knows the letters of ASCII only, would not do.
const schema = `
  CREATE TABLE strings (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    useragent TEXT NOT NULL,
    truncated INTEGER NOT NULL,
    crawler INTEGER NOT NULL,
    name TEXT,
    operator TEXT,
    category TEXT,
    count INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    folded TEXT
  ) STRICT;
  CREATE INDEX strings_last_seen ON strings (last_seen, id);
  CREATE TABLE traffic (
    hour INTEGER NOT NULL,
    dimension TEXT NOT NULL,
    value TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (hour, dimension, value)
  ) STRICT, WITHOUT ROWID;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${schemaVersion};`;

/**
 * Makes the file, which only its owner may read, and its folder where they are missing; returns its path without links. Takes the rights
 * of others from a file that exists, such as a restored one, unless another user owns it. SQLite gives `-wal` and `-shm` the same rights.
 */
export function makeFile(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  try {
    return makeOnce(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // Another process has renamed a corrupt file between two of the steps.
    return makeOnce(path);
  }
}

function makeOnce(path: string): string {
  // Not by a descriptor of a file that exists: closing it would end this process's locks on the file.
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
  else if ((statSync(path).mode & 0o077) !== 0) {
    try {
      chmodSync(path, 0o600);
    } catch (error) {
      if (!["EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
  return realpathSync(path);
}

/**
 * Runs `body` while no other process opens the file at `path`. Workers start together and would find a corrupt file at
 * the same moment: the second must not rename the first one's new file, nor open it between the file and its `-wal`
 * being renamed. The lock is SQLite's own on an empty file beside it: the system lets go of it when its process ends,
 * however it ends. Blocks the thread; throws what SQLite throws.
 */
export function whileOpening<T>(path: string, body: () => T): T {
  const lock = new SqliteConnection(`${path}.lock`, { readOnly: false, busyTimeoutMs: waitForLockMs });
  try {
    lock.db.exec("BEGIN EXCLUSIVE");
    return body();
  } finally {
    lock.close();
  }
}

/** Whether the file at `path` has no tables yet. Writes nothing; throws StoreError for a file that this program cannot use. */
export function isNewFile(path: string, connection: SqliteConnection): boolean {
  const numberOf = (sql: string) => connection.number({ sql, values: [] });
  const isEmpty = numberOf("SELECT count(*) FROM sqlite_schema") === 0;
  const version = numberOf("PRAGMA user_version");
  if (isEmpty && version === 0) return true;
  const isForeign = !isEmpty && numberOf("PRAGMA application_id") !== applicationId;
  if (!isForeign && version === schemaVersion) return false;
  const fault = isForeign
    ? "is a SQLite database of another program"
    : `has schema version ${version}, and this program uses version ${schemaVersion}`;
  throw new StoreError(`${basename(path)} ${fault}: move the file away, or set record to another file`);
}

/** Makes the tables, all or none. */
export function makeTables(connection: SqliteConnection): void {
  connection.transaction(() => connection.db.exec(schema));
}

/** Renames the file, its `-wal` and its `-shm` to `<path>.corrupt-<time>…`, and returns that name. Call it inside `whileOpening`. */
export function quarantine(path: string): string {
  const stamp = new Date().toISOString().replace(/[-:.]/g, "");
  let name = `${path}.corrupt-${stamp}`;
  for (let n = 2; existsSync(name); n++) name = `${path}.corrupt-${stamp}-${n}`;
  for (const suffix of ["-wal", "-shm", ""]) if (existsSync(path + suffix)) renameSync(path + suffix, name + suffix);
  return name;
}
