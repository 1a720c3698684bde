/** Tables in shared memory give the verdicts of the detector that they are of, in this thread and in others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createSharedCheck, shareTables } from "../../src/scan/run/shared-tables.ts";
import { acme, browser, createOwnDetector } from "../support/own-detector.ts";

describe("shared tables", () => {
  const detectors = { "the package": detector, "an own catalogue": createOwnDetector() };
  for (const [name, { catalogue, check }] of Object.entries(detectors)) {
    it(`of ${name} give its verdicts`, () => {
      const tables = shareTables(catalogue);
      const { buffer } = tables.identification.cells;
      assert.ok(buffer instanceof SharedArrayBuffer && tables.unanchored.next.buffer instanceof SharedArrayBuffer);
      // Another thread gets a copy of all but the shared memory.
      const copied = structuredClone(tables);
      const own = createSharedCheck(tables);
      const other = createSharedCheck(copied);
      for (const useragent of [...detector.strings(), acme, browser, "FooBot/1.0", "x", "", "-"]) {
        assert.deepEqual(own(useragent), check(useragent));
        assert.deepEqual(other(useragent), check(useragent));
      }
    });
  }
});
