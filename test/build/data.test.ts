/** `npm run data`: the data of this repository as a compiled file, the same bytes each time. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { publishingDate } from "../../build/changed-at.ts";
import { parseCompiledFile } from "../../src/catalogue/compiled-file.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { loadDetector } from "../../src/detect/file/load-detector.ts";
import { temporary } from "../support/temporary.ts";

const folder = temporary();

function build(name: string): Uint8Array {
  const out = join(folder, name);
  const root = new URL("../..", import.meta.url);
  const { status, stderr } = spawnSync(process.execPath, ["build/data.ts", "--out", out], {
    cwd: root,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  return readFileSync(out);
}

it("the data file has the catalogue of the program and its date, the same bytes each time", () => {
  const bytes = build("a.data");
  assert.ok(Buffer.from(build("b.data")).equals(bytes));
  const { catalogue, changedAt } = parseCompiledFile(bytes);
  assert.equal(changedAt, publishingDate());
  assert.match(catalogue.version, /^\d+\.\d+\.\d+\+crawler-user-agents\.[\d.]+\.data\.\d{14}$/);
  const { version } = catalogue;
  assert.deepEqual(
    JSON.parse(JSON.stringify(catalogue)),
    JSON.parse(JSON.stringify({ ...detector.catalogue, version })),
  );
  assert.equal(loadDetector(bytes).expression, detector.expression);
});
