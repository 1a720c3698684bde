/** Tells whether src/generated/ is older than what it is made from, so that a changed catalogue is what gets tested. */
import { globSync, statSync } from "node:fs";

const sources = [
  "data/**/*.yaml",
  "src/{automaton,catalogue,pattern}/*.ts",
  "build/{generate,read-catalogue}.ts",
  "package.json",
  "node_modules/crawler-user-agents/*.json",
];

export function isStale(root: string): boolean {
  const newest = (patterns: readonly string[]): number => Math.max(...times(patterns));
  const made = times(["src/generated/*.ts"]);
  return made.length === 0 || Math.min(...made) < newest(sources);

  function times(patterns: readonly string[]): number[] {
    return patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).map((path) => statSync(root + path).mtimeMs);
  }
}
