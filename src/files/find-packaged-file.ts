/**
 * Finds the program's own files: workers, pages' files, data. They are in the sources, in dist/, or in the executable of `npm run binary`.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The path of a file; throws an error if it is missing. `source` is its path in the sources, from `src/`; `name` its path in dist/ and in
 * the executable, where this code is in the same folder or in a folder of chunks.
 */
export function findPackagedFile(source: string, name: string): string {
  const candidates = import.meta.url.endsWith(".ts") ? [`../${source}`] : [`./${name}`, `../${name}`];
  const found = candidates
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error(`The file ${name} is missing from the installation.`);
  return found;
}
