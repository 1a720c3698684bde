/** The committed WebAssembly of the line scanner comes from its source. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { scanLines } from "../../src/scan/count/scan-lines-module.ts";
import { compileScanLines } from "./compile-scan-lines.ts";

it("the compiled line scanner comes from its source", async () => {
  assert.ok(scanLines === (await compileScanLines()), "Run `bun test/scan/compile-scan-lines.ts`.");
});
