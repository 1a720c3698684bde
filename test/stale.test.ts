/** The list of what makes generated files stale is complete: whatever the build reads is in it. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { sources } from "./stale.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A file of the project and all that it imports, paths from the root; generated files are results. */
function filesOf(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path) || path.startsWith("src/generated/")) return found;
  found.add(path);
  const imports = readFileSync(join(root, path), "utf8").matchAll(/(?:\bfrom|\bimport\()\s*"(\.[^"]+)"/g);
  for (const [, name] of imports) filesOf(relative(root, join(root, dirname(path), name as string)), found);
  return found;
}

it("covers the build's files, their imports, and all data", () => {
  const covered = new Set(sources.flatMap((pattern) => globSync(pattern, { cwd: root })));
  const read = [...filesOf("build/generate.ts"), ...globSync("data/**/*.{yaml,txt}", { cwd: root })];
  assert.ok(read.length > 40);
  assert.deepEqual(
    read.filter((path) => !covered.has(path)),
    [],
  );
});
