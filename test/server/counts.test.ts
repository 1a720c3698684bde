/** Counts of requests and figures of processes, and their sums. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { noCounts, RequestCounts, sumCounts } from "../../src/server/observe/counts.ts";
import { noneRetired, readProcess, retire, type Snapshot } from "../../src/server/observe/snapshot.ts";
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
const ms = 1e6;
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

  it("that were read or summed do not change any more", () => {
    const counts = new RequestCounts();
    counts.note(event);
    const read = counts.read();
    const copy = structuredClone(read);
    const { requests, durations, verdicts, limited, verifications } = sumCounts([
      read,
      {
        ...read,
        requests: [
          ["/docs", "GET", 404, 1],
          ["/docs", "HEAD", 200, 1],
          ["/x", "GET", 200, 1],
        ],
      },
      {
        ...read,
        durations: [
          ["/docs", [0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 3],
          ["/x", [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 4],
        ],
        verdicts: [
          ["ai", 1],
          ["none", 2],
        ],
        limited: [["ai", 2]],
        verifications: [
          ["a", "dns", 1],
          ["a", "ip", 2],
          ["b", "dns", 3],
        ],
      },
      { ...noCounts, limited: [["ai", 3]] },
    ]);
    assert.deepEqual(limited, [["ai", 5]]);
    counts.note(event);
    assert.deepEqual(read, copy);
    assert.deepEqual(requests, [
      ["/docs", "GET", 200, 2],
      ["/docs", "GET", 404, 1],
      ["/docs", "HEAD", 200, 1],
      ["/x", "GET", 200, 1],
    ]);
    assert.deepEqual(durations, [
      ["/docs", [2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 3.0002],
      ["/x", [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 4],
    ]);
    assert.deepEqual(verdicts, [
      ["ai", 1],
      ["none", 2],
    ]);
    assert.deepEqual(verifications, [
      ["a", "dns", 1],
      ["a", "ip", 2],
      ["b", "dns", 3],
    ]);
  });
});

describe("the figures of a process", () => {
  it("are those that the runtime and the system tell", () => {
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    const figures = readProcess();
    assert.ok(figures.cpuUserSeconds >= user / ms && figures.cpuUserSeconds < user / ms + 5);
    assert.ok(figures.cpuSystemSeconds >= system / ms && figures.cpuSystemSeconds < system / ms + 5);
    assert.ok(figures.residentBytes > rss / 2 && figures.residentBytes < rss * 2);
    assert.ok(figures.heapUsedBytes > heapUsed / 4 && figures.heapUsedBytes < heapUsed * 4);
    if (process.platform === "linux") {
      const { length } = readdirSync("/proc/self/fd");
      assert.ok(Math.abs(figures.openFiles - length) < 5 && figures.openFiles > 3, `${figures.openFiles}, ${length}`);
    }
  });

  it("of all that have ended are added", () => {
    const counts = new RequestCounts();
    counts.note(event);
    const gone: Snapshot = {
      warnings: [],
      policyWarnings: 0,
      catalogue: "1",
      counts: counts.read(),
      record: { state: "paused", queued: 9, dropped: 1, written: 9, lagMs: 9 },
      ranges: { refreshed: 2, failed: 3, lists: [] },
      process: { cpuUserSeconds: 4, cpuSystemSeconds: 5, residentBytes: 9, heapUsedBytes: 9, openFiles: 9 },
    };
    const { counts: kept, ...rest } = [gone, gone, gone].reduce(retire, noneRetired);
    assert.deepEqual(kept.requests, [["/docs", "GET", 200, 3]]);
    assert.deepEqual(rest, {
      recordDropped: 3,
      ranges: { refreshed: 6, failed: 9 },
      cpuUserSeconds: 12,
      cpuSystemSeconds: 15,
    });
  });
});
