/** The page /metrics, written by prom-client. Values are read at each scrape, so that a request pays nothing for them. */
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from "prom-client";
import type { ReloadFigures } from "../../catalogue/reload-catalogue.ts";
import { categories } from "../../detect/categories.ts";
import { within } from "../../http/within.ts";
import type { RecordStatus } from "../../record/record.ts";
import { hourMs, toHour } from "../../record/traffic.ts";
import { dayMs, type TrafficNews } from "../../record/traffic-news.ts";
import type { MetricsPage } from "../../service/options.ts";
import type { ListFigures } from "../../verify/open-evidence.ts";
import { type Counts, durationBounds, type RequestCounts } from "./counts.ts";

/** What the metrics are read from. */
export interface MetricsSources {
  readonly counts: RequestCounts;
  readonly policyWarnings: () => readonly string[];
  readonly ranges: () => ListFigures;
  readonly record: () => RecordStatus;
  readonly catalogue: { readonly detector: { readonly version: string }; readonly figures: ReloadFigures };
  /** New crawlers and spikes; undefined without a record. */
  readonly news: (() => Promise<TrafficNews>) | undefined;
}

/** All labels that a metric may have. */
const labelNames = ["route", "method", "status", "category", "list", "outcome", "state", "version"] as const;
type Label = (typeof labelNames)[number];
type Sample = readonly [labels: Readonly<Partial<Record<Label, string | number>>>, value: number];

/**
 * By name: what the metric says, and its value, or one for each set of labels. A name that ends in `_total` is a counter's, others are
 * gauges'.
 */
type Rows = Readonly<Record<string, readonly [help: string, read: () => Reading | Promise<Reading>]>>;
type Reading = number | readonly Sample[];

/** Makes the function that writes the page. */
export function createMetrics(sources: MetricsSources): () => Promise<MetricsPage> {
  const registry = new Registry();
  registry.registerMetric(durationsOf(sources.counts));
  for (const [name, [help, read]] of Object.entries({ ...toRows(sources), ...toNewsRows(sources) })) {
    const options = { name, help, labelNames, registers: [registry], collect };
    async function collect(this: Counter<Label> | Gauge<Label>): Promise<void> {
      const reading = await read();
      this.reset();
      for (const [labels, value] of typeof reading === "number" ? [[{}, reading] as const] : reading)
        this.inc(labels, value);
    }
    if (name.endsWith("_total")) new Counter(options);
    else new Gauge(options);
  }
  collectDefaultMetrics({ register: registry });
  // Gauges whose names end like those of counters; they are just sums of the gauges without the suffix.
  for (const what of ["handles", "requests", "resources"]) registry.removeSingleMetric(`nodejs_active_${what}_total`);
  // Bun walks through the heap for them, which holds up requests for 13 ms and longer.
  for (const what of ["total", "used", "available"])
    registry.removeSingleMetric(`nodejs_heap_space_size_${what}_bytes`);
  return async () => ({ contentType: registry.contentType, text: await registry.metrics() });
}

/** The histogram. Observing a request in prom-client's histogram takes ten times as long as counting it. */
function durationsOf({ routes }: RequestCounts): Metric {
  const name = "whocrawls_request_duration_seconds";
  const help = "Time from receiving the head of a request to sending its response.";
  const read = () =>
    [...routes].flatMap(([route, { buckets, sum }]) => {
      let count = 0;
      const cumulative = buckets.map((inBucket, at) => {
        count += inBucket;
        return { metricName: `${name}_bucket`, labels: { le: durationBounds[at] ?? "+Inf", route }, value: count };
      });
      return [
        ...cumulative,
        { metricName: `${name}_sum`, labels: { route }, value: sum },
        { metricName: `${name}_count`, labels: { route }, value: count },
      ];
    });
  // The registry reads nothing else of a metric.
  return { name, get: async () => ({ name, help, type: "histogram", values: read() }) } as unknown as Metric;
}

const recordStates = ["off", "opening", "recording", "paused", "closed"] as const;

function toRows({ counts, policyWarnings, ranges, record, catalogue }: MetricsSources): Rows {
  return {
    whocrawls_requests_total: [
      "Answered requests.",
      () =>
        [...counts.routes].flatMap(([route, { answers }]) =>
          [...answers].flatMap(([method, statuses]) =>
            [...statuses].map(([status, { count }]): Sample => [{ route, method, status }, count]),
          ),
        ),
    ],
    whocrawls_verdicts_total: ["Verdicts by category of crawler; none for people.", () => byCategory(counts.verdicts)],
    whocrawls_limited_total: [
      "Crawler requests that got 429 from /auth because of a limit or an invalid policy, by category.",
      () => byCategory(counts.limited),
    ],
    whocrawls_policy_warnings: [
      "Warnings in /readyz about policies of /auth: mistakes and unusable words.",
      () => policyWarnings().length,
    ],
    whocrawls_verifications_total: [
      "Verified Checks of crawlers, by status and method.",
      () =>
        [...counts.verifications].map(([key, { count }]) => {
          const [status = "", method = ""] = key.split(" ");
          return [{ status, method }, count];
        }),
    ],
    whocrawls_list_refreshes_total: [
      "Reads of operators' address lists, by outcome.",
      () => byOutcome({ refreshed: ranges().refreshed, failed: ranges().failed }),
    ],
    whocrawls_list_age_seconds: [
      "Time since an operator's address list was last confirmed.",
      () => ranges().lists.map(({ id, asOf }) => [{ list: id }, (Date.now() - asOf) / 1000]),
    ],
    whocrawls_list_prefixes: [
      "Prefixes of a list.",
      () => ranges().lists.map(({ id, prefixes }) => [{ list: id }, prefixes]),
    ],
    whocrawls_record_queue: ["Strings that wait to be recorded.", () => record().queued],
    whocrawls_record_dropped_total: [
      "Evaluations that were dropped because the buffer was full.",
      () => record().dropped,
    ],
    whocrawls_record_lag_seconds: [
      "Waiting time of the oldest evaluation that is not recorded yet.",
      () => record().lagMs / 1000,
    ],
    whocrawls_record_state: [
      "1 for the current state of the record.",
      () => recordStates.map((state) => [{ state }, Number(state === record().state)]),
    ],
    whocrawls_catalogue_info: ["The catalogue's version.", () => [[{ version: catalogue.detector.version }, 1]]],
    whocrawls_catalogue_age_seconds: [
      "Time since the catalogue was changed.",
      () => (Date.now() - catalogue.figures.changedAt) / 1000,
    ],
    whocrawls_catalogue_reloads_total: [
      "Reloads of the catalogue, by outcome.",
      () => byOutcome({ loaded: catalogue.figures.loaded, failed: catalogue.figures.failed }),
    ],
    whocrawls_catalogue_reload_failed: [
      "1 if the newest catalogue failed to load, so that an older one is in use.",
      () => Number(catalogue.figures.isFailing),
    ],
    whocrawls_catalogue_reloading: [
      "1 while a new catalogue is being loaded.",
      () => Number(catalogue.figures.isReloading),
    ],
    whocrawls_catalogue_loaded_timestamp_seconds: [
      "When the catalogue was last loaded without an error, in seconds since 1970.",
      () => catalogue.figures.loadedAt,
    ],
  };
}

function byCategory(counts: Counts<string>): Sample[] {
  return [...counts].map(([category, { count }]) => [{ category }, count]);
}

function byOutcome(outcomes: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(outcomes).map(([outcome, count]) => [{ outcome }, count]);
}

/** How long a scrape waits for the record; after that, it returns the last known figures, initially 0. */
const newsWaitMs = 1000;

function toNewsRows({ news }: MetricsSources): Rows {
  if (news === undefined) return {};
  let known: TrafficNews = { isKnown: false, newCrawlers: [], spikes: [] };
  async function readNews(read: () => Promise<TrafficNews>): Promise<TrafficNews> {
    const reading = read().then(
      (read) => {
        known = read;
      },
      // The metrics of the record say that it fails.
      () => {},
    );
    await within(reading, newsWaitMs, () => undefined);
    return known;
  }
  return {
    whocrawls_new_crawlers: [
      "Crawlers first seen within the last 24 hours; 0 during the first 24 hours of the record.",
      async () => {
        // Known figures may be old.
        const since = Date.now() - dayMs;
        const fresh = (await readNews(news)).newCrawlers.filter(({ firstSeen }) => firstSeen >= since);
        return categories.map((each) => [{ category: each }, fresh.filter(({ category }) => category === each).length]);
      },
    ],
    whocrawls_spikes: [
      "Crawlers that made far more requests in this hour or the last one than in any hour of the previous seven days.",
      async () => {
        const since = toHour(Date.now()) - hourMs;
        return (await readNews(news)).spikes.filter(({ hour }) => hour >= since).length;
      },
    ],
  };
}
