/** The whole page for Prometheus, and the small figures, lines and limits of a process. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toBanner } from "../../src/server/banner.ts";
import { createBodyDeadline } from "../../src/server/listen/body-deadline.ts";
import { RequestCounts, sumCounts } from "../../src/server/observe/counts.ts";
import { toMetricsPage } from "../../src/server/observe/metrics-page.ts";
import { noneRetired, readProcess, retire, type Snapshot } from "../../src/server/observe/snapshot.ts";
import { explain } from "../../src/server/start-error.ts";
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
const now = Date.UTC(2026, 0, 1);

function snapshot(scale: number, state: "recording" | "paused", asOf: number): Snapshot {
  return {
    catalogue: "1.2.3",
    counts: {
      requests: [["/docs", "GET", 200, scale]],
      durations: [["/docs", [scale, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 0.5 * scale]],
      verdicts: [["ai", scale]],
      verifications: [["verified", "dns", scale]],
    },
    record: { state, queued: scale, dropped: scale, written: 0, lagMs: 500 * scale },
    ranges: { refreshed: scale, failed: 2 * scale, lists: [{ id: "bing", asOf, prefixes: scale }] },
    process: {
      cpuUserSeconds: scale,
      cpuSystemSeconds: 2 * scale,
      residentBytes: 3 * scale,
      heapUsedBytes: 4 * scale,
      openFiles: 5 * scale,
    },
  };
}

const page = `
# HELP whocrawls_requests_total Requests that were answered.
# TYPE whocrawls_requests_total counter
whocrawls_requests_total{route="/docs",method="GET",status="200"} 103

# HELP whocrawls_request_duration_seconds Time from the head of a request to its answer.
# TYPE whocrawls_request_duration_seconds histogram
whocrawls_request_duration_seconds_bucket{le="0.0001",route="/docs"} 103
whocrawls_request_duration_seconds_bucket{le="0.00025",route="/docs"} 103
whocrawls_request_duration_seconds_bucket{le="0.0005",route="/docs"} 103
whocrawls_request_duration_seconds_bucket{le="0.001",route="/docs"} 103
whocrawls_request_duration_seconds_bucket{le="0.0025",route="/docs"} 103
whocrawls_request_duration_seconds_bucket{le="0.005",route="/docs"} 103
whocrawls_request_duration_seconds_bucket{le="0.01",route="/docs"} 103
whocrawls_request_duration_seconds_bucket{le="0.025",route="/docs"} 103
whocrawls_request_duration_seconds_bucket{le="0.1",route="/docs"} 103
whocrawls_request_duration_seconds_bucket{le="0.5",route="/docs"} 103
whocrawls_request_duration_seconds_bucket{le="2.5",route="/docs"} 103
whocrawls_request_duration_seconds_bucket{le="+Inf",route="/docs"} 106
whocrawls_request_duration_seconds_sum{route="/docs"} 51.5
whocrawls_request_duration_seconds_count{route="/docs"} 106

# HELP whocrawls_verdicts_total Verdicts by category of crawler; none for people.
# TYPE whocrawls_verdicts_total counter
whocrawls_verdicts_total{category="ai"} 103

# HELP whocrawls_verifications_total Verified Checks of crawlers, by status and method.
# TYPE whocrawls_verifications_total counter
whocrawls_verifications_total{status="verified",method="dns"} 103

# HELP whocrawls_list_refreshes_total Reads of operators' address lists, by outcome.
# TYPE whocrawls_list_refreshes_total counter
whocrawls_list_refreshes_total{outcome="refreshed"} 103
whocrawls_list_refreshes_total{outcome="failed"} 206

# HELP whocrawls_list_age_seconds Time since an operator's address list was last confirmed.
# TYPE whocrawls_list_age_seconds gauge
whocrawls_list_age_seconds{list="bing"} 3000

# HELP whocrawls_list_prefixes Prefixes of a list.
# TYPE whocrawls_list_prefixes gauge
whocrawls_list_prefixes{list="bing"} 2

# HELP whocrawls_record_queue Strings that wait to be recorded.
# TYPE whocrawls_record_queue gauge
whocrawls_record_queue 3

# HELP whocrawls_record_dropped_total Evaluations that were dropped because the buffer was full.
# TYPE whocrawls_record_dropped_total counter
whocrawls_record_dropped_total 103

# HELP whocrawls_record_lag_seconds Waiting time of the oldest evaluation that is not recorded yet.
# TYPE whocrawls_record_lag_seconds gauge
whocrawls_record_lag_seconds 1

# HELP whocrawls_record_state Workers whose record is in this state.
# TYPE whocrawls_record_state gauge
whocrawls_record_state{state="off"} 0
whocrawls_record_state{state="opening"} 0
whocrawls_record_state{state="recording"} 1
whocrawls_record_state{state="paused"} 1
whocrawls_record_state{state="closed"} 0

# HELP whocrawls_catalogue_info The catalogue's version.
# TYPE whocrawls_catalogue_info gauge
whocrawls_catalogue_info{version="1.2.3"} 1

# HELP whocrawls_catalogue_age_seconds Time since the catalogue was changed.
# TYPE whocrawls_catalogue_age_seconds gauge
whocrawls_catalogue_age_seconds 60

# HELP whocrawls_catalogue_reloads_total Reloads of the catalogue, by outcome.
# TYPE whocrawls_catalogue_reloads_total counter
whocrawls_catalogue_reloads_total{outcome="loaded"} 4
whocrawls_catalogue_reloads_total{outcome="failed"} 5

# HELP whocrawls_catalogue_reload_failed 1 if the newest catalogue could not be loaded, so that the one before it is used.
# TYPE whocrawls_catalogue_reload_failed gauge
whocrawls_catalogue_reload_failed 1

# HELP whocrawls_catalogue_loaded_timestamp_seconds When the catalogue was last loaded without an error, in seconds since 1970.
# TYPE whocrawls_catalogue_loaded_timestamp_seconds gauge
whocrawls_catalogue_loaded_timestamp_seconds 6

# HELP whocrawls_update_checks_total Looks for newer data, by outcome.
# TYPE whocrawls_update_checks_total counter
whocrawls_update_checks_total{outcome="updated"} 1
whocrawls_update_checks_total{outcome="unchanged"} 2
whocrawls_update_checks_total{outcome="failed"} 3

# HELP whocrawls_update_failed 1 if the newest data were refused or could not be downloaded, so that those before are used.
# TYPE whocrawls_update_failed gauge
whocrawls_update_failed 1

# HELP whocrawls_workers Processes that answer requests.
# TYPE whocrawls_workers gauge
whocrawls_workers 2

# HELP whocrawls_workers_replaced_total Workers that died and were replaced.
# TYPE whocrawls_workers_replaced_total counter
whocrawls_workers_replaced_total 3

# HELP process_cpu_user_seconds_total User CPU time of all processes.
# TYPE process_cpu_user_seconds_total counter
process_cpu_user_seconds_total 1103

# HELP process_cpu_system_seconds_total System CPU time of all processes.
# TYPE process_cpu_system_seconds_total counter
process_cpu_system_seconds_total 2206

# HELP process_cpu_seconds_total CPU time of all processes.
# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 3309

# HELP process_resident_memory_bytes Resident memory of all processes.
# TYPE process_resident_memory_bytes gauge
process_resident_memory_bytes 3009

# HELP process_heap_bytes JavaScript heap in use, of all processes.
# TYPE process_heap_bytes gauge
process_heap_bytes 4012

# HELP process_open_fds Open files and sockets of all processes.
# TYPE process_open_fds gauge
process_open_fds 5015

# HELP process_start_time_seconds When the service was started, in seconds since 1970.
# TYPE process_start_time_seconds gauge
process_start_time_seconds 7
`;

describe("/metrics", () => {
  it("is this page", async () => {
    const facts = {
      workers: [snapshot(1, "paused", now - 1000 * ms), snapshot(2, "recording", now - 3 * ms)],
      supervisor: snapshot(1000, "paused", 0).process,
      retired: retire(noneRetired, snapshot(100, "recording", 0)),
      replaced: 3,
      reloads: {
        loaded: 4,
        failed: 5,
        isFailing: true,
        loadedAt: 6,
        changedAt: now - 60_000,
        updates: { updated: 1, unchanged: 2, failed: 3, isFailing: true },
      },
      startedAt: 7,
      now,
    };
    const { contentType, text } = toMetricsPage({
      ...facts,
      // The oldest list counts, whichever worker has it.
      workers: [snapshot(2, "recording", now - 3 * ms), snapshot(1, "paused", now - 1 * ms)],
    });
    assert.equal(text.trim(), page.trim());
    assert.equal(contentType, "text/plain; version=0.0.4; charset=utf-8");
    const oldestLast = toMetricsPage({ ...facts, workers: [...facts.workers].reverse() });
    for (const { text } of [oldestLast, toMetricsPage(facts)]) {
      assert.match(text, /^whocrawls_list_age_seconds\{list="bing"\} 1000000$/m);
    }
  });
});

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

  it("have every method of HTTP, and one for all others", () => {
    const counts = new RequestCounts();
    const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];
    for (const method of [...methods, "get", "BREW", "other"]) counts.note({ ...event, method });
    assert.deepEqual(counts.read().requests, [
      ...methods.map((method) => ["/docs", method, 200, 1]),
      ["/docs", "other", 200, 3],
    ]);
  });

  it("count a verdict by its category, and how it was verified", () => {
    const counts = new RequestCounts();
    const useragent = "x";
    const verification = { status: "spoofed", method: "ip-range", reason: "" } as const;
    counts.note({ ...event, verdict: crawler(useragent) });
    counts.noteVerdict({ useragent, crawler: false }, 3);
    counts.noteVerdict(crawler(useragent, { category: "ai", verification }), 4);
    counts.noteVerdict(crawler(useragent, { category: "ai", verification }));
    const { verdicts, verifications } = counts.read();
    assert.deepEqual(verdicts, [
      ["other", 1],
      ["none", 3],
      ["ai", 5],
    ]);
    assert.deepEqual(verifications, [["spoofed", "ip-range", 5]]);
  });

  it("that were read or summed do not change any more", () => {
    const counts = new RequestCounts();
    counts.note(event);
    const read = counts.read();
    const copy = structuredClone(read);
    const { requests, verdicts, verifications } = sumCounts([
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
        verdicts: [
          ["ai", 1],
          ["none", 2],
        ],
        verifications: [
          ["a", "dns", 1],
          ["a", "ip", 2],
          ["b", "dns", 3],
        ],
      },
    ]);
    counts.note(event);
    assert.deepEqual(read, copy);
    assert.deepEqual(requests, [
      ["/docs", "GET", 200, 2],
      ["/docs", "GET", 404, 1],
      ["/docs", "HEAD", 200, 1],
      ["/x", "GET", 200, 1],
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

  it("of one that has ended are added", () => {
    const { counts: _, ...rest } = retire(retire(noneRetired, snapshot(1, "paused", 0)), snapshot(3, "paused", 0));
    assert.deepEqual(rest, {
      recordDropped: 4,
      ranges: { refreshed: 4, failed: 8 },
      cpuUserSeconds: 4,
      cpuSystemSeconds: 8,
    });
  });
});

describe("the first line", () => {
  const { version } = detector;
  const knows = `catalogue ${version}: ${detector.entries.toLocaleString("en-US")} entries, ${detector.strings().length.toLocaleString("en-US")} strings`;
  for (const [record, listEvaluated, expected] of [
    [{ kind: "off" }, "all", "evaluated strings are not recorded"],
    [
      { kind: "memory", place: "memory" },
      "all",
      "evaluated strings are recorded in memory, and List shows them to everyone",
    ],
    [undefined, "none", "evaluated strings are recorded in /d/record.sqlite, and List hides them"],
    [
      { kind: "sqlite", place: "a@b.sqlite" },
      "token",
      "evaluated strings are recorded in a@b.sqlite, and List shows them to callers with a token",
    ],
    [
      { kind: "postgres", place: "postgres://me:secret@db/x" },
      "all",
      "evaluated strings are recorded in postgres://***@db/x, and List shows them to everyone",
    ],
  ] as const) {
    it(expected, () => {
      const configuration = { record, dataFolder: "/d", listEvaluated, tokens: [] };
      const line = toBanner(detector, { url: "http://localhost:1" }, configuration);
      assert.equal(line, `whocrawls listens on http://localhost:1; ${knows}; ${expected}`);
      const withToken = toBanner(
        detector,
        { url: "http://localhost:1" },
        { ...configuration, tokens: ["a-token-of-the-test"] },
      );
      assert.equal(withToken, line.replace("to everyone", "to callers with a token"));
    });
  }
});

describe("what stands in the way of a start", () => {
  const noAddress = "h is no address of this machine; choose another with HOST, such as localhost or 0.0.0.0.";
  for (const [code, host, expected] of [
    ["EADDRINUSE", "h", "Something else listens on h:80; choose another port, such as PORT=81."],
    ["EADDRINUSE", "::1", "Something else listens on [::1]:80; choose another port, such as PORT=81."],
    ["EACCES", "h", "Listening on port 80 needs privileges; choose a port from 1024 on with PORT."],
    ["EADDRNOTAVAIL", "h", noAddress],
    ["ENOTFOUND", "h", noAddress],
    ["EAI_AGAIN", "h", noAddress],
    ["ENOENT", "h", noAddress],
    ["ENOTTY", "h", noAddress],
    ["EMFILE", "h", "Cannot listen on h:80: why"],
    [undefined, "h", "Cannot listen on h:80: why"],
  ] as const) {
    it(`${code} on ${host}`, () => {
      assert.equal(explain(Object.assign(new Error("why"), { code }), { host, port: 80 }), expected);
    });
  }

  it("may be no Error", () => assert.equal(explain("why", { host: "h", port: 80 }), "Cannot listen on h:80: why"));
});

describe("the deadline of bodies", () => {
  it("ends what is late once, and nothing that is done", async () => {
    const deadline = createBodyDeadline(100);
    const started = performance.now();
    const given: string[] = [];
    const late = new Promise<number>((resolve) => {
      deadline.watch(() => {
        given.push("late");
        resolve(performance.now() - started);
      });
    });
    deadline.watch(() => given.push("done"))();
    // More than are looked at in one go: those that are done leave, the others stay.
    for (let read = 0; read < 2000; read++) deadline.watch(() => given.push("read"))();
    for (let stuck = 0; stuck < 600; stuck++) deadline.watch(() => given.push("stuck"));
    const ms = await late;
    assert.ok(ms >= 90, `${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 120));
    assert.deepEqual([given.length, given[0], given.filter((what) => what === "stuck").length], [601, "late", 600]);
    deadline.watch(() => given.push("stopped"));
    deadline.stop();
    await new Promise((resolve) => setTimeout(resolve, 160));
    assert.equal(given.length, 601);
  });
});
