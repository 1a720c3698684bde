/**
 * Compiled catalogues as files, by the hash of what they were compiled from: a file never changes, so other processes can read it by
 * its path. The two most recently used are kept.
 */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { parseCatalogueFile } from "../detect/file/catalogue-file.ts";
import { CatalogueFileError } from "../detect/file/sections.ts";
import { replaceFile } from "../files/replace-file.ts";
import { CatalogueError, isFileProblem } from "./errors.ts";

/** Where compiled catalogues are stored. */
export interface CacheFolders {
  /** Absent: only `temporary` is used. */
  readonly folder?: string | undefined;
  /** Used if `folder` cannot be written; it need not exist. */
  readonly temporary: string;
}

/** A stored catalogue. */
export interface Cached {
  readonly path: string;
  readonly catalogue: CompiledCatalogue;
  /** What compiling it warned of. */
  readonly warnings: readonly string[];
}

const kept = 2;
const ending = ".catalogue";
/** Files of this cache, finished and unfinished; no other file is touched. */
const cacheName = /^[0-9a-f]{64}\.catalogue(?:\.[0-9a-f-]{36}\.tmp)?$/;

/** The folder for commands, in the user's folder of caches; undefined for a user without a home, which containers may have. */
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

/** The stored catalogue; undefined if there is none, or a damaged one. */
export async function readCache({ folder, temporary }: CacheFolders, key: string): Promise<Cached | undefined> {
  return (folder && (await readStored(join(folder, key + ending)))) || readStored(join(temporary, key + ending));
}

async function readStored(path: string): Promise<Cached | undefined> {
  try {
    const stored = parseStored(await readFile(path));
    const now = new Date();
    await utimes(path, now, now).catch(() => {});
    return { path, ...stored };
  } catch (error) {
    // The catalogue is compiled again.
    if (error instanceof CatalogueFileError || isFileProblem(error)) return undefined;
    throw error;
  }
}

/** The catalogue of a stored file, and what compiling it warned of; throws a CatalogueFileError. */
export function parseStored(bytes: Uint8Array): Omit<Cached, "path"> {
  const catalogue: CompiledCatalogue & { warnings?: readonly string[] } = parseCatalogueFile(bytes);
  const { warnings = [] } = catalogue;
  // A catalogue that is made of this one does not inherit them.
  delete catalogue.warnings;
  return { catalogue, warnings };
}

/** Stores a catalogue's bytes; returns the path. Rejects with a CatalogueError if neither folder can be written. */
export async function writeCache(folders: CacheFolders, key: string, bytes: Uint8Array): Promise<string> {
  const problems: string[] = [];
  for (const folder of [folders.folder, folders.temporary]) {
    if (folder === undefined) continue;
    try {
      const options = folder === folders.temporary ? { mode: 0o700 } : { recursive: true };
      await mkdir(folder, options).catch(ignoreExisting);
      return await write(folder, key, bytes);
    } catch (error) {
      if (!isFileProblem(error)) throw error;
      problems.push(`${folder}: a compiled catalogue cannot be stored: ${error.message}`);
    }
  }
  throw new CatalogueError(problems);
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

async function write(folder: string, key: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, key + ending);
  await replaceFile(path, bytes);
  await removeOld(folder).catch(() => {});
  return path;
}

/** Removes the files that were not used for longest, and what a process left that was killed while it wrote. */
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
