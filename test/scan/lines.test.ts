/** Single lines as servers write them and as clients try to forge them: what is read of each, and how each is passed on. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createScanner, type ScannerOptions } from "../../src/scan/count/scanner.ts";
import { addressOf, createTally, maxAddresses, mergeTally } from "../../src/scan/count/tally.ts";
import { formatOfName, guessFormat } from "../../src/scan/formats/guess-format.ts";
import { cutAtDirectives } from "../../src/scan/formats/w3c.ts";
import { decodeField } from "../../src/scan/lines/unescape.ts";
import { toReport } from "../../src/scan/report/report.ts";

/** Scans `text`; `seen` are the user agents that were decided, `output` is what was passed on. */
function scan(text: string, logFormat?: string, options: Partial<ScannerOptions> = {}) {
  const seen: string[] = [];
  const check = (useragent: string) => {
    seen.push(useragent);
    return detector.check(useragent);
  };
  const scanner = createScanner({ check, isByRule: ({ category }) => category === undefined, ...options });
  const lines = text.split("\n");
  const format = logFormat === undefined ? guessFormat(lines) : formatOfName(logFormat, lines);
  assert.ok(format);
  const bytes = Buffer.from(text);
  const output = cutAtDirectives(bytes, bytes.length, format)
    .map(({ from, to, format }) => scanner.scan(bytes.subarray(from, to), to - from, format))
    .map((part) => Buffer.from(part ?? []).toString())
    .join("");
  return { seen, output, tally: scanner.tally, report: toReport(scanner.tally) };
}

const start = '192.0.2.1 - - [02/Mar/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 512 "-" ';

describe("the user agent of a combined line", () => {
  const rows: readonly (readonly [end: string, useragent: string])[] = [
    ['"curl/8.5.0"', "curl/8.5.0"],
    // A line that was cut, as GoAccess reads it too.
    ['"curl/8.5.0', "curl/8.5.0"],
    ['"Mozilla/5.0 (X11; Li', "Mozilla/5.0 (X11; Li"],
    ['"a \\"quoted\\" bot"', 'a "quoted" bot'],
    ['"a "quoted" bot"', 'a "quoted" bot'],
    ['"a "quoted" bot" "203.0.113.9, 10.0.0.1"', 'a "quoted" bot'],
    ['"a "quoted" bot" "203.0.113.9" 0.004', 'a "quoted" bot'],
    ['"a "bot"', 'a "bot'],
    ['"a "bot""', 'a "bot"'],
    ['"bot" rt=0.004 uct="0.001" "-"', "bot"],
    ['"bot"\t"203.0.113.9"', "bot"],
    ['"bot" "x\\" y"', "bot"],
    ['"bot",x,0.004', "bot"],
    ['"-"', ""],
    ['""', ""],
  ];
  for (const [end, useragent] of rows) {
    it(`${end} is ${JSON.stringify(useragent)}`, () => {
      const { seen, tally } = scan(`${start}${end}\n`, "combined");
      assert.deepEqual(seen, [useragent]);
      assert.equal(tally.broken, 0);
    });
  }

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

describe("a row of an export", () => {
  const rows: readonly (readonly [text: string, seen: readonly string[], requests: number])[] = [
    ["user_agent\tn\n\\N\t1\n\t2\n\\N2\t3\n", ["", "\\N2"], 3],
    ['user_agent,n\n\\N,1\n"\\N",2\n', ["", "\\N"], 2],
    ['{"useragent":null,"n":1}\n{"useragent":"","n":1}\n', [""], 2],
  ];
  for (const [text, seen, requests] of rows) {
    it(`without a user agent is a crawler's: ${JSON.stringify(text)}`, () => {
      const found = scan(text);
      assert.deepEqual([...new Set(found.seen)], seen);
      assert.equal(found.tally.requests, requests);
    });
  }
});

it("what a server says of itself in a log of JSON objects is no request", () => {
  const request =
    '{"ts":1772445600,"request":{"uri":"/","headers":{"User-Agent":["curl/8.5.0"]}},"status":200,"size":1}';
  const withoutAgent = '{"ts":1772445600,"request":{"uri":"/","headers":{}},"status":200,"size":1}';
  const other = '{"level":"info","ts":1772445600,"msg":"admin endpoint started","address":"localhost:2019","size":9}';
  const { tally, output } = scan([request, other, withoutAgent].join("\n"), undefined, { task: { annotate: true } });
  assert.deepEqual([tally.requests, tally.crawlerRequests, tally.broken, tally.bytes], [2, 2, 0, 2]);
  assert.match(output.split("\n")[1] ?? "", /"verdict":null\}$/);
});

describe("numbers of a line", () => {
  it("beyond what can be counted are nothing", () => {
    const huge = "9".repeat(400);
    const { report, tally } = scan(`${start.replace("200 512", `200 ${huge}`)}"curl/8.5.0"\n`, "combined");
    assert.deepEqual([tally.requests, report.bytes, report.crawlers[0]?.bytes], [1, 0, 0]);
    assert.deepEqual(report.crawlers[0]?.statuses, { 200: 1 });
    const { tally: broken } = scan(`${start.replace(" 200 ", ` ${huge} `)}"curl/8.5.0"\n`, "combined");
    assert.deepEqual([broken.requests, broken.broken], [0, 1]);
    const { report: json } = scan(
      `{"ts":${huge},"useragent":"curl/8.5.0"}\n{"ts":"${huge}","useragent":"curl/8.5.0"}\n`,
    );
    assert.deepEqual([json.requests, json.times], [2, []]);
  });

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

describe("an address", () => {
  for (const [logged, address] of [
    ["203.0.113.7:4711", "203.0.113.7"],
    ["203.0.113.7", "203.0.113.7"],
    ["[2001:db8::1]:443", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["2001:db8::4711", "2001:db8::4711"],
    ["::1", "::1"],
    ["host:80", "host:80"],
  ] as const)
    it(`${logged} has no port`, () => {
      const text = `${start.replace("192.0.2.1", logged)}"curl/8.5.0"\n`.repeat(2);
      const { tally } = scan(text, "combined", { task: { verify: true } });
      assert.deepEqual([...(tally.crawlers.values().next().value?.addresses?.keys() ?? [])], [address]);
    });
});

describe("a path", () => {
  for (const [request, path] of [
    ["GET /a?b HTTP/1.1", "/a"],
    ["GET https://example.com:443/a?b HTTP/1.1", "/a"],
    ["GET https://example.com?b=/c HTTP/1.1", "https://example.com"],
    ["GET //a/b/c HTTP/1.1", "//a/b/c"],
    ["CONNECT example.com:443 HTTP/1.1", "example.com:443"],
    ["GET", undefined],
  ] as const) {
    it(`of the request ${request} is ${path ?? "none"}`, () => {
      const { report } = scan(`${start.replace("GET /a HTTP/1.1", request)}"curl/8.5.0"\n`, "combined");
      assert.deepEqual(
        report.crawlers[0]?.paths.map(({ path }) => path),
        path === undefined ? [] : [path],
      );
    });
  }
});

describe("an annotated line", () => {
  const annotated = (text: string, logFormat?: string) => scan(text, logFormat, { task: { annotate: true } }).output;
  const crawler = /"crawler":true,"name":"curl"/;

  it("has one column more, null if it is no request", () => {
    const [request = "", broken, empty, ...rest] = annotated(
      `${start}"curl/8.5.0"\nno request\n\r\n`,
      "combined",
    ).split("\n");
    assert.match(request.slice(start.length), /^"curl\/8\.5\.0"\t\{"crawler":true,"name":"curl",.*\}$/);
    assert.deepEqual([broken, empty, rest], ["no request\tnull", "\tnull\r", [""]]);
    assert.match(annotated("#Fields: date cs(User-Agent)\n2026-03-02 x\n"), /^#Fields: .*\)\tnull\n2026-03-02 x\t\{/);
    assert.match(annotated(start.replace(' "-" ', "\n"), "common"), /512\t\{"crawler":false\}\n$/);
  });

  it("has only the tab that parts the verdict, whatever the client sends", () => {
    const forged = annotated(`${start}"curl/8.5.0\t{"crawler":false}\t"\n`, "combined");
    assert.equal(forged.split("\t").length, 2);
    assert.match(forged.split("\t")[1] ?? "", crawler);
    assert.ok(forged.includes('curl/8.5.0\\x09{"crawler":false}\\x09"'));
    // Columns between tabs stay; the verdict is the last one.
    assert.match(
      annotated("#Fields: cs(User-Agent) cs-uri-stem\ncurl/8.5.0\t/a\n"),
      /\tnull\ncurl\/8\.5\.0\t\/a\t\{"crawler":true/,
    );
  });

  it("is a JSON object with one member more if the log is of JSON, and only then", () => {
    const json = annotated('{"useragent":"curl/8.5.0"} \n{"a":1}\n{}\n{ }\nnot JSON\n{"cut":1\n', "json").split("\n");
    assert.match(
      JSON.stringify(JSON.parse(json[0] ?? "")),
      /^\{"useragent":"curl\/8\.5\.0","verdict":\{"crawler":true/,
    );
    assert.deepEqual(json.slice(1), [
      '{"a":1,"verdict":null}',
      '{"verdict":null}',
      '{ "verdict":null}',
      "not JSON\tnull",
      '{"cut":1\tnull',
      "",
    ]);
    assert.match(annotated('{"a":true}\n', "plain"), /^\{"a":true\}\t\{"crawler":false\}\n$/);
    const docker = JSON.stringify({ log: `${start}"curl/8.5.0"\n`, stream: "stdout", time: "2026-03-02T10:00:00Z" });
    assert.match(JSON.stringify(JSON.parse(annotated(`${docker}\n`))), /"verdict":\{"crawler":true,"name":"curl"/);
  });

  it("shows invisible characters of a name as their code points", () => {
    const [, verdict = ""] = annotated(`${start}"Some\u009bThing\u202eBot/1.0"\n`, "combined").split("\t");
    assert.doesNotMatch(verdict, /[\u009b\u202e]/);
    assert.equal((JSON.parse(verdict) as { crawler: boolean }).crawler, true);
  });
});

describe("what is counted", () => {
  it("is together for crawlers of too many names, but for those of entries", () => {
    const useragents = Array.from({ length: 4005 }, (_, index) => `Name${index}bot/1.0`);
    const isByRule = ({ name = "" }) => name.startsWith("Name");
    const { report } = scan([...useragents, "curl/8.5.0", useragents[0]].join("\n"), "plain", { isByRule });
    assert.equal(report.crawlers.length, 4002);
    const requestsOf = (name: string) => report.crawlers.find((crawler) => crawler.name === name)?.requests;
    assert.deepEqual([requestsOf("(many others)"), requestsOf("curl"), requestsOf("Name0bot")], [5, 1, 2]);
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

it("a directive counts in the middle of a log, also where a block begins with it", () => {
  const format = formatOfName("w3c", ["#Fields: date cs(User-Agent)"]);
  const bytes = Buffer.from("#Fields: cs(User-Agent) date\nc 2026-03-02\n");
  const parts = cutAtDirectives(bytes, bytes.length, format);
  assert.deepEqual(
    parts.map(({ from, to, format }) => [from, to, format.columns?.columns]),
    [[0, bytes.length, ["useragent", "time"]]],
  );
});

it("a directive counts only at the beginning of a line, also of the first one", () => {
  const lines =
    "#Fields: date cs(User-Agent)\n2026-03-02 a#Fields:+time\n2026-03-02 b\n#Fields: cs(User-Agent) date\nc 2026-03-02\n";
  assert.deepEqual(scan(lines).seen, ["a#Fields: time", "b", "c"]);
});
