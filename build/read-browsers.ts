/** Reads the releases of browsers from @mdn/browser-compat-data, and keeps what signals need. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { z } from "zod";
import { DataError } from "../src/compiler/sources/data-error.ts";
import type { KnownReleases } from "../src/verify/signals/implausible.ts";

const release = z.object({ status: z.string(), release_date: z.iso.date().optional() });
const browser = z.object({ releases: z.record(z.string(), release) });
const schema = z.object({
  __meta: z.object({ timestamp: z.iso.datetime() }),
  browsers: z.object({ chrome: browser, firefox: browser, safari: browser }),
});

const path = "@mdn/browser-compat-data";

/** Throws DataError if the package has another form. */
export function readBrowsers(text = readPackage()): KnownReleases {
  const { success, data, error } = schema.safeParse(JSON.parse(text));
  if (!success) throw new DataError([`${path}: ${z.prettifyError(error)}`]);
  const { chrome, firefox, safari } = data.browsers;
  return {
    asOf: data.__meta.timestamp.slice(0, 10),
    Chrome: toMajors(chrome),
    Firefox: toMajors(firefox),
    Safari: toMajors(safari),
  };
}

function readPackage(): string {
  return readFileSync(createRequire(import.meta.url).resolve(path), "utf8");
}

/** The newest major version, planned ones included, and the lower versions that were never released. */
function toMajors({ releases }: z.infer<typeof browser>): KnownReleases["Chrome"] {
  const majors = new Set(Object.keys(releases).map((version) => Number.parseInt(version, 10)));
  const newest = Math.max(...majors);
  const missing = Array.from({ length: newest }, (_, at) => at + 1).filter((major) => !majors.has(major));
  return { newest, missing };
}
