/**
 * Lets one process at a time update a data folder. It saves requests and work; atomic renames keep files whole without it. A
 * lock is ignored if its process has ended, or if it is older than an update can take.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** Longer than an update takes: 30 s for downloads, and seconds for what is compiled. */
const longestMs = 300_000;

interface Holder {
  readonly host: string;
  readonly pid: number;
}

/** Runs `run` with the lock of a folder; resolves with undefined, and runs nothing, if another process has it. */
export async function withLock<Result>(folder: string, run: () => Promise<Result>): Promise<Result | undefined> {
  const path = join(folder, "lock");
  await mkdir(folder, { recursive: true });
  if (!(await take(path)) && !((await removeAbandoned(path)) && (await take(path)))) return undefined;
  try {
    return await run();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify({ host: hostname(), pid: process.pid } satisfies Holder), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Removes a lock whose holder has gone; whether there is none now. */
async function removeAbandoned(path: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(path);
    const holder = parseHolder(await readFile(path, "utf8"));
    // An empty file: its holder is just writing it.
    const isAbandoned = Date.now() - mtimeMs > longestMs || (holder?.host === hostname() && !isAlive(holder.pid));
    if (!isAbandoned) return false;
    // Of several processes that see it, one renames it.
    const own = `${path}.${randomUUID()}.tmp`;
    await rename(path, own);
    await rm(own, { force: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
