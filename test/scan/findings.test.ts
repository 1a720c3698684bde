/** What needs action: each rule at its threshold and just below it, what the sentences say, and the exit code for cron. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { isRulePattern } from "../../src/detect/built-in/items.ts";
import type { ScanTask } from "../../src/scan/count/scan-task.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import { formatOfName } from "../../src/scan/formats/guess-format.ts";
import { toComparison } from "../../src/scan/report/comparison.ts";
import { type Finding, toFindings } from "../../src/scan/report/findings.ts";
import { type CrawlerReport, type Report, toReport } from "../../src/scan/report/report.ts";
import { runHere } from "../cli/run-here.ts";

const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const gptbot = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

interface Requests {
  readonly status?: number;
  readonly path?: string;
  readonly bytes?: number;
  readonly hour?: number;
  readonly day?: number;
  readonly referrer?: string;
}

const lines = (
  count: number,
  useragent: string,
  { status = 200, path = "/", bytes = 100, hour = 10, day = 11, referrer = "-" }: Requests = {},
): string =>
  `192.0.2.1 - - [${day}/Oct/2026:${String(hour).padStart(2, "0")}:00:00 +0000] "GET ${path} HTTP/1.1" ${status} ${bytes} "${referrer}" "${useragent}"\n`.repeat(
    count,
  );

function reportOf(log: string, task: ScanTask = {}): Report {
  const scanner = createScanner({
    check: detector.check,
    isByRule: ({ pattern }) => isRulePattern(pattern),
    items: detector.catalogue.items,
    task,
  });
  const bytes = Buffer.from(log);
  scanner.scan(bytes, bytes.length, formatOfName("combined", []));
  return toReport(scanner.tally);
}

const findingsOf = (log: string, task?: ScanTask) => toFindings({ report: reportOf(log, task), logs: [] });
const idsOf = (findings: readonly Finding[]) => findings.map(({ id }) => id);
const people = lines(10_000, firefox, { referrer: "https://site.example/" });
const robots = { robots: { text: "User-agent: *\nDisallow: /private\n", judgedFrom: 0 } };
/** A crawler with so many requests in each of twelve hours. */
const steady = (each: number): string =>
  Array.from({ length: 12 }, (_, hour) => lines(each, gptbot, { hour, path: "/blog" })).join("");

const rows: readonly (readonly [id: Finding["id"], enough: string, few: string, text: RegExp, task?: ScanTask])[] = [
  [
    "crawler-errors",
    lines(20, googlebot, { status: 503 }) + lines(380, googlebot, { day: 12 }),
    lines(19, googlebot, { status: 503 }) + lines(100, googlebot),
    /^Of 400 requests in Googlebot's name, 20 were answered with 5xx: 5\.0 %, 2026-10-11 to 2026-10-12\.$/,
  ],
  [
    "crawler-errors",
    lines(50, googlebot, { status: 500 }) + lines(950, googlebot),
    lines(50, googlebot, { status: 500 }) + lines(951, googlebot),
    /5\.0 %, on 2026-10-11\.$/,
  ],
  [
    "robots-errors",
    lines(1, googlebot, { status: 503, path: "/robots.txt" }) + lines(9, googlebot, { path: "/robots.txt" }),
    lines(1, googlebot, { status: 503, path: "/robots.txt" }) + lines(10, googlebot, { path: "/robots.txt" }),
    /: Googlebot 1 of 10 fetches, on 2026-10-11\.$/,
  ],
  [
    "disobedience",
    lines(10, gptbot, { path: "/private/a" }),
    lines(9, gptbot, { path: "/private/a" }),
    /^1 of 1 crawler requested disallowed paths: GPTBot 10.*, on 2026-10-11\.$/,
    robots,
  ],
  [
    "burst",
    steady(20) + lines(200, gptbot, { hour: 14, bytes: 1000 }),
    steady(20) + lines(199, gptbot, { hour: 14 }),
    /^GPTBot made 200 requests, 200 kB, on 2026-10-11 between 14 and 15 h UTC; its median hour has 20\.$/,
  ],
  [
    "burst",
    steady(30) + lines(300, gptbot, { hour: 14 }),
    steady(30) + lines(299, gptbot, { hour: 14 }),
    /300 requests/,
  ],
  [
    "bytes",
    lines(1, gptbot, { bytes: 500_000 }),
    lines(1, gptbot, { bytes: 499_000 }),
    /^GPTBot got 500 kB, 33\.3 % of all bytes, on 2026-10-11\.$/,
  ],
  [
    "not-found",
    lines(100, gptbot, { status: 404 }) + lines(900, gptbot, { path: "/b" }),
    lines(99, gptbot, { status: 404 }),
    /^GPTBot got 404 for 100 of 1,000 requests \(10\.0 %\), on 2026-10-11\.$/,
  ],
  [
    "no-visits",
    lines(1000, gptbot) + lines(9, firefox, { referrer: "https://site.example/" }),
    lines(999, gptbot) + lines(9, firefox, { referrer: "https://site.example/" }),
    /: OpenAI 1,000 requests, on 2026-10-11\.$/,
  ],
];

describe("a finding", () => {
  for (const [at, [id, enough, few, text, task]] of rows.entries())
    it(`${id} has its threshold (${at})`, () => {
      const found = findingsOf(people + enough, task).find((finding) => finding.id === id);
      assert.match(found?.text ?? "", text);
      assert.ok(!idsOf(findingsOf(people + few, task)).includes(id));
    });

  it("of refusals is one only for verified requests", () => {
    const report = reportOf(people + lines(40, googlebot, { status: 403 }) + lines(60, googlebot));
    assert.deepEqual(idsOf(toFindings({ report, logs: [] })), ["nothing"]);
    const verified = (verifiedRefused: number, spoofed: number): Report => ({
      ...report,
      crawlers: report.crawlers.map(
        (crawler): CrawlerReport => ({
          ...crawler,
          verification: { verified: 60, spoofed, unverifiable: 0, unchecked: 0 },
          verifiedRefused,
          verifiedErrors: 0,
        }),
      ),
    });
    const [finding, ...others] = toFindings({ report: verified(20, 19), logs: [] });
    assert.match(finding!.text, /^Of 60 verified requests by Googlebot, 20 were refused with 403 or 429: 33\.3 %/);
    assert.deepEqual(others, []);
    const [spoofed] = toFindings({ report: verified(19, 20), logs: [] });
    assert.match(spoofed!.text, /^20 requests in the name of known crawlers are spoofed: Googlebot 20, on/);
    assert.equal(spoofed!.isAlarm, true);
  });

  it("of a comparison is about new crawlers, and ones with ten times as many requests", () => {
    const now = {
      ...reportOf(lines(100, gptbot) + lines(1, googlebot) + lines(1, firefox, { day: 12 })),
      catalogue: "1",
    };
    const before = { ...now, crawlers: now.crawlers.slice(0, 1).map((crawler) => ({ ...crawler, requests: 10 })) };
    const comparison = toComparison(before, now);
    assert.deepEqual(
      toFindings({ report: now, comparison, logs: [] }).flatMap(({ id, text }) => (id === "news" ? text : [])),
      [
        "1 crawler is new: Googlebot 1 requests, 2026-10-11 to 2026-10-12.",
        "Ten times as many requests a day as before: GPTBot 100 requests, 2026-10-11 to 2026-10-12.",
      ],
    );
  });

  it("says what was not examined if nothing needs action, and there are at most ten", () => {
    assert.deepEqual(
      findingsOf(people).map(({ text }) => text),
      ["Nothing needs action. --verify and --robots would examine more."],
    );
    const all = rows.map(([, enough]) => enough).join("");
    const findings = findingsOf(all.replaceAll("GPTBot", "GPTBot") + all.replaceAll("GPTBot", "ClaudeBot"), robots);
    assert.ok(findings.length > 5 && findings.length <= 10);
    const alarms = findings.map(({ isAlarm }) => Number(isAlarm));
    assert.deepEqual(alarms, alarms.toSorted().reverse(), "alarms come first");
  });
});

describe("whocrawls scan --exit-code", () => {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-findings-"));
  after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const failing = file("failing.log", lines(99, googlebot, { status: 503 }));
  const harmless = file("harmless.log", lines(100, gptbot, { status: 404 }));

  it("is 1 for an alarm, and 0 for other findings", async () => {
    const { code, stdout } = await runHere(["scan", "--exit-code", "--format", "json", failing]);
    assert.equal(code, 1);
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    assert.equal(findings[0]?.id, "crawler-errors");
    assert.equal((await runHere(["scan", failing])).code, 0);
    const other = await runHere(["scan", "--exit-code", harmless]);
    assert.equal(other.code, 0);
    assert.match(other.stdout, /^What needs action\n- GPTBot got 404 for 100 of 100 requests/);
    assert.equal((await runHere(["scan", "--exit-code", "--log-format", "s3", failing])).code, 2);
  });

  it("with --compare is about new crawlers alone", async () => {
    const { stdout } = await runHere(["scan", "--format", "json", failing]);
    const before = file("before.json", stdout);
    assert.equal((await runHere(["scan", "--exit-code", "--compare", before, failing])).code, 0);
    assert.equal((await runHere(["scan", "--exit-code", "--compare", before, harmless])).code, 1);
  });
});
