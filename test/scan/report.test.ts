/** Reports show whatever a client sends as text: no markup, no formula, no control sequence comes of it. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { type CrawlerFacts, createCrawlerTally, keyOf } from "../../src/scan/count/crawler-tally.ts";
import { addPath, pathOfText } from "../../src/scan/count/path-counts.ts";
import { createTally } from "../../src/scan/count/tally.ts";
import { intervalAt } from "../../src/scan/count/times.ts";
import { toComparison } from "../../src/scan/report/comparison.ts";
import { type Report, toReport } from "../../src/scan/report/report.ts";
import { toCsv } from "../../src/scan/report/report-csv.ts";
import { toHtml } from "../../src/scan/report/report-html.ts";
import { style } from "../../src/scan/report/report-style.ts";
import { type TableOptions, toTable } from "../../src/scan/report/report-table.ts";
import { toShare, toSize } from "../../src/scan/report/report-text.ts";
import { timeChart } from "../../src/scan/report/time-chart.ts";

const hostile = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `'onmouseover='x`,
  '=HYPERLINK("http://evil")',
  "@SUM(1+1)",
  "\u001b[2J\u001b]0;title\u0007bot",
  "\u202eright to left",
  "</style><style>*{display:none}",
  'line\nbreak, "comma"',
];

const tally = createTally();
for (const [index, name] of hostile.entries()) {
  const facts: CrawlerFacts = {
    name,
    operator: name,
    category: "other",
    purposes: [],
    url: `javascript:alert("${name}")`,
    rule: true,
  };
  const crawler = createCrawlerTally(facts);
  addPath(tally.paths, crawler.paths, pathOfText(tally.paths, `/${name}`), 2);
  tally.crawlers.set(keyOf(facts), {
    ...crawler,
    requests: 10 - index,
    bytes: 5,
    first: 1_772_355_600,
    last: 1_772_355_700,
    statuses: [{ status: 200, requests: 1 }],
  });
}
Object.assign(tally, {
  requests: 100,
  crawlerRequests: 50,
  lines: 101,
  broken: 1,
  bytes: 1000,
  crawlerBytes: 500,
  sized: 1,
});
for (const at of [1_772_355_600, 1_772_359_200])
  Object.assign(intervalAt(tally.times, at), { requests: 4, crawlerRequests: 2 });
const report = toReport(tally);

describe("the page", () => {
  const styleHash = createHash("sha256").update(style).digest("base64");
  const page = toHtml({ report, logs: [`/var/log/<b>"x'.log`] }, styleHash);

  const tags = page.match(/<[^>]*>/g) ?? [];

  it("has the elements it should have, and no others", () => {
    const elements = new Set([...page.matchAll(/<([a-z0-9]+)/gi)].map((match) => match[1]));
    const known =
      "html head meta title style body main header h1 bdi p div section b span h2 nav a svg rect line text path table thead tbody tr th td small details summary footer code";
    assert.deepEqual([...elements].sort(), known.split(" ").sort());
    assert.equal(page.match(/<style>/g)?.length, 1);
    for (const tag of tags) assert.doesNotMatch(tag, /\s(?:on\w+|style|src)\s*=|href="[^#]|javascript:|https?:/i);
  });

  it("allows its own style and nothing else, and loads nothing", () => {
    const used = page.slice(page.indexOf("<style>") + 7, page.indexOf("</style>"));
    assert.ok(
      page.includes(
        `content="default-src 'none'; style-src 'sha256-${createHash("sha256").update(used).digest("base64")}'`,
      ),
    );
    assert.doesNotMatch(used, /url\(|@import/);
  });

  it("shows the numbers", () => {
    for (const text of [
      "50.0%",
      "50 of 100",
      "&lt;script&gt;alert(1)&lt;/script&gt;",
      "101 lines read, 1 of them unreadable.",
      // A path, and the crawler that asked for it most.
      "<bdi>/&lt;script&gt;alert(1)&lt;/script&gt;</bdi>",
      '<td class="text" data-label="Top crawler"><bdi>@SUM(1+1)</bdi></td>',
      '<bdi><span class="control">U+202E</span>right to left</bdi>',
    ]) {
      assert.ok(page.includes(text), text);
    }
  });

  it("links to sections that it has", () => {
    const hidden = [{ useragent: "Amazon CloudFront", requests: 10 }];
    const found = toHtml(
      { report: { ...toReport(createTally()), requests: 10, hiddenAgents: hidden }, logs: ["-"] },
      styleHash,
    );
    assert.match(found, /<section class="findings"/);
    for (const shown of [page, found])
      for (const [, id] of shown.matchAll(/href="#([^"]*)"/g)) assert.ok(shown.includes(` id="${id}"`), id);
  });

  it("can be made of a log with nothing in it", () => {
    assert.match(toHtml({ report: toReport(createTally()), logs: ["-"] }, styleHash), /The log has no requests\./);
  });
});

describe("CSV", () => {
  it("has a row a crawler, and no cell that a spreadsheet would run", () => {
    const csv = toCsv({ report, logs: [] });
    const cells = [...csv.matchAll(/(?:^|,|\r\n)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)].map(
      ([, quoted, bare]) => quoted ?? bare ?? "",
    );
    assert.equal(cells.filter((cell) => cell !== "").length >= hostile.length * 8, true);
    for (const cell of cells) assert.doesNotMatch(cell, /^[=+\-@]|[^\P{C}\r\n]/u);
    assert.ok(csv.includes(`"'=HYPERLINK(""http://evil"")"`));
  });
});

/** Of 30 crawlers with long names, checked by their addresses. */
const checked: Report = {
  ...report,
  verificationBasis: {
    listsFrom: "2026-03-01T00:00:00Z",
    listsTo: "2026-03-02T00:00:00Z",
    dnsAsked: 1_234,
    dnsFailed: 1_200,
  },
  crawlers: Array.from({ length: 30 }, (_, at) => ({
    ...report.crawlers[at % hostile.length]!,
    name: `${at === 0 ? hostile[5] : ""}A bot with a name of ${"very ".repeat(12)}many words, ${at}`,
    requests: 1_234_567,
    bytes: 1e9,
    verification: { verified: 0, spoofed: at === 0 ? 900 : 0, unverifiable: 1_233_667, unchecked: 0 },
  })),
};

const table = (options: TableOptions = {}, top?: number): string =>
  toTable({ report: checked, logs: [], top }, { isFull: true, ...options });

describe("the table on a terminal", () => {
  for (let width = 26; width <= 200; width += 6) {
    for (const isFull of [true, false])
      it(`has lines of at most ${width} columns, and no shortened number, ${isFull ? "complete" : "short"}`, () => {
        const shown = table({ width, isFull });
        const most = isFull ? width : Math.min(width, 100);
        for (const line of shown.split("\n")) assert.ok([...line].length <= most, line);
        assert.doesNotMatch(shown, /[^\P{Cc}\n]|[\u202a-\u202e]/u);
        assert.doesNotMatch(shown, /(?:^| {2})[\d.,]+…/m);
      });
  }

  it("leaves out whole columns, and what verification says last", () => {
    const shown = table({ width: 60 });
    assert.match(shown, /\nCrawlers\n {2}crawler +requests +share +5xx\n {2}\S.{22,}… +1,234,567 /);
    assert.match(
      shown,
      /\n {2}crawler +verified {2}spoofed {2}unverifiable {2}unchecked\n.*… +0 +▲ 900 +1,233,667 +0\n/,
    );
    assert.match(shown, /\nColumns .*--format json.*\n$/);
    assert.doesNotMatch(table({ width: 200 }), /Columns that/);
    assert.match(table({ width: 40 }), /\n {2}crawler +verified {2}spoofed\n/);
  });

  it("has bars, and colors where the terminal shows them", () => {
    const plain = table({ width: 100 });
    assert.match(plain, /\n {2}other .* █{12}\n/);
    assert.doesNotMatch(plain, /\u001b/);
    const colored = table({ width: 100, hasColors: true });
    assert.match(colored, /\u001b\[1mCrawlers by category\u001b\[0m\n/);
    assert.match(colored, /\u001b\[31m▲ 900\u001b\[0m/);
    // What a client sends paints nothing.
    assert.equal(colored.replace(/\u001b\[(?:0|1|2|31|33)m/g, ""), plain);
    assert.doesNotMatch(table(), /[█\u001b]/);
  });

  it("shows as many rows as --top says, and names it for the rest", () => {
    assert.match(table(), /\nCrawlers without a catalogue entry.*\n(?:.*\n){16}… and 15 more; --top 30 shows them\n/);
    assert.match(table({}, 2), /\nCrawlers\n(?:.*\n){3}… and 28 more; --top 30 shows them\n/);
    assert.doesNotMatch(table({}, 30), /--top/);
    assert.match(toHtml({ report: checked, logs: ["-"], top: 4 }, ""), /… and 26 more; <code>whocrawls scan --top 30</);
  });
});

describe("the table in a pipe", () => {
  it("is a first screen of at most 40 lines of 100 columns, whatever is found and given", () => {
    const groups = ["training", "search", "agent"].map((name) => ({ name, crawlers: 1, requests: 5, bytes: 5 }));
    const busy = {
      ...checked,
      crawlers: checked.crawlers.map((crawler) => ({
        ...crawler,
        category: "search-engine" as const,
        operator: "Long".repeat(9),
        rule: false,
        statuses: { 503: 1_234_567 },
        robots: {
          fetched: true,
          applies: true,
          allowed: 1,
          disallowed: 9_999,
          excused: 12_345,
          early: 12_345,
          paths: [],
          pathsExact: true,
          crawlDelay: { seconds: 10, exceeding: 5, exact: true },
        },
      })),
      categories: [{ ...groups[0]!, name: "ai" }],
      purposes: groups.map((group) => ({ ...group, name: group.name as "agent", ai: group })),
      filter: { since: "2026-03-01T00:00:00Z", categories: ["ai" as const], excluded: 12, untimed: 0 },
      browsers: { requests: 1_234_567, strings: [], notes: [] },
      verificationBasis: { ...checked.verificationBasis!, dnsFailed: 0 },
    };
    const comparison = toComparison(
      { ...busy, crawlers: busy.crawlers.slice(9), catalogue: "1" },
      { ...busy, catalogue: "1" },
    );
    const shown = toTable({ report: busy, logs: [], comparison, comparedWith: "last.json" });
    const lines = shown.trimEnd().split("\n");
    assert.ok(lines.length <= 40, `${lines.length} lines: ${shown}`);
    for (const line of lines) assert.ok([...line].length <= 100, line);
    assert.match(lines.at(-1)!, /^--full /);
    assert.match(shown, /\n▲ .*(?:\n[▲-] .*){4}\n\n/);
    assert.match(shown, /\n {2}crawler .* verified +spoofed\n(?: .*\n){10}… and 20 more; --top 30 shows them\n/);
    for (const line of [
      /^Compared with last\.json: /m,
      /^30 of 30 crawlers made 299,970 disallowed requests; 370,350 excused, 370,350 as the file is newer\.$/m,
      /^Verified by address lists of /m,
      /^1,234,567 requests with browser strings; /m,
      /^Only requests since /m,
    ])
      assert.match(shown, line);
  });

  it("is not cut", () => {
    assert.ok(table().includes(`A bot with a name of ${"very ".repeat(12)}many words, 1`));
    assert.doesNotMatch(table({}, 99), / \n|…/);
  });
});

describe("the chart", () => {
  const hour = 3600;
  const day = 24 * hour;
  for (const [what, seconds, span] of [
    ["a minute", 60, 60],
    ["five hours", 60, 5 * hour],
    ["twenty hours", 300, 20 * hour],
    ["three and a half days", 900, 3.5 * day],
    ["thirty days", 3 * hour, 30 * day],
    ["four hundred days", day, 400 * day],
    ["twenty years", 7 * day, 20 * 365 * day],
  ] as const) {
    it(`of ${what} has as many bars as a phone can show, and all requests`, () => {
      const times = Array.from({ length: Math.ceil(span / seconds) }, (_, index) => ({
        from: new Date((1_772_409_600 + index * seconds) * 1000).toISOString(),
        ...{ seconds, requests: 3, crawlerRequests: 1, bytes: 0, crawlerBytes: 0 },
      }));
      const chart = timeChart(times).text;
      const bars = [...chart.matchAll(/M([\d.]+) [\d.]+V[\d.]+h([\d.]+)V/g)];
      const lefts = [...new Set(bars.map(([, left]) => Number(left)))];
      assert.ok(lefts.length >= Math.min(times.length, 5) && lefts.length <= 92, `${lefts.length} bars`);
      for (const [, left, wide] of bars) {
        assert.ok(Number(wide) >= 8 && Number(wide) <= 50, `${wide}`);
        assert.ok(Number(left) >= 0 && Number(left) + Number(wide) <= 1000);
      }
      const labels = [...chart.matchAll(/class="middle[^>]*>([^<]+)/g)].map(([, label]) => label);
      assert.equal(new Set(labels).size, labels.length, labels.join());
    });
  }

  it("joins intervals, and says how long they are", () => {
    const at = (from: string, requests: number, crawlerRequests: number) => {
      return { from, seconds: 60, requests, crawlerRequests, bytes: 0, crawlerBytes: 0 };
    };
    const chart = timeChart([
      at("2026-03-02T10:01:00Z", 3, 1),
      at("2026-03-02T10:04:00Z", 5, 5),
      at("2026-03-02T14:59:00Z", 4, 0),
    ]);
    assert.match(chart.text, /Requests per 5 minutes/);
    const heights = (kind: string) => {
      const path = new RegExp(`class="${kind}" d="([^"]*)"`).exec(chart.text)?.[1] ?? "";
      return [...path.matchAll(/M[\d.]+ ([\d.]+)V([\d.]+)/g)].map(([, bottom, top]) =>
        Math.round(Number(bottom) - Number(top)),
      );
    };
    // 190 units for eight requests.
    assert.deepEqual(heights("crawlers"), [143]);
    assert.deepEqual(heights("people"), [48, 95]);
    const columns = [...chart.text.matchAll(/class="column"[^>]*><title>([^<]+)/g)].map(([, title]) => title);
    assert.deepEqual(columns, [
      "2026-03-02 10:00: 6 by crawlers, 2 by people",
      "2026-03-02 14:55: 0 by crawlers, 4 by people",
    ]);
    const { text } = timeChart([at("2026-03-02T10:01:00Z", 1, 1)]);
    const counts = [...text.matchAll(/class="end"[^>]*>([^<]+)/g)].map(([, count]) => count);
    assert.deepEqual(counts, ["0", "1"], "there are no fractions of a request");
  });
});

it("crawlers and people have the colors of the web pages", () => {
  const pages = readFileSync(new URL("../../web/style.css", import.meta.url), "utf8");
  const colorOf = (sheet: string, name: string) => new RegExp(`${name}: light-dark\\(([^)]*)\\)`).exec(sheet)?.[1];
  for (const [own, shared] of [
    ["--crawlers", "--crawler"],
    ["--people", "--people"],
  ] as const) {
    assert.match(colorOf(style, own) ?? "", /^#\w+, #\w+$/);
    assert.equal(colorOf(style, own), colorOf(pages, shared));
  }
});

describe("numbers", () => {
  it("have three digits and a unit", () => {
    assert.deepEqual([0, 999, 1000, 9_949, 12_345, 999_600, 5e15].map(toSize), [
      "0 B",
      "999 B",
      "1.0 kB",
      "9.9 kB",
      "12.3 kB",
      "1.0 MB",
      "5.0 PB",
    ]);
    assert.deepEqual([toShare(0, 0), toShare(1, 100_000), toShare(1, 8)], ["0%", "< 0.1%", "12.5%"]);
  });
});
