/** Reads the catalogue's files and the npm package from disk, as input for `src/compiler/`. */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Catalogue } from "../src/compiler/entry.ts";
import { type CatalogueSource, loadCatalogue } from "../src/compiler/sources/load.ts";
import type { UpstreamEntry } from "../src/compiler/sources/upstream.ts";
import type { TextFile } from "../src/compiler/sources/yaml.ts";

export const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);

/** A file of this repository. */
export function readText(path: string): TextFile {
  return { path, text: readFileSync(root + path, "utf8") };
}

/** The catalogue's parts as they are on the disk. */
export function readSources(): CatalogueSource {
  const own = JSON.parse(readText("package.json").text) as { version: string };
  // Resolved relative to the main file, because Node refuses paths that the package does not export.
  const upstream = JSON.parse(
    readFileSync(join(dirname(require.resolve("crawler-user-agents")), "package.json"), "utf8"),
  ) as { version: string };
  return {
    version: `${own.version}+crawler-user-agents.${upstream.version}`,
    crawlers: readdirSync(`${root}data/crawlers`)
      .filter((name) => name.endsWith(".yaml"))
      .sort()
      .map((name) => readText(`data/crawlers/${name}`)),
    rules: readText("data/rules.yaml"),
    shapes: readText("data/shapes.yaml"),
    corrections: readText("data/upstream.yaml"),
    hostOperators: readText("data/host-operators.yaml"),
    upstream: require("crawler-user-agents") as UpstreamEntry[],
    browsers: require("top-user-agents") as readonly string[],
  };
}

let catalogue: Catalogue | undefined;

/** The catalogue, loaded and checked once in a process; throws DataError. */
export function readCatalogue(): Catalogue {
  catalogue ??= loadCatalogue(readSources());
  return catalogue;
}
