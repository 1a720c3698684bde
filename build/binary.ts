/**
 * `npm run binary`: writes one executable for this machine: the command line with Bun and all files that it reads.
 * `npm run binary -- FILE` writes it there.
 */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { programs } from "./programs.ts";
import { replaceTables } from "./replace-tables.ts";

await import("./prepare.ts");

const root = fileURLToPath(new URL("..", import.meta.url));

await Bun.build({
  entrypoints: ["cli/executable", ...programs].map((name) => `${root}src/${name}.ts`),
  root: `${root}src`,
  target: "bun",
  // The programs share the catalogue's tables, and each command loads only its own code.
  splitting: true,
  // An executable has one runtime.
  plugins: [replaceTables({ path: `${root}src/catalogue/packed-tables.ts` })],
  // Code is compiled here instead of at each start.
  bytecode: true,
  format: "esm",
  minify: true,
  // The names that src/files/find-packaged-file.ts looks for.
  naming: { entry: "[name].[ext]" },
  compile: {
    outfile: resolve(process.argv[2] ?? `${root}whocrawls`),
    assets: [`${root}dist/web`],
    // Settings come only from flags, environment variables and whocrawls.yaml, not from a .env file in the current folder.
    autoloadDotenv: false,
    autoloadBunfig: false,
  },
});
