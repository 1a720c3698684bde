/** docs/coming-from.md: its table has the result of each package for each string. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { createPeers, ours } from "../../bench/accuracy/detectors.ts";

const page = readFileSync(new URL("../../docs/coming-from.md", import.meta.url), "utf8");
const table = page.slice(page.indexOf("\n| user agent |") + 1, page.lastIndexOf("|\n")).split("\n");
const [head = [], , ...rows] = table.map((line) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim()),
);

describe("the verdicts of docs/coming-from.md", () => {
  const detectors = [ours, ...createPeers()].filter(({ name }) => head.includes(name));

  it("are of five packages and some strings", () => assert(detectors.length === 5 && rows.length > 5));

  for (const row of rows)
    it(`of ${row[0]} are theirs`, () => {
      const useragent = row[0]!.replaceAll("`", "");
      const said = detectors.map(({ name, isCrawler }) => [name, isCrawler(useragent) ? "✓" : "–"]);
      assert.deepEqual(
        said,
        detectors.map(({ name }) => [name, row[head.indexOf(name)]]),
      );
    });
});
