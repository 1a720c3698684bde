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
    toTable({ report, logs: [] }).trim(),
    `
What needs action
- Nothing needs action. --verify and --robots would examine more.

  requests       4  crawlers 3       75.0 %
  bytes     6.0 kB  crawlers 3.0 kB  50.0 %
  lines          5  not readable 1

Crawlers
  crawler      category  requests   share   bytes      2xx  3xx     4xx  5xx  robots.txt  first (UTC)       last (UTC)
  GPTBot       ai               2  50.0 %  1.5 kB   50.0 %  0 %  50.0 %  0 %              2026-03-02 10:00  2026-03-02 10:07
  InventedBot  other            1  25.0 %  1.5 kB  100.0 %  0 %     0 %  0 %              2026-03-02 11:00  2026-03-02 11:00

Crawlers by category
  category  crawlers  requests   share   bytes  share of bytes
  ai               1         2  50.0 %  1.5 kB          25.0 %
  other            1         1  25.0 %  1.5 kB          25.0 %

AI crawlers by purpose
  purpose   crawlers  requests   share   bytes  share of bytes
  training         1         2  50.0 %  1.5 kB          25.0 %

Crawlers by operator
  operator   crawlers  requests   share   bytes  share of bytes
  OpenAI            1         2  50.0 %  1.5 kB          25.0 %
  not known         1         1  25.0 %  1.5 kB          25.0 %

Crawlers that no catalogue lists, recognized by a rule
  crawler      category  requests   share   bytes      2xx  3xx  4xx  5xx  robots.txt  first (UTC)       last (UTC)
  InventedBot  other            1  25.0 %  1.5 kB  100.0 %  0 %  0 %  0 %              2026-03-02 11:00  2026-03-02 11:00

Paths that crawlers fetched most
  path  requests  most by
  /a           2  GPTBot
  /b           1  InventedBot

Paths with the most bytes to crawlers
  path   bytes  of crawlers' bytes  requests
  /a    1.5 kB              50.0 %         2
  /b    1.5 kB              50.0 %         1

Directories that crawlers fetched most
  directory  requests  of crawlers' requests   bytes
  /                 3                100.0 %  3.0 kB

Paths of errors that crawlers met
  path  status  requests  most by
  /a    4xx            1  GPTBot

Requests over time
  from (UTC)        requests  crawlers    share  most by
  2026-03-02 10:00         1         1  100.0 %  GPTBot
  2026-03-02 10:05         1         1  100.0 %  GPTBot
  2026-03-02 11:00         1         1  100.0 %  InventedBot
  2026-03-02 12:30         1         0      0 %`.trim(),
  );
});

it("CSV has a row for each crawler", () => {
  const [columns = [], ...rows] = toCsv({ report, logs: [] })
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));
  const counted =
    "rule,requests,bytes,first,last,timesFrom,timesSeconds,times,statuses,robotsTxt,robotsStatuses,paths,pathsExact,clientErrors,serverErrors";
  assert.deepEqual(columns, ["name", ...statedFacts(), ...counted.split(",")]);
  assert.deepEqual(
    rows.map((row) => Object.fromEntries(columns.flatMap((column, at) => (row[at] === "" ? [] : [[column, row[at]]])))),
    [
      {
        ...{ name: "GPTBot", operator: "OpenAI", category: "ai", purposes: "training" },
        ...{ url: "https://developers.openai.com/api/docs/bots", rule: "false", requests: "2", bytes: "1500" },
        ...{ first: "2026-03-02T10:00:00Z", last: "2026-03-02T10:07:00Z", statuses: "200:1 404:1" },
        ...{ timesFrom: "2026-03-02T10:00:00Z", timesSeconds: "3600", times: "2 0" },
        ...{ robotsTxt: "0", paths: "/a:2", pathsExact: "true", clientErrors: "/a:1" },
      },
      {
        ...{ name: "InventedBot", category: "other", rule: "true", requests: "1", bytes: "1500" },
        ...{ first: "2026-03-02T11:00:00Z", last: "2026-03-02T11:00:00Z", statuses: "200:1" },
        ...{ timesFrom: "2026-03-02T10:00:00Z", timesSeconds: "3600", times: "0 1" },
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
  const page = toReportHtml({ report, logs: ["/var/log/access.log", "b"] }).text;
  // A bar between the texts of two elements.
  const plain = page
    .replace(/<[^>]*>/g, "|")
    .replace(/\s+/g, " ")
    .replace(/\s*\|[\s|]*/g, "|");
  let at = 0;
  for (const part of [
    "|Crawlers in|access.log and 1 more|2026-03-02 10:00 to 2026-03-02 12:30 UTC|",
    "|What needs action|Nothing needs action. --verify and --robots would examine more.|",
    "|75.0 %|of requests by crawlers|3 of 4|50.0 %|of bytes to crawlers|3.0 kB of 6.0 kB|",
    "|50.0 %|of requests by AI crawlers|2|2|different crawlers|of 1 known operators|",
    "|Requests over time|Crawlers|People|Requests per 5 minutes, times in UTC|",
    "|Crawlers|2|Crawler|Over time|Requests|Share|Bytes|2xx|3xx|4xx|5xx|robots.txt|First (UTC)|Last (UTC)|GPTBot|OpenAI · ai, training|2 paths|",
    "|/a: 2|4xx: /a: 1|2|50.0 %|1.5 kB|50.0 %|0 %|50.0 %|0 %|2026-03-02|10:00|2026-03-02|10:07|InventedBot|other|1 path|/b: 1|1|",
    "|Crawlers by category|2|Category|Crawlers|Requests|Share|Bytes|Share of bytes|ai|1|2|50.0 %|1.5 kB|25.0 %|other|1|1|",
    "|AI crawlers by purpose|1|Purpose|Crawlers|Requests|Share|Bytes|Share of bytes|training|1|2|50.0 %|1.5 kB|25.0 %|",
    "|Crawlers by operator|2|Operator|Crawlers|Requests|Share|Bytes|Share of bytes|OpenAI|1|2|50.0 %|1.5 kB|25.0 %|not known|1|1|",
    "|Paths that crawlers fetched most|2|Path|Requests|Most by|/a|2|GPTBot|/b|1|InventedBot|",
    "|Paths of errors that crawlers met|1|Path|Status|Requests|Most by|/a|4xx|1|GPTBot|5 lines read, 1 of them ",
  ]) {
    const found = plain.indexOf(part, at);
    assert.notEqual(found, -1, `${part}\nis not in\n${plain.slice(at)}`);
    // A bar may end one part and begin the next one.
    at = found + part.length - 1;
  }
  for (const kind of ["crawlers", "people"])
    assert.ok(page.includes(`<rect class="${kind}" width="10" height="10"/></svg>`), kind);
  assert.ok(page.includes('<rect class="crawlers" width="50.0"'), "a bar of half the longest");
  assert.match(toReportHtml({ report, logs: ["access.log"] }).text, />access\.log</);
  for (const logs of [[], ["-"]]) assert.match(toReportHtml({ report, logs }).text, />the log</);
});
