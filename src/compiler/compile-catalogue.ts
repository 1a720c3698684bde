/** The compiler's one entry: the texts of the data in, a compiled catalogue out. Pure: the caller reads and writes files. */
import type { CompiledCatalogue } from "../detect/compiled-catalogue.ts";
import { compileLoaded } from "./compile-loaded.ts";
import { type CatalogueSource, loadCatalogue } from "./sources/load.ts";

/** What a catalogue is compiled from. */
export interface CompileSources extends CatalogueSource {
  /** Strings of common browsers. Strings that begin like them are decided fastest. */
  readonly browsers: readonly string[];
}

/**
 * Compiles a catalogue; takes seconds. Throws DataError that names every problem with file and line.
 *
 * @example
 * const detector = createDetector(compileCatalogue(sources));
 * detector.check("Googlebot/2.1").name; // "Googlebot"
 */
export function compileCatalogue(sources: CompileSources): CompiledCatalogue {
  return compileLoaded(loadCatalogue(sources), sources.browsers);
}
