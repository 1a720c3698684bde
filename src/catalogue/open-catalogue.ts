/**
 * Opens a catalogue from files: custom catalogues (YAML) on top of the package's catalogue or a compiled file. What was
 * compiled before is loaded from the cache; the rest is compiled in a child process (compile-process.ts).
 */
import { detector as builtIn } from "../detect/built-in/detector.ts";
import { createDetector } from "../detect/create-detector.ts";
import type { Detector } from "../detect/verdict.ts";
import { changedAt as builtInChangedAt } from "../generated/about.ts";
import { type Cached, type CacheFolders, readCache, writeCache } from "./catalogue-cache.ts";
import { type CompileHooks, compileInProcess } from "./compile-process.ts";
import { type CompiledFile, parseFile } from "./compiled-file.ts";
import { readOwnFiles } from "./custom-files.ts";

/** The files to open. */
export interface OpenOptions {
  /** Own catalogues, of which later ones take precedence; the first may be a compiled catalogue. */
  readonly files: readonly string[];
  readonly cache: CacheFolders;
}

/** What an opened catalogue was made from. */
export interface CatalogueFile {
  /** A hash of the files and of the program: the same key is the same catalogue. */
  readonly key: string;
  /** What the author of a custom catalogue should know, a sentence each. */
  readonly warnings: readonly string[];
  /** When the public data in it were changed, in milliseconds since 1970; absent if that is not known. */
  readonly changedAt?: number | undefined;
}

/** An opened catalogue. */
export interface OpenedCatalogue {
  readonly file: CatalogueFile;
  readonly detector: Detector;
}

/** Opens a catalogue; rejects with a CatalogueError that names every problem with file and line. */
export async function openCatalogue(options: OpenOptions, hooks: CompileHooks = {}): Promise<OpenedCatalogue> {
  const { files, cache } = options;
  const { compiled, own, key } = await readOwnFiles(files);
  if (own.length > 0) return toOpened((await readCache(cache, key)) ?? (await compile(options, key, hooks)));
  if (compiled === undefined) return { file: { key, warnings: [], changedAt: builtInChangedAt }, detector: builtIn };
  // Whoever compiled the file has already seen its warnings.
  return toOpened({ ...parseFile(compiled), key, warnings: [] });
}

/** Compiles in another process, and stores the result. */
function compile({ files, cache }: OpenOptions, first: string, hooks: CompileHooks): Promise<Cached> {
  return writeCache(cache, async (path) => {
    let key = first;
    // If files changed in the meantime, compile again: the result may come from either version.
    for (let before = ""; before !== key; ) {
      before = key;
      await compileInProcess(files, path, hooks);
      ({ key } = await readOwnFiles(files));
    }
    return key;
  });
}

function toOpened({
  key,
  catalogue,
  warnings = [],
  changedAt,
}: CompiledFile & { readonly key: string }): OpenedCatalogue {
  return { file: { key, warnings, changedAt }, detector: createDetector(catalogue) };
}
