/** A plugin of bundles for Node and Bun: other tables in place of src/detect/built-in/tables.ts. */
import { fileURLToPath } from "node:url";
import type { BunPlugin } from "bun";

const folder = fileURLToPath(new URL("../src/detect/built-in/", import.meta.url));

/** Resolves imports of the tables to `target`. */
export function replaceTables(target: { readonly path: string; readonly external?: boolean }): BunPlugin {
  return {
    name: "replace tables",
    setup(build) {
      build.onResolve({ filter: /^\.\/tables\.ts$/ }, ({ importer }) =>
        importer.startsWith(folder) ? target : undefined,
      );
    },
  };
}
