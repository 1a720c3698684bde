/** The package's entry `whocrawls/compiler`: custom catalogues in, a compiled file out. Needs Node or Bun, and an ECMAScript module. */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "./catalogue/catalogue-cache.ts";
import { compileInProcess } from "./catalogue/compile-process.ts";
import { parseCompiledFile } from "./catalogue/compiled-file.ts";
import { CatalogueError } from "./catalogue/errors.ts";
import { detector as builtIn } from "./detect/built-in/detector.ts";
import { encodeCatalogue } from "./detect/file/catalogue-file.ts";

export { CatalogueError } from "./catalogue/errors.ts";

/** A custom catalogue: its text, and the path that errors name. */
export interface CustomSource {
  readonly path: string;
  readonly text: string;
}

/** A compiled catalogue. */
export interface CompiledFile {
  /** For `loadDetector`, and for `--catalogue` as a file. */
  readonly bytes: Uint8Array;
  /** What the author of a custom catalogue should know, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Compiles custom catalogues, of which later ones take precedence, over the catalogue of this package, in another process. Takes less than a
 * second; with `people`, `remove` or `rules` some seconds. Rejects with CatalogueError, which names every problem with file and line.
 *
 * @example
 * const text = await readFile("own.yaml", "utf8");
 * const { bytes } = await compileCatalogue([{ path: "own.yaml", text }]);
 * const detector = loadDetector(bytes);
 */
export async function compileCatalogue(sources: readonly CustomSource[]): Promise<CompiledFile> {
  if (sources.length === 0) return { bytes: encodeCatalogue(builtIn.catalogue), warnings: [] };
  const folder = join(temporaryFolder(), randomUUID());
  const files = sources.map((_, index) => join(folder, `${index}.yaml`));
  // Restores the callers' paths in problems and warnings.
  const withPaths = (sentences: readonly string[] = []): string[] =>
    sentences.map((sentence) => files.reduce((text, file, at) => text.replaceAll(file, sources[at]!.path), sentence));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    for (const [at, { text }] of sources.entries()) await writeFile(files[at]!, text);
    const target = join(folder, "compiled");
    await compileInProcess(files, target);
    const bytes = await readFile(target);
    return { bytes, warnings: withPaths(parseCompiledFile(bytes).warnings) };
  } catch (error) {
    throw error instanceof CatalogueError ? new CatalogueError(withPaths(error.problems)) : error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
