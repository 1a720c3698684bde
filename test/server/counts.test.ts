/** Counts and the page for Prometheus: sums over processes, a histogram that is cumulative, labels that have an end. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RequestCounts, sumCounts } from "../../src/server/observe/counts.ts";
import { toMetricsPage } from "../../src/server/observe/metrics-page.ts";
import { noneRetired, readProcess, retire, type Snapshot } from "../../src/server/observe/snapshot.ts";
import type { RequestEvent } from "../../src/service/options.ts";
import { crawler } from "../support/verdicts.ts";

const event: RequestEvent = {
  requestId: "x",
  method: "POST",
  route: "/RestService/Check",
  status: 200,
  durationMs: 0.2,
  verdict: crawler("x", {
    category: "ai",
    verification: { status: "spoofed", method: "dns", reason: "its name is missing" },
  }),
  error: undefined,
};

/** The time of all snapshots and scrapes. */
const now = Date.UTC(2026, 0, 1);

function snapshotOf(...events: readonly Partial<RequestEvent>[]): Snapshot {
  const counts = new RequestCounts();
  for (const some of events) counts.note({ ...event, ...some });
  const record = { state: "recording", queued: 2, dropped: 1, written: 5, lagMs: 500 } as const;
  const ranges = {
    refreshed: 3,
    failed: 1,
    lists: [{ id: "bing", asOf: now - 60_000 * events.length, prefixes: 28 }],
  };
  return { catalogue: "1", counts: counts.read(), record, ranges, process: readProcess() };
}

describe("counts", () => {
  it("are kept by route, method, status and category", () => {
    const { counts } = snapshotOf({}, {}, { status: 404 }, { verdict: { useragent: "x", crawler: false } });
    assert.deepEqual(counts.requests, [
      ["/RestService/Check", "POST", 200, 3],
      ["/RestService/Check", "POST", 404, 1],
    ]);
    assert.deepEqual(counts.verdicts, [
      ["ai", 3],
      ["none", 1],
    ]);
  });

  it("know no more methods than HTTP does", () => {
    const events = Array.from({ length: 100 }, (_, number) => ({ method: `M${number}` }));
    assert.deepEqual(snapshotOf(...events).counts.requests, [["/RestService/Check", "other", 200, 100]]);
  });

  it("are summed", () => {
    const { counts } = snapshotOf({}, { durationMs: 30 });
    const { requests, durations, verdicts } = sumCounts([counts, counts, snapshotOf({ route: "*" }).counts]);
    assert.deepEqual(
      requests.map((row) => row.at(-1)),
      [4, 1],
    );
    assert.deepEqual(
      durations[0]?.[1].reduce((a, b) => a + b),
      4,
    );
    assert.deepEqual(verdicts, [["ai", 5]]);
    // 0.2 ms and 30 ms, twice.
    assert.ok(Math.abs((durations[0]?.[2] as number) - 0.0604) < 1e-9);
  });

  it("of all processes that have ended are kept", () => {
    const gone = snapshotOf({});
    const retired = [gone, gone, gone].reduce(retire, noneRetired);
    assert.deepEqual([retired.recordDropped, retired.ranges.refreshed, retired.counts.requests[0]?.[3]], [3, 9, 3]);
    assert.ok(Math.abs(retired.cpuUserSeconds - 3 * gone.process.cpuUserSeconds) < 1e-9);
    assert.ok(Math.abs(retired.cpuSystemSeconds - 3 * gone.process.cpuSystemSeconds) < 1e-9);
  });
});

describe("/metrics", () => {
  it("sums workers, those that are gone, and the process that watches over them", async () => {
    const gone = snapshotOf({}, { durationMs: 3000 });
    const { contentType, text } = toMetricsPage({
      workers: [snapshotOf({}), snapshotOf({})],
      supervisor: readProcess(),
      retired: retire(noneRetired, gone),
      replaced: 1,
      reloads: { loaded: 0, failed: 0, isFailing: false, loadedAt: 1, changedAt: now - 60_000 },
      startedAt: 1,
      now,
    });
    assert.match(contentType, /^text\/plain; version=0\.0\.4/);
    for (const line of [
      'whocrawls_requests_total{route="/RestService/Check",method="POST",status="200"} 4',
      'whocrawls_verdicts_total{category="ai"} 4',
      'whocrawls_request_duration_seconds_bucket{le="0.0001",route="/RestService/Check"} 0',
      'whocrawls_request_duration_seconds_bucket{le="0.00025",route="/RestService/Check"} 3',
      'whocrawls_request_duration_seconds_bucket{le="2.5",route="/RestService/Check"} 3',
      'whocrawls_request_duration_seconds_bucket{le="+Inf",route="/RestService/Check"} 4',
      'whocrawls_request_duration_seconds_count{route="/RestService/Check"} 4',
      'whocrawls_verifications_total{status="spoofed",method="dns"} 4',
      'whocrawls_list_refreshes_total{outcome="refreshed"} 9',
      'whocrawls_list_refreshes_total{outcome="failed"} 3',
      'whocrawls_list_age_seconds{list="bing"} 60',
      'whocrawls_list_prefixes{list="bing"} 28',
      "whocrawls_record_queue 4",
      "whocrawls_record_dropped_total 3",
      "whocrawls_record_lag_seconds 0.5",
      'whocrawls_record_state{state="recording"} 2',
      'whocrawls_record_state{state="paused"} 0',
      'whocrawls_catalogue_info{version="1"} 1',
      "whocrawls_catalogue_age_seconds 60",
      "whocrawls_workers 2",
      "whocrawls_workers_replaced_total 1",
    ]) {
      assert.ok(text.includes(`\n${line}\n`), line);
    }
  });
});
