/** Opens the catalogue that a user has given: a compiled file. */
import { readFile } from "node:fs/promises";
import { loadDetector } from "../../detect/file/load-detector.ts";
import type { Detector } from "../../detect/verdict.ts";

export interface OpenOptions {
  /** Paths; the later file wins. */
  readonly files: readonly string[];
  /** Where compiled catalogues are kept. */
  readonly cacheFolder: string;
}

/** Opens the catalogue of files; rejects with an error that names the file and the line. */
export async function openCatalogue({ files }: OpenOptions): Promise<{ detector: Detector; warnings: string[] }> {
  const [file, ...others] = files.toReversed();
  if (file === undefined || others.length > 0) throw new Error("Give one compiled catalogue.");
  try {
    return { detector: loadDetector(await readFile(file)), warnings: [] };
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}
