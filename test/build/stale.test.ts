/** What is built is stale as soon as anything that it is made from is newer, and only then. */
import assert from "node:assert/strict";
import { globSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { readChangedAt } from "../../build/changed-at.ts";
import { bundle, generated, isStale, reference } from "../../build/stale.ts";
import { changedAt } from "../../src/generated/about.ts";
import { temporary } from "../support/temporary.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A file of the project and all that it imports but types, paths from the root; generated files are results. */
function filesOf(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path) || path.startsWith("src/generated/")) return found;
  found.add(path);
  const code = readFileSync(join(root, path), "utf8").replace(/^(?:import|export) type [^;]*;/gm, "");
  const imports = code.matchAll(/(?:\bfrom|\bimport\()\s*"(\.[^"]+)"/g);
  for (const [, name] of imports) filesOf(relative(root, join(root, dirname(path), name as string)), found);
  return found;
}

describe("what makes the build's files stale", () => {
  const covered = (sources: readonly string[]): Set<string> =>
    new Set(sources.flatMap((pattern) => globSync(pattern, { cwd: root })));

  for (const [entry, output, others, least] of [
    ["build/generate.ts", generated, "data/**/*.{yaml,txt}", 40],
    ["build/reference.ts", reference, "docs/clients/*/*", 15],
  ] as const)
    it(`is whatever ${entry} reads: its imports and ${others}`, () => {
      const read = [...filesOf(entry), ...globSync(others, { cwd: root })];
      assert.ok(read.length > least);
      const known = covered(output.sources);
      assert.deepEqual(
        read.filter((path) => !known.has(path)),
        [],
      );
    });

  it("is whatever bundling reads: all of src/ and of web/", () => {
    const known = covered(bundle.sources);
    for (const path of [...filesOf("build/bundle.ts"), ...globSync("{src,web}/**/*.*", { cwd: root })])
      assert.ok(known.has(path), path);
  });
});

describe("isStale", () => {
  const folder = temporary();
  const output = { sources: ["data/**/*"], made: "made/*.ts" };
  const write = (path: string, seconds: number): void => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), "");
    // Folders count, too: what is taken out of one changes it.
    for (let part = path; part !== "."; part = dirname(part)) utimesSync(join(folder, part), seconds, seconds);
  };

  it("says so where nothing was made, where a source is newer than the oldest file, and else not", () => {
    write("data/deep/a.yaml", 1000);
    assert.equal(isStale(output, folder), true);
    write("made/a.ts", 2000);
    write("made/b.ts", 3000);
    assert.equal(isStale(output, folder), false);
    write("data/b.yaml", 2500);
    assert.equal(isStale(output, folder), true);
  });
});

describe("what is generated", () => {
  it("tells when the catalogue was changed, not when it was built: the same sources give the same bytes", () => {
    // Of an archive, too, which has other times of files and no history.
    assert.equal(readChangedAt(), changedAt);
    for (const path of ["generate", "reference", "bundle"].flatMap((name) => [...filesOf(`build/${name}.ts`)]))
      assert.doesNotMatch(readFileSync(join(root, path), "utf8"), /\bDate\.now\(|\bMath\.random\(|new Date\(\)/, path);
  });
});
