/** Single lines as servers write them and as clients try to forge them: what is read of each, and how each is passed on. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { addressOf, maxAddresses } from "../../src/scan/count/addresses.ts";
import { createScanner, type ScannerOptions } from "../../src/scan/count/scanner.ts";
import { createTally, mergeTally } from "../../src/scan/count/tally.ts";
import { detectFormat } from "../../src/scan/formats/detect-format.ts";
import { inspectLog } from "../../src/scan/formats/inspect-log.ts";
import { cutAtDirectives } from "../../src/scan/formats/w3c.ts";
import { decodeField } from "../../src/scan/lines/unescape.ts";
import { toReport } from "../../src/scan/report/report.ts";
import { toReportHtml } from "../../src/scan/report/report-html.ts";
import { toTable } from "../../src/scan/report/report-table.ts";
import { mark, testGolden } from "../support/golden.ts";

/** Scans `text`; `seen` are the user agents that were decided, `output` is what was passed on. */
function scan(text: string, logFormat?: string, options: Partial<ScannerOptions> = {}) {
  const seen: string[] = [];
  const check = (useragent: string) => {
    seen.push(useragent);
    return detector.check(useragent);
  };
  const scanner = createScanner({ check, isByRule: ({ category }) => category === undefined, ...options });
  const lines = text.split("\n");
  // Of a stated format, only the names are read from the first line: the lines need not fit it.
  const named = logFormat === "json" || logFormat === "w3c" ? lines.slice(0, 1) : [];
  const format = logFormat === undefined ? detectFormat(lines) : inspectLog(named, { logFormat }).format;
  assert.ok(format);
  const bytes = Buffer.from(text);
  const output = cutAtDirectives(bytes, bytes.length, format)
    .map(({ from, to, format }) => scanner.scan(bytes.subarray(from, to), to - from, format))
    .map((part) => Buffer.from(part ?? []).toString())
    .join("");
  return { seen, output, tally: scanner.tally, report: toReport(scanner.tally) };
}

testGolden("scan/lines.txt", (input) => {
  const [, logFormat, text = input] = /^format (\w+)\n([\s\S]*)$/.exec(input) ?? [];
  const log = `${text.replaceAll("\u2409", "\t").replaceAll("\u240d", "\r")}\n`;
  const { seen, output, tally, report } = scan(log, logFormat, { task: { annotate: true, verify: true } });
  const shown = output
    .replace(
      /(\{"crawler":(?:true|false)(?:,"name":"[^"]*")?)(?:,"[a-z]+":(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\]))+\}/g,
      "$1, …}",
    )
    .replaceAll("\t", "\u2409")
    .replaceAll("\r", "\u240d");
  const { requests, crawlerRequests, broken, bytes } = tally;
  const paths = report.crawlers.flatMap(({ paths }) => paths.map(({ path }) => path));
  const addresses = [...tally.crawlers.values()].flatMap(({ addresses }) => [...(addresses?.keys() ?? [])]);
  return [
    ...mark("|", shown),
    `! ${[...new Set(seen)].map((useragent) => JSON.stringify(useragent)).join(", ") || "none"}`,
    `! ${requests} requests, ${crawlerRequests} by crawlers, ${broken} broken, ${bytes} B; ${paths.join() || "no path"}; ${addresses.join() || "no address"}`,
  ];
});

const start = '192.0.2.1 - - [02/Mar/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 512 "-" ';

describe("the user agent of a combined line", () => {
  it("is read in linear time, however many quotation marks it has", () => {
    const { seen } = scan(`${start}"${'" "x'.repeat(100_000)}y" z\n`, "combined");
    assert.equal(seen.length, 1);
  });

  it("may be half a megabyte long and escaped", () => {
    const long = "x".repeat(500_000);
    const { seen } = scan(`${start}"${long}\\x41\\xC3\\xA4${long}"\n`, "combined");
    assert.ok(seen[0] === `${long}Aä${long}`);
  });
});

it("escapes of percent and number signs are bytes of UTF-8, and others stay", () => {
  for (const [text, escapes, expected] of [
    ["%c3%A4%20%zz%4", "percent", "ä %zz%4"],
    ["#C3#A4#20#zz#4", "hash", "ä #zz#4"],
    ['a ""b""', "quotes", 'a "b"'],
    ["%20#20", "none", "%20#20"],
  ] as const) {
    const bytes = Buffer.from(text);
    assert.equal(decodeField(bytes, 0, bytes.length, escapes), expected);
  }
});

it("IIS writes a space as a plus sign, and a plus sign after it as itself", () => {
  const text = Buffer.from("Mozilla/5.0+(compatible;+Googlebot/2.1;++http://www.google.com/bot.html)");
  assert.equal(
    decodeField(text, 0, text.length, "plus"),
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  );
});

describe("numbers of a line", () => {
  it("are read behind texts of any length in JSON", () => {
    const lineOf = (useragent: string, path: string): string =>
      JSON.stringify({ useragent, path, count: 7, status: 200, bytes: 10 });
    const long = "x".repeat(100_000);
    const { tally, report } = scan([lineOf("curl/8.5.0", `/${long}`), lineOf(`curl/8.5.0 ${long}`, "/a")].join("\n"));
    assert.deepEqual([tally.broken, report.requests, report.bytes], [0, 14, 20]);
    assert.deepEqual(report.crawlers[0]?.statuses, { 200: 14 });
    assert.deepEqual(
      report.paths.map(({ path }) => path.length),
      [2, 200],
    );
  });
});

describe("lines of one kind", () => {
  const crawler = `${start}"curl/8.5.0"\n`;
  const person = `${start}"Mozilla/5.0 (X11; Linux x86_64) Firefox/141.0"\n`;
  for (const [only, passed] of [
    ["crawlers", crawler],
    ["people", person],
  ] as const) {
    it(`are passed on if only ${only} are asked for, with the lines that are no requests`, () => {
      const { output, tally } = scan(`${crawler}no request\n${person}`, "combined", { task: { only } });
      assert.deepEqual(output.split("\n").sort(), ["", "no request", passed.trimEnd()].sort());
      assert.deepEqual([tally.requests, tally.crawlerRequests, tally.broken], [2, 1, 1]);
    });
  }
});

it("addresses are counted for verification, of crawlers with an entry alone", () => {
  const agents = ["curl/8.5.0", "curl/8.6.0", "Name1bot/1.0", "-"];
  const text = agents.map((agent) => `${start}"${agent}"\n`).join("");
  const isByRule = ({ name = "" }) => name.startsWith("Name");
  const addressesOf = (verify: boolean) =>
    [...scan(text, "combined", { task: { verify }, isByRule }).tally.crawlers.values()].map(({ facts, addresses }) => [
      facts.name,
      addresses && [...addresses].map(([address, { requests }]) => [address, requests]),
    ]);
  assert.deepEqual(addressesOf(true), [
    ["curl", [["192.0.2.1", 2]]],
    ["Name1bot", undefined],
    ["(no user agent)", undefined],
  ]);
  assert.ok(addressesOf(false).every(([, addresses]) => addresses === undefined));
});

describe("what is counted", () => {
  it("is together for crawlers of too many names, but for those of entries", () => {
    const useragents = Array.from({ length: 4005 }, (_, index) => `Name${index}bot/1.0`);
    const isByRule = ({ name = "" }) => name.startsWith("Name");
    const { report } = scan([...useragents, "curl/8.5.0", useragents[0]].join("\n"), "plain", { isByRule });
    assert.equal(report.crawlers.length, 4002);
    const requestsOf = (name: string) => report.crawlers.find((crawler) => crawler.name === name)?.requests;
    assert.deepEqual([requestsOf("(many others)"), requestsOf("curl"), requestsOf("Name0bot")], [5, 1, 2]);
    const view = { report, logs: [] };
    assert.match(toTable(view, { isFull: true }), /\n {2}other +4,001\+ .*\n {2}library +1 /);
    assert.match(toReportHtml(view).text, /<b>4,002\+<\/b>different crawlers/);
  });

  it("is told apart by address up to a limit, beyond which new ones count together", () => {
    const addresses = new Map(
      Array.from({ length: maxAddresses }, (_, index) => [
        String(index),
        { requests: 1, disallowed: 0, refused: 0, errors: 0, first: 5, last: 5 },
      ]),
    );
    assert.equal(addressOf(addresses, "7"), addresses.get("7"));
    const rest = addressOf(addresses, "new");
    assert.equal(rest, addresses.get(""));
    assert.equal(addressOf(addresses, "newer"), rest);
    assert.equal(addresses.has("new"), false);
  });

  it("of several threads shows the first broken lines of all", () => {
    const tally = createTally();
    for (const example of ["a", "b"]) {
      const { tally: other } = scan(`${example}1\n${example}2\n`, "common");
      mergeTally(tally, other);
    }
    assert.deepEqual([tally.broken, tally.examples], [4, ["a1", "a2", "b1"]]);
  });
});

it("a directive counts in the middle of a log, also where a block begins with it, whatever the lines behind it contain", () => {
  const format = inspectLog(["#Fields: date time cs(User-Agent)"], { logFormat: "w3c" }).format;
  for (const useragent of ["c", "https://example.com/crawler", "Crawler+https://example.com", "192.0.2.1", "42", "-"]) {
    const bytes = Buffer.from(`#Fields: cs(User-Agent) date time\n${useragent} 2026-03-02 10:00:00\n`);
    const parts = cutAtDirectives(bytes, bytes.length, format);
    assert.deepEqual(
      parts.map(({ from, to, format }) => [from, to, format.columns?.columns]),
      [[0, bytes.length, ["useragent", "time", "time"]]],
    );
  }
});
