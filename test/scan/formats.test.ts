/** The guess takes a format only if the lines fit it as a whole. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatKinds } from "../../src/scan/formats/all-formats.ts";
import { formatOfName, guessFormat, haveUserAgents } from "../../src/scan/formats/guess-format.ts";
import { logWriters } from "./log-writers.ts";

const clf = '192.0.2.1 - - [02/Mar/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 512';
const combined = `${clf} "-" "Mozilla/5.0 (X11; Linux x86_64)"`;

it("every format has a writer, with whose lines its counts are tested", () => {
  const written = new Set(logWriters.map(({ name }) => name));
  const missing = formatKinds.filter(({ names }) => !names.some((name) => written.has(name)));
  assert.deepEqual(missing, []);
});

describe("the guess", () => {
  const rows: readonly (readonly [what: string, lines: readonly string[], expected: string | undefined])[] = [
    ["nothing", [], undefined],
    ["empty lines", ["", "  "], undefined],
    ["prose", ["It was the best of times,", "it was the worst of times, it was", "the age of wisdom"], undefined],
    ["prose with a year", ["In 2026 there were 200 crawlers [1] and", '"many" of them 512 bytes'], undefined],
    ["random bytes", ["\u0000\u001f\ufffd\ufffdx\u0007", "\ufffd\ufffd/1.\u0001", "\ufffd[\ufffd"], undefined],
    ["CSV that is no log", ["name,date,amount", "Smith,2026-03-01,200"], undefined],
    ["CSV of agents of another kind", ["agent,date,status", "Smith,2026-03-01,200"], undefined],
    ["CSV of user agents under a short name", ["agent,date", "curl/8.5.0,2026-03-01"], "csv"],
    ["CSV with semicolons", ["date;ua", "2026-03-01;curl/8.5.0"], "csv"],
    ["CSV with vertical bars", ["date|ua", "2026-03-01|curl/8.5.0"], "csv"],
    ["JSON that is no log", ['{"level":"info","msg":"started"}', '{"level":"warn","msg":"200"}'], undefined],
    ["JSON of agents of another kind", ['{"agent":"Smith","time":"2026-03-01"}'], undefined],
    ["JSON of objects with an empty list", ['{"user_agent":[],"ua":"curl/8.5.0"}'], "json"],
    ["JSON of user agents under a short name", ['{"ua":"curl/8.5.0"}'], "json"],
    [
      "a JSON array on one line",
      ['[{"ip":"192.0.2.1","userAgent":"curl/8.5.0"},{"ip":"","userAgent":"curl/8"}]'],
      undefined,
    ],
    ["columns without names", ["curl/8.5.0\t12", "Mozilla/5.0 (X11)\t3"], undefined],
    ["an error log of nginx", ["2026/03/02 10:00:00 [error] 7#7: *1 open() failed, client: 192.0.2.1"], undefined],
    ["paths", ["articles/2026/03", "src/1", "lib/2.txt"], undefined],
    ["user agents", ["Mozilla/5.0 (X11)", "-", "curl/8.5.0", "Google Favicon Bot/1.0", "", "Googlebot/2.1"], "plain"],
    ["user agents, some of which could be anything", ["curl/8.5.0", "hello there", "how are you"], undefined],
    ["a log with one bad line in ten", [...Array<string>(9).fill(combined), "x"], "combined"],
    ["a log with two bad lines in ten", [...Array<string>(8).fill(combined), "x", "x"], undefined],
    ["a log after what a program says when it starts", ["starting", "ready", combined, combined], "combined"],
    ["more start than log", ["starting", "configuring", "ready", combined, combined], undefined],
    [
      "a log beyond the first hundred lines",
      [...Array<string>(100).fill(combined), ...Array<string>(99).fill("x")],
      "combined",
    ],
    ["a log with Windows' ends of lines", [`${combined}\r`, "\r", `${combined}\r`], "combined"],
    [
      "ALB without its type",
      [`x 2026-03-02T10:00:00.1Z lb 192.0.2.1:1 - 0 0 0 200 - 1 2 "GET / HTTP/1.1" "curl/8"`],
      undefined,
    ],
    ["ALB without its time", [`http yesterday lb 192.0.2.1:1 - 0 0 0 200 - 1 2 "GET / HTTP/1.1" "curl/8"`], undefined],
    [
      "S3 without its operation",
      [`owner bucket [02/Mar/2026:10:00:00 +0000] 192.0.2.1 - ID GET key "GET / HTTP/1.1" 200 - 1 1 1 1 "-" "-"`],
      undefined,
    ],
    ["a common log with a time that is none", [clf.replace("Mar", "Foo")], undefined],
    ["a common log with a status that is none", [clf.replace(" 200 ", " ok ")], undefined],
    ["a common log with a size that is none", [clf.replace(" 512", " big")], undefined],
    ["a user's name of two words", [combined.replace("- -", "- jane doe")], "combined"],
    ["W3C with a line of too few columns", ["#Fields: date time cs-uri-stem", "2026-03-02 10:00:00"], undefined],
    ["a heading", ["#Version: 1.0", "Some notes."], undefined],
    [
      "a heading after which there are fields",
      ["#Version: 1.0", "#Fields: date cs(User-Agent)", "2026-03-02 curl/8"],
      "w3c",
    ],
    [
      "an envelope around prose",
      ["Mar 12 10:00:00 web-1 cron: it was the best", "Mar 12 10:00:00 web-1 cron: of times"],
      undefined,
    ],
  ];
  for (const [what, lines, expected] of rows) {
    it(`of ${what}: ${expected ?? "none"}`, () => assert.equal(guessFormat(lines)?.name, expected));
  }

  it("finds the format of one line of each, and none when most of the line is missing", () => {
    for (const writer of logWriters.filter(
      ({ options, name }) => options === undefined && !/csv|tsv|w3c|cloudfront/.test(name),
    )) {
      const useragent = "Mozilla/5.0 (compatible; Bot/2.1; +http://example.com/bot.html)";
      const [line = ""] = writer
        .write([{ useragent, time: 1_772_445_600, status: 200, bytes: 512, path: "/a", address: "192.0.2.1" }])
        .split("\n");
      assert.equal(guessFormat([line])?.name, writer.name, line);
      assert.equal(guessFormat([line.slice(0, 30)]), undefined, line);
    }
  });

  it("says where HAProxy's user agents are among the captured headers", () => {
    const line = (captures: string) =>
      `192.0.2.1:3331 [06/Feb/2026:12:14:14.655] in back/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 ${captures}"GET / HTTP/1.1"`;
    assert.match(
      guessFormat([line("{a.example|curl/8.5.0} {x} ")])?.template ?? "",
      /\{\$header0\|\$http_user_agent\}/,
    );
    assert.match(guessFormat([line("{} "), line("{curl/8.5.0} ")])?.template ?? "", /\{\$http_user_agent\}/);
    for (const captures of ["", "{a.example} "]) {
      assert.doesNotMatch(guessFormat([line(captures)])?.template ?? "http_user_agent", /http_user_agent/);
    }
  });
});

describe("a given field", () => {
  const json = ['{"http":{"agent":"curl/8.5.0"},"agent.name":"x"}'];
  it("is a member of JSON objects by its path or its name", () => {
    assert.deepEqual(formatOfName("json", json, { useragent: "http.agent" }).json?.useragent, ["http", "agent"]);
    assert.deepEqual(formatOfName("json", json, { useragent: "agent.name" }).json?.useragent, ["agent.name"]);
    assert.throws(
      () => formatOfName("json", json, { useragent: "agent" }),
      /no member "agent"; they have http\.agent, /,
    );
  });

  it("is a column of CSV by its name or number; the error lists at most 300 characters of names", () => {
    const columns = (useragent: string) => formatOfName("csv", ["when,who"], { useragent }).columns?.columns[1];
    assert.deepEqual([columns("who"), columns("2")], ["useragent", "useragent"]);
    assert.throws(() => columns("3"), /^Error: There is no column "3"; there are when, who\.$/);
    const many = Array.from({ length: 200 }, (_, at) => `column${at}`).join();
    assert.throws(
      () => formatOfName("csv", [many], { useragent: "none" }),
      ({ message }: Error) => message.length < 350 && message.includes("there are column0, column1, "),
    );
  });
});

it("only logs in which a request has a user agent have user agents", () => {
  for (const [lines, expected] of [
    [[clf], false],
    [[combined], true],
    [[`${clf} "-" "-"`, combined], true],
    [[`${clf} "-" "-"`], false],
  ] as const) {
    const format = guessFormat(lines);
    assert.ok(format);
    assert.equal(haveUserAgents(lines, format), expected, lines.join());
  }
});
