/** The figures of a report equal those of an independent program in another language, on a log with many distinct values. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Report } from "../../src/scan/report/report.ts";
import { runHere } from "../cli/run-here.ts";

const script = fileURLToPath(new URL("count.py", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "whocrawls-count-"));
after(() => rmSync(folder, { recursive: true }));
const log = join(folder, "access.log");

/** A generator of numbers from 0 to before 1: the log is the same at every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A log of 20 crawlers and 5,000 paths; returns the names of its crawlers by user agent. */
function writeLog(lines: number): Record<string, string> {
  const random = createRandom(7);
  const known = new Map<string, string>();
  for (const useragent of detector.strings()) {
    const { crawler, name } = detector.check(useragent);
    if (crawler && name !== undefined && !/["\\]/.test(useragent) && ![...known.values()].includes(name))
      known.set(useragent, name);
    if (known.size === 20) break;
  }
  const crawlers = [...known.keys()];
  const people = ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:149.0) Gecko/20100101 Firefox/149.0"];
  /** Some are requested far more often than others. */
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() ** 2 * items.length)]!;
  const paths = ["/robots.txt", ...Array.from({ length: 4999 }, (_, at) => `/blog/tags/${at * 7919}/${at % 13}`)];
  const referrers = [
    "-",
    "https://site.example/blog?page=1",
    "https://www.google.com/",
    "https://chatgpt.com/",
    "https://www.google.de/",
    "http://google.co.uk/url?q=1",
    "https://accounts.google.com/",
    "https://www.bing.com/search?q=a",
    "https://gemini.google.com/app",
    "https://chatgpt.com.example/",
    "https://chatgpt.com@site.example/",
    "https://www.perplexity.ai",
  ];
  const text = Array.from({ length: lines }, (_, at) => {
    const useragent = random() < 0.7 ? pick(crawlers) : people[0]!;
    const time = new Date(Date.UTC(2026, 4, 1) + at * 1000).toISOString();
    const stamp = `${time.slice(8, 10)}/May/2026:${time.slice(11, 19)} +0000`;
    const status = pick([200, 304, 404, 301, 500]);
    const query = pick(["", "?page=2", "?utm_source=chatgpt.com", "?a=b&utm_source=perplexity", "?utm_source=news"]);
    const referrer = pick(referrers);
    return `203.0.113.${at % 250} - - [${stamp}] "GET ${pick(paths)}${query} HTTP/1.1" ${status} ${Math.floor(random() * 90_000)} "${referrer}" "${useragent}"\n`;
  });
  writeFileSync(log, text.join(""));
  return Object.fromEntries(known);
}

const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe("a report and an independent count agree", { skip: !hasPython && "python3 is not installed" }, () => {
  if (!hasPython) return;
  const names = join(folder, "names.json");
  writeFileSync(names, JSON.stringify(writeLog(120_000)));
  const { stdout, stderr } = spawnSync("python3", [script, log, names], { encoding: "utf8", maxBuffer: 1e8 });
  const counted = JSON.parse(stdout || stderr) as {
    crawlers: Record<string, object>;
    paths: object[];
    referrals: { requests: number; withReferrer: number; visits: Record<string, number> };
  };

  for (const threads of ["1", "3"]) {
    it(`of ${threads} threads`, async () => {
      const { stdout } = await runHere(["scan", "--format", "json", "--threads", threads, log]);
      const report = JSON.parse(stdout) as Report;
      assert.equal(report.crawlers.length, 20);
      assert.ok(report.pathsExact && report.crawlers.every(({ pathsExact }) => pathsExact));
      const crawlers = report.crawlers.map(({ name, requests, bytes, robotsTxt, statuses, paths }) => [
        name,
        { requests, bytes, robotsTxt, statuses, paths },
      ]);
      assert.deepEqual(Object.fromEntries(crawlers), counted.crawlers);
      assert.deepEqual(
        report.paths.map(({ path, requests }) => ({ path, requests })),
        counted.paths,
      );
      const { requests, withReferrer, operators } = report.referrals!;
      const visits = operators.flatMap(({ from }) => from.map(({ name, visits }) => [name, visits]));
      assert.equal(visits.length, 5);
      assert.deepEqual({ requests, withReferrer, visits: Object.fromEntries(visits) }, counted.referrals);
    });
  }
});
