/** The page for Prometheus: what is counted, by name and labels, in a form that Prometheus reads. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { hourMs } from "../../src/record/traffic.ts";
import type { TrafficNews } from "../../src/record/traffic-news.ts";
import { RequestCounts } from "../../src/server/observe/counts.ts";
import { createMetrics, type MetricsSources } from "../../src/server/observe/metrics.ts";
import type { RequestEvent } from "../../src/service/options.ts";
import { needs } from "../support/needs.ts";
import { crawler } from "../support/verdicts.ts";

const event: RequestEvent = {
  ...{ requestId: "x", method: "GET", route: "/docs", status: 200, durationMs: 0.1 },
  ...{ verdict: undefined, error: undefined },
};

const verification = { status: "spoofed", method: "ip-range", reason: "" } as const;

const sources: MetricsSources = {
  counts: new RequestCounts(),
  policyWarnings: () => ["one", "two"],
  record: () => ({ state: "paused", reason: "why", queued: 3, dropped: 4, written: 0, lagMs: 1500 }),
  ranges: () => ({ refreshed: 1, failed: 2, lists: [{ id: "bing", asOf: Date.now() - 3e6, prefixes: 2 }] }),
  catalogue: {
    detector: { version: '1.2.3"\\' },
    figures: {
      ...{ loaded: 4, failed: 5, isFailing: true, isReloading: true, loadedAt: 6 },
      changedAt: Date.now() - 60_000,
    },
  },
  news: undefined,
};

const read = async (given: Partial<MetricsSources> = {}) => (await createMetrics({ ...sources, ...given })()).text;

/** The values by name and labels, as they are written. */
function valuesOf(page: string): Record<string, number> {
  return Object.fromEntries(
    [...page.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  );
}

/** Some of the values, which are there. */
function pick(page: string, names: RegExp): Record<string, number> {
  return Object.fromEntries(Object.entries(valuesOf(page)).filter(([name]) => names.test(name)));
}

/** Lines of values as an object. */
const toValues = (lines: string) => valuesOf(lines.trim().replace(/^ +/gm, ""));

test("metrics have the values of what they are read from", async () => {
  const values = pick(await read(), /^whocrawls_/);
  // In tens of seconds.
  for (const name in values) if (name.includes("_age_")) values[name] = Math.round(values[name]! / 10);
  const expected = toValues(`
    whocrawls_policy_warnings 2
    whocrawls_list_refreshes_total{outcome="refreshed"} 1
    whocrawls_list_refreshes_total{outcome="failed"} 2
    whocrawls_list_age_seconds{list="bing"} 300
    whocrawls_list_prefixes{list="bing"} 2
    whocrawls_record_queue 3
    whocrawls_record_dropped_total 4
    whocrawls_record_lag_seconds 1.5
    whocrawls_record_state{state="off"} 0
    whocrawls_record_state{state="opening"} 0
    whocrawls_record_state{state="recording"} 0
    whocrawls_record_state{state="paused"} 1
    whocrawls_record_state{state="closed"} 0
    whocrawls_catalogue_info{version="1.2.3\\"\\\\"} 1
    whocrawls_catalogue_age_seconds 6
    whocrawls_catalogue_reloads_total{outcome="loaded"} 4
    whocrawls_catalogue_reloads_total{outcome="failed"} 5
    whocrawls_catalogue_reload_failed 1
    whocrawls_catalogue_reloading 1
    whocrawls_catalogue_loaded_timestamp_seconds 6
  `);
  assert.deepEqual(values, expected);
});

test("metrics have the figures of the process", async () => {
  const values = pick(await read(), /^process_/);
  const names = ["cpu_user_seconds_total", "cpu_system_seconds_total", "cpu_seconds_total", "start_time_seconds"];
  const ofLinux = process.platform === "linux" ? ["heap_bytes", "open_fds"] : [];
  for (const name of [...names, "resident_memory_bytes", ...ofLinux]) assert.ok(values[`process_${name}`]! >= 0, name);
  const memory = values.process_resident_memory_bytes! / process.memoryUsage().rss;
  assert.ok(memory > 0.5 && memory < 2, `${memory}`);
  assert.ok(Math.abs(values.process_start_time_seconds! - (Date.now() / 1000 - process.uptime())) < 2);
});

test("metrics are a page that Prometheus accepts, also at the second scrape", {
  skip: needs("promtool"),
}, async () => {
  const counts = new RequestCounts();
  counts.note({ ...event, status: 429, verdict: crawler("x", { verification }) });
  const news = async () => ({ isKnown: true, newCrawlers: [], spikes: [] });
  const page = createMetrics({ ...sources, counts, news });
  for (let scrape = 0; scrape < 2; scrape++) {
    const { contentType, text: input } = await page();
    assert.equal(contentType, "text/plain; version=0.0.4; charset=utf-8");
    const found = spawnSync("promtool", ["check", "metrics"], { input, encoding: "utf8" });
    assert.deepEqual([found.status, found.stdout, found.stderr], [0, "", ""]);
  }
});

test("a duration is in the first bucket that is not below it, and in all above", async () => {
  const bounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 100, 500, 2500];
  for (const [at, bound] of bounds.entries()) {
    const counts = new RequestCounts();
    counts.note({ ...event, durationMs: bound });
    counts.note({ ...event, durationMs: bound * 1.001 });
    const values = pick(await read({ counts }), /^whocrawls_request_duration/);
    assert.deepEqual(
      Object.values(values).slice(0, -2),
      [...bounds, Infinity].map((_, other) => (other < at ? 0 : other === at ? 1 : 2)),
    );
    const name = "whocrawls_request_duration_seconds";
    assert.equal(values[`${name}_bucket{le="${bound / 1000}",route="/docs"}`], 1);
    assert.equal(values[`${name}_bucket{le="+Inf",route="/docs"}`], 2);
    assert.equal(values[`${name}_count{route="/docs"}`], 2);
    assert.ok(Math.abs(values[`${name}_sum{route="/docs"}`]! - (bound * 2.001) / 1000) < 1e-9);
  }
});

test("requests are counted by route, method and status, with one method for all that HTTP does not have", async () => {
  const counts = new RequestCounts();
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];
  for (const method of [...methods, "get", "BREW", "other"]) counts.note({ ...event, method });
  for (const more of [{ status: 404 }, { route: "*" }]) counts.note({ ...event, ...more });
  const expected = `
    ${methods.map((method) => `whocrawls_requests_total{route="/docs",method="${method}",status="200"} 1`).join("\n")}
    whocrawls_requests_total{route="/docs",method="other",status="200"} 3
    whocrawls_requests_total{route="/docs",method="GET",status="404"} 1
    whocrawls_requests_total{route="*",method="GET",status="200"} 1
  `;
  assert.deepEqual(pick(await read({ counts }), /^whocrawls_requests/), toValues(expected));
});

test("verdicts are counted by category, and how they were verified", async () => {
  const counts = new RequestCounts();
  const person = { useragent: "x", crawler: false } as const;
  counts.note({ ...event, verdict: crawler("x") });
  counts.noteVerdict(person);
  for (let n = 0; n < 2; n++) counts.noteVerdict(crawler("x", { category: "ai", verification }));
  // A crawler, a client that exceeds `rate-limit`, and a person.
  for (const verdict of [crawler("x", { category: "ai" }), undefined, person])
    counts.note({ ...event, status: 429, verdict });
  const expected = `
    whocrawls_verdicts_total{category="other"} 1
    whocrawls_verdicts_total{category="none"} 2
    whocrawls_verdicts_total{category="ai"} 3
    whocrawls_limited_total{category="ai"} 1
    whocrawls_verifications_total{status="spoofed",method="ip-range"} 2
  `;
  assert.deepEqual(pick(await read({ counts }), /^whocrawls_(?:verdicts|limited|verifications)/), toValues(expected));
});

test("news are the last that are known while the record fails, and 0 before any", async () => {
  const hour = Math.floor(Date.now() / hourMs) * hourMs;
  const seen = { category: "seo" as const, count: 1 };
  const spike = { requests: 100, before: 0 };
  const known: TrafficNews = {
    isKnown: true,
    newCrawlers: [
      { ...seen, name: "A", firstSeen: hour },
      { ...seen, name: "B", firstSeen: hour - 25 * hourMs },
    ],
    spikes: [
      { ...spike, name: "A", hour: hour - 2 * hourMs },
      { ...spike, name: "B", hour },
      { ...spike, name: "C", hour: hour - hourMs },
    ],
  };
  let answer: () => Promise<TrafficNews> = () => Promise.reject(new Error("away"));
  const page = createMetrics({ ...sources, news: () => answer() });
  const figures = async () => {
    const values = valuesOf((await page()).text);
    return [values['whocrawls_new_crawlers{category="seo"}'], values.whocrawls_spikes];
  };
  assert.deepEqual(await figures(), [0, 0]);
  answer = async () => known;
  assert.deepEqual(await figures(), [1, 2]);
  answer = () => Promise.reject(new Error("away"));
  assert.deepEqual(await figures(), [1, 2]);
  answer = () => new Promise(() => {});
  assert.deepEqual(await figures(), [1, 2]);
  assert.deepEqual(pick(await read(), /news|spikes/), {}, "without a record");
});
