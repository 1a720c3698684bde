/** What a scan says of who disobeys robots.txt equals the count of an independent program in another language. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { items } from "../../src/detect/built-in/items.ts";
import { check } from "../../src/index.ts";
import type { CrawlerReport, Report } from "../../src/scan/report/report.ts";
import { runHere } from "../cli/run-here.ts";
import { describeWith } from "../support/needs.ts";
import { createRandom } from "../support/random-numbers.ts";
import { temporary } from "../support/temporary.ts";

const script = fileURLToPath(new URL("count_robots.py", import.meta.url));
const folder = temporary();
const log = join(folder, "access.log");
const robots = join(folder, "robots.txt");

/** Crawlers with a group of their own, of `*`, without a known operator's word, and to which robots.txt does not apply. */
const agents = [
  "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
  "Mozilla/5.0 (compatible; GPTBot/1.1; +https://openai.com/gptbot)",
  "Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
  "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
  "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
  "Mozilla/5.0 (compatible; InventedBot/1.0; +https://example.com/)",
  "Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)",
];
const person = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:149.0) Gecko/20100101 Firefox/149.0";

const rules = `User-agent: *
Disallow: /blog/tags/1
Allow: /blog/tags/11
Disallow: /*?sort=
Disallow: /*/7$
Disallow: /long/${"x".repeat(300)}/secret
Crawl-delay: 40

User-agent: GPTBot
User-agent: InventedBot
Disallow: /blog/tags/2
Disallow: /blog/tags/3
Crawl-delay: 50

User-agent: ClaudeBot
Disallow: /
Allow: /$
Crawl-delay: 90

user-agent: gptbot
Disallow: /*.pdf$

User-agent: AhrefsBot
Disallow: /blog/tags/4

User-agent: bingbot
Crawl-delay: 70
User-agent: Bytespider
Crawl-delay: 5
Disallow: /blog/tags/5
`;

const start = Date.UTC(2026, 4, 1);
const since = start / 1000 + 30_000;

function writeLog(lines: number): void {
  const random = createRandom(11);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() ** 2 * items.length)]!;
  const paths = [
    "/robots.txt",
    "/",
    `/long/${"x".repeat(300)}/secret`,
    `/long/${"x".repeat(300)}/open`,
    ...Array.from({ length: 9000 }, (_, at) => `/blog/tags/${at * 7919}/${at % 13}${at % 17 === 0 ? ".pdf" : ""}`),
  ];
  const text = Array.from({ length: lines }, (_, at) => {
    const useragent = random() < 0.8 ? pick(agents) : person;
    const time = new Date(start + at * 6000).toISOString();
    const stamp = `${time.slice(8, 10)}/May/2026:${time.slice(11, 19)} +0000`;
    const path = random() < 0.01 ? "/robots.txt" : pick(paths);
    const query = random() < 0.2 ? pick(["?page=2", "?sort=up", "?a=b&sort=up", "?x=.pdf", "?"]) : "";
    // AhrefsBot gets no robots.txt.
    const status = path === "/robots.txt" ? (useragent.includes("Ahrefs") ? 404 : 200) : pick([200, 304, 500]);
    return `203.0.113.${at % 250} - - [${stamp}] "GET ${path}${query} HTTP/1.1" ${status} 100 "-" "${useragent}"\n`;
  });
  writeFileSync(log, text.join(""));
}

describeWith(["python3"], "requests by what robots.txt says of them", () => {
  writeLog(60_000);
  writeFileSync(robots, rules);
  utimesSync(robots, since, since);
  const names = Object.fromEntries(
    agents.map((useragent) => {
      const { name = "" } = check(useragent);
      const item = items().find((item) => item.name === name);
      const { obeys, crawlDelay = 0 } = item?.robotsRules ?? {};
      const longest = crawlDelay === true ? 1000 : crawlDelay;
      return [useragent, [name, item?.robots ?? name, obeys !== false, longest]];
    }),
  );
  const namesFile = join(folder, "names.json");
  writeFileSync(namesFile, JSON.stringify(names));
  const { stdout, stderr } = spawnSync("python3", [script, log, robots, namesFile, String(since)], {
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  const counted = JSON.parse(stdout || stderr) as Record<string, NonNullable<CrawlerReport["robots"]>>;
  const figuresOf = ({ crawlers }: Report) =>
    Object.fromEntries(
      crawlers.map(({ name, robots }) => {
        const { pathsExact, ...figures } = robots!;
        assert.ok(pathsExact);
        return [name, figures];
      }),
    );

  it("are all there, so that the test compares something", () => {
    assert.ok(counted.GPTBot!.disallowed > 0 && counted.GPTBot!.allowed > 0 && counted.GPTBot!.excused > 0);
    assert.ok(counted.ClaudeBot!.disallowed > counted.ClaudeBot!.allowed);
    assert.deepEqual([counted.AhrefsBot!.disallowed, counted.AhrefsBot!.lastStatus], [0, 404]);
    assert.deepEqual([counted.bingbot!.crawlDelay?.seconds, counted.AhrefsBot!.crawlDelay?.exceeding], [30, 0]);
    assert.ok(counted.bingbot!.crawlDelay!.exceeding > 0 && counted.ClaudeBot!.crawlDelay!.exceeding > 0);
    assert.deepEqual([counted["ChatGPT-User"]!.disallowed, counted["ChatGPT-User"]!.applies], [0, false]);
  });

  for (const [threads, ...more] of [
    ["3"],
    ["1", "--robots-since", new Date(since * 1000).toISOString().replace(".000", "")],
  ])
    it(`of ${threads} threads ${more.join(" ")} equal the independent count`, async () => {
      const result = await runHere([
        "scan",
        "--format",
        "json",
        "--threads",
        threads!,
        "--robots",
        robots,
        ...more,
        log,
      ]);
      assert.match(result.stderr, /The log begins at 2026-05-01T00:00:00Z, before robots.txt was changed/);
      const report = JSON.parse(result.stdout) as Report;
      assert.deepEqual(figuresOf(report), counted);
      for (const { requests, robotsTxt, robots } of report.crawlers)
        assert.equal(robots!.allowed + robots!.disallowed + robots!.excused, requests - robotsTxt);
    });
});
