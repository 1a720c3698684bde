/** Visits of people whom operators' pages and apps sent: which requests count, in which formats, and what hostile referrers cost. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readReferrers } from "../../build/read-referrers.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { isRulePattern } from "../../src/detect/built-in/items.ts";
import { countVisits } from "../../src/scan/count/referrals.ts";
import { createFindReferrer, noReferrer, referrers } from "../../src/scan/count/referrers.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import { addressOf, keyOf } from "../../src/scan/count/tally.ts";
import { guessFormat } from "../../src/scan/formats/guess-format.ts";
import { toReport } from "../../src/scan/report/report.ts";
import { toCsv } from "../../src/scan/report/report-csv.ts";
import { toReportHtml } from "../../src/scan/report/report-html.ts";
import { toTable } from "../../src/scan/report/report-table.ts";

const findReferrer = createFindReferrer();
const nameOf = (referrer: string): string | undefined => {
  const bytes = Buffer.from(referrer);
  return referrers[findReferrer(bytes, 0, bytes.length)]?.name;
};

const of: readonly (readonly [referrer: string, name: string | undefined])[] = [
  ["https://www.google.com/", "Google Search"],
  ["https://google.com", "Google Search"],
  ["http://www.google.co.uk/url?q=x", "Google Search"],
  ["https://www.google.com.au/", "Google Search"],
  ["https://WWW.Google.DE:443/", "Google Search"],
  ["https://www.google.de./", "Google Search"],
  ["https://news.google.com/", "Google Search"],
  ["android-app://com.google.android.googlequicksearchbox/https/www.google.com", "Google Search"],
  ["https://gemini.google.com/app", "Gemini"],
  ["https://chatgpt.com/", "ChatGPT"],
  ["https://chatgpt.com?x", "ChatGPT"],
  ["https://chatgpt.com#x", "ChatGPT"],
  ["https://user:word@chatgpt.com/", "ChatGPT"],
  ["https://www.perplexity.ai/search/new", "Perplexity"],
  ["https://cn.bing.com/", "Bing"],
  ["https://copilot.microsoft.com/", "Copilot"],
  ["https://m.baidu.com/", "Baidu"],
  // Not a search, or of another operator.
  ["https://accounts.google.com/", undefined],
  ["https://mail.google.com/", undefined],
  ["https://www.microsoft.com/", undefined],
  ["https://search.yahoo.co.jp/", undefined],
  // Hosts that only look alike.
  ["https://notchatgpt.com/", undefined],
  ["https://chatgpt.com.example/", undefined],
  ["https://google.example/", undefined],
  ["https://google.de.example.com/", undefined],
  ["https://www.google.evil.de/", undefined],
  ["https://chatgpt.com@evil.example/", undefined],
  ["https://chatgpt.com:pass@evil.example/", undefined],
  ["https://evil.example/https://chatgpt.com/", undefined],
  ["https://evil.example\\@chatgpt.com/", undefined],
  ["https://evil.example?@chatgpt.com/", undefined],
  // No referrers of pages.
  ["", undefined],
  ["-", undefined],
  ["chatgpt.com", undefined],
  ["https:chatgpt.com", undefined],
  ["https://", undefined],
  ["://chatgpt.com/", undefined],
  ["ftp://chatgpt.com/", undefined],
  ["javascript://chatgpt.com/", undefined],
  ["javascript:alert(1)", undefined],
  ["https://[2001:db8::1]:443/", undefined],
  ["https://192.0.2.1/", undefined],
  ["https://chatgpt.com:port/", undefined],
  ["android-app://chatgpt.com/", undefined],
  ["https://com.google.android.googlequicksearchbox/", undefined],
  ["https://...chatgpt.com/", "ChatGPT"],
];

describe("the page that a referrer names", () => {
  for (const [referrer, name] of of)
    it(`${JSON.stringify(referrer)}: ${name}`, () => assert.equal(nameOf(referrer), name));

  it("is that of the host that the URL standard reads, for every URL", () => {
    const hosts = ["chatgpt.com", "www.google.fr", "a.bing.com", "evil.example", "gemini.google.com", "xbing.com"];
    const pieces = fc.constantFrom(...hosts, "/", "?", "#", "@", ":", "443", "user", ".");
    fc.assert(
      fc.property(fc.constantFrom("https", "http"), fc.array(pieces, { maxLength: 6 }), (scheme, rest) => {
        const url = `${scheme}://${rest.join("")}`;
        if (!URL.canParse(url) || /:\/\/\//.test(url)) return;
        const { host } = new URL(url);
        assert.equal(nameOf(url), nameOf(`https://${host}/`), url);
      }),
      { numRuns: 2000 },
    );
  });

  it("costs no more for a long referrer than for a short one", () => {
    const hostile = ["https://", "a", "https://a", "https://a@", "a:", "https://a.", "https://chatgpt.com.a"];
    for (const start of hostile) {
      for (const filling of ["a", ".", "@", ":", "%41", "\\"]) {
        const bytes = Buffer.from((start + filling.repeat(65_536)).slice(0, 65_536));
        const read: number[] = [];
        // Counts the bytes that are read: a time would depend on the machine.
        const watched = new Proxy(bytes, {
          get: (target, key) => {
            if (typeof key === "string" && /^\d+$/.test(key)) read.push(Number(key));
            const value = Reflect.get(target, key, target) as unknown;
            return typeof value === "function" ? value.bind(target) : value;
          },
        });
        assert.equal(findReferrer(watched, 0, bytes.length), noReferrer);
        assert.ok(Math.max(0, ...read) < 300 && read.length < 1000, `${start}${filling}: ${read.length}`);
      }
    }
  });
});

const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:149.0) Gecko/20100101 Firefox/149.0";
const gptbot = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const combined = (
  referrer: string,
  target = "/",
  status = 200,
  useragent = browser,
  client = "192.0.2.1",
  at = "10:00:00",
) => `${client} - - [02/Mar/2026:${at} +0000] "GET ${target} HTTP/1.1" ${status} 10 "${referrer}" "${useragent}"`;

function scanned(lines: readonly string[]) {
  const format = guessFormat(lines, {});
  assert.ok(format !== undefined);
  const scanner = createScanner({ check: detector.check, isByRule: ({ pattern }) => isRulePattern(pattern) });
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  scanner.scan(bytes, bytes.length, format);
  return scanner.tally;
}
const visitsOf = (lines: readonly string[]): Record<string, number> => {
  const visits = countVisits(scanned(lines).referrals);
  return Object.fromEntries(referrers.flatMap(({ name }, item) => (visits[item] ? [[name, visits[item]]] : [])));
};

describe("a visit", () => {
  const chatgpt = "https://chatgpt.com/";
  for (const [what, line, expected] of [
    ["a person's request with the referrer", combined(chatgpt), "ChatGPT"],
    ["not of a page that is not there", combined(chatgpt, "/", 404), undefined],
    ["not of a failing server", combined(chatgpt, "/", 503), undefined],
    ["not of an image", combined(chatgpt, "/a.png?x", 200), undefined],
    ["of a part of a document", combined(chatgpt, "/a.pdf", 206), "ChatGPT"],
    ["of a page that has not changed", combined(chatgpt, "/", 304), "ChatGPT"],
    ["not a redirect, which the visit follows", combined(chatgpt, "/", 301), undefined],
    ["not a crawler's", combined(chatgpt, "/", 200, gptbot), undefined],
    ["utm_source without a referrer", combined("-", "/a?b=1&utm_source=chatgpt.com"), "ChatGPT"],
    ["utm_source in capitals", combined("-", "/?utm_source=Perplexity&x"), "Perplexity"],
    [
      "not utm_source with a page of the site",
      combined("https://site.example/", "/?utm_source=chatgpt.com"),
      undefined,
    ],
    ["the referrer before utm_source", combined("https://claude.ai/", "/?utm_source=chatgpt.com"), "Claude"],
    ["not a crawler's utm_source", combined("-", "/?utm_source=chatgpt.com", 200, gptbot), undefined],
    ["not another parameter", combined("-", "/?my_utm_source=chatgpt.com"), undefined],
    ["not another value", combined("-", "/?utm_source=chatgpt.com.example"), undefined],
    ["not a path", combined("-", "/utm_source=chatgpt.com"), undefined],
    ["the first utm_source", combined("-", "/?utm_source=x&utm_source=chatgpt.com"), undefined],
    ["not a long value", combined("-", `/?utm_source=${"a".repeat(65_536)}`), undefined],
    ["after many parameters", combined("-", `/?${"a&".repeat(32_768)}utm_source=chatgpt.com`), "ChatGPT"],
  ] as const)
    it(what, () => assert.deepEqual(visitsOf([line]), expected === undefined ? {} : { [expected]: 1 }));

  it("is one for all parts of a document that a client gets within 30 minutes, without room for more than 100,000 minutes", () => {
    const part = (at: string, client?: string, path = "/a.pdf") => combined(chatgpt, path, 206, browser, client, at);
    const one = [part("10:00:00"), part("10:00:01"), part("10:29:59"), part("09:59:59", "-"), part("10:10:00", "-")];
    assert.deepEqual(visitsOf(one), { ChatGPT: 2 });
    assert.deepEqual(visitsOf([...one, part("10:31:00"), part("10:00:00", "192.0.2.2"), part("10:00:00", "-", "/b")]), {
      ChatGPT: 5,
    });
    const flood = Array.from({ length: 100_500 }, (_, at) => part("10:00:00", `192.0.2.${at}`));
    assert.deepEqual(visitsOf(flood), { ChatGPT: 100_000 });
  });

  it("is the page and the document of ten requests by one person", () => {
    const paths = "/a.png /b.JPG?v=1 /c.css /gone /busy /d.pdf /d.pdf /d.pdf /favicon.ico /".split(" ");
    const status: Readonly<Record<string, number>> = { "/gone": 404, "/busy": 503, "/d.pdf": 206 };
    const requests = paths.map((path) => combined("https://www.google.com/", path, status[path]));
    assert.deepEqual(visitsOf(requests), { "Google Search": 2 });
  });

  const agent = browser.replaceAll(" ", "+");
  const caddy = (uri: string, referrer: string): string =>
    JSON.stringify({
      ...{ ts: 1772445600, status: 200 },
      request: { uri, headers: { "User-Agent": [browser], Referer: [referrer] } },
    });
  for (const [name, lines, expected] of [
    [
      "W3C",
      [
        "#Fields: date time cs-uri-stem cs-uri-query sc-status cs(User-Agent) cs(Referer)",
        `2026-03-02 10:00:00 / - 200 ${agent} https://chatgpt.com/`,
        `2026-03-02 10:00:01 / utm_source=chatgpt.com 200 ${agent} -`,
      ],
      2,
    ],
    ["Caddy", [caddy("/", "https://chatgpt.com/"), caddy("/?utm_source=chatgpt.com", "")], 2],
    ["CSV", ["useragent,status,referer,hits", `"${browser}",200,https://chatgpt.com/,7`], 7],
  ] as const)
    it(`in ${name}`, () => assert.deepEqual(visitsOf(lines), { ChatGPT: expected }));
});

describe("the report", () => {
  const report = toReport(
    scanned([
      combined("https://chatgpt.com/"),
      combined("-", "/?utm_source=chatgpt.com"),
      combined("https://www.google.de/"),
      combined("https://gemini.google.com/"),
      combined("https://site.example/"),
      combined("-"),
      ...Array.from({ length: 5 }, () => combined("-", "/", 200, gptbot)),
      combined("-", "/", 200, "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"),
    ]),
  );

  it("has visits and fetches of each operator, by purpose", () =>
    assert.deepEqual(report.referrals, {
      requests: 6,
      withReferrer: 4,
      operators: [
        {
          operator: "OpenAI",
          visits: 2,
          fetches: 5,
          fetchesPerVisit: 2.5,
          from: [{ name: "ChatGPT", visits: 2 }],
          purposes: [{ name: "training", fetches: 5, fetchesPerVisit: 2.5 }],
        },
        {
          operator: "Google",
          visits: 2,
          fetches: 0,
          fetchesPerVisit: 0,
          from: [
            { name: "Google Search", visits: 1 },
            { name: "Gemini", visits: 1 },
          ],
          purposes: [],
        },
        { operator: "Microsoft", visits: 0, fetches: 1, from: [], purposes: [{ name: "search", fetches: 1 }] },
      ],
    }));

  it("leaves imitators out of the fetches that were verified", () => {
    const tally = scanned([
      combined("https://chatgpt.com/"),
      ...Array.from({ length: 5 }, () => combined("-", "/", 200, gptbot)),
    ]);
    for (const crawler of tally.crawlers.values()) {
      const addresses = new Map([
        ["192.0.2.1", { ...addressOf(new Map(), ""), requests: 3 }],
        ["192.0.2.2", { ...addressOf(new Map(), ""), requests: 2 }],
      ]);
      const results = new Map([["192.0.2.2", "spoofed"]] as const);
      tally.crawlers.set(keyOf(crawler.facts), { ...crawler, addresses, results });
    }
    const verified = toReport(tally);
    const [openai] = verified.referrals!.operators;
    assert.deepEqual([openai!.fetches, openai!.purposes[0]!.fetches], [3, 3]);
    assert.match(toCsv({ report: verified, logs: [] }), /,fetchesPerVisit,[\s\S]*,1,3,/);
  });

  it("shows them in all formats", () => {
    assert.match(toTable({ report, logs: [] }), /OpenAI +2 +5 +2\.5 +ChatGPT 2 +training 5 \(2\.5 per visit\)/);
    assert.match(toTable({ report, logs: [] }), /Of 6 requests by people, 4 carry/);
    assert.match(
      toReportHtml({ report, logs: [] }).text,
      /What comes back[\s\S]*Of 6 requests by people, 4 carry[\s\S]*OpenAI/,
    );
    const [head = "", row = ""] = toCsv({ report, logs: [] }).split("\n");
    const cells = Object.fromEntries(
      head
        .trim()
        .split(",")
        .map((name, at) => [name, row.trim().split(",")[at]]),
    );
    assert.deepEqual([cells.name, cells.operatorVisits, cells.fetchesPerVisit], ["GPTBot", "2", "2.5"]);
  });

  it("has no section for a log without referrers", () => {
    for (const lines of [
      [combined("-"), combined("-", "/", 200, gptbot)],
      ["useragent,status,path", `"${browser}",200,/?utm_source=chatgpt.com`],
    ]) {
      const report = toReport(scanned(lines));
      assert.equal(report.referrals, undefined);
      for (const text of [toTable({ report, logs: [] }), toReportHtml({ report, logs: [] }).text])
        assert.doesNotMatch(text, /What comes back/);
      assert.doesNotMatch(toCsv({ report, logs: [] }), /operatorVisits/);
    }
  });
});

describe("data/referrers.yaml", () => {
  const item = (name: string, rest: string): string =>
    `- { name: ${name}, operator: Foo, source: "https://foo.example/", ${rest} }\n`;
  for (const [text, problem] of [
    [
      item("Foo", "hosts: [foo.example]") + item("Bar", "hosts: [foo.example]"),
      /:2: the host foo\.example is there twice/,
    ],
    [item("Foo", "utm: [foo]") + item("Foo", "utm: [bar]"), /:2: the name Foo is there twice/],
    [item("Foo", ""), /:1: Foo needs hosts/],
    [item("Foo", "hosts: [Foo.example]"), /:1: .*a host's name in small letters/],
    ["- { name: Foo, operator: Foo, hosts: [foo.example] }\n", /:1: .*source/],
  ] as const)
    it(`is refused: ${problem}`, () =>
      assert.throws(() => readReferrers({ path: "data/referrers.yaml", text }), { message: problem }));

  it("names operators as the catalogue does, but those without crawlers", () => {
    const operators = new Set(detector.catalogue.items.map(({ operator }) => operator));
    const unknown = referrers.filter(({ operator }) => !operators.has(operator)).map(({ operator }) => operator);
    assert.deepEqual(unknown, ["Ecosia"]);
  });
});
