/** The catalogue that a service works with if it has no own ones: that of the package, or downloaded data that are newer. */
import { readFile } from "node:fs/promises";
import { type BaseCatalogue, builtInCatalogue, toBaseCatalogue } from "../base-catalogue.ts";
import { parseDataFile } from "./data-file.ts";
import { createDataStore } from "./data-store.ts";

export interface DownloadedBase {
  readonly base: BaseCatalogue;
  /** Why downloaded data are not used, a sentence each. */
  readonly warnings: readonly string[];
}

/** The version of this program. */
export const programVersion = builtInCatalogue.detector.version.split("+")[0]!;

/** The newer of the built-in data and the downloaded ones in a data folder. Data that cannot be used are a warning. */
export async function openDownloadedBase(dataFolder: string): Promise<DownloadedBase> {
  const { currentPath } = createDataStore(dataFolder);
  try {
    const bytes = await readFile(currentPath);
    const { manifest } = parseDataFile(bytes, programVersion);
    const base = toBaseCatalogue(bytes);
    if (isNewer(base, builtInCatalogue)) return { base, warnings: [] };
    return {
      base: builtInCatalogue,
      warnings: [`the downloaded data of ${manifest.date} are not newer than those of this program, which are used`],
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { base: builtInCatalogue, warnings: [] };
    const reason = `${currentPath}: ${(error as Error).message}`;
    return {
      base: builtInCatalogue,
      warnings: [`the downloaded data cannot be used, those of this program are: ${reason}`],
    };
  }
}

function isNewer(one: BaseCatalogue, other: BaseCatalogue): boolean {
  return (one.changedAt ?? 0) > (other.changedAt ?? 0);
}
