/** The built files of the web page, read from the package's folder dist/web when they are first asked for. */
import { readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { findPackagedFile } from "../files/find-packaged-file.ts";
import type { WebFile, WebFiles } from "../pages/web-files.ts";

const contentTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Finds the files; throws an error if the package was not built. */
export function openWebFiles(): WebFiles {
  const manifest = findPackagedFile("../dist/web/manifest.json", "web/manifest.json");
  const { pages, files } = JSON.parse(readFileSync(manifest, "utf8")) as {
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
      const file = read.get(name) ?? readFile(join(dirname(manifest), name));
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
