/** Makes a detector of the bytes of a compiled catalogue. */
import { createDetector } from "../create-detector.ts";
import type { Detector } from "../verdict.ts";
import { parseCatalogueFile } from "./catalogue-file.ts";

/**
 * Makes a detector of a compiled catalogue, a file that `whocrawls compile` or `compileCatalogue` of `whocrawls/compiler` wrote.
 * Takes a few milliseconds. Works wherever the package does, browsers and workers included. Throws an error with the name
 * CatalogueFileError for other bytes, for a damaged file, and for a format of another version.
 *
 * @example
 * const detector = loadDetector(await readFile("acme.catalogue"));
 * detector.check("AcmeMonitor/2.1").name; // "Acme Monitor"
 */
export function loadDetector(bytes: Uint8Array): Detector {
  // Not by instanceof, because each realm of a process has its own class.
  if (!ArrayBuffer.isView(bytes))
    throw new TypeError("loadDetector() takes the bytes of a compiled catalogue as a Uint8Array.");
  return createDetector(parseCatalogueFile(bytes));
}
