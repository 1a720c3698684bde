/** Visits of people whom operators' pages and apps sent: which requests count, in which formats, and what hostile referrers cost. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readReferrers } from "../../build/read-referrers.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { items } from "../../src/detect/built-in/items.ts";
import { createIsByRule } from "../../src/scan/count/agents.ts";
import { countVisits } from "../../src/scan/count/referrals.ts";
import { createFindReferrer, noReferrer, referrers } from "../../src/scan/count/referrers.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import { detectFormat } from "../../src/scan/formats/detect-format.ts";
import { logLine } from "../support/log-lines.ts";
import { rowsOf } from "../support/table.ts";
import { firefox, gptbot } from "../support/user-agents.ts";

const findReferrer = createFindReferrer();
const nameOf = (referrer: string): string | undefined => {
  const bytes = Buffer.from(referrer);
  return referrers[findReferrer(bytes, 0, bytes.length)]?.name;
};

/** Pages with referrers that name them; without a page those of other pages, of hosts that only look alike, and of no page. */
const named = rowsOf(`
  Google Search | https://www.google.com/ https://google.com http://www.google.co.uk/url?q=x https://www.google.com.au/
  Google Search | https://WWW.Google.DE:443/ https://www.google.de./ https://news.google.com/
  Google Search | android-app://com.google.android.googlequicksearchbox/https/www.google.com
  Gemini        | https://gemini.google.com/app
  ChatGPT       | https://chatgpt.com/ https://chatgpt.com?x https://chatgpt.com#x https://user:word@chatgpt.com/
  ChatGPT       | https://...chatgpt.com/
  Perplexity    | https://www.perplexity.ai/search/new
  Bing          | https://cn.bing.com/
  Copilot       | https://copilot.microsoft.com/
  Baidu         | https://m.baidu.com/
                | https://accounts.google.com/ https://mail.google.com/ https://www.microsoft.com/ https://search.yahoo.co.jp/
                | https://notchatgpt.com/ https://chatgpt.com.example/ https://google.example/ https://google.de.example.com/
                | https://www.google.evil.de/ https://chatgpt.com@evil.example/ https://chatgpt.com:pass@evil.example/
                | https://evil.example/https://chatgpt.com/ https://evil.example\\@chatgpt.com/ https://evil.example?@chatgpt.com/
                | - chatgpt.com https:chatgpt.com https:// ://chatgpt.com/ ftp://chatgpt.com/ javascript://chatgpt.com/
                | javascript:alert(1) https://[2001:db8::1]:443/ https://192.0.2.1/ https://chatgpt.com:port/
                | android-app://chatgpt.com/ https://com.google.android.googlequicksearchbox/
`).flatMap(([name = "", referrers = ""]) => referrers.split(" ").map((referrer) => [name, referrer] as const));

describe("the page that a referrer names", () => {
  for (const [name, referrer] of named) it(`${referrer}: ${name}`, () => assert.equal(nameOf(referrer) ?? "", name));

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

const visitsOf = (lines: readonly string[]): Record<string, number> => {
  const text = lines.join("");
  const scanner = createScanner({ check: detector.check, isByRule: createIsByRule(items) });
  scanner.scan(Buffer.from(text), text.length, detectFormat(text.split("\n", 100))!);
  const visits = countVisits(scanner.tally.referrals);
  return Object.fromEntries(referrers.flatMap(({ name }, item) => (visits[item] ? [[name, visits[item]]] : [])));
};

describe("a visit", () => {
  const chatgpt = "https://chatgpt.com/";
  const long = "a".repeat(65_536);
  for (const [what = "", visits = "", useragent = "", referrer = "", path = "", status = ""] of rowsOf(`
    of a person with the referrer                    | ChatGPT | firefox | ${chatgpt}            | /                               | 200
    not of a page that is not there                  |         | firefox | ${chatgpt}            | /                               | 404
    not of a failing server                          |         | firefox | ${chatgpt}            | /                               | 503
    not of an image                                  |         | firefox | ${chatgpt}            | /a.png?x                        | 200
    of a part of a document                          | ChatGPT | firefox | ${chatgpt}            | /a.pdf                          | 206
    of a page that has not changed                   | ChatGPT | firefox | ${chatgpt}            | /                               | 304
    not a redirect, which the visit follows          |         | firefox | ${chatgpt}            | /                               | 301
    not a crawler's                                  |         | gptbot  | ${chatgpt}            | /                               | 200
    utm_source without a referrer                    | ChatGPT | firefox | -                     | /a?b=1&utm_source=chatgpt.com   | 200
    utm_source in capitals                           | Perplexity | firefox | -                  | /?utm_source=Perplexity&x       | 200
    not utm_source with a page of the site           |         | firefox | https://site.example/ | /?utm_source=chatgpt.com        | 200
    the referrer before utm_source                   | Claude  | firefox | https://claude.ai/    | /?utm_source=chatgpt.com        | 200
    not a crawler's utm_source                       |         | gptbot  | -                     | /?utm_source=chatgpt.com        | 200
    not another parameter                            |         | firefox | -                     | /?my_utm_source=chatgpt.com     | 200
    not another value                                |         | firefox | -                     | /?utm_source=chatgpt.com.example | 200
    not a path                                       |         | firefox | -                     | /utm_source=chatgpt.com         | 200
    the first utm_source                             |         | firefox | -                     | /?utm_source=x&utm_source=chatgpt.com | 200
    not a long value                                 |         | firefox | -                     | /?utm_source=${long}            | 200
    after many parameters                            | ChatGPT | firefox | -                     | /?${"a&".repeat(32_768)}utm_source=chatgpt.com | 200
  `))
    it(what, () => {
      const line = logLine(useragent === "gptbot" ? gptbot : firefox, { referrer, path, status });
      assert.deepEqual(visitsOf([line]), visits === "" ? {} : { [visits]: 1 });
    });

  it("is one for all parts of a document that a client gets within 30 minutes, without room for more than 100,000 minutes", () => {
    const part = (clock: string, address = "192.0.2.1", path = "/a.pdf") =>
      logLine(firefox, { referrer: chatgpt, path, status: 206, address, time: `02/Mar/2026:${clock}` });
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
    const requests = paths.map((path) =>
      logLine(firefox, { referrer: "https://www.google.com/", path, status: status[path] ?? 200 }),
    );
    assert.deepEqual(visitsOf(requests), { "Google Search": 2 });
  });

  const agent = firefox.replaceAll(" ", "+");
  const caddy = (uri: string, referrer: string): string =>
    JSON.stringify({
      ...{ ts: 1772445600, status: 200 },
      request: { uri, headers: { "User-Agent": [firefox], Referer: [referrer] } },
    });
  for (const [name, lines, expected] of [
    [
      "W3C",
      [
        "#Fields: date time cs-uri-stem cs-uri-query sc-status cs(User-Agent) cs(Referer)\n",
        `2026-03-02 10:00:00 / - 200 ${agent} https://chatgpt.com/\n`,
        `2026-03-02 10:00:01 / utm_source=chatgpt.com 200 ${agent} -\n`,
      ],
      2,
    ],
    ["Caddy", [caddy("/", "https://chatgpt.com/"), "\n", caddy("/?utm_source=chatgpt.com", "")], 2],
    ["CSV", ["useragent,status,referer,hits\n", `"${firefox}",200,https://chatgpt.com/,7`], 7],
  ] as const)
    it(`in ${name}`, () => assert.deepEqual(visitsOf(lines), { ChatGPT: expected }));
});

describe("data/referrers.yaml", () => {
  const item = (name: string, rest: string): string =>
    `- { name: ${name}, operator: Foo, source: "https://foo.example/", ${rest} }\n`;
  for (const [text, problem] of [
    [
      item("Foo", "hosts: [foo.example]") + item("Bar", "hosts: [foo.example]"),
      /:2: the host foo\.example appears twice/,
    ],
    [item("Foo", "utm: [foo]") + item("Foo", "utm: [bar]"), /:2: the name Foo appears twice/],
    [item("Foo", ""), /:1: Foo needs hosts/],
    [item("Foo", "hosts: [Foo.example]"), /:1: .*a host name in lowercase letters/],
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
