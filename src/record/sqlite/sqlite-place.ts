/** The place of a SQLite file: making it, opening it one process at a time, and putting a corrupt one into quarantine. */
import { closeSync, existsSync, mkdirSync, openSync, realpathSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { SqliteConnection } from "./sqlite-connection.ts";

const waitForLockMs = 1000;

/**
 * Makes the file, which only its owner may read, and its folder where they are missing; returns its path without links.
 * SQLite gives `-wal` and `-shm` the same rights.
 */
export function makeFile(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
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

/** Renames the file, its `-wal` and its `-shm` to `<path>.corrupt-<time>…`, and returns that name. Call it inside `whileOpening`. */
export function quarantine(path: string): string {
  const stamp = new Date().toISOString().replace(/[-:.]/g, "");
  let name = `${path}.corrupt-${stamp}`;
  for (let n = 2; existsSync(name); n++) name = `${path}.corrupt-${stamp}-${n}`;
  for (const suffix of ["-wal", "-shm", ""]) if (existsSync(path + suffix)) renameSync(path + suffix, name + suffix);
  return name;
}
