/** Tells whether src/generated/ is older than what it is made from, so that a changed catalogue is what gets tested. */
import { globSync, statSync } from "node:fs";

/** Everything that build/generate.ts reads, directly or through imports; test/stale.test.ts compares. */
export const sources = [
  "data/**/*",
  "src/{automaton,catalogue,detect,pattern,verify}/*.ts",
  "build/*.ts",
  "package.json",
  "node_modules/crawler-user-agents/*.json",
];

/** Whether any source is newer than the oldest generated file, or there is none. */
export function isStale(root: string): boolean {
  const timesOf = (patterns: readonly string[]): number[] =>
    patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).map((path) => statSync(`${root}/${path}`).mtimeMs);
  const made = timesOf(["src/generated/*.ts"]);
  return made.length === 0 || Math.min(...made) < Math.max(...timesOf(sources));
}
