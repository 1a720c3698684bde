/** Counts of requests. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RequestCounts } from "../../src/server/observe/counts.ts";
import type { RequestEvent } from "../../src/service/options.ts";
import { crawler } from "../support/verdicts.ts";

const event: RequestEvent = {
  requestId: "x",
  method: "GET",
  route: "/docs",
  status: 200,
  durationMs: 0.1,
  verdict: undefined,
  error: undefined,
};
describe("counts", () => {
  it("put a duration into the first bucket that is not below it", () => {
    const bounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 100, 500, 2500];
    const bucketOf = (durationMs: number) => {
      const counts = new RequestCounts();
      counts.note({ ...event, durationMs });
      const [[route, buckets, sum] = ["", [], 0]] = counts.read().durations;
      assert.deepEqual([route, buckets.length, sum], ["/docs", 12, durationMs / 1000]);
      assert.equal(
        buckets.reduce((a, b) => a + b),
        1,
      );
      return buckets.indexOf(1);
    };
    assert.deepEqual(
      bounds.map(bucketOf),
      bounds.map((_, at) => at),
    );
    assert.deepEqual(
      bounds.map((bound) => bucketOf(bound * 1.001)),
      bounds.map((_, at) => at + 1),
    );
  });

  it("are kept by route, method and status, with one method for all that HTTP does not have", () => {
    const counts = new RequestCounts();
    const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];
    for (const method of [...methods, "get", "BREW", "other"]) counts.note({ ...event, method });
    counts.note({ ...event, status: 404 });
    counts.note({ ...event, route: "*" });
    assert.deepEqual(
      counts.read().requests.toSorted(),
      [
        ...methods.map((method) => ["/docs", method, 200, 1]),
        ["/docs", "other", 200, 3],
        ["/docs", "GET", 404, 1],
        ["*", "GET", 200, 1],
      ].toSorted(),
    );
  });

  it("count a verdict by its category, and how it was verified", () => {
    const counts = new RequestCounts();
    const useragent = "x";
    const verification = { status: "spoofed", method: "ip-range", reason: "" } as const;
    counts.note({ ...event, verdict: crawler(useragent) });
    counts.noteVerdict({ useragent, crawler: false }, 3);
    counts.noteVerdict(crawler(useragent, { category: "ai", verification }));
    counts.noteVerdict(crawler(useragent, { category: "ai", verification }), 4);
    counts.note({ ...event, status: 429, verdict: crawler(useragent, { category: "ai" }) });
    // A client that exceeds `rate-limit`, and a person.
    counts.note({ ...event, status: 429 });
    counts.note({ ...event, status: 429, verdict: { useragent, crawler: false } });
    const { verdicts, limited, verifications } = counts.read();
    assert.deepEqual(limited, [["ai", 1]]);
    assert.deepEqual(verdicts, [
      ["other", 1],
      ["none", 4],
      ["ai", 6],
    ]);
    assert.deepEqual(verifications, [["spoofed", "ip-range", 5]]);
  });
});
