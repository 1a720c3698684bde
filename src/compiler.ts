/** The package's entry `whocrawls/compiler`: own catalogues in, a compiled file out. Needs Node or Bun, and an ECMAScript module. */
import { readFile, rm } from "node:fs/promises";
import { temporaryFolder } from "./catalogue/catalogue-cache.ts";
import { type OwnSource, runInProcess } from "./catalogue/catalogue-process.ts";
import { detector as builtIn } from "./detect/built-in/detector.ts";
import { encodeCatalogue } from "./detect/file/catalogue-file.ts";

export type { OwnSource } from "./catalogue/catalogue-process.ts";
export { CatalogueError } from "./catalogue/errors.ts";

/** A compiled catalogue. */
export interface CompiledFile {
  /** For `loadDetector`, and for `--catalogue` as a file. */
  readonly bytes: Uint8Array;
  /** What the author of an own catalogue should know, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Compiles own catalogues, of which later ones take precedence, over the catalogue of this package, in another process. Takes less than a
 * second; with `people`, `remove` or `rules` some seconds. Rejects with CatalogueError, which names every problem with file and line.
 *
 * @example
 * const text = await readFile("own.yaml", "utf8");
 * const { bytes } = await compileCatalogue([{ path: "own.yaml", text }]);
 * const detector = loadDetector(bytes);
 */
export async function compileCatalogue(sources: readonly OwnSource[]): Promise<CompiledFile> {
  const options = { files: sources, cache: { temporary: temporaryFolder() }, storesCompiled: true };
  const { path, warnings } = await runInProcess({ type: "open", options });
  if (path === undefined) return { bytes: encodeCatalogue(builtIn.catalogue), warnings };
  const bytes = await readFile(path);
  await rm(path);
  return { bytes, warnings };
}
