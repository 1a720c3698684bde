/**
 * Builds dist/web/ from web/: the pages' modules and styles, minified, each with a hash of its content in its name, and
 * `manifest.json`, which maps the names that pages use to the files, and lists all files. Part of `prepare`.
 */
import { rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = `${root}dist/web/`;

/** What pages refer to; everything else is loaded by these. */
const entries = ["page.ts", "try.ts", "crawlers.ts", "robots.ts", "traffic.ts", "style.css"];

/** Builds all files of the web page; resolves to the paths of their sources. Throws if one does not compile. */
export async function buildWeb(): Promise<string[]> {
  rmSync(target, { recursive: true, force: true });
  const { outputs, metafile } = await Bun.build({
    entrypoints: entries.map((name) => `${root}web/${name}`),
    outdir: target,
    target: "browser",
    splitting: true,
    minify: true,
    metafile: true,
    naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
  });
  const icon = Bun.file(`${root}web/icon.svg`);
  await Bun.write(`${target}icon.svg`, icon);
  const files = [...outputs.map(({ path }) => basename(path)), "icon.svg"].sort();
  const named = outputs
    .filter(({ kind, path }) => kind === "entry-point" || path.endsWith(".css"))
    .map(({ path }) => [basename(path).replace(/-[^-]+(\.[a-z]+)$/, "$1"), basename(path)]);
  const pages = Object.fromEntries([...named, ["icon.svg", "icon.svg"]].sort());
  writeFileSync(`${target}manifest.json`, `${JSON.stringify({ pages, files }, null, 2)}\n`);
  return Object.keys(metafile?.inputs ?? {});
}

if (import.meta.main) await buildWeb();
