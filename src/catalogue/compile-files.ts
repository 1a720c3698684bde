/** Compiles own catalogues in this process, and stores the result as a file (catalogue-cache.ts). */
import { planOwn } from "../compiler/own/compile-own.ts";
import { compileModified, type Modification } from "../compiler/own/modify.ts";
import { DataError } from "../compiler/sources/data-error.ts";
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { writeSections } from "../detect/file/sections.ts";
import type { BaseCatalogue } from "./base-catalogue.ts";
import { writeCache } from "./catalogue-cache.ts";
import type { CatalogueFile, OpenOptions } from "./catalogue-process.ts";
import { parseSources } from "./check-catalogue.ts";
import { CatalogueError } from "./errors.ts";
import {
  findCompiled,
  type OwnFile,
  type Reading,
  readFiles,
  toCatalogueFile,
  toPlace,
  withPaths,
} from "./open-catalogue.ts";

export interface CompileOptions {
  /** Called when compiling begins; it does not if the catalogue is stored already. */
  readonly onCompile?: () => void;
  /** What own catalogues are laid over; absent: the downloaded data or the catalogue of the package. */
  readonly base?: BaseCatalogue;
}

/** Compiles what was not compiled before; rejects with a CatalogueError that names every problem with file and line. */
export async function compileFiles(
  options: OpenOptions,
  { onCompile, base }: CompileOptions = {},
): Promise<CatalogueFile> {
  const reading = await readFiles(options, base);
  const found = await findCompiled(reading, options);
  if (found !== undefined) return found.file;
  onCompile?.();
  try {
    const { catalogue, warnings } = await compileOwn(reading);
    const path = await writeCache(options.cache, reading.key, writeSections({ ...catalogue, warnings }));
    return toCatalogueFile(reading, catalogue, path, warnings);
  } catch (error) {
    throw error instanceof DataError ? new CatalogueError(withPaths(error.problems, reading.own)) : error;
  }
}

/** Warnings and problems have places instead of paths. */
async function compileOwn({ below, own, key }: Reading): Promise<{ catalogue: CompiledCatalogue; warnings: string[] }> {
  const { catalogue } = below.detector;
  const plan = planOwn(
    own.map((file, index) => ({ path: toPlace(index), text: toText(file) })),
    catalogue,
  );
  const modified = plan.modification && (await modify(below, plan.modification));
  return plan.finish(modified ?? catalogue, `.own.${key.slice(0, 8)}`);
}

function toText({ path, bytes }: OwnFile): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new CatalogueError([`${path}: it is not UTF-8`]);
  }
}

/** Between steps, when most of the memory is free. Node has the function only with the flag of catalogue-process.ts. */
function collectGarbage(): void {
  const { Bun: bun, gc } = globalThis as { Bun?: { gc(isNow: boolean): void }; gc?: () => void };
  if (bun === undefined) gc?.();
  else bun.gc(true);
}

async function modify(
  { readSources, detector }: BaseCatalogue,
  modification: Modification,
): Promise<CompiledCatalogue> {
  if (readSources === undefined)
    throw new CatalogueError([
      "people:, remove: and rules: cannot be laid over a compiled catalogue, which has no sources: compile all own catalogues together, with whocrawls compile.",
    ]);
  const { wellKnown, verification } = detector.catalogue;
  const sources = parseSources(await readSources());
  return compileModified(sources, modification, { wellKnown, verification }, collectGarbage);
}
