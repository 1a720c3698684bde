/** What the table, CSV and page of a report say about a log of four requests. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { isRulePattern } from "../../src/detect/built-in/items.ts";
import { statedFacts } from "../../src/detect/facts.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import { formatOfName } from "../../src/scan/formats/guess-format.ts";
import { toReport } from "../../src/scan/report/report.ts";
import { toCsv } from "../../src/scan/report/report-csv.ts";
import { toReportHtml } from "../../src/scan/report/report-html.ts";
import { toTable } from "../../src/scan/report/report-table.ts";

const gptbot = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const requests: readonly (readonly [clock: string, request: string, numbers: string, useragent: string])[] = [
  ["10:00:00", "GET /a?b=1 HTTP/1.1", "200 1000", gptbot],
  // A proxy's: the whole address.
  ["10:07:00", "GET https://example.com:443/a HTTP/1.1", "404 500", gptbot],
  ["11:00:00", "GET /b HTTP/1.1", "200 1500", "InventedBot/1.0"],
  ["12:30:00", "GET / HTTP/1.1", "200 3000", "Mozilla/5.0 (X11; Linux x86_64) Firefox/141.0"],
];
const lines = requests.map(
  ([clock, request, numbers, useragent]) =>
    `192.0.2.1 - - [02/Mar/2026:${clock} +0000] "${request}" ${numbers} "-" "${useragent}"`,
);
const reportOf = (text: string) => {
  const scanner = createScanner({ check: detector.check, isByRule: ({ pattern }) => isRulePattern(pattern) });
  const bytes = Buffer.from(text);
  scanner.scan(bytes, bytes.length, formatOfName("combined", []));
  return toReport(scanner.tally);
};
const report = reportOf(`${lines.join("\n")}\nno request\n`);

it("the table has all sections", () => {
  assert.equal(
    toTable(report).trim(),
    `
  requests       4  crawlers 3       75.0 %
  bytes     6.0 kB  crawlers 3.0 kB  50.0 %
  lines          5  not readable 1

By category
  category  crawlers  requests   share   bytes   share
  ai               1         2  50.0 %  1.5 kB  25.0 %
  other            1         1  25.0 %  1.5 kB  25.0 %

AI crawlers by purpose
  purpose   crawlers  requests   share   bytes   share
  training         1         2  50.0 %  1.5 kB  25.0 %

By operator
  operator     crawlers  requests   share   bytes   share
  OpenAI              1         2  50.0 %  1.5 kB  25.0 %
  (not known)         1         1  25.0 %  1.5 kB  25.0 %

By crawler
  crawler      category  requests   share   bytes  robots.txt  first (UTC)       last (UTC)        statuses
  GPTBot       ai               2  50.0 %  1.5 kB           0  2026-03-02 10:00  2026-03-02 10:07  200: 1, 404: 1
  InventedBot  other            1  25.0 %  1.5 kB           0  2026-03-02 11:00  2026-03-02 11:00  200: 1

Crawlers that only a rule knows
  crawler      category  requests   share   bytes  robots.txt  first (UTC)       last (UTC)        statuses
  InventedBot  other            1  25.0 %  1.5 kB           0  2026-03-02 11:00  2026-03-02 11:00  200: 1

Paths that crawlers fetched most
  path  requests  most by
  /a           2  GPTBot
  /b           1  InventedBot

Over time
  from (UTC)        requests  crawlers    share
  2026-03-02 10:00         1         1  100.0 %
  2026-03-02 10:05         1         1  100.0 %
  2026-03-02 11:00         1         1  100.0 %
  2026-03-02 12:30         1         0      0 %`.trim(),
  );
});

it("CSV has a row for each crawler", () => {
  const [columns = [], ...rows] = toCsv(report)
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));
  const counted = "rule,requests,bytes,first,last,statuses,robotsTxt,paths,pathsExact";
  assert.deepEqual(columns, ["name", ...statedFacts(), ...counted.split(",")]);
  assert.deepEqual(
    rows.map((row) => Object.fromEntries(columns.flatMap((column, at) => (row[at] === "" ? [] : [[column, row[at]]])))),
    [
      {
        ...{ name: "GPTBot", operator: "OpenAI", category: "ai", purposes: "training" },
        ...{ url: "https://developers.openai.com/api/docs/bots", rule: "false", requests: "2", bytes: "1500" },
        ...{ first: "2026-03-02T10:00:00Z", last: "2026-03-02T10:07:00Z", statuses: "200:1 404:1" },
        ...{ robotsTxt: "0", paths: "/a:2", pathsExact: "true" },
      },
      {
        ...{ name: "InventedBot", category: "other", rule: "true", requests: "1", bytes: "1500" },
        ...{ first: "2026-03-02T11:00:00Z", last: "2026-03-02T11:00:00Z", statuses: "200:1" },
        ...{ robotsTxt: "0", paths: "/b:1", pathsExact: "true" },
      },
    ],
  );
});

it("programs that anyone runs have a maker, and count for no operator", () => {
  const { crawlers, operators } = reportOf(`${lines.join("\n").replaceAll(gptbot, "Go-http-client/2.0")}\n`);
  assert.deepEqual(
    crawlers.map(({ name, operator, maker }) => [name, operator, maker]),
    [
      ["Go-http-client", undefined, "Google"],
      ["InventedBot", undefined, undefined],
    ],
  );
  assert.deepEqual(
    operators.map(({ name, requests }) => [name, requests]),
    [[null, 3]],
  );
});

it("the page has the same figures, and names the log", () => {
  const page = toReportHtml(report, ["/var/log/access.log", "b"]).text;
  // A bar between the texts of two elements.
  const plain = page
    .replace(/<[^>]*>/g, "|")
    .replace(/\s+/g, " ")
    .replace(/\s*\|[\s|]*/g, "|");
  let at = 0;
  for (const part of [
    "|Crawlers in|access.log and 1 more|2026-03-02 10:00 to 2026-03-02 12:30 UTC|",
    "|75.0 %|of requests by crawlers|3 of 4|50.0 %|of bytes to crawlers|3.0 kB of 6.0 kB|",
    "|50.0 %|of requests by AI crawlers|2|2|different crawlers|of 1 known operators|",
    "|Requests over time|Crawlers|People|Requests per 5 minutes, times in UTC|",
    "|Crawlers by category|Category|Requests|Share|Bytes|ai|2|50.0 %|1.5 kB|other|1|25.0 %|1.5 kB|",
    "|AI crawlers by purpose|Purpose|Requests|Share|Bytes|training|2|50.0 %|1.5 kB|",
    "|Crawlers by operator|Operator|Requests|Share|Bytes|OpenAI|2|50.0 %|1.5 kB|not known|1|25.0 %|1.5 kB|",
    "|Crawlers|Crawler|Requests|Share|Bytes|robots.txt|Status codes|Seen (UTC)|GPTBot|OpenAI · ai, training|2|50.0 %|1.5 kB|0|",
    "|200: 50.0 %|404: 50.0 %|2026-03-02 10:00|2026-03-02 10:07|InventedBot|other|1|25.0 %|1.5 kB|0|200: 100.0 %|",
    "|Paths that crawlers fetched most|Path|Requests|Most by|/a|2|GPTBot|/b|1|InventedBot|",
    "|Paths by crawler|GPTBot|2 requests · 1.5 kB · robots.txt 0|Path|Requests|Of its requests|/a|2|100.0 %|",
    "|InventedBot|1 request · 1.5 kB · robots.txt 0|Path|Requests|Of its requests|/b|1|100.0 %|5 lines read, 1 of them ",
  ]) {
    const found = plain.indexOf(part, at);
    assert.notEqual(found, -1, `${part}\nis not in\n${plain.slice(at)}`);
    // A bar may end one part and begin the next one.
    at = found + part.length - 1;
  }
  for (const kind of ["crawlers", "people"])
    assert.ok(page.includes(`<rect class="${kind}" width="10" height="10"/></svg>`), kind);
  assert.ok(page.includes('<rect class="crawlers" width="50.0"'), "a bar of half the longest");
  assert.match(toReportHtml(report, ["access.log"]).text, />access\.log</);
  for (const paths of [[], ["-"]]) assert.match(toReportHtml(report, paths).text, />the log</);
});

it("purposes of AI crawlers are in the order of their requests, with a note if a crawler counts in two", () => {
  const line = lines[0]!;
  const of = (count: number, useragent: string) => Array.from({ length: count }, () => line.replace(gptbot, useragent));
  // Most searches are of a crawler that is not an AI crawler.
  const single = [...of(9, "Googlebot/2.1"), ...of(2, gptbot), ...of(1, "OAI-SearchBot/1.0")];
  const both = reportOf([...single, ...of(5, "YouBot/1.0"), ...of(4, gptbot)].join("\n"));
  const note = "A crawler with several purposes counts in each.";
  assert.match(toTable(both), new RegExp(`\n +training +2 +11 .*\n +search +2 +6 .*\n${note}\n`));
  const page = toReportHtml(both, []).text;
  assert.ok(page.indexOf(note) > page.indexOf("AI crawlers by purpose"));
  const report = reportOf(single.join("\n"));
  for (const text of [toTable(report), toReportHtml(report, []).text]) assert.ok(!text.includes(note));
});
