/**
 * `npm run bench:pages`: what each page costs a visitor (bytes on the wire, first contentful paint) and what an open traffic
 * page costs the service. Writes docs/measurements/pages.md. Takes two minutes; needs Linux for the CPU time.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { startBrowser } from "../test/browser/browser.ts";
import { runtimes } from "../test/cli/command-line.ts";
import { startService } from "../test/server/service-process.ts";
import { readCpuSeconds } from "./service/servers.ts";

const paths = ["/", "/traffic", "/crawlers", "/crawlers/gptbot", "/expression", "/docs"];
const rounds = 5;
const watchedMs = 20_000;
const target = fileURLToPath(new URL("../docs/measurements/pages.md", import.meta.url));

interface Cost {
  readonly html: number;
  readonly script: number;
  readonly all: number;
  readonly paintMs: number;
}

/** Loads a page once, with an empty cache. */
async function measureOnce(browser: Browser, address: string): Promise<Cost> {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const client = await context.newCDPSession(page);
  await client.send("Network.enable");
  const types = new Map<string, string>();
  const bytes = { all: 0, Document: 0, Script: 0 } as Record<string, number>;
  client.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type));
  client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId) ?? "";
    bytes.all = (bytes.all ?? 0) + encodedDataLength;
    bytes[type] = (bytes[type] ?? 0) + encodedDataLength;
  });
  await page.goto(address, { waitUntil: "load" });
  await page.waitForTimeout(500);
  const paintMs = await page.evaluate(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
  );
  await context.close();
  return { html: bytes.Document ?? 0, script: bytes.Script ?? 0, all: bytes.all ?? 0, paintMs };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** The share of a core that the service takes while nothing is asked but what open pages ask. */
async function watch(pid: number): Promise<number> {
  const before = readCpuSeconds(pid);
  await new Promise((resolve) => setTimeout(resolve, watchedMs));
  return (100_000 * (readCpuSeconds(pid) - before)) / watchedMs;
}

const service = await startService(runtimes.Bun, { WHOCRAWLS_RECORD: "memory:" });
const browser = await startBrowser();
const pid = service.child.pid as number;
for (const useragent of ["curl/8.5.0", "Mozilla/5.0 (compatible; GPTBot/1.2)"]) {
  await fetch(`${service.url}/RestService/Check`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ useragent }),
  });
}

const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1);
const rows: string[] = [];
for (const path of paths) {
  const costs: Cost[] = [];
  for (let round = 0; round < rounds; round++) costs.push(await measureOnce(browser, service.url + path));
  const [html, script, all] = (["html", "script", "all"] as const).map((key) => median(costs.map((cost) => cost[key])));
  const paint = median(costs.map(({ paintMs }) => paintMs));
  rows.push(`| \`${path}\` | ${kilobytes(html!)} | ${kilobytes(script!)} | ${kilobytes(all!)} | ${paint.toFixed(0)} |`);
}
const none = await watch(pid);
const context = await browser.newContext({ locale: "en-GB" });
const page = await context.newPage();
await page.goto(`${service.url}/traffic`);
const one = await watch(pid);
await browser.close();
service.child.kill("SIGTERM");

const text = `# Cost of the pages

Written by \`npm run bench:pages\`: Chromium, an empty cache, the service on the same machine, medians of ${rounds}. Bytes are
compressed, headers included.

| page | HTML kB | JavaScript kB | all kB | first contentful paint ms |
|---|--:|--:|--:|--:|
${rows.join("\n")}

The service takes ${none.toFixed(2)} % of a core while idle, and ${one.toFixed(2)} % while one traffic page is open
(${watchedMs / 1000} s each).
`;
writeFileSync(target, text);
console.log(text);
