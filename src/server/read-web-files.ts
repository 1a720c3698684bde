/** The built files of the web page, read from the package's folder dist/web when they are first asked for. */
import { existsSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { WebFile, WebFiles } from "../pages/web-files.ts";

const contentTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** This file is in src/server/, or in dist/ or a folder of it once it is bundled. */
const folders = ["../../dist/web/", "./web/", "../web/"].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** Finds the files; undefined if the package was not built. */
export function openWebFiles(): WebFiles | undefined {
  const folder = folders.find((path) => existsSync(`${path}manifest.json`));
  if (folder === undefined) return undefined;
  const { pages, files } = JSON.parse(readFileSync(`${folder}manifest.json`, "utf8")) as {
    readonly pages: Readonly<Record<string, string>>;
    readonly files: readonly string[];
  };
  const known = new Set(files);
  const read = new Map<string, WebFile>();
  return {
    addresses: Object.fromEntries(Object.entries(pages).map(([name, file]) => [name, `/assets/${file}`])),
    read(name) {
      // Only files that the build has listed; names from requests are never used as paths.
      if (!known.has(name)) return undefined;
      const file = read.get(name) ?? readFile(folder + name);
      read.set(name, file);
      return file;
    },
  };
}

function readFile(path: string): WebFile {
  const plain = new Uint8Array(readFileSync(path));
  const gzip = new Uint8Array(gzipSync(plain, { level: 9 }));
  return { contentType: contentTypes[extname(path)] ?? "application/octet-stream", plain, gzip };
}
