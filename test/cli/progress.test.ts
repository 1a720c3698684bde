/** The progress of a scan is one line of the terminal. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { toBar } from "../../src/cli/progress.ts";

it("the progress never wraps, and drops the bar and the last parts first", () => {
  for (let columns = 0; columns <= 200; columns++) {
    for (const total of [undefined, 4e12])
      assert.ok([...toBar(2e12, 9e9, 99, total, columns)].length < Math.max(columns, 1));
  }
  const bar = (columns: number) => toBar(45e6, 100_000, 3, 90e6, columns);
  assert.equal(bar(100), `${"█".repeat(15)}${"░".repeat(15)} 50%  0:03 left  45 of 90 MB  33,333 lines/s`);
  assert.equal(bar(60), "████████░░░░░░░ 50%  0:03 left  45 of 90 MB  33,333 lines/s");
  assert.equal(bar(33), "50%  0:03 left  45 of 90 MB");
  assert.equal(bar(9), "50%");
});
