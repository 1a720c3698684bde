/** Memory of paths, by V8's heap: this file runs on Node. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import { inspectLog } from "../../src/scan/formats/inspect-log.ts";

it("the paths of long texts take no more memory than what is kept of them", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  // What is outside of the heap is freed later.
  const collect = async (): Promise<void> => {
    for (let time = 0; time < 3; time++) {
      gc();
      await setTimeout(20);
    }
  };
  const scanner = createScanner({ check: detector.check, isByRule: () => true });
  const linesOf = (block: number): Buffer => {
    const paths = Array.from({ length: 20 }, (_, at) => `/${block}/${at}/${"x".repeat(20_000)}`);
    return Buffer.from(
      paths
        .map((path) => `192.0.2.1 - - [02/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 1 "-" "curl/8"\n`)
        .join(""),
    );
  };
  const scan = (block: number): void => {
    const bytes = linesOf(block);
    scanner.scan(bytes, bytes.length, inspectLog([], { logFormat: "combined" }).format);
  };
  scan(0);
  await collect();
  const before = process.memoryUsage();
  for (let block = 1; block <= 100; block++) scan(block);
  await collect();
  const after = process.memoryUsage();
  const taken = after.heapUsed + after.external - before.heapUsed - before.external;
  assert.ok(taken < 10_000_000, `${taken} bytes`);
  assert.equal(scanner.tally.paths.byText.size, 2020);
});
