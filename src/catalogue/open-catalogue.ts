/**
 * Opens the catalogue that files describe: own catalogues (YAML), laid over the one of the package or over a compiled file. What was
 * compiled before is loaded; the rest is compiled by a process of its own (compile-process.ts).
 */
import { readFile, writeFile } from "node:fs/promises";
import { detector as builtIn } from "../detect/built-in/detector.ts";
import { createDetector } from "../detect/create-detector.ts";
import type { Detector } from "../detect/verdict.ts";
import { changedAt as builtInChangedAt } from "../generated/about.ts";
import { type Cached, type CacheFolders, readCache, writeCache } from "./catalogue-cache.ts";
import { type CompileHooks, compileInProcess } from "./compile-process.ts";
import { type CompiledFile, parseCompiledFile, parseFile } from "./compiled-file.ts";
import { readOwnFiles } from "./own-files.ts";

/** The files to open. */
export interface OpenOptions {
  /** Own catalogues, of which later ones take precedence; the first may be a compiled catalogue. */
  readonly files: readonly string[];
  readonly cache: CacheFolders;
  /** Whether a compiled file that is used as it is, is stored, too: for processes that read it later. */
  readonly storesCompiled?: boolean;
}

/** An opened catalogue, for every process: its file never changes. */
export interface CatalogueFile {
  /** Absent: the catalogue of this package, or a compiled file that was not stored. */
  readonly path?: string | undefined;
  readonly version: string;
  readonly entries: number;
  /** What the author of an own catalogue should know, a sentence each. */
  readonly warnings: readonly string[];
  /** When the public data in it were changed, in milliseconds since 1970; absent if that is not known. */
  readonly changedAt?: number | undefined;
}

/** An opened catalogue for this process. */
export interface OpenedCatalogue {
  readonly file: CatalogueFile;
  readonly detector: Detector;
}

/** Opens a catalogue; rejects with a CatalogueError that names every problem with file and line. */
export async function openCatalogue(options: OpenOptions, hooks: CompileHooks = {}): Promise<OpenedCatalogue> {
  const { files, cache, storesCompiled = false } = options;
  const { compiled, own, key } = await readOwnFiles(files);
  if (own.length > 0) return toOpened((await readCache(cache, key)) ?? (await compile(options, key, hooks)));
  if (compiled === undefined) return toOpened({ catalogue: builtIn.catalogue, changedAt: builtInChangedAt }, builtIn);
  // Who compiled the file has seen what compiling it warned of.
  const file = { ...parseFile(compiled), warnings: [] };
  if (!storesCompiled) return toOpened(file);
  const write = async (path: string): Promise<string> => {
    await writeFile(path, compiled.bytes);
    return key;
  };
  const { path } = await writeCache(cache, write);
  return toOpened({ ...file, path });
}

/** Compiles in another process, and stores the result. */
function compile({ files, cache }: OpenOptions, first: string, hooks: CompileHooks): Promise<Cached> {
  return writeCache(cache, async (path) => {
    let key = first;
    // Files that have changed meanwhile are compiled again: what was compiled may be of either content.
    for (let before = ""; before !== key; ) {
      before = key;
      await compileInProcess(files, path, hooks);
      ({ key } = await readOwnFiles(files));
    }
    return key;
  });
}

function toOpened(
  { path, catalogue, warnings = [], changedAt }: CompiledFile & { readonly path?: string },
  detector = createDetector(catalogue),
): OpenedCatalogue {
  const { version, entries } = catalogue;
  return { file: { path, version, entries, warnings, changedAt }, detector };
}

/** The detector of an opened catalogue. */
export async function loadCatalogueFile({ path }: CatalogueFile): Promise<Detector> {
  return path === undefined ? builtIn : createDetector(parseCompiledFile(await readFile(path)).catalogue);
}
