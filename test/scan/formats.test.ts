/** The guess takes a format only if the lines fit it as a whole. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatKinds } from "../../src/scan/formats/all-formats.ts";
import { detectFormat } from "../../src/scan/formats/detect-format.ts";
import { haveUserAgents, inspectLog } from "../../src/scan/formats/inspect-log.ts";
import { expectRows } from "../support/fail-plainly.ts";
import { testGolden } from "../support/golden.ts";
import { logWriters } from "./log-writers.ts";

const clf = '192.0.2.1 - - [02/Mar/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 512';
const combined = `${clf} "-" "Mozilla/5.0 (X11; Linux x86_64)"`;

it("every format has a writer, with whose lines its counts are tested", () => {
  const written = new Set(logWriters.map(({ name }) => name));
  const missing = formatKinds.filter(({ names }) => !names.some((name) => written.has(name)));
  expectRows(
    missing.map(({ names }) => names.join(" or ")),
    "test/scan/log-writers.txt",
    "npm test -- scan/formats scan/differential",
  );
});

describe("the guess", () => {
  testGolden("scan/guesses.txt", (input) => {
    const lines = input.split("\n").map((line) => line.replaceAll("␉", "\t").replaceAll("␍", "\r").replace(/^·$/, ""));
    return [`| ${detectFormat(lines)?.name ?? "none"}`];
  });

  for (const [what, lines, expected] of [
    ["nothing", [], undefined],
    ["empty lines", ["", "  "], undefined],
    ["random bytes", ["\u0000\u001f\ufffd\ufffdx\u0007", "\ufffd\ufffd/1.\u0001", "\ufffd[\ufffd"], undefined],
    ["a log beyond 100 lines", [...Array<string>(100).fill(combined), ...Array<string>(99).fill("x")], "combined"],
  ] as const)
    it(`of ${what}: ${expected ?? "none"}`, () => assert.equal(detectFormat(lines)?.name, expected));

  for (const unit of ["{ ", "a {", ": {", "1:{ ", '{"a":"{ ', "1.2.3.4 ", "1.2.3.4:"])
    it(`takes time in proportion to a line of ${unit}`, ({ mock }) => {
      const searched = mock.method(String.prototype, "matchAll").mock;
      const countOf = (length: number): number => {
        const before = searched.callCount();
        detectFormat([unit.repeat(length), `2:${unit.repeat(length)}`]);
        return searched.callCount() - before;
      };
      assert.ok(countOf(12) <= 2 * countOf(6) + 10);
    });

  it("finds the format of one line of each, and none when most of the line is missing", () => {
    for (const writer of logWriters.filter(
      ({ options, name }) => options === undefined && !/csv|tsv|w3c|cloudfront/.test(name),
    )) {
      const useragent = "Mozilla/5.0 (compatible; Bot/2.1; +http://example.com/bot.html)";
      const [line = ""] = writer
        .write([{ useragent, time: 1_772_445_600, status: 200, bytes: 512, path: "/a", address: "192.0.2.1" }])
        .split("\n");
      assert.equal(detectFormat([line])?.name, writer.name, line);
      assert.equal(detectFormat([line.slice(0, 30)]), undefined, line);
    }
  });

  it("says where HAProxy's user agents are among the captured headers", () => {
    const line = (captures: string) =>
      `192.0.2.1:3331 [06/Feb/2026:12:14:14.655] in back/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 ${captures}"GET / HTTP/1.1"`;
    assert.match(
      detectFormat([line("{a.example|curl/8.5.0} {x} ")])?.template ?? "",
      /\{\$header0\|\$http_user_agent\}/,
    );
    assert.match(detectFormat([line("{} "), line("{curl/8.5.0} ")])?.template ?? "", /\{\$http_user_agent\}/);
    for (const captures of ["", "{a.example} "]) {
      assert.doesNotMatch(detectFormat([line(captures)])?.template ?? "http_user_agent", /http_user_agent/);
    }
  });
});

describe("a given field", () => {
  const json = ['{"http":{"agent":"curl/8.5.0"},"agent.name":"x"}'];
  it("is a member of JSON objects by its path or its name", () => {
    assert.deepEqual(
      inspectLog(json, { logFormat: "json", fields: { useragent: "http.agent" } }).format.json?.useragent,
      ["http", "agent"],
    );
    assert.deepEqual(
      inspectLog(json, { logFormat: "json", fields: { useragent: "agent.name" } }).format.json?.useragent,
      ["agent.name"],
    );
    assert.throws(
      () => inspectLog(json, { logFormat: "json", fields: { useragent: "agent" } }).format,
      /no member "agent"; members are http\.agent, /,
    );
  });

  it("is a column of CSV by its name or number; the error lists at most 300 characters of names", () => {
    const columns = (useragent: string) =>
      inspectLog(["when,who"], { logFormat: "csv", fields: { useragent } }).format.columns?.columns[1];
    assert.deepEqual([columns("who"), columns("2")], ["useragent", "useragent"]);
    assert.throws(() => columns("3"), /^Error: There is no column "3"; columns are when, who\.$/);
    const many = Array.from({ length: 200 }, (_, at) => `column${at}`).join();
    assert.throws(
      () => inspectLog([many], { logFormat: "csv", fields: { useragent: "none" } }).format,
      ({ message }: Error) => message.length < 350 && message.includes("columns are column0, column1, "),
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
    const format = detectFormat(lines);
    assert.ok(format);
    assert.equal(haveUserAgents(lines, format), expected, lines.join());
  }
});
