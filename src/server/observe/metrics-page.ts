/** The metrics of all processes, as /metrics shows them. The page is made at each scrape, so that it costs nothing between scrapes. */
import type { ReloadFigures } from "../../catalogue/reload-catalogue.ts";
import type { MetricsPage } from "../../service/options.ts";
import { type Counts, durationBounds, sumCounts } from "./counts.ts";
import { counter, gauge, type Metric, metricsContentType, toMetricsText } from "./metrics-text.ts";
import type { ProcessFigures, Retired, Snapshot } from "./snapshot.ts";

export interface MetricsFacts {
  /** One of each process that answers requests. */
  readonly workers: readonly Snapshot[];
  /** The supervising process, if there is one. */
  readonly supervisor?: ProcessFigures;
  readonly retired: Retired;
  /** How many workers were replaced because they had died. */
  readonly replaced: number;
  readonly reloads: ReloadFigures;
  /** Seconds since 1970. */
  readonly startedAt: number;
  /** The time of the scrape, in milliseconds since 1970; ages are counted up to it. */
  readonly now: number;
}

const recordStates = ["off", "opening", "recording", "paused", "closed"] as const;

/** Makes the page. */
export function toMetricsPage(facts: MetricsFacts): MetricsPage {
  const counts = sumCounts([facts.retired.counts, ...facts.workers.map((worker) => worker.counts)]);
  const metrics = [
    ...requestMetrics(counts),
    gauge(
      "whocrawls_policy_warnings",
      "Warnings of /readyz about policies of /auth: mistakes, and words that cannot be used.",
      Math.max(0, ...facts.workers.map(({ policyWarnings }) => policyWarnings)),
    ),
    ...verificationMetrics(facts, counts),
    ...recordMetrics(facts),
    ...catalogueMetrics(facts),
    ...processMetrics(facts),
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

/** What verifying said, and how old the lists are that it rests on: of several processes, the oldest counts. */
function verificationMetrics({ workers, retired, now }: MetricsFacts, { verifications }: Counts): Metric[] {
  const sum = (outcome: "refreshed" | "failed") =>
    workers.reduce((total, { ranges }) => total + ranges[outcome], retired.ranges[outcome]);
  const oldest = new Map<string, { readonly asOf: number; readonly prefixes: number }>();
  for (const { id, ...list } of workers.flatMap(({ ranges }) => ranges.lists))
    if (list.asOf < (oldest.get(id)?.asOf ?? Number.POSITIVE_INFINITY)) oldest.set(id, list);
  const lists = [...oldest];
  return [
    counter(
      "whocrawls_verifications_total",
      "Verified Checks of crawlers, by status and method.",
      verifications.map(([status, method, count]) => [{ status, method }, count]),
    ),
    counter("whocrawls_list_refreshes_total", "Reads of operators' address lists, by outcome.", [
      [{ outcome: "refreshed" }, sum("refreshed")],
      [{ outcome: "failed" }, sum("failed")],
    ]),
    gauge(
      "whocrawls_list_age_seconds",
      "Time since an operator's address list was last confirmed.",
      lists.map(([list, { asOf }]) => [{ list }, (now - asOf) / 1000]),
    ),
    gauge(
      "whocrawls_list_prefixes",
      "Prefixes of a list.",
      lists.map(([list, { prefixes }]) => [{ list }, prefixes]),
    ),
  ];
}

function recordMetrics({ workers, retired }: MetricsFacts): Metric[] {
  const records = workers.map(({ record }) => record);
  const queued = records.reduce((sum, record) => sum + record.queued, 0);
  const dropped = records.reduce((sum, record) => sum + record.dropped, retired.recordDropped);
  const lag = Math.max(0, ...records.map(({ lagMs }) => lagMs)) / 1000;
  return [
    gauge("whocrawls_record_queue", "Strings that wait to be recorded.", queued),
    counter("whocrawls_record_dropped_total", "Evaluations that were dropped because the buffer was full.", dropped),
    gauge("whocrawls_record_lag_seconds", "Waiting time of the oldest evaluation that is not recorded yet.", lag),
    gauge(
      "whocrawls_record_state",
      "Workers whose record is in this state.",
      recordStates.map((state) => [{ state }, records.filter((record) => record.state === state).length]),
    ),
  ];
}

function catalogueMetrics({ workers, reloads, now }: MetricsFacts): Metric[] {
  const versions = [...new Set(workers.map(({ catalogue }) => catalogue))];
  return [
    gauge(
      "whocrawls_catalogue_info",
      "The catalogue's version.",
      versions.map((version) => [{ version }, 1]),
    ),
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

function processMetrics(facts: MetricsFacts): Metric[] {
  const { workers, retired, supervisor } = facts;
  const processes = [...workers.map(({ process }) => process), ...(supervisor ? [supervisor] : [])];
  const total = (figure: keyof ProcessFigures) => processes.reduce((sum, each) => sum + each[figure], 0);
  const user = retired.cpuUserSeconds + total("cpuUserSeconds");
  const system = retired.cpuSystemSeconds + total("cpuSystemSeconds");
  return [
    gauge("whocrawls_workers", "Processes that answer requests.", workers.length),
    counter("whocrawls_workers_replaced_total", "Workers that died and were replaced.", facts.replaced),
    counter("process_cpu_user_seconds_total", "User CPU time of all processes.", user),
    counter("process_cpu_system_seconds_total", "System CPU time of all processes.", system),
    counter("process_cpu_seconds_total", "CPU time of all processes.", user + system),
    gauge("process_resident_memory_bytes", "Resident memory of all processes.", total("residentBytes")),
    gauge("process_heap_bytes", "JavaScript heap in use, of all processes.", total("heapUsedBytes")),
    gauge("process_open_fds", "Open files and sockets of all processes.", total("openFiles")),
    gauge("process_start_time_seconds", "When the service was started, in seconds since 1970.", facts.startedAt),
  ];
}
