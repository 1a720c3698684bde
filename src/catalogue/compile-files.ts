/** Compiles custom catalogues in this process, as a compiled file (compiled-file.ts). */
import { readFile } from "node:fs/promises";
import { compileCatalogue } from "../compiler/compile-catalogue.ts";
import { planCustom } from "../compiler/custom/compile-custom.ts";
import { type Modification, modify } from "../compiler/custom/modify.ts";
import { DataError } from "../compiler/sources/data-error.ts";
import { detector as builtIn } from "../detect/built-in/detector.ts";
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { findPackagedFile } from "../files/find-packaged-file.ts";
import { changedAt as builtInChangedAt } from "../generated/about.ts";
import { type CompiledFile, decompressSources, parseFile } from "./compiled-file.ts";
import { type CustomFile, readOwnFiles } from "./custom-files.ts";
import { CatalogueError } from "./errors.ts";

/**
 * Applies custom catalogues on top of a compiled one, or of the one in this package; rejects with a CatalogueError that names every problem
 * with file and line.
 */
export async function compileFiles(paths: readonly string[]): Promise<CompiledFile> {
  const { compiled, own, digest } = await readOwnFiles(paths);
  const base = compiled === undefined ? await readBuiltIn() : parseFile(compiled);
  if (own.length === 0) return base;
  try {
    const plan = planCustom(
      own.map((file) => ({ path: file.path, text: toText(file) })),
      base.catalogue,
    );
    const below = plan.modification ? await compileBelow(base, plan.modification) : base.catalogue;
    return { ...plan.finish(below, `.own.${digest.slice(0, 8)}`), changedAt: base.changedAt };
  } catch (error) {
    throw error instanceof DataError ? new CatalogueError(error.problems) : error;
  }
}

/** The catalogue of this package, with its sources. */
export async function readBuiltIn(): Promise<CompiledFile> {
  const sources = await readFile(findPackagedFile("generated/sources.json.br", "sources.json.br"), "base64");
  return { catalogue: builtIn.catalogue, changedAt: builtInChangedAt, sources };
}

function toText({ path, bytes }: CustomFile): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new CatalogueError([`${path}: the file is not UTF-8`]);
  }
}

/** Collects garbage between steps, when most memory can be freed. Node has the function only with the flag set by compile-process.ts. */
function collectGarbage(): void {
  const { Bun: bun, gc } = globalThis as { Bun?: { gc(isNow: boolean): void }; gc?: () => void };
  if (bun === undefined) gc?.();
  else bun.gc(true);
}

/** Takes seconds, and a hundred megabytes. */
async function compileBelow(
  { catalogue, sources }: CompiledFile,
  modification: Modification,
): Promise<CompiledCatalogue> {
  if (sources === undefined)
    throw new CatalogueError([
      "people:, remove:, rules:, and an entry that replaces another without matching all of its strings need the sources of the base catalogue, which this compiled file does not contain: compile all of your catalogues together with whocrawls compile.",
    ]);
  const { wellKnown, verification } = catalogue;
  const modified = modify(await decompressSources(sources), modification);
  return compileCatalogue(modified, { wellKnown, verification }, collectGarbage);
}
