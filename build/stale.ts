/** Tells whether build outputs are older than their sources. */
import { globSync, statSync } from "node:fs";

export interface Output {
  /** Everything that its build reads, directly or through imports; test/build/stale.test.ts compares. */
  readonly sources: readonly string[];
  /** What its build writes; for dist/, the last file written. */
  readonly made: string;
}

export const generated: Output = {
  sources: [
    "data/**/*",
    "src/{address,compiler,detect,pattern,text,verify}/**/*.ts",
    "src/service/{limits,schemas}.ts",
    "src/export/standalone/*.{go,php,py}",
    "build/*.ts",
    "package.json",
    "package-lock.json",
    "node_modules/{crawler-user-agents,top-user-agents,@mdn/browser-compat-data}/*.json",
  ],
  made: "src/generated/*.ts",
};

export const reference: Output = {
  sources: ["docs/{api,clients}.md", "docs/clients/**/*", "build/*.ts", "src/{pages,text}/*.ts", "package-lock.json"],
  made: "src/generated/reference.ts",
};

export const bundle: Output = {
  sources: ["src/**/*", "web/**/*", "build/*", "package.json", "package-lock.json"],
  made: "dist/LICENSES.txt",
};

/** Whether a source is newer than the oldest output, or there is no output; paths are relative to `root`. */
export function isStale({ sources, made }: Output, root: string): boolean {
  const timesOf = (pattern: string): number[] =>
    globSync(pattern, { cwd: root }).map((path) => statSync(`${root}/${path}`).mtimeMs);
  const times = timesOf(made);
  return times.length === 0 || Math.min(...times) < Math.max(...sources.flatMap(timesOf));
}
