/** The whole page for Prometheus: sums of workers, of the workers that are gone, and of the process that watches over them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toMetricsPage } from "../../src/server/observe/metrics-page.ts";
import { noneRetired, retire, type Snapshot } from "../../src/server/observe/snapshot.ts";

const ms = 1e6;
const now = Date.UTC(2026, 0, 1);

function snapshot(scale: number, state: "recording" | "paused", asOf: number): Snapshot {
  return {
    catalogue: "1.2.3",
    warnings: [],
    policyWarnings: scale,
    counts: {
      requests: [["/docs", "GET", 200, scale]],
      durations: [["/docs", [scale, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1], 0.5 * scale]],
      verdicts: [["ai", scale]],
      limited: [["ai", scale]],
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
whocrawls_request_duration_seconds_bucket{le="0.0025",route="/docs"} 106
whocrawls_request_duration_seconds_bucket{le="0.005",route="/docs"} 106
whocrawls_request_duration_seconds_bucket{le="0.01",route="/docs"} 106
whocrawls_request_duration_seconds_bucket{le="0.025",route="/docs"} 106
whocrawls_request_duration_seconds_bucket{le="0.1",route="/docs"} 106
whocrawls_request_duration_seconds_bucket{le="0.5",route="/docs"} 106
whocrawls_request_duration_seconds_bucket{le="2.5",route="/docs"} 106
whocrawls_request_duration_seconds_bucket{le="+Inf",route="/docs"} 109
whocrawls_request_duration_seconds_sum{route="/docs"} 51.5
whocrawls_request_duration_seconds_count{route="/docs"} 109

# HELP whocrawls_verdicts_total Verdicts by category of crawler; none for people.
# TYPE whocrawls_verdicts_total counter
whocrawls_verdicts_total{category="ai"} 103

# HELP whocrawls_limited_total Requests of crawlers that got 429 from /auth, for a limit or for a policy with a mistake, by category.
# TYPE whocrawls_limited_total counter
whocrawls_limited_total{category="ai"} 103

# HELP whocrawls_policy_warnings Warnings of /readyz about policies of /auth: mistakes, and words that cannot be used.
# TYPE whocrawls_policy_warnings gauge
whocrawls_policy_warnings 2

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

# HELP whocrawls_catalogue_reload_failed 1 if the newest catalogue failed to load, so that an older one is in use.
# TYPE whocrawls_catalogue_reload_failed gauge
whocrawls_catalogue_reload_failed 1

# HELP whocrawls_catalogue_reloading 1 while a new catalogue is being loaded.
# TYPE whocrawls_catalogue_reloading gauge
whocrawls_catalogue_reloading 1

# HELP whocrawls_catalogue_compile_seconds How long the last compilation of the catalogue took; 0 before any.
# TYPE whocrawls_catalogue_compile_seconds gauge
whocrawls_catalogue_compile_seconds 1.5

# HELP whocrawls_catalogue_loaded_timestamp_seconds When the catalogue was last loaded without an error, in seconds since 1970.
# TYPE whocrawls_catalogue_loaded_timestamp_seconds gauge
whocrawls_catalogue_loaded_timestamp_seconds 6

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
        isReloading: true,
        compileSeconds: 1.5,
        loadedAt: 6,
        changedAt: now - 60_000,
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
