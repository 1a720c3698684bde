/** Tables in shared memory give the verdicts of the detector that they are of, in this thread and in others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createSharedCheck, shareTables } from "../../src/scan/run/shared-tables.ts";
import { customDetector } from "../compiler/custom/custom-detector.ts";
import { acme, browser, createCustomDetector } from "../support/custom-detector.ts";

const text =
  'crawlers: [{ name: Acme Monitor, pattern: "AcmeMonitor/", category: monitor, examples: [AcmeMonitor/2.1] }]';
const { own: extended } = customDetector(text);
const { own: changed } = customDetector(`${text}\nremove: [curl, GPTBot]\nrules: { off: [bot] }`);

describe("shared tables", () => {
  const detectors = {
    "the package": detector,
    "a catalogue of its own": createCustomDetector(),
    "custom entries": extended,
    "custom removals": changed,
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
