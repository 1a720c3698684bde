/** Bundles a page that uses this clone's package as its users do: with esbuild, rollup and Vite, each as it comes. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";
import { rollup } from "rollup";
import { build as buildVite } from "vite";
import manifest from "../../package.json" with { type: "json" };
import { packageFolder } from "../installed-package.ts";

export interface Bundle {
  readonly code: string;
  readonly gzipBytes: number;
}

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A folder with the page in `page.js`, and this package, or the peer that the page imports, as one that it has installed. */
async function inProject<T>(code: string, run: (page: string, folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-page-"));
  try {
    mkdirSync(join(folder, "node_modules"));
    const [, peer = ""] = /from "([^"/]+)/.exec(code) ?? [];
    symlinkSync(peer === "whocrawls" ? root : packageFolder(peer), join(folder, "node_modules", peer));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const name = /(\w+) \}/.exec(code)?.[1];
    writeFileSync(join(folder, "page.js"), `${code};\nglobalThis.answer = ${name};\n`);
    return await run(join(folder, "page.js"), folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const toBundle = (code: string): Bundle => ({ code, gzipBytes: gzipSync(code, { level: 9 }).length });

/** By its name, what each bundler makes of a page: one script. */
export const bundlers: Readonly<Record<string, (code: string) => Promise<Bundle>>> = {
  esbuild: (code) =>
    inProject(code, async (page) => {
      const { outputFiles } = await build({ entryPoints: [page], bundle: true, minify: true, write: false });
      return toBundle(outputFiles[0]!.text);
    }),
  rollup: (code) =>
    inProject(code, async (page) => {
      const require = createRequire(page);
      // Rollup finds packages by a plugin only; this one does no more than that.
      const resolver = {
        name: "resolve",
        resolveId: (name: string) =>
          name === "#tables"
            ? join(root, manifest.imports["#tables"].default)
            : name.startsWith("whocrawls")
              ? require.resolve(name).replace("/dist/cjs/", "/dist/")
              : null,
      };
      const made = await rollup({ input: page, plugins: [resolver], logLevel: "silent" });
      const { output } = await made.generate({ format: "es" });
      return toBundle((await transform(output[0].code, { minify: true })).code);
    }),
  Vite: (code) =>
    inProject(code, async (page, folder) => {
      const rollupOptions = { input: page };
      const options = { write: false, modulePreload: false, rollupOptions } as const;
      const result = await buildVite({ root: folder, configFile: false, logLevel: "silent", build: options });
      const [made] = Array.isArray(result) ? result : [result];
      if (!made || !("output" in made)) throw new Error("Vite made nothing.");
      return toBundle(made.output[0].code);
    }),
};
