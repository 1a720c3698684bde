/** Reads the catalogue's files and the npm package from the disk: what `src/compiler/` is handed. */
import { spawnSync } from "node:child_process";
import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CompileSources } from "../src/compiler/compile-catalogue.ts";
import type { Catalogue } from "../src/compiler/entry.ts";
import { loadCatalogue } from "../src/compiler/sources/load.ts";
import type { UpstreamEntry } from "../src/compiler/sources/upstream.ts";
import type { TextFile } from "../src/compiler/sources/yaml.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);

function read(path: string): TextFile {
  return { path, text: readFileSync(root + path, "utf8") };
}

/** The catalogue's parts as they are on the disk. */
export function readSources(): CompileSources {
  const own = JSON.parse(read("package.json").text) as { version: string };
  // Beside its main file: the package does not export it, which Node insists on.
  const upstream = JSON.parse(
    readFileSync(join(dirname(require.resolve("crawler-user-agents")), "package.json"), "utf8"),
  ) as { version: string };
  return {
    version: `${own.version}+crawler-user-agents.${upstream.version}`,
    crawlers: readdirSync(`${root}data/crawlers`)
      .filter((name) => name.endsWith(".yaml"))
      .sort()
      .map((name) => read(`data/crawlers/${name}`)),
    rules: read("data/rules.yaml"),
    shapes: read("data/shapes.yaml"),
    corrections: read("data/upstream.yaml"),
    upstream: require("crawler-user-agents") as UpstreamEntry[],
    browsers: require("top-user-agents") as readonly string[],
  };
}

/** The catalogue, loaded and checked; throws DataError. */
export function readCatalogue(): Catalogue {
  return loadCatalogue(readSources());
}

/**
 * When a file of the catalogue was changed last, in milliseconds since 1970: the same for every build of the same files. It is the
 * time of the commit if nothing was changed since, because a fresh clone has new files; else the time of the newest file.
 */
export function newestChange(): number {
  return lastCommit() ?? newestFile();
}

/** The time of the newest file of the catalogue. */
export function newestFile(): number {
  const files = [...globSync("data/**/*", { cwd: root }), "package-lock.json"];
  return Math.floor(Math.max(...files.map((path) => statSync(root + path).mtimeMs)));
}

/** Undefined without git, and if files of the catalogue were changed since. */
function lastCommit(): number | undefined {
  const git = (...args: string[]): string | undefined => {
    // In containers of CI the checkout may belong to another user.
    const command = ["-c", "safe.directory=*", ...args, "--", "data", "package-lock.json"];
    const { status, stdout } = spawnSync("git", command, { cwd: root, encoding: "utf8" });
    return status === 0 ? stdout.trim() : undefined;
  };
  const seconds = git("log", "-1", "--format=%ct");
  return seconds && git("status", "--porcelain") === "" ? Number(seconds) * 1000 : undefined;
}
