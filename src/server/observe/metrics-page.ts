/** The metrics, as /metrics shows them. The page is made at each scrape, so that it costs nothing between scrapes. */
import { readdirSync } from "node:fs";
import type { ReloadFigures } from "../../catalogue/reload-catalogue.ts";
import type { RecordStatus } from "../../record/record.ts";
import type { MetricsPage } from "../../service/options.ts";
import type { ListFigures } from "../../verify/open-evidence.ts";
import { type Counts, durationBounds } from "./counts.ts";
import { counter, gauge, type Metric, metricsContentType, toMetricsText } from "./metrics-text.ts";

export interface MetricsFacts {
  readonly counts: Counts;
  readonly policyWarnings: number;
  readonly ranges: ListFigures;
  readonly record: RecordStatus;
  /** The version of the catalogue in use. */
  readonly catalogue: string;
  readonly reloads: ReloadFigures;
  /** Seconds since 1970. */
  readonly startedAt: number;
  /** The time of the scrape, in milliseconds since 1970; ages are counted up to it. */
  readonly now: number;
}

const recordStates = ["off", "opening", "recording", "paused", "closed"] as const;

/** Makes the page. */
export function toMetricsPage(facts: MetricsFacts): MetricsPage {
  const metrics = [
    ...requestMetrics(facts.counts),
    gauge(
      "whocrawls_policy_warnings",
      "Warnings of /readyz about policies of /auth: mistakes, and words that cannot be used.",
      facts.policyWarnings,
    ),
    ...verificationMetrics(facts),
    ...recordMetrics(facts.record),
    ...catalogueMetrics(facts),
    ...processMetrics(facts.startedAt),
  ];
  return { contentType: metricsContentType, text: toMetricsText(metrics) };
}

function requestMetrics({ requests, durations, verdicts, limited }: Counts): Metric[] {
  return [
    counter(
      "whocrawls_requests_total",
      "Requests that were answered.",
      requests.map(([route, method, status, count]) => [{ route, method, status }, count]),
    ),
    {
      name: "whocrawls_request_duration_seconds",
      help: "Time from the head of a request to its answer.",
      type: "histogram",
      samples: durations.flatMap(([route, buckets, sum]) => {
        let count = 0;
        const cumulative = buckets.map((inBucket, at) => {
          count += inBucket;
          return [{ le: durationBounds[at] ?? "+Inf", route }, count, "_bucket"] as const;
        });
        return [...cumulative, [{ route }, sum, "_sum"] as const, [{ route }, count, "_count"] as const];
      }),
    },
    counter(
      "whocrawls_verdicts_total",
      "Verdicts by category of crawler; none for people.",
      verdicts.map(([category, count]) => [{ category }, count]),
    ),
    counter(
      "whocrawls_limited_total",
      "Requests of crawlers that got 429 from /auth, for a limit or for a policy with a mistake, by category.",
      limited.map(([category, count]) => [{ category }, count]),
    ),
  ];
}

/** What verifying said, and how old the lists are that it rests on. */
function verificationMetrics({ counts: { verifications }, ranges, now }: MetricsFacts): Metric[] {
  const { lists, refreshed, failed } = ranges;
  return [
    counter(
      "whocrawls_verifications_total",
      "Verified Checks of crawlers, by status and method.",
      verifications.map(([status, method, count]) => [{ status, method }, count]),
    ),
    counter("whocrawls_list_refreshes_total", "Reads of operators' address lists, by outcome.", [
      [{ outcome: "refreshed" }, refreshed],
      [{ outcome: "failed" }, failed],
    ]),
    gauge(
      "whocrawls_list_age_seconds",
      "Time since an operator's address list was last confirmed.",
      lists.map(({ id, asOf }) => [{ list: id }, (now - asOf) / 1000]),
    ),
    gauge(
      "whocrawls_list_prefixes",
      "Prefixes of a list.",
      lists.map(({ id, prefixes }) => [{ list: id }, prefixes]),
    ),
  ];
}

function recordMetrics({ state: current, queued, dropped, lagMs }: RecordStatus): Metric[] {
  return [
    gauge("whocrawls_record_queue", "Strings that wait to be recorded.", queued),
    counter("whocrawls_record_dropped_total", "Evaluations that were dropped because the buffer was full.", dropped),
    gauge(
      "whocrawls_record_lag_seconds",
      "Waiting time of the oldest evaluation that is not recorded yet.",
      lagMs / 1000,
    ),
    gauge(
      "whocrawls_record_state",
      "1 for the state of the record.",
      recordStates.map((state) => [{ state }, Number(state === current)]),
    ),
  ];
}

function catalogueMetrics({ catalogue, reloads, now }: MetricsFacts): Metric[] {
  return [
    gauge("whocrawls_catalogue_info", "The catalogue's version.", [[{ version: catalogue }, 1]]),
    gauge("whocrawls_catalogue_age_seconds", "Time since the catalogue was changed.", (now - reloads.changedAt) / 1000),
    counter("whocrawls_catalogue_reloads_total", "Reloads of the catalogue, by outcome.", [
      [{ outcome: "loaded" }, reloads.loaded],
      [{ outcome: "failed" }, reloads.failed],
    ]),
    gauge(
      "whocrawls_catalogue_reload_failed",
      "1 if the newest catalogue failed to load, so that an older one is in use.",
      Number(reloads.isFailing),
    ),
    gauge("whocrawls_catalogue_reloading", "1 while a new catalogue is being loaded.", Number(reloads.isReloading)),
    gauge(
      "whocrawls_catalogue_compile_seconds",
      "How long the last compilation of the catalogue took; 0 before any.",
      reloads.compileSeconds,
    ),
    gauge(
      "whocrawls_catalogue_loaded_timestamp_seconds",
      "When the catalogue was last loaded without an error, in seconds since 1970.",
      reloads.loadedAt,
    ),
  ];
}

function processMetrics(startedAt: number): Metric[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return [
    counter("process_cpu_user_seconds_total", "User CPU time.", user / 1e6),
    counter("process_cpu_system_seconds_total", "System CPU time.", system / 1e6),
    counter("process_cpu_seconds_total", "CPU time.", (user + system) / 1e6),
    gauge("process_resident_memory_bytes", "Resident memory.", rss),
    gauge("process_heap_bytes", "JavaScript heap in use.", heapUsed),
    gauge("process_open_fds", "Open files and sockets.", countOpenFiles()),
    gauge("process_start_time_seconds", "When the service was started, in seconds since 1970.", startedAt),
  ];
}

/** Linux only; 0 elsewhere. */
function countOpenFiles(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}
