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

const all = (...parts: readonly string[]): string => parts.join("");
const failed = (count: number, status = 503) => lines(count, googlebot, { status });
const fetched = (count: number, status = 200) => lines(count, googlebot, { status, path: "/robots.txt" });
const hidden = (count: number) => lines(count, gptbot, { path: "/private/a" });
const gone = (count: number) => lines(count, gptbot, { status: 404 });
const at14 = (count: number, bytes?: number) => lines(count, gptbot, { hour: 14, ...(bytes && { bytes }) });
const read = lines(9, firefox, { referrer: "https://site.example/" });

/** A finding, a log that has it and one that just has not, and what it says. */
const rows: readonly (readonly [id: Finding["id"], enough: string, few: string, text: RegExp, task?: ScanTask])[] = [
  [
    "crawler-errors",
    all(failed(20), lines(380, googlebot, { day: 12 })),
    all(failed(19), lines(100, googlebot)),
    /^Of 400 requests in Googlebot's name, 20 were answered with 5xx: 5\.0 %, 2026-10-11 to 2026-10-12\.$/,
  ],
  [
    "crawler-errors",
    all(failed(50, 500), lines(950, googlebot)),
    all(failed(50, 500), lines(951, googlebot)),
    /5\.0 %, on 2026-10-11\.$/,
  ],
  [
    "robots-errors",
    all(fetched(1, 503), fetched(9)),
    all(fetched(1, 503), fetched(10)),
    /: Googlebot 1 of 10 fetches, on/,
  ],
  ["disobedience", hidden(10), hidden(9), /^1 of 1 crawler requested disallowed paths: GPTBot 10.*, on/, robots],
  [
    "burst",
    all(steady(20), at14(200, 1000)),
    all(steady(20), at14(199)),
    /^GPTBot made 200 requests, 200 kB, on 2026-10-11 between 14 and 15 h UTC; its median hour has 20\.$/,
  ],
  ["burst", all(steady(30), at14(300)), all(steady(30), at14(299)), /300 requests/],
  ["bytes", at14(1, 500_000), at14(1, 499_000), /^GPTBot got 500 kB, 33\.3 % of all bytes, on 2026-10-11\.$/],
  [
    "not-found",
    all(gone(100), lines(900, gptbot)),
    gone(99),
    /^GPTBot got 404 for 100 of 1,000 requests \(10\.0 %\), on/,
  ],
  [
    "no-visits",
    all(lines(1000, gptbot), read),
    all(lines(999, gptbot), read),
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
        "1 crawler is new: Googlebot (1 request), 2026-10-11 to 2026-10-12.",
        "Ten times as many requests a day as before: GPTBot (100 requests), 2026-10-11 to 2026-10-12.",
      ],
    );
  });

  it("says what was not examined if nothing needs action, and there are at most ten", () => {
    const textsOf = (log: string, task?: ScanTask) => findingsOf(log, task).map(({ text }) => text);
    assert.deepEqual(textsOf(people), ["Nothing needs action."]);
    assert.deepEqual(textsOf(people + hidden(1)), ["Nothing needs action. --verify and --robots would examine more."]);
    assert.deepEqual(textsOf(people + hidden(1), robots), ["Nothing needs action. --verify would examine more."]);
    const every = rows.map(([, enough]) => enough).join("");
    const findings = findingsOf(every + every.replaceAll("GPTBot", "ClaudeBot"), robots);
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
