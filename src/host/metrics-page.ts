// Writes /metrics from the figures of all processes, with prom-client. The page is made at each scrape, so that it costs nothing
// between scrapes.
import { Counter, Gauge, Histogram, type MetricValueWithName, Registry } from "prom-client";
import type { MetricsPage } from "../service/options.ts";
import { type Counts, durationBounds, sumCounts } from "./counts.ts";
import type { ProcessFigures, Retired, Snapshot } from "./snapshot.ts";

export interface MetricsFacts {
  /** One of each process that answers requests. */
  readonly workers: readonly Snapshot[];
  /** The process that watches over them, where there is one. */
  readonly supervisor?: ProcessFigures;
  readonly retired: Retired;
  /** How many workers were replaced because they had died. */
  readonly replaced: number;
  readonly catalogueVersion: string;
  readonly catalogueAgeSeconds: number;
  /** Seconds since 1970. */
  readonly startedAt: number;
}

const recordStates = ["off", "opening", "recording", "paused", "closed"] as const;

/** Writes the page. */
export async function toMetricsPage(facts: MetricsFacts): Promise<MetricsPage> {
  const registry = new Registry();
  const counts = sumCounts([facts.retired.counts, ...facts.workers.map((worker) => worker.counts)]);
  writeRequests(counts, registry);
  writeVerification(facts, counts, [registry]);
  writeRecord(facts, registry);
  writeProcesses(facts, registry);
  return { contentType: registry.contentType, text: await registry.metrics() };
}

/** Makes the two kinds of figures that have no labels. */
function plainFigures(registry: Registry) {
  const registers = [registry];
  return {
    counter: (name: string, help: string, value: number) => new Counter({ name, help, registers }).inc(value),
    gauge: (name: string, help: string, value: number) => new Gauge({ name, help, registers }).set(value),
  };
}

function writeRequests(counts: Counts, registry: Registry): void {
  const registers = [registry];
  const requests = new Counter({
    name: "whocrawls_requests_total",
    help: "Requests that were answered.",
    labelNames: ["route", "method", "status"],
    registers,
  });
  for (const [route, method, status, count] of counts.requests) requests.inc({ route, method, status }, count);
  new CountedHistogram(counts.durations, registry);
  const verdicts = new Counter({
    name: "whocrawls_verdicts_total",
    help: "Verdicts by category of crawler; none for people.",
    labelNames: ["category"],
    registers,
  });
  for (const [category, count] of counts.verdicts) verdicts.inc({ category }, count);
}

function writeRecord({ workers, retired }: MetricsFacts, registry: Registry): void {
  const { counter, gauge } = plainFigures(registry);
  const sum = (read: (record: Snapshot["record"]) => number) =>
    workers.reduce((total, { record }) => total + read(record), 0);
  const queued = sum((record) => record.queued);
  const dropped = retired.recordDropped + sum((record) => record.dropped);
  const lag = Math.max(0, ...workers.map(({ record }) => record.lagMs)) / 1000;
  gauge("whocrawls_record_queue", "Strings that wait to be recorded.", queued);
  counter("whocrawls_record_dropped_total", "Evaluations that were dropped because the buffer was full.", dropped);
  gauge("whocrawls_record_lag_seconds", "Waiting time of the oldest evaluation that is not recorded yet.", lag);
  const states = new Gauge({
    name: "whocrawls_record_state",
    help: "Workers whose record is in this state.",
    labelNames: ["state"],
    registers: [registry],
  });
  for (const state of recordStates)
    states.set({ state }, workers.filter(({ record }) => record.state === state).length);
}

function writeProcesses(facts: MetricsFacts, registry: Registry): void {
  const { workers, retired, supervisor } = facts;
  const { counter, gauge } = plainFigures(registry);
  const info = { name: "whocrawls_catalogue_info", help: "The catalogue's version.", labelNames: ["version"] };
  new Gauge({ ...info, registers: [registry] }).set({ version: facts.catalogueVersion }, 1);
  gauge("whocrawls_catalogue_age_seconds", "Time since the catalogue was changed.", facts.catalogueAgeSeconds);
  gauge("whocrawls_workers", "Processes that answer requests.", workers.length);
  counter("whocrawls_workers_replaced_total", "Workers that died and were replaced.", facts.replaced);

  const processes = [...workers.map(({ process }) => process), ...(supervisor ? [supervisor] : [])];
  const total = (figure: keyof ProcessFigures) => processes.reduce((sum, each) => sum + each[figure], 0);
  const user = retired.cpuUserSeconds + total("cpuUserSeconds");
  const system = retired.cpuSystemSeconds + total("cpuSystemSeconds");
  counter("process_cpu_user_seconds_total", "User CPU time of all processes.", user);
  counter("process_cpu_system_seconds_total", "System CPU time of all processes.", system);
  counter("process_cpu_seconds_total", "CPU time of all processes.", user + system);
  gauge("process_resident_memory_bytes", "Resident memory of all processes.", total("residentBytes"));
  gauge("process_heap_bytes", "JavaScript heap in use, of all processes.", total("heapUsedBytes"));
  gauge("process_open_fds", "Open files and sockets of all processes.", total("openFiles"));
  gauge("process_start_time_seconds", "When the service was started, in seconds since 1970.", facts.startedAt);
}

/** What verifying said, and how old the lists are that it rests on: of several processes, the oldest counts. */
function writeVerification({ workers, retired }: MetricsFacts, counts: Counts, registers: Registry[]): void {
  const verifications = new Counter({
    name: "whocrawls_verifications_total",
    help: "Verified Checks of crawlers, by status and method.",
    labelNames: ["status", "method"],
    registers,
  });
  for (const [status, method, count] of counts.verifications) verifications.inc({ status, method }, count);
  const refreshes = new Counter({
    name: "whocrawls_list_refreshes_total",
    help: "Reads of operators' address lists, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  for (const outcome of ["refreshed", "failed"] as const) {
    refreshes.inc(
      { outcome },
      workers.reduce((sum, { ranges }) => sum + ranges[outcome], retired.ranges[outcome]),
    );
  }
  const labelNames = ["list"] as const;
  const ageHelp = "Time since an operator's address list was last confirmed.";
  const ages = new Gauge({ name: "whocrawls_list_age_seconds", help: ageHelp, labelNames, registers });
  const sizes = new Gauge({ name: "whocrawls_list_prefixes", help: "Prefixes of a list.", labelNames, registers });
  const lists = workers.flatMap(({ ranges }) => ranges.lists).sort((one, other) => other.asOf - one.asOf);
  for (const { id, asOf, prefixes } of lists) {
    ages.set({ list: id }, (Date.now() - asOf) / 1000);
    sizes.set({ list: id }, prefixes);
  }
}

const durationName = "whocrawls_request_duration_seconds";
const durationHelp = "Time from a request's head to its answer.";

/** A histogram of what was counted elsewhere: observing each request here would cost thirty times as much. */
class CountedHistogram extends Histogram<"route"> {
  readonly #durations: Snapshot["counts"]["durations"];

  constructor(durations: Snapshot["counts"]["durations"], registry: Registry) {
    super({
      name: durationName,
      help: durationHelp,
      labelNames: ["route"],
      buckets: [...durationBounds],
      registers: [registry],
    });
    this.#durations = durations;
  }

  /** What the registry asks for when it writes text; prom-client's types do not know it. */
  async getForPromString() {
    const values: MetricValueWithName<"route" | "le">[] = [];
    for (const [route, buckets, sum] of this.#durations) {
      let count = 0;
      buckets.forEach((inBucket, at) => {
        count += inBucket;
        const le = durationBounds[at] ?? "+Inf";
        values.push({ metricName: `${durationName}_bucket`, labels: { le, route }, value: count });
      });
      values.push({ metricName: `${durationName}_sum`, labels: { route }, value: sum });
      values.push({ metricName: `${durationName}_count`, labels: { route }, value: count });
    }
    return { name: durationName, help: durationHelp, type: "histogram", values };
  }
}
