/** Tables in shared memory give the verdicts of the detector that they are of, in this thread and in others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planCustom } from "../../src/compiler/custom/compile-custom.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createDetector } from "../../src/detect/create-detector.ts";
import { createSharedCheck, shareTables } from "../../src/scan/run/shared-tables.ts";
import { acme, browser, createCustomDetector } from "../support/custom-detector.ts";

const text =
  'crawlers: [{ name: Acme Monitor, pattern: "AcmeMonitor/", category: monitor, examples: [AcmeMonitor/2.1] }]';
const extended = createDetector(
  planCustom([{ path: "own.yaml", text }], detector.catalogue).finish(detector.catalogue, ".own").catalogue,
);

describe("shared tables", () => {
  const detectors = {
    "the package": detector,
    "a catalogue of its own": createCustomDetector(),
    "custom entries": extended,
  };
  for (const [name, { catalogue, check }] of Object.entries(detectors)) {
    it(`of ${name} give its verdicts`, () => {
      const tables = shareTables(catalogue);
      assert.ok(tables.unanchored.next.buffer instanceof SharedArrayBuffer);
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
