/** Compiled catalogues in a folder, by the hash of their sources. The two most recently used are kept. */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { parseCatalogueFile } from "../detect/file/catalogue-file.ts";
import { CatalogueFileError, writeSections } from "../detect/file/sections.ts";
import { isFileProblem } from "./file-problem.ts";

/** A catalogue, and what compiling it warned of. */
export interface Compiled {
  readonly catalogue: CompiledCatalogue;
  readonly warnings: readonly string[];
}

const kept = 2;
const ending = ".catalogue";
/** Files of this cache, finished and unfinished; no other file is touched. */
const cacheName = /^[0-9a-f]{64}\.catalogue(?:\.[0-9a-f-]{36}\.tmp)?$/;

/** The folder for commands: that of the user's caches. */
export function userCacheFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const { XDG_CACHE_HOME: folder = "" } = env;
  return join(isAbsolute(folder) ? folder : join(homedir(), ".cache"), "whocrawls");
}

/** The cached catalogue; undefined if there is none, or a damaged one. */
export async function readCache(folder: string, key: string): Promise<Compiled | undefined> {
  const path = join(folder, key + ending);
  try {
    const catalogue = parseCatalogueFile(await readFile(path));
    const now = new Date();
    await utimes(path, now, now).catch(() => {});
    return { catalogue, warnings: (catalogue as { readonly warnings?: readonly string[] }).warnings ?? [] };
  } catch (error) {
    // It is compiled again, and overwritten.
    if (error instanceof CatalogueFileError || isFileProblem(error)) return undefined;
    throw error;
  }
}

/** Stores a catalogue, and removes those that were not used for longest. Without a folder that can be written, does nothing. */
export async function writeCache(folder: string, key: string, { catalogue, warnings }: Compiled): Promise<void> {
  const path = join(folder, key + ending);
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(temporary, writeSections({ ...catalogue, warnings }));
    await rename(temporary, path);
    await removeOld(folder);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    if (!isFileProblem(error)) throw error;
  }
}

/** Also what a process left that was killed while it wrote. */
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
