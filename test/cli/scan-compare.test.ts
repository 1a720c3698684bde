/** `whocrawls scan --compare`: equal to an independent comparison, in all formats, with wrong and hostile reports. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { detector } from "../../src/detect/built-in/detector.ts";
import { entryOf } from "../../src/detect/matched-entry.ts";
import type { Comparison } from "../../src/scan/report/comparison.ts";
import type { Report } from "../../src/scan/report/report.ts";
import { missing } from "../deploy/shipped.ts";
import { runHere } from "./run-here.ts";

const script = fileURLToPath(new URL("../scan/compare.py", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "whocrawls-compare-"));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const scan = async (...args: string[]) => {
  const { code, stdout, stderr } = await runHere(["scan", ...args]);
  return { code, stdout, stderr, report: () => JSON.parse(stdout) as Report & { comparison: Comparison } };
};

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const toLine = (seconds: number, useragent: string, bytes = 100): string => {
  const time = new Date(seconds * 1000).toISOString();
  return `192.0.2.1 - - [${time.slice(8, 10)}/Mar/2026:${time.slice(11, 19)} +0000] "GET / HTTP/1.1" 200 ${bytes} "-" "${useragent}"\n`;
};
const march = Date.UTC(2026, 2, 1) / 1000;

/** Crawlers with their facts, by one of their strings. */
const facts = new Map(
  detector.strings().flatMap((useragent) => {
    const verdict = detector.check(useragent);
    if (!verdict.crawler || entryOf(verdict) === undefined || /["\\]/.test(useragent)) return [];
    const { category, purposes = [] } = verdict;
    const name = entryOf(verdict);
    return [[useragent, { name, category, purposes }] as const];
  }),
);

/** A log of 20,000 lines over so many days; crawlers come in other shares than in a log with another `step`. */
function writeLog(name: string, from: number, days: number, agents: readonly string[], step: number): string {
  const count = 20_000;
  const lines = Array.from({ length: count }, (_, at) => {
    const useragent =
      at % 3 === 0 ? firefox : agents[Math.floor((((at * step) % 9973) ** 2 / 9973 ** 2) * agents.length)]!;
    return toLine(from + Math.floor((at * days * 86_400) / count), useragent, (at * step) % 50_000);
  });
  return file(name, lines.join(""));
}

const agents = [...facts.keys()];
const oldLog = writeLog("old.log", march, 7, agents.slice(0, 1500), 31);
const newLog = writeLog("new.log", march + 8 * 86_400, 3, agents.slice(400, 1900), 57);
const old = join(folder, "old.json");

describe("whocrawls scan --compare", () => {
  it("agrees with an independent comparison", { skip: missing("python3") }, async () => {
    assert.equal((await scan("--format", "json", "--output", old, oldLog)).code, 0);
    const { code, report } = await scan("--compare", old, "--exit-code", "--format", "json", "--threads", "3", newLog);
    assert.equal(code, 1);
    const { comparison, ...later } = report();
    const rows = {
      total: comparison.totals,
      category: comparison.categories,
      purpose: comparison.purposes,
      crawler: comparison.crawlers.map(({ category: _, rule: __, ...row }) => row),
    };
    const found = Object.entries(rows).flatMap(([kind, all]) =>
      all.map(({ name, ...figures }) => [`${kind} ${name}`, figures]),
    );
    const known = file("facts.json", JSON.stringify(Object.fromEntries(facts)));
    const { stdout, stderr } = spawnSync("python3", [script, oldLog, newLog, known], {
      encoding: "utf8",
      maxBuffer: 1e8,
    });
    assert.deepEqual(Object.fromEntries(found), JSON.parse(stdout || stderr));
    assert.equal(
      later.crawlers.length + comparison.crawlers.filter(({ status }) => status === "gone").length,
      comparison.crawlers.length,
    );
    for (const status of ["new", "gone", "both"])
      assert.ok(comparison.crawlers.filter((crawler) => crawler.status === status).length > 100, status);
    assert.deepEqual(comparison.notes, []);
  });
});

const gptbot = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const short = file("short.log", toLine(march, gptbot) + toLine(march + 86_400, firefox));
const later = file(
  "later.log",
  toLine(march + 2 * 86_400, gptbot) +
    toLine(march + 3 * 86_400, gptbot) +
    toLine(march + 4 * 86_400, "InventedBot/1.0"),
);
const reportOf = async (...args: string[]): Promise<string> =>
  file(`report-${Math.random()}.json`, (await scan("--format", "json", ...args)).stdout);
const notesOf = async (before: string, ...args: string[]): Promise<readonly string[]> =>
  (await scan("--compare", before, "--format", "json", ...args)).report().comparison.notes;

describe("a comparison", () => {
  it("shows what is new and how much, in every format", async () => {
    const before = await reportOf(short);
    const table = (await scan("--compare", before, later)).stdout;
    assert.match(
      table,
      /Of 2 crawlers, 1 is new, 0 are gone, 1 is in both reports\. Before, report-[\d.]+json: 2026-03-01 00:00 to 2026-03-02 00:00 UTC, 1\.0 days\. Now, later\.log: /,
    );
    assert.match(
      table,
      /^- 1 crawler is new: InventedBot \(1 request\), [\s\S]*New crawlers\n.*\n {2}InventedBot +other +0 +1 +0 +0\.5 +0 B +100 B/m,
    );
    // GPTBot has as many requests a day as before.
    assert.match(table, /Crawlers in both reports\n1 more changed by less than 10 %\.\n/);
    const csv = (await scan("--compare", before, "--format", "csv", later)).stdout.split("\r\n");
    assert.match(csv[0]!, /^name,.*,status,requestsBefore,requestsNow,requestsDifference,requestsPerDayBefore,/);
    assert.ok(
      csv.some(
        (row) =>
          row.startsWith("InventedBot,") &&
          row.endsWith(
            ",new,0,1,1,0,0.5,0.5,,0,100,100,0,50,50,,2026-03-01T00:00:00Z,2026-03-02T00:00:00Z,2026-03-03T00:00:00Z,2026-03-05T00:00:00Z",
          ),
      ),
    );
    const page = (await scan("--compare", before, "--format", "html", later)).stdout;
    assert.match(page, /<h2>New crawlers<\/h2>[\s\S]*<bdi>InventedBot<\/bdi>[\s\S]*data-label="A day now"><bdi>0\.5</);
  });

  it("ends with 1 for cron only if a crawler is new, and with 2 if anything fails", async () => {
    const before = await reportOf(later);
    assert.equal((await scan("--compare", before, "--exit-code", short)).code, 0);
    assert.equal((await scan("--compare", await reportOf(short), later)).code, 0);
    assert.equal((await scan("--compare", before, "--exit-code", "--log-format", "s3", short)).code, 2);
    assert.equal(
      (await scan("--compare", before, "--exit-code", "--since", "7d", file("none.log", `${gptbot}\n`))).code,
      2,
    );
  });

  it("says why there are no counts per day instead of dividing", async () => {
    const [known, moment, timeless] = [
      await reportOf(short),
      file("moment.log", toLine(march + 9 * 86_400, gptbot)),
      file("timeless.log", `${gptbot}\n`),
    ];
    assert.deepEqual(await notesOf(known, moment), [
      "There are no counts per day and no percentages: the period now has no length.",
    ]);
    assert.deepEqual(await notesOf(await reportOf(timeless), moment), [
      "There are no counts per day and no percentages: the length of the period before is unknown and the period now has no length.",
      "There are no figures of bytes: a log has no sizes.",
    ]);
    const { stdout } = await scan("--compare", known, timeless);
    assert.match(stdout, /before +now +difference\n/);
    assert.doesNotMatch(stdout, /NaN|Infinity/);
    const { stderr } = await scan("--compare", known, "--format", "csv", timeless);
    assert.match(stderr, /There are no counts per day/);
  });

  it("says that periods overlap and that catalogues differ", async () => {
    const before = await reportOf(later);
    assert.deepEqual(await notesOf(before, short), [
      "The period now begins before the other one ends: requests may count in both.",
    ]);
    const edge = JSON.parse(readFileSync(before, "utf8")) as Report;
    const { from } = (JSON.parse(readFileSync(await reportOf(short), "utf8")) as Report).period!;
    const period = { from: "2026-02-01T00:00:00Z", to: from };
    assert.deepEqual(await notesOf(file("edge.json", JSON.stringify({ ...edge, period })), short), []);
    const other = file(
      "other.json",
      readFileSync(before, "utf8").replace(/"catalogue": "[^"]*"/, '"catalogue": "9.9"'),
    );
    assert.match((await notesOf(other, short))[1]!, /^The catalogues differ \(9\.9 before, .* now\)/);
  });

  it("calls no crawler new that the other report may count with many others", async () => {
    const report = JSON.parse(readFileSync(await reportOf(short), "utf8"));
    const others = { name: "(many others)", category: "other", rule: true, requests: 5, bytes: 5 };
    const before = file("many.json", JSON.stringify({ ...report, crawlers: [...report.crawlers, others] }));
    const { code, report: result } = await scan("--compare", before, "--exit-code", "--format", "json", later);
    assert.equal(code, 0);
    const { crawlers, notes } = result().comparison;
    assert.deepEqual(Object.fromEntries(crawlers.map(({ name, status }) => [name, status])), {
      GPTBot: "both",
      InventedBot: "both",
      "(many others)": "both",
    });
    assert.match(notes.join(), /1 crawler that only a rule knows is in one report/);
  });

  it("needs the same filter, but for its times", async () => {
    const before = await reportOf("--category", "ai", "--crawler", "GPTBot", "--until", "2026-03-02", short);
    const { code, stderr } = await scan("--compare", before, later);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /It was made with --crawler gptbot --category ai, this report with none of them\. Both need the same/,
    );
    const same = ["--compare", before, "--crawler", "gptbot", "--category", "ai", "--since", "2026-03-03"];
    const { stdout } = await scan(...same, later);
    assert.match(
      stdout,
      /Only requests since 2026-03-03T00:00:00Z, by crawlers named gptbot, by crawlers of the category ai; 1 other is not counted/,
    );
  });

  it("of hostile names escapes them in every format", async () => {
    const report = JSON.parse(readFileSync(await reportOf(short), "utf8"));
    const names = [
      "\u001b[31mred",
      "\u202eright to left",
      "=HYPERLINK(1)",
      "<script>alert(1)</script>",
      "__proto__",
      "\ud800",
    ];
    const crawlers = names.map((name) => ({ name, category: "ai", rule: false, requests: 1, bytes: 1 }));
    const before = file(
      "hostile.json",
      JSON.stringify({ ...report, crawlers, categories: crawlers, purposes: crawlers }),
    );
    for (const format of ["table", "json", "csv", "html"]) {
      const { code, stdout } = await scan("--compare", before, "--format", format, later);
      assert.equal(code, 0);
      assert.doesNotMatch(stdout, /[^\P{C}\r\n]/u, format);
      assert.ok(!/<script/.test(stdout) || format !== "html");
      assert.ok(stdout.includes("__proto__"), format);
      if (format === "csv") assert.match(stdout, /^'=HYPERLINK\(1\),.*,gone,/m);
    }
  });

  type Old = Report & { readonly schema: number };
  const good = async (): Promise<Old> => JSON.parse(readFileSync(await reportOf(short), "utf8"));
  const wrong: readonly (readonly [title: string, change: (report: Old) => unknown, message: RegExp])[] = [
    ["null", () => null, /It has no member schema/],
    ["another version", () => ({ schema: 7 }), /Its schema is 7; this version reads 2/],
    ["an older version", () => ({ schema: undefined }), /It has no member schema/],
    ["a negative count", () => ({ requests: -1 }), /requests: /],
    ["a count of text", ({ crawlers: [one] }) => ({ crawlers: [{ ...one, requests: "1" }] }), /\[0\]\.requests: /],
    ["an unknown category", ({ crawlers: [one] }) => ({ crawlers: [{ ...one, category: "x" }] }), /\[0\]\.category: /],
    ["an end before its begin", ({ period }) => ({ period: { from: period?.to, to: period?.from } }), /ends before/],
    ["a crawler twice", ({ crawlers: [one] }) => ({ crawlers: [one, one] }), /crawlers: "GPTBot" is there twice/],
    ["a missing size", () => ({ crawlerBytes: undefined }), /a figure of bytes is missing/],
  ];
  it("refuses what is no JSON", async () =>
    assert.match((await scan("--compare", file("wrong.json", "{"), later)).stderr, /wrong\.json: It is not JSON/));
  for (const [title, change, message] of wrong)
    it(`refuses a report with ${title}`, async () => {
      const report = await good();
      const changed = change(report);
      const text = JSON.stringify(changed === null ? null : { ...report, ...(changed as object) });
      const { code, stdout, stderr } = await scan("--compare", file("wrong.json", text), later);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, message);
      assert.match(stderr, /--compare .*wrong\.json: /);
    });
});
