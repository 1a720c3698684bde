/** Opening a SQLite file one process at a time, and setting a corrupt one aside; nothing is ever deleted. */
import { existsSync, mkdirSync, renameSync, rmdirSync, statSync } from "node:fs";
import { StoreError } from "./store.ts";

/** A process that was killed while it opened the file leaves its lock behind; it counts no longer than this. */
const staleLockMs = 10_000;
const waitForLockMs = 1000;

/** The file's identity on its disk, or undefined when there is none. Renaming keeps it. */
export function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/**
 * Runs `body` while no other process opens the file at `path`. Workers start together and would find a corrupt file at
 * the same moment: the second must not rename the first one's new file, nor open it between the file and its `-wal`
 * being renamed. A directory is the lock, made or refused in one step. Blocks the thread; throws StoreError.
 */
export function whileOpening<T>(path: string, body: () => T): T {
  const lock = `${path}.opening`;
  for (const deadline = Date.now() + waitForLockMs; ; ) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const held = statSync(lock, { throwIfNoEntry: false });
    if (held && Date.now() - held.mtimeMs > staleLockMs) rmdirSync(lock);
    else if (Date.now() > deadline) throw new StoreError("another process is opening the file");
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
  try {
    return body();
  } finally {
    rmdirSync(lock);
  }
}

/**
 * Renames the file at `path`, its `-wal` and its `-shm` to `<path>.corrupt-<time>…` and returns the new name, or
 * undefined when `path` is no longer the file `inode` that was found corrupt. Call it inside `whileOpening`.
 */
export function setAside(path: string, inode: number | undefined): string | undefined {
  if (inode === undefined || inodeOf(path) !== inode) return undefined;
  const stamp = new Date().toISOString().replace(/[-:.]/g, "");
  let aside = `${path}.corrupt-${stamp}`;
  for (let n = 2; existsSync(aside); n++) aside = `${path}.corrupt-${stamp}-${n}`;
  for (const suffix of ["-wal", "-shm", ""]) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  return aside;
}
