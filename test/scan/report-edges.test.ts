/** What reports count, at the edges of their rules: each case differs by one condition from one that counts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import { intervalSeconds } from "../../src/scan/count/times.ts";
import { inspectLog } from "../../src/scan/formats/inspect-log.ts";
import { toFindings } from "../../src/scan/report/findings.ts";
import { joinIntervals } from "../../src/scan/report/join-intervals.ts";
import { type CrawlerReport, type Report, toReport } from "../../src/scan/report/report.ts";
import { toTable } from "../../src/scan/report/report-table.ts";
import { toWarnings } from "../../src/scan/report/report-view.ts";
import { logLines } from "../support/log-lines.ts";

function scan(rows: string, { isByRule = false, format = "combined" } = {}): Report {
  const scanner = createScanner({ check: detector.check, isByRule: () => isByRule, task: { fleets: true } });
  const text = format === "combined" ? logLines(rows) : rows;
  const bytes = Buffer.from(text);
  scanner.scan(bytes, bytes.length, inspectLog(text.split("\n", 100), { logFormat: format }).format);
  return toReport(scanner.tally);
}

it("errors of a crawler that only a rule knows are a finding if half of them are for one path", () => {
  const isFound = (rows: string, isByRule: boolean) =>
    toFindings({ report: scan(rows, { isByRule }), logs: [] }).some(({ id }) => id === "client-errors");
  const spread = "49 | gptbot | path=/a status=404\n49 | gptbot | path=/b status=404\n2 | gptbot | path=/c status=404";
  const joint = "50 | gptbot | path=/a status=404\n50 | gptbot | path=/b status=404";
  assert.deepEqual([isFound(spread, false), isFound(spread, true), isFound(joint, true)], [true, false, true]);
});

it("errors are only shown of crawlers with statuses", () => {
  const row = (agent: string, status?: number) => JSON.stringify({ user_agent: agent, path: "/", status });
  const shown = (...rows: readonly string[]) =>
    toTable({ report: scan(`${rows.join("\n")}\n`, { format: "json" }), logs: [] }).match(
      / {2}(?:crawler |GPTBot|bingbot).*/g,
    );
  const [head, gptbot, bingbot] = shown(row("GPTBot/1.2"), row("GPTBot/1.2"), row("bingbot/2.0", 500)) ?? [];
  assert.match(head!, / errors$/);
  assert.match(gptbot!, /%$/);
  assert.match(bingbot!, /% +1$/);
  assert.doesNotMatch(shown(row("GPTBot/1.2"), row("bingbot/2.0"))!.join(), /errors/);
});

it("what could not be checked is said above a report", () => {
  const report = scan("10 | gptbot | path=/a");
  const none = { verified: 0, spoofed: 0, unverifiable: 0, unchecked: 0 };
  const warningsOf = (crawler: Partial<CrawlerReport>, of: Partial<Report> = {}) =>
    toWarnings({ ...report, ...of, crawlers: report.crawlers.map((one) => ({ ...one, ...crawler })) });
  const verificationBasis = { dnsAsked: 0, dnsFailed: 0 };
  const suspect = (address: string | null) => ({
    verification: { ...none, unverifiable: 10 },
    suspects: { addresses: [{ status: "unverifiable" as const, address, requests: 10, reason: "" }], networks: [] },
  });
  assert.deepEqual(warningsOf({ verification: { ...none, unverifiable: 6, unchecked: 4 } }, { verificationBasis }), [
    "Warning: 4 of 10 requests in the name of known crawlers are unchecked: --verify ended before (--verify-limit).",
  ]);
  assert.deepEqual(warningsOf(suspect(null), { verificationBasis }), [
    "Warning: no crawler could be verified: the log has no addresses of clients.",
  ]);
  assert.deepEqual(warningsOf(suspect("8.8.8.8"), { verificationBasis }), []);
  const robots = {
    fetched: false,
    applies: true,
    allowed: 0,
    disallowed: 0,
    excused: 0,
    early: 0,
    paths: [],
    pathsExact: true,
  };
  assert.deepEqual(warningsOf({ robots }), []);
  assert.deepEqual(warningsOf({ robots }, { paths: [], pathsExact: false }), []);
  assert.deepEqual(warningsOf({ robots }, { paths: [] }), [
    "Warning: the log has no paths, so no request could be compared with robots.txt.",
  ]);
  assert.match(
    toTable({ report, logs: [] }),
    /\n0 requests with browser strings; no string behaves .*, as far as the log shows\.\n/,
  );
});

describe("strings of browsers are compared with others", () => {
  const noReferrers = "The log has few referrers from any browser, so their absence proves nothing.";
  const noAssets =
    "The log has few requests for images, styles and scripts by any browser, so their absence proves nothing.";
  const row = (path: string | undefined, referrer: string | undefined, at: number): string =>
    JSON.stringify({
      time: "2026-05-01T00:00:00Z",
      status: 200,
      address: `192.0.2.${at % 250}`,
      user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0",
      ...(path !== undefined && { path }),
      ...(referrer !== undefined && { referrer }),
    });
  const noted = ([withPath, assets, referable, referred]: readonly [
    number,
    number,
    number,
    number,
  ]): readonly string[] => {
    const rows = Array.from({ length: 1000 }, (_, at) =>
      row(
        at < withPath ? (at < assets ? "/a.png" : "/a") : undefined,
        at < referable ? (at < referred ? "https://site.example/" : "-") : undefined,
        at,
      ),
    );
    return scan(`${rows.join("\n")}\n`, { format: "json" }).browsers!.notes.filter((note) =>
      [noAssets, noReferrers].includes(note),
    );
  };

  for (const [counts, notes] of [
    [[200, 50, 200, 50], []],
    [[199, 199, 200, 50], [noAssets]],
    [[200, 49, 200, 50], [noAssets]],
    [[200, 50, 199, 199], [noReferrers]],
    [[200, 50, 200, 49], [noReferrers]],
  ] as const)
    it(`${counts[0]} with paths, ${counts[1]} of assets, ${counts[2]} with the field of referrers, ${counts[3]} with one`, () =>
      assert.deepEqual(noted(counts), notes));
});

it("intervals are joined to at most as many as asked for, however long the log is, and wherever it begins", () => {
  const longest = intervalSeconds.at(-1)!;
  for (const [days, begin] of [
    [50, 0],
    [199, 0],
    [200, 0],
    [400, 1],
    [1999, 5],
  ] as const) {
    const times = Array.from({ length: days }, (_, at) => ({
      from: new Date((begin + at) * longest * 1000).toISOString(),
      seconds: longest,
      requests: 1,
      crawlerRequests: 0,
    }));
    for (const most of [7, 40, 200]) {
      const { bars } = joinIntervals(times, most);
      assert.ok(bars.length <= most, `${bars.length} of ${most}`);
      assert.equal(
        bars.reduce((sum, { all }) => sum + all, 0),
        days,
      );
    }
  }
});
