/**
 * Builds dist/ from src/: the library, the service and the command line as JavaScript without dependencies, their
 * types, the web page's files, and the licenses of what they contain. Part of `prepare`, so it runs at every `npm install`.
 */
import { chmodSync, cpSync, globSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BunPlugin } from "bun";
import { runTsc, writeDeclarations } from "./declarations.ts";
import { packageOf, toLicenses } from "./licenses.ts";
import { programs } from "./programs.ts";
import { replaceTables } from "./replace-tables.ts";
import { buildWeb } from "./web.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = `${root}dist/`;
const source = (names: readonly string[]): string[] => names.map((name) => `${root}src/${name}.ts`);
/** What the package exports. */
const entries = [
  "index",
  "expression",
  "service",
  "verify",
  ...["express", "fastify", "hono", "web"].map((framework) => `adapters/${framework}`),
];
/** For a CommonJS module, Bun adds `createRequire(import.meta.url)`, which fails in workers; for browsers, Bun does not. */
const negotiator = await Bun.build({
  entrypoints: [`${root}node_modules/negotiator/index.js`],
  target: "browser",
});
const negotiatorText = await negotiator.outputs[0]!.text();
const asModule: BunPlugin = {
  name: "negotiator as an ECMAScript module",
  setup(build) {
    build.onLoad({ filter: /[\\/]negotiator[\\/]index\.js$/ }, () => ({ contents: negotiatorText, loader: "js" }));
  },
};
/** Its build for Node imports node:diagnostics_channel, which workers do not have. */
const cacheForEveryRuntime: BunPlugin = {
  name: "lru-cache without modules of a runtime",
  setup(build) {
    const path = `${root}node_modules/lru-cache/dist/esm/browser/index.min.js`;
    build.onResolve({ filter: /^lru-cache$/ }, () => ({ path }));
  },
};
/**
 * Node and Bun read the tables from a different module than browser bundlers do: `imports` in package.json maps `#tables`. CommonJS has
 * a package.json of its own, where `imports` is not portable, so it reads the text.
 */
const tables = ["detect/built-in/tables", "catalogue/packed-tables"];
const tablesByRuntime = replaceTables({ path: "#tables", external: true });
/** Entries that look for files next to themselves, which CommonJS cannot do. */
const moduleEntries = ["compiler"];
const plugins = [asModule, cacheForEveryRuntime];
const shared = {
  root: `${root}src`,
  target: "node",
  splitting: true,
  metafile: true,
  plugins: [...plugins, tablesByRuntime],
} satisfies Partial<Bun.BuildConfig>;
const naming = { entry: "[name].[ext]", chunk: "chunks/[hash].[ext]" };

rmSync(dist, { recursive: true, force: true });

// One build for all entries, so that they share the catalogue's tables.
const result = await Bun.build({
  ...shared,
  entrypoints: source([...entries, ...tables, ...moduleEntries, "cli/launch", ...programs]),
  outdir: dist,
  naming,
});
renameSync(`${dist}launch.js`, `${dist}cli.js`);
chmodSync(`${dist}cli.js`, 0o755);

// For `require`: Node 20 and 22 require ECMAScript modules only from 20.19 and 22.12 on. Bun only splits ECMAScript modules, so TypeScript
// then rewrites each file: the entries share the tables here, too.
const cjs = `${dist}cjs/`;
const modules = `${dist}.modules/`;
await Bun.build({ ...shared, plugins, entrypoints: source(entries), outdir: modules, naming });
runTsc([
  ..."--ignoreConfig --allowJs --noCheck --module commonjs --target es2023 --types".split(" "),
  ...["", "--rootDir", modules, "--outDir", cjs],
  ...globSync("**/*.js", { cwd: modules }).map((path) => `${modules}${path}`),
]);
rmSync(modules, { recursive: true });
writeFileSync(`${cjs}package.json`, '{ "type": "commonjs" }\n');

writeDeclarations(
  root,
  [...entries, ...moduleEntries].map((name) => `${name}.d.ts`),
  `${dist}types/`,
);
cpSync(`${dist}types/`, `${dist}cjs/types/`, { recursive: true });

const web = await buildWeb();
const packages = [...Object.keys(result.metafile?.inputs ?? {}), ...web].map(packageOf);
writeFileSync(
  `${dist}LICENSES.txt`,
  toLicenses(root, ["crawler-user-agents", "top-user-agents", "@mdn/browser-compat-data", ...packages]),
);
