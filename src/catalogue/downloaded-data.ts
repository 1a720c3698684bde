/**
 * The downloaded data in the folder `updates` of a data folder: the current file and the previous one, and nothing else. Files are
 * replaced at once, so a process that is killed at any moment leaves whole files.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DataFile, parseDataFile } from "./data-file.ts";
import { isFileProblem, UpdateError } from "./errors.ts";

/** A file of the folder. */
export interface StoredData {
  readonly bytes: Uint8Array;
  /** Absent if the file cannot be used. */
  readonly data?: DataFile;
  /** Why it cannot be used. */
  readonly problem?: string;
}

type Name = "current" | "previous";

/** The path of a file in a data folder. */
export function dataPath(dataFolder: string, name: Name): string {
  return join(dataFolder, "updates", `${name}.data`);
}

/** Reads a file; undefined if it is not there. */
export async function readStored(dataFolder: string, name: Name): Promise<StoredData | undefined> {
  let bytes: Uint8Array = new Uint8Array();
  try {
    bytes = await readFile(dataPath(dataFolder, name));
    return { bytes, data: parseDataFile(bytes) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : { bytes, problem: message };
  }
}

/** Replaces files in this order, or removes those without bytes. Rejects with an UpdateError if the folder cannot be written. */
export async function storeData(
  dataFolder: string,
  files: readonly (readonly [name: Name, bytes: Uint8Array | undefined])[],
): Promise<void> {
  const folder = join(dataFolder, "updates");
  const unfinished = files.map(() => join(folder, `${randomUUID()}.tmp`));
  try {
    await mkdir(folder, { recursive: true });
    for (const [at, [, bytes]] of files.entries())
      if (bytes) await writeFile(unfinished[at]!, bytes, { flag: "wx", flush: true });
    for (const [at, [name, bytes]] of files.entries()) {
      const path = dataPath(dataFolder, name);
      await (bytes ? rename(unfinished[at]!, path) : rm(path, { force: true }));
    }
    await removeAbandoned(folder).catch(() => {});
  } catch (error) {
    for (const path of unfinished) await rm(path, { force: true }).catch(() => {});
    if (!isFileProblem(error)) throw error;
    throw new UpdateError(`${folder} cannot be written: ${error.message}. The data are as they were.`);
  }
}

/** Removes what a process left that was killed more than an hour ago. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((name) => name.endsWith(".tmp"))) {
    const path = join(folder, name);
    if ((await stat(path)).mtimeMs < Date.now() - 3_600_000) await rm(path, { force: true });
  }
}
