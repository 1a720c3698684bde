/** Finds files that belong to the program, in the sources and in the package. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The path of a file: from `source`, its path beside the sources, or in dist, where it is beside or above the chunk with this
 * code.
 */
export function findPackagedFile(source: string, name: string): string {
  const candidates = import.meta.url.endsWith(".ts") ? [source] : [`./${name}`, `../${name}`];
  const found = candidates
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error(`The file ${name} is missing from the installation.`);
  return found;
}
