/**
 * Stores compiled catalogues as files, named by the hash of their sources: a file never changes, so several processes can
 * read it. Keeps the two most recently used files. Never reads a file that another user may have written.
 */
import { randomUUID } from "node:crypto";
import { rmSync, type Stats } from "node:fs";
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { CatalogueFileError } from "../detect/file/sections.ts";
import { type CompiledFile, parseCompiledFile } from "./compiled-file.ts";
import { CatalogueError, isFileProblem } from "./errors.ts";

/** Where compiled catalogues are stored. */
export interface CacheFolders {
  /** Absent: only `temporary` is used. */
  readonly folder?: string | undefined;
  /** Used if `folder` cannot be written; it need not exist. */
  readonly temporary: string;
}

/** A stored catalogue. */
export type Cached = CompiledFile & { readonly key: string };

const kept = 2;
const ending = ".catalogue";
/** Files of this cache, complete or temporary; no other file is touched. */
const cacheName = /^(?:[0-9a-f]{64}\.catalogue|[0-9a-f-]{36}\.tmp)$/;

/** The cache folder for commands, in the user's cache directory; undefined for a user without a home directory, as in some containers. */
export function userCacheFolder(env: Readonly<Record<string, string | undefined>> = process.env): string | undefined {
  const { XDG_CACHE_HOME: folder = "" } = env;
  try {
    return join(isAbsolute(folder) ? folder : join(homedir(), ".cache"), "whocrawls", "catalogues");
  } catch {
    return undefined;
  }
}

let temporary: string | undefined;

/** The name of this process's private folder, which is removed when the process exits. */
export function temporaryFolder(): string {
  if (temporary !== undefined) return temporary;
  const name = join(tmpdir(), `whocrawls-${randomUUID()}`);
  process.once("exit", () => rmSync(name, { recursive: true, force: true }));
  temporary = name;
  return name;
}

/** The stored catalogue; undefined if there is none, a damaged one, or one that another user may have written. */
export async function readCache({ folder, temporary }: CacheFolders, key: string): Promise<Cached | undefined> {
  return (folder && (await readStored(folder, key))) || readStored(temporary, key);
}

async function readStored(folder: string, key: string): Promise<Cached | undefined> {
  const path = join(folder, key + ending);
  try {
    const file = await open(path);
    try {
      const stats = await file.stat();
      // Others may have written it.
      if (!isMine(stats) || (stats.mode & 0o022) !== 0) return undefined;
      const stored = parseCompiledFile(await file.readFile());
      const now = new Date();
      await utimes(path, now, now).catch(() => {});
      return { key, ...stored };
    } finally {
      await file.close();
    }
  } catch (error) {
    // The catalogue is compiled again.
    if (error instanceof CatalogueFileError || isFileProblem(error)) return undefined;
    throw error;
  }
}

/** Windows has no such permissions. */
function isMine({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/**
 * Stores the file that `write` writes to a path, under the key that it resolves with. Rejects with its error, or with a CatalogueError
 * if neither folder can be written.
 */
export async function writeCache(folders: CacheFolders, write: (path: string) => Promise<string>): Promise<Cached> {
  const folder = await findPrivate(folders);
  const unfinished = join(folder, `${randomUUID()}.tmp`);
  try {
    const key = await write(unfinished);
    const path = join(folder, key + ending);
    await chmod(unfinished, 0o600);
    await rename(unfinished, path);
    await removeOld(folder).catch(() => {});
    return { key, ...parseCompiledFile(await readFile(path)) };
  } finally {
    await rm(unfinished, { force: true }).catch(() => {});
  }
}

/** The first writable folder; only this user has access to it. */
async function findPrivate({ folder, temporary }: CacheFolders): Promise<string> {
  const problems: string[] = [];
  for (const place of [folder, temporary]) {
    if (place === undefined) continue;
    const problem = await makePrivate(place);
    if (problem === undefined) return place;
    problems.push(`${place}: a compiled catalogue cannot be stored: ${problem}`);
  }
  throw new CatalogueError(problems);
}

/** Makes a folder that only this user can access; resolves with the reason if that fails. */
async function makePrivate(folder: string): Promise<string | undefined> {
  try {
    await mkdir(folder, { recursive: true });
    if (!isMine(await stat(folder))) return "the folder belongs to another user";
    await chmod(folder, 0o700);
    return undefined;
  } catch (error) {
    if (!isFileProblem(error)) throw error;
    return error.message;
  }
}

/** Removes the least recently used files, and temporary files left by processes that were killed while writing. */
async function removeOld(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => cacheName.test(name));
  const files = await Promise.all(
    names.map(async (name) => ({ name, usedAt: (await stat(join(folder, name))).mtimeMs })),
  );
  files.sort((a, b) => b.usedAt - a.usedAt);
  const anHourAgo = Date.now() - 3_600_000;
  const finished = files.filter(({ name }) => name.endsWith(ending));
  const abandoned = files.filter(({ name, usedAt }) => !name.endsWith(ending) && usedAt < anHourAgo);
  for (const { name } of [...finished.slice(kept), ...abandoned]) await rm(join(folder, name), { force: true });
}
