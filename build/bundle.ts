/**
 * Builds dist/ from src/: the library, the service and the command line as JavaScript without dependencies, their
 * types, the web page's files, and the licences of what they contain. Part of `prepare`, so it runs at every `npm install`.
 */
import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { writeDeclarations } from "./declarations.ts";
import { packageOf, toLicences } from "./licences.ts";
import { buildWeb } from "./web.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = `${root}dist/`;

rmSync(dist, { recursive: true, force: true });

// One build for all entries, so that they share the catalogue's tables, which are a megabyte.
const result = await Bun.build({
  entrypoints: [
    "src/index.ts",
    "src/service.ts",
    "src/verify.ts",
    "src/cli/launch.ts",
    "src/record/sqlite-worker.ts",
    "src/host/scan-worker.ts",
  ].map((path) => root + path),
  root: `${root}src`,
  outdir: dist,
  target: "node",
  splitting: true,
  metafile: true,
  naming: { entry: "[name].[ext]", chunk: "chunks/[hash].[ext]" },
});

renameSync(`${dist}launch.js`, `${dist}cli.js`);
chmodSync(`${dist}cli.js`, 0o755);

writeDeclarations(root, ["index.d.ts", "service.d.ts", "verify.d.ts"], `${dist}types/`);

const web = await buildWeb();
const packages = [...Object.keys(result.metafile?.inputs ?? {}), ...web].map(packageOf);
writeFileSync(`${dist}LICENSES.txt`, toLicences(root, ["crawler-user-agents", "top-user-agents", ...packages]));
