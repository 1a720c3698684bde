/** The figures of a report equal those of an independent program in another language, on a log with many distinct values. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { CrawlerVerdict } from "../../src/detect/verdict.ts";
import type { Report } from "../../src/scan/report/report.ts";
import { toCsv } from "../../src/scan/report/report-csv.ts";
import { runHere } from "../cli/run-here.ts";
import { describeWith } from "../support/needs.ts";
import { createRandom } from "../support/random-numbers.ts";
import { howMany } from "../support/some-strings.ts";
import { temporary } from "../support/temporary.ts";

const script = fileURLToPath(new URL("count.py", import.meta.url));
const folder = temporary();
const log = join(folder, "access.log");

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
  const paths = [
    "/robots.txt",
    ...Array.from({ length: 4999 }, (_, at) => `/blog/tags/${at * 7919}/${at % 13}${at % 5 === 4 ? ".PNG" : ""}`),
  ];
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
    const time = new Date(Date.UTC(2026, 4, 1) + at * 6000).toISOString();
    const stamp = `${time.slice(8, 10)}/May/2026:${time.slice(11, 19)} +0000`;
    // Few clients get parts of one document again and again.
    const isPart = random() < 0.1;
    const status = isPart ? 206 : pick([200, 304, 404, 301, 500]);
    const path = isPart ? "/manual.pdf" : pick(paths);
    const query = pick(["", "?page=2", "?utm_source=chatgpt.com", "?a=b&utm_source=perplexity", "?utm_source=news"]);
    const referrer = pick(referrers);
    return `203.0.113.${at % (isPart ? 3 : 250)} - - [${stamp}] "GET ${path}${query} HTTP/1.1" ${status} ${Math.floor(random() * 90_000)} "${referrer}" "${useragent}"\n`;
  });
  writeFileSync(log, text.join(""));
  return Object.fromEntries(known);
}

describeWith(["python3"], "a report and an independent count agree", () => {
  const names = join(folder, "names.json");
  writeFileSync(names, JSON.stringify(writeLog(howMany(3_000, 20_000))));
  interface Counted {
    readonly crawlers: Record<string, object>;
    readonly paths: object[];
    readonly pathsByBytes: object[];
    readonly directories: object[];
    readonly referrals: { requests: number; withReferrer: number; visits: Record<string, number> };
    readonly totals: { readonly requests: number; readonly bytes: number; readonly excluded: number };
  }
  const countWith = (filter: object): Counted => {
    const args = [script, log, names, JSON.stringify(filter)];
    const { stdout, stderr } = spawnSync("python3", args, { encoding: "utf8", maxBuffer: 1e8 });
    return JSON.parse(stdout || stderr) as Counted;
  };
  const since = (time: string): number => Date.parse(time) / 1000;
  const known = Object.entries(JSON.parse(readFileSync(names, "utf8")) as Record<string, string>).map(
    ([useragent, name]) => ({ name, category: (detector.check(useragent) as CrawlerVerdict).category }),
  );
  const [one, other] = known.map(({ name }) => name);
  const category = known[0]!.category;
  const alike = known.filter((crawler) => crawler.category === category).map(({ name }) => name);

  const rows: readonly { args: readonly string[]; filter: object; hasPeople: boolean }[] = [
    { args: [], filter: {}, hasPeople: true },
    {
      args: ["--since", "2026-05-01T06:00:00+02:00", "--until", "2026-05-02"],
      filter: { since: since("2026-05-01T04:00:00Z"), until: since("2026-05-02T00:00:00Z") },
      hasPeople: true,
    },
    {
      args: ["--path", "/blog/tags/1", "--path", "/blog/tags/7919/"],
      filter: { paths: ["/blog/tags/1", "/blog/tags/7919/"] },
      hasPeople: true,
    },
    {
      args: ["--crawler", one!.toUpperCase(), "--crawler", other!],
      filter: { crawlers: [one, other] },
      hasPeople: false,
    },
    { args: ["--category", category], filter: { crawlers: alike }, hasPeople: false },
    {
      args: ["--until", "2026-05-01T12:00:01Z", "--crawler", one!, "--path", "/robots.txt"],
      filter: { until: since("2026-05-01T12:00:01Z"), crawlers: [one], paths: ["/robots.txt"] },
      hasPeople: false,
    },
  ];

  it("of the lines in reverse order, too", async () => {
    const reversed = join(folder, "reversed.log");
    writeFileSync(reversed, readFileSync(log, "utf8").trimEnd().split("\n").reverse().join("\n"));
    const [one, other] = [log, reversed].map((path) => runHere(["scan", "--format", "json", path]));
    assert.equal((await other!).stdout, (await one!).stdout);
  });

  for (const { args, filter, hasPeople } of rows) {
    const counted = countWith(filter);
    for (const threads of args.length === 0 ? ["1", "3"] : ["3"]) {
      it(`of ${threads} threads with ${args.join(" ") || "no filter"}`, async () => {
        const { stdout } = await runHere(["scan", "--format", "json", "--threads", threads, ...args, log]);
        const report = JSON.parse(stdout) as Report;
        const { requests, bytes, excluded = 0 } = counted.totals;
        assert.ok(requests > 0);
        assert.deepEqual([report.requests, report.bytes, report.filter?.excluded ?? 0], [requests, bytes, excluded]);
        assert.equal(
          report.times.reduce((sum, time) => sum + time.requests, 0),
          requests,
        );
        assert.ok(report.pathsExact && report.crawlers.every(({ pathsExact }) => pathsExact));
        const { from, seconds } = report.crawlerTimes!;
        const toHours = (times: readonly number[]): object =>
          Object.fromEntries(
            times.flatMap((count, at) => {
              const hour = new Date(Date.parse(from) + at * seconds * 1000).toISOString();
              return count === 0 ? [] : [[hour.replace(".000", ""), count]];
            }),
          );
        const crawlers = report.crawlers.map(
          ({
            name,
            requests,
            bytes,
            robotsTxt,
            statuses,
            robotsStatuses,
            paths,
            clientErrors,
            serverErrors,
            ...rest
          }) => [
            name,
            {
              ...{ requests, bytes, robotsTxt, statuses, robotsStatuses, paths, clientErrors, serverErrors },
              ...{ times: toHours(rest.times!), peak: rest.peak },
            },
          ],
        );
        assert.deepEqual(Object.fromEntries(crawlers), counted.crawlers);
        assert.deepEqual(
          report.paths.map(({ path, requests }) => ({ path, requests })),
          counted.paths,
        );
        assert.deepEqual([report.pathsByBytes, report.directories], [counted.pathsByBytes, counted.directories]);
        const [head, ...rows] = toCsv({ report, logs: [log] })
          .trimEnd()
          .split("\r\n");
        assert.match(head!, /,timesFrom,timesSeconds,times,/);
        assert.deepEqual(
          rows.map((row) => /,(\d{4}-[^,]*),(3600),([\d ]*),/.exec(row)?.slice(1)),
          report.crawlers.map(({ times }) => [from, "3600", times!.join(" ")]),
        );
        if (!hasPeople) {
          assert.equal(report.referrals, undefined);
          return;
        }
        const { requests: byPeople, withReferrer, operators } = report.referrals!;
        const visits = operators.flatMap(({ from }) => from.map(({ name, visits }) => [name, visits]));
        assert.equal(visits.length, 5);
        assert.deepEqual({ requests: byPeople, withReferrer, visits: Object.fromEntries(visits) }, counted.referrals);
      });
    }
  }
});
