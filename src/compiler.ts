/** The package's entry `whocrawls/compiler`: own catalogues in, a compiled file out. Needs Node or Bun, and an ECMAScript module. */

import { compileOwn } from "./catalogue/open-catalogue.ts";
import { encodeCatalogue } from "./detect/file/catalogue-file.ts";

export { CatalogueError } from "./catalogue/catalogue-error.ts";

/** An own catalogue: its text, and the path that errors name. */
export interface OwnSource {
  readonly path: string;
  readonly text: string;
}

/** A compiled catalogue. */
export interface CompiledFile {
  /** For `loadDetector`, and for `--catalogue` as a file. */
  readonly bytes: Uint8Array;
  /** What the author of an own catalogue should know, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Compiles own catalogues, of which later ones prevail, over the catalogue of this package. Takes milliseconds; with `people`,
 * `remove` or `rules` some seconds, in another process that takes up to 170 MB. Rejects with CatalogueError, which names every
 * problem with file and line.
 *
 * @example
 * const text = await readFile("own.yaml", "utf8");
 * const { bytes } = await compileCatalogue([{ path: "own.yaml", text }]);
 * const detector = loadDetector(bytes);
 */
export async function compileCatalogue(sources: readonly OwnSource[]): Promise<CompiledFile> {
  const files = sources.map(({ path, text }) => ({ path, bytes: new TextEncoder().encode(text) }));
  const { catalogue, warnings } = await compileOwn(files);
  return { bytes: encodeCatalogue(catalogue), warnings };
}
