/** `npm run data`: the data of this repository as a signed file, the same bytes each time. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { publishingDate } from "../../build/changed-at.ts";
import { failingVectors, parseDataFile } from "../../src/catalogue/data-file.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { loadDetector } from "../../src/detect/file/load-detector.ts";
import { haveMinisign, minisign } from "../catalogue/minisign-program.ts";

const root = new URL("../..", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "whocrawls-data-"));
after(() => rmSync(folder, { recursive: true }));

function build(name: string, env: Readonly<Record<string, string>> = {}): Uint8Array {
  const args = [
    "build/data.ts",
    "--out",
    join(folder, name),
    ...(haveMinisign ? ["--key", join(folder, "own.key")] : []),
  ];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  assert.equal(status, 0, stderr);
  return readFileSync(join(folder, name));
}

describe("the data file of this repository", { skip: !haveMinisign && "minisign is not installed" }, () => {
  if (!haveMinisign) return;
  minisign(folder, "-G", "-W", "-p", "own.pub", "-s", "own.key");
  const bytes = build("a.data");
  const { manifest, vectors, base } = parseDataFile(bytes);
  const { detector: loaded } = base;

  it("is the same each time, with its signature, which minisign verifies", () => {
    assert.ok(Buffer.from(build("b.data")).equals(bytes));
    const signature = readFileSync(join(folder, "a.data.minisig"), "utf8");
    assert.equal(readFileSync(join(folder, "b.data.minisig"), "utf8"), signature);
    assert.match(
      minisign(folder, "-V", "-p", "own.pub", "-m", "a.data"),
      new RegExp(manifest.version.replace("+", "\\+")),
    );
  });

  it("has the catalogue of the program, of its date, for every reader of compiled files", () => {
    assert.equal(Date.parse(manifest.date), publishingDate());
    assert.match(manifest.version, /^\d+\.\d+\.\d+\+crawler-user-agents\.[\d.]+\.data\.\d{14}$/);
    const { version: _, ...rest } = loaded.catalogue;
    const { version: __, ...own } = detector.catalogue;
    assert.deepEqual(JSON.parse(JSON.stringify(rest)), JSON.parse(JSON.stringify(own)));
    assert.equal(loadDetector(bytes).expression, detector.expression);
  });

  it("has two thousand vectors, half of them of people, which the program passes and others do not", () => {
    assert.equal(vectors.length, 2000);
    const people = vectors.filter(([, crawler]) => crawler === false);
    assert.ok(people.length > 900 && people.length < 1100, String(people.length));
    assert.ok(vectors.filter(([, crawler]) => typeof crawler === "string").length > 800);
    assert.deepEqual(failingVectors(loaded, vectors), []);
    const [useragent] = vectors[0]!;
    for (const wrong of [
      [useragent, "Another"],
      [useragent, false],
      [people[0]![0], true],
    ] as const)
      assert.deepEqual(failingVectors(loaded, [wrong]), [wrong]);
  });

  it("has its sources", async () => {
    const sources = JSON.parse((await base.readSources?.()) ?? "{}");
    assert.equal(sources.catalogue.entries.length, detector.entries);
  });
});
