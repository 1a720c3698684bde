/** The whole page for Prometheus. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { type MetricsFacts, toMetricsPage } from "../../src/server/observe/metrics-page.ts";

const ms = 1e6;
const now = Date.UTC(2026, 0, 1);

const facts: MetricsFacts = {
  counts: {
    requests: [["/docs", "GET", 200, 3]],
    durations: [["/docs", [3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1], 1.5]],
    verdicts: [["ai", 3]],
    limited: [["ai", 3]],
    verifications: [["verified", "dns", 3]],
  },
  policyWarnings: 2,
  record: { state: "paused", reason: "why", queued: 3, dropped: 4, written: 0, lagMs: 1000 },
  ranges: { refreshed: 1, failed: 2, lists: [{ id: "bing", asOf: now - 3 * ms, prefixes: 2 }] },
  catalogue: "1.2.3",
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

const page = `
# HELP whocrawls_requests_total Requests that were answered.
# TYPE whocrawls_requests_total counter
whocrawls_requests_total{route="/docs",method="GET",status="200"} 3

# HELP whocrawls_request_duration_seconds Time from the head of a request to its answer.
# TYPE whocrawls_request_duration_seconds histogram
whocrawls_request_duration_seconds_bucket{le="0.0001",route="/docs"} 3
whocrawls_request_duration_seconds_bucket{le="0.00025",route="/docs"} 3
whocrawls_request_duration_seconds_bucket{le="0.0005",route="/docs"} 3
whocrawls_request_duration_seconds_bucket{le="0.001",route="/docs"} 3
whocrawls_request_duration_seconds_bucket{le="0.0025",route="/docs"} 4
whocrawls_request_duration_seconds_bucket{le="0.005",route="/docs"} 4
whocrawls_request_duration_seconds_bucket{le="0.01",route="/docs"} 4
whocrawls_request_duration_seconds_bucket{le="0.025",route="/docs"} 4
whocrawls_request_duration_seconds_bucket{le="0.1",route="/docs"} 4
whocrawls_request_duration_seconds_bucket{le="0.5",route="/docs"} 4
whocrawls_request_duration_seconds_bucket{le="2.5",route="/docs"} 4
whocrawls_request_duration_seconds_bucket{le="+Inf",route="/docs"} 5
whocrawls_request_duration_seconds_sum{route="/docs"} 1.5
whocrawls_request_duration_seconds_count{route="/docs"} 5

# HELP whocrawls_verdicts_total Verdicts by category of crawler; none for people.
# TYPE whocrawls_verdicts_total counter
whocrawls_verdicts_total{category="ai"} 3

# HELP whocrawls_limited_total Requests of crawlers that got 429 from /auth, for a limit or for a policy with a mistake, by category.
# TYPE whocrawls_limited_total counter
whocrawls_limited_total{category="ai"} 3

# HELP whocrawls_policy_warnings Warnings of /readyz about policies of /auth: mistakes, and words that cannot be used.
# TYPE whocrawls_policy_warnings gauge
whocrawls_policy_warnings 2

# HELP whocrawls_verifications_total Verified Checks of crawlers, by status and method.
# TYPE whocrawls_verifications_total counter
whocrawls_verifications_total{status="verified",method="dns"} 3

# HELP whocrawls_list_refreshes_total Reads of operators' address lists, by outcome.
# TYPE whocrawls_list_refreshes_total counter
whocrawls_list_refreshes_total{outcome="refreshed"} 1
whocrawls_list_refreshes_total{outcome="failed"} 2

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
whocrawls_record_dropped_total 4

# HELP whocrawls_record_lag_seconds Waiting time of the oldest evaluation that is not recorded yet.
# TYPE whocrawls_record_lag_seconds gauge
whocrawls_record_lag_seconds 1

# HELP whocrawls_record_state 1 for the state of the record.
# TYPE whocrawls_record_state gauge
whocrawls_record_state{state="off"} 0
whocrawls_record_state{state="opening"} 0
whocrawls_record_state{state="recording"} 0
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

`;

it("/metrics is this page, followed by the figures of the process", () => {
  const { contentType, text } = toMetricsPage(facts);
  assert.equal(contentType, "text/plain; version=0.0.4; charset=utf-8");
  const end = text.indexOf("# HELP process_");
  assert.equal(text.slice(0, end).trim(), page.trim());
  const figures: [string, number][] = [...text.slice(end).matchAll(/^(process_\w+) (\S+)$/gm)].map(
    ([, name, value]) => [name!, Number(value)],
  );
  const { process_start_time_seconds: startedAt, ...others } = Object.fromEntries(figures);
  assert.equal(startedAt, 7);
  assert.equal(Object.keys(others).length, 6);
  for (const [name, value] of Object.entries(others)) assert.ok(value > 0 || process.platform !== "linux", name);
});
