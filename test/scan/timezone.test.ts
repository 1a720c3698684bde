/** Days and hours of a time zone: its clocks, the counts of a log by them, and what the outputs show. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createToLocal, toUtc } from "../../src/scan/count/timezone.ts";
import type { Report } from "../../src/scan/report/report.ts";
import { runHere } from "../cli/run-here.ts";
import { temporary } from "../support/temporary.ts";

const folder = temporary();

const hour = 3600;
const day = 24 * hour;
const zones = [
  "UTC",
  "Europe/Berlin",
  "America/St_Johns",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Africa/Cairo",
  "Pacific/Apia",
];
const seconds = (iso: string): number => Date.parse(iso) / 1000;

describe("the clocks of a zone", () => {
  for (const timeZone of zones)
    it(`of ${timeZone} show what Intl shows, and are read back`, () => {
      const format = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" });
      const toLocal = createToLocal(timeZone);
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 4_102_444_799 }), (at) => {
          const local = toLocal(at);
          assert.equal(new Date(local * 1000).toISOString().slice(0, 19).replace("T", " "), format.format(at * 1000));
          const first = toUtc(local, toLocal);
          // Of an hour that clocks show twice, the first one.
          assert.ok(first === at || (first < at && first >= at - day), `${first} ${at}`);
          assert.equal(toLocal(first), local);
        }),
        { numRuns: 2000 },
      );
    });

  for (const [timeZone, local, moment] of [
    ["Africa/Cairo", "2026-04-24T00:00Z", "2026-04-23T22:00Z"],
    ["Europe/Berlin", "2026-03-29T02:30Z", "2026-03-29T01:00Z"],
    ["Europe/Berlin", "2026-03-29T02:59:59Z", "2026-03-29T01:00Z"],
    ["Australia/Lord_Howe", "2026-10-04T02:15Z", "2026-10-03T15:30Z"],
    ["Pacific/Apia", "2011-12-30T12:00Z", "2011-12-30T10:00Z"],
  ] as const)
    it(`of ${timeZone} that skip ${local} show the moment at which they are changed`, () =>
      assert.equal(toUtc(seconds(local), createToLocal(timeZone)), seconds(moment)));
});

describe("a log of 36 days, with a day of 23 hours in Berlin", () => {
  const log = join(folder, "access.log");
  const from = seconds("2026-03-10T00:00Z");
  const lines = Array.from({ length: 36 * 24 }, (_, at) => {
    const [, date, time] = /^(.*)T(.*)\.000Z$/.exec(new Date((from + at * hour) * 1000).toISOString()) ?? [];
    const [year, month, day] = date!.split("-");
    return `192.0.2.1 - - [${day}/${month === "03" ? "Mar" : "Apr"}/${year}:${time} +0000] "GET / HTTP/1.1" 200 1 "-" "GPTBot/1.2"\n`;
  });
  writeFileSync(log, lines.join(""));
  const scan = async (...args: readonly string[]) => (await runHere(["scan", ...args, log])).stdout;

  it("has rows and bars of its days", async () => {
    const table = await scan("--full", "--timezone", "Europe/Berlin");
    const rows = [...table.matchAll(/^ {2}(2026-\d\d-\d\d) +(\d+) +\d+ +100\.0% +GPTBot$/gm)].map(([, date, count]) => [
      date,
      count,
    ]);
    assert.equal(rows.length, 37);
    // The first day lacks the hour that was still the day before in UTC.
    assert.deepEqual(rows.slice(0, 2), [
      ["2026-03-10", "23"],
      ["2026-03-11", "24"],
    ]);
    assert.deepEqual(
      rows.filter(([date]) => date === "2026-03-29"),
      [["2026-03-29", "23"]],
    );
    assert.deepEqual(rows.at(-1), ["2026-04-15", "2"]);
    assert.match(table, /first \(Europe\/Berlin\)[\s\S]*GPTBot .* 2026-03-10 01:00 +2026-04-15 01:00/);
    const page = await scan("--timezone", "Europe/Berlin", "--format", "html");
    assert.equal([...page.matchAll(/Requests per day, times in Europe\/Berlin/g)].length, 1);
    assert.match(page, /<title>2026-03-29: 23 by crawlers, 0 by people/);
    assert.match(page, /2026-03-10 01:00 to 2026-04-15 01:00 Europe\/Berlin/);
    const inUtc = await scan("--full");
    assert.equal([...inUtc.matchAll(/^ {2}2026-\d\d-\d\d +24 /gm)].length, 36);
  });

  it("has times of UTC in JSON, at the hours of the zone", async () => {
    const { timezone, times, period } = JSON.parse(
      await scan("--timezone", "Asia/Kolkata", "--format", "json"),
    ) as Report;
    assert.equal(timezone, "Asia/Kolkata");
    assert.deepEqual([times[0]!.from, times[1]!.from], ["2026-03-09T21:30:00Z", "2026-03-10T00:30:00Z"]);
    assert.equal(period!.from, "2026-03-10T00:00:00Z");
  });

  it("begins with dates of the zone", async () => {
    const args = ["--format", "json", "--timezone", "Europe/Berlin", "--since", "2026-03-29", "--until", "2026-03-30"];
    const { requests, filter } = JSON.parse(await scan(...args)) as Report;
    assert.deepEqual([requests, filter?.since, filter?.until], [23, "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"]);
  });

  it("is not read with an unknown zone", async () => {
    const { code, stderr } = await runHere(["scan", "--timezone", "Europe/Berlyn", log]);
    assert.equal(code, 2);
    assert.match(stderr, /--timezone must be the name of a time zone, .* Did you mean "Europe\/Berlin"\?/);
  });
});
