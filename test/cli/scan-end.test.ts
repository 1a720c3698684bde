/** How a scan ends: each row of the table of exit codes, without and with `--exit-code`, and what becomes of its report. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import zlib from "node:zlib";
import type { Report } from "../../src/scan/report/report.ts";
import { type Ending, endings, outcomes, toExitCode } from "../../src/scan/run/scan-end.ts";
import { assertDocumentHas } from "../support/document.ts";
import { logLines } from "../support/log-lines.ts";
import { temporary } from "../support/temporary.ts";
import { runHere } from "./run-here.ts";

const folder = temporary();
function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

// A format is detected by the first hundred lines.
const usual = logLines("100 | gptbot\n100 | firefox");
const garbage = (count: number) => "no request\n".repeat(count);
const log = file("access.log", usual);
const errors = file("errors.log", logLines("20 | googlebot | status=503"));
const half = file("half.log", usual + garbage(200));
const most = file("most.log", usual + garbage(201));
const zipped = zlib.gzipSync(usual.repeat(20));
const damaged = file("damaged.log.gz", zipped.subarray(0, zipped.length - 20));
const timeless = file("timeless.log", "GPTBot/1.2\n".repeat(3));
const prose = file("prose.txt", "It was the best of times,\nit was the worst\n");
const forwarded = file("forwarded.json", '{"ip":"10.0.0.1","xff":"8.8.8.8","user_agent":"GPTBot/1.2"}\n');
const caddy = file("caddy.json", '{"request":{"client_ip":"8.8.8.8","headers":{"User-Agent":["GPTBot/1.2"]}}}\n');
const empty = file("empty.log", "");

const scan = async (...args: readonly string[]) => runHere(["scan", "--threads", "1", ...args]);
const before = async (name: string, path: string) => {
  assert.equal((await scan("--format", "json", "--output", join(folder, name), path)).code, 0);
  return join(folder, name);
};
const [same, other] = [await before("same.json", log), await before("other.json", errors)];

type Case = readonly [ending: Ending, what: string, args: readonly string[]];

/** Endings that need a signal, a dying thread or a full disk have their tests in scan.test.ts, executable.test.ts and scan-output.test.ts. */
const cases: readonly Case[] = [
  ["read", "a log", [log]],
  ["read", "an empty log", [empty]],
  ["read", "an empty log since a date", ["--since", "2026-01-01", empty]],
  ["read", "half of the lines broken", [half]],
  ["read", "less than half of the lines of all files broken", [log, most]],
  ["read", "an age after the log's end", ["--since", "1d", log]],
  ["read", "a known crawler without requests", ["--crawler", "ClaudeBot", log]],
  ["read", "a category without requests", ["--category", "seo", log]],
  ["read", "a path without requests", ["--path", "/nowhere", log]],
  ["read", "the same crawlers as before", ["--compare", same, log]],
  ["read", "an alarm, and the same crawlers as before", ["--compare", other, errors]],
  ["read", "trusted proxies of one of two logs", ["--trust-proxy", "1", log, forwarded]],
  ["read", "trusted proxies, and addresses that the server has found", ["--trust-proxy", "1", log, caddy]],
  ["no-proxies", "trusted proxies of no log", ["--trust-proxy", "1", log, half]],
  ["alarm", "errors of a search engine", [errors]],
  ["new-crawler", "another crawler than before", ["--compare", other, log]],
  ["unread", "more than half of the lines broken", [most]],
  ["unread", "more than half of the lines of all files broken", [half, most]],
  ["unread", "lines to pass through", ["--only", "crawlers", most]],
  ["damaged", "a file that ends too early", [damaged]],
  ["no-such-crawler", "a misspelled name", ["--crawler", "Gogglebot", log]],
  [
    "no-such-crawler",
    "a misspelled name of lines to pass through",
    ["--only", "crawlers", "--crawler", "Gogglebot", log],
  ],
  ["outside-log", "a date after the log's end", ["--since", "2026-03-03", log]],
  ["outside-log", "a date before its begin", ["--until", "2026-03-02", log]],
  ["timeless", "a period of a log without times", ["--since", "7d", timeless]],
  ["unknown", "no log", [prose]],
  ["unknown", "no log, and a log", [prose, log]],
  ["option", "no such option", ["--no-such-option", log]],
  ["option", "no such file", [join(folder, "nowhere.log")]],
];

describe("how a scan ends", () => {
  for (const [ending, what, args] of cases)
    it(`${ending}: ${what}`, async () => {
      const { code, strict, report } = endings[ending];
      const { code: actual, stdout } = await scan(...args);
      assert.equal(actual, code);
      if (!args.includes("--only")) {
        assert.equal((await scan("--exit-code", ...args)).code, strict);
        if (report === "none") assert.equal(stdout, "");
        const kept = file("kept.txt", "old");
        await scan("--output", kept, ...args);
        assert.equal(readFileSync(kept, "utf8") !== "old", report === "complete");
      }
    });

  it("a name that only the log has is no mistake, whatever else excludes its requests", async () => {
    const invented = file("invented.log", logLines("1 | InventedBot/1.0"));
    for (const more of [
      ["--path", "/nowhere"],
      ["--category", "ai"],
      ["--since", "7d"],
    ]) {
      const { code, stderr } = await scan("--crawler", "inventedbot", ...more, invented);
      assert.deepEqual([code, /No request that matches the filter was made by/.test(stderr)], [0, true], more[0]);
    }
  });

  it("compares nothing unless the scan succeeded", async () => {
    const { stdout, stderr } = await scan("--compare", other, "--format", "json", most);
    assert.equal((JSON.parse(stdout) as { comparison?: unknown }).comparison, undefined);
    assert.match(stderr, /The report is not compared with .*other\.json because the scan did not succeed\./);
  });

  it("the worst ending decides", () => {
    assert.equal(toExitCode(["alarm", "damaged"], false), 1);
    assert.equal(toExitCode(["alarm", "damaged"], true), 2);
    assert.equal(toExitCode(["unread", "unknown", "interrupted"], true), 130);
    assert.equal(toExitCode([], true), 0);
  });

  it("docs/scan-output.md has the table", () => {
    const rows = Object.values(endings).map(
      ({ when, code, strict, report }) => `| ${when} | ${code} | ${strict} | ${outcomes[report]} |\n`,
    );
    assertDocumentHas("docs/scan-output.md", /(?<=^\| what happened .*\n\|-.*\n)(?:\|.*\n)*/m, rows.join(""));
  });
});

it("a log whose times cannot be read is not called one without times", async () => {
  const path = file("undecided.csv", `time,useragent\n${"02/03/2026 10:00:00,GPTBot/1.2\n".repeat(4)}`);
  assert.match((await scan(path)).stdout, /^No time could be read\. 5 lines read/);
  assert.match((await scan("--since", "2026-01-01", path)).stderr, /: No line has a time that could be read/);
});

it("a log that begins with directives alone does not lack user agents", async () => {
  const path = file(
    "midnight.log",
    "#Version: 1.0\n#Fields: date time cs-uri-stem cs(User-Agent) sc-status sc-bytes\n",
  );
  const { code, stderr, stdout } = await scan(path);
  assert.deepEqual([code, /user agents/.test(stderr)], [0, false]);
  assert.match(stdout, /The log has no requests\./);
});

describe("lines that could not be read", () => {
  const reports = async (broken: number) => {
    const path = file("broken.log", usual + garbage(broken));
    const [text, page, json, csv] = await Promise.all(
      ["table", "html", "json", "csv"].map((format) => scan("--format", format, path)),
    );
    return { text: text!.stdout, page: page!.stdout, json: JSON.parse(json!.stdout) as Report, csv: csv!.stderr };
  };

  it("are a warning above 10%, in all formats", async () => {
    const { text, page, json, csv } = await reports(23);
    const warning = "Warning: 23 of 223 lines (10.3%) could not be read, and their requests are not counted.";
    for (const output of [text, page, csv]) assert.ok(output.includes(warning), output);
    const found = "Nothing that needs action was found, but not everything could be read or checked.";
    for (const output of [text, page]) assert.ok(output.indexOf(warning) < output.indexOf(found), output);
    assert.match(page, /<p class="warning">△ <b>(?:<bdi>)?Warning: 23 of 223/);
    assert.match(page, /<code>--verify<\/code>.* and .*<code>--robots<\/code>/);
    assert.equal(json.brokenShare, 0.103);
    assert.match(csv, /\n.*scan: {3}no request\n/);
  });

  it("are none up to 10%", async () => {
    const { text, page, json, csv } = await reports(22);
    for (const output of [text, page, csv]) assert.ok(!output.includes("Warning"), output);
    assert.equal(json.brokenShare, 0.099);
    assert.match(csv, /22 of 222 lines could not be read, such as:\n/);
  });
});
