/** The package's entry `whocrawls/compiler`: custom catalogues in, a compiled file out. Needs Node or Bun, and an ECMAScript module. */
import { checkSize } from "./catalogue/custom-files.ts";
import { compileOpened, openTexts } from "./catalogue/open-catalogue.ts";
import { DataError } from "./compiler/sources/data-error.ts";
import { detector as builtIn } from "./detect/built-in/detector.ts";
import { encodeCatalogue } from "./detect/file/catalogue-file.ts";
import { toReadProblem } from "./text/errors.ts";

export { DataError as CatalogueError } from "./compiler/sources/data-error.ts";

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
 * Compiles custom catalogues, of which later ones take precedence, over the catalogue of this package. Takes less than a second; with
 * `people`, `remove` or `rules` some seconds, during which the process does little else. Rejects with CatalogueError, which names every
 * problem with file and line.
 *
 * @example
 * const text = await readFile("own.yaml", "utf8");
 * const { bytes } = await compileCatalogue([{ path: "own.yaml", text }]);
 * const detector = loadDetector(bytes);
 */
export async function compileCatalogue(sources: readonly CustomSource[]): Promise<CompiledFile> {
  if (sources.length === 0) return { bytes: encodeCatalogue(builtIn.catalogue), warnings: [] };
  const opened = await openTexts(sources.map(toFile));
  return { bytes: compileOpened(opened), warnings: opened.file.warnings };
}

function toFile({ path, text }: CustomSource) {
  try {
    return checkSize({ path, bytes: new TextEncoder().encode(text) });
  } catch (error) {
    throw new DataError([`${path}: cannot be read: ${toReadProblem(error)}`]);
  }
}
