/** The options of `whocrawls scan` that select requests, and --output; their counts are compared in test/scan/independent-count.test.ts. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { Report } from "../../src/scan/report/report.ts";
import { entryOf, runtimes } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-filter-"));
after(() => rmSync(folder, { recursive: true }));

const gptbot = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const toLine = (time: string, useragent: string, path = "/", status = 200): string =>
  `192.0.2.1 - - [${time === "-" ? "-" : `${time} +0000`}] "GET ${path} HTTP/1.1" ${status} 100 "-" "${useragent}"\n`;

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const log = file(
  "access.log",
  [
    toLine("01/Mar/2026:23:59:59", gptbot, "/a"),
    toLine("02/Mar/2026:00:00:00", gptbot, "/b/1?c=d"),
    toLine("02/Mar/2026:00:00:00", firefox, "/b/2"),
    toLine("02/Mar/2026:12:00:00", "InventedBot/1.0", "/b"),
    toLine("03/Mar/2026:00:00:00", gptbot, "/robots.txt", 404),
    toLine("-", gptbot, "/b/untimed"),
  ].join(""),
);
const timeless = file("timeless.log", `${gptbot}\n`.repeat(3));

const scan = async (...args: string[]) => {
  const format = args.includes(log) ? ["--log-format", "combined"] : [];
  const { code, stdout, stderr } = await runHere(["scan", ...format, ...args]);
  return { code, stdout, stderr, report: () => JSON.parse(stdout) as Report };
};

describe("whocrawls scan with a filter", () => {
  const rows: readonly (readonly [args: readonly string[], requests: number, crawlers: readonly string[]])[] = [
    [["--since", "2026-03-02"], 4, ["GPTBot", "InventedBot"]],
    [["--since", "2026-03-02T00:00:01Z"], 2, ["GPTBot", "InventedBot"]],
    [["--since", "2026-03-02", "--until", "2026-03-03"], 3, ["GPTBot", "InventedBot"]],
    [["--until", "2026-03-02T00:00:00Z"], 1, ["GPTBot"]],
    [["--since", "7d"], 0, []],
    [["--until", "24h"], 5, ["GPTBot", "InventedBot"]],
    [["--path", "/b/"], 3, ["GPTBot"]],
    [["--crawler", "gptBOT"], 4, ["GPTBot"]],
    [["--category", "other"], 1, ["InventedBot"]],
    [["--category", "other", "--category", "ai", "--path", "/b"], 3, ["GPTBot", "InventedBot"]],
    [["--category", "other", "--crawler", "GPTBot"], 0, []],
  ];
  for (const [args, requests, crawlers] of rows) {
    it(`counts ${requests} requests with ${args.join(" ")}`, async () => {
      const { code, report } = await scan(...args, "--format", "json", log);
      assert.equal(code, 0);
      assert.deepEqual([report().requests, report().filter?.excluded, report().lines], [requests, 6 - requests, 6]);
      assert.deepEqual(
        report()
          .crawlers.map(({ name }) => name)
          .sort(),
        crawlers,
      );
    });
  }

  it("says what the page leaves out", async () => {
    const args = ["--since", "2026-03-02", "--path", "/<b>\u202e", "--category", "ai", log];
    const { stdout, stderr } = await scan("--format", "html", ...args);
    assert.match(stderr, /Requests without a time are not counted with --since and --until: 1\./);
    assert.ok(stdout.includes('begin with /&lt;b&gt;<span class="control">U+202E</span>, by crawlers'), stdout);
  });

  it("has the period that filter and log have in common", async () => {
    const periodOf = async (...args: string[]) => (await scan(...args, "--format", "json", log)).report().period;
    assert.deepEqual(
      await periodOf("--since", "2026-03-02", "--until", "2026-03-02T06:00:00Z", "--crawler", "GPTBot"),
      {
        from: "2026-03-02T00:00:00Z",
        to: "2026-03-02T06:00:00Z",
        seconds: 21_600,
      },
    );
    assert.deepEqual(await periodOf("--since", "2026-01-01"), {
      from: "2026-03-01T23:59:59Z",
      to: "2026-03-03T00:00:00Z",
      seconds: 86_401,
    });
    assert.equal(await periodOf("--since", "2027-01-01"), undefined);
  });

  it("knows fetches of robots.txt that a filter of paths excludes", async () => {
    const robots = file("robots.txt", "User-agent: *\nDisallow: /b\n");
    const robotsOf = async (...args: string[]) =>
      (await scan("--robots", robots, "--robots-since", "2025-01-01", "--format", "json", ...args, log))
        .report()
        .crawlers.map(({ name, robots }) => [
          name,
          robots?.fetched,
          robots?.lastStatus,
          robots?.disallowed,
          robots?.excused,
        ]);
    const all = await robotsOf();
    assert.deepEqual(all, [
      ["GPTBot", true, 404, 0, 2],
      ["InventedBot", false, undefined, 1, 0],
    ]);
    assert.deepEqual(await robotsOf("--path", "/b"), all);
    // Without the fetch before the end of the period, nothing excuses.
    assert.deepEqual((await robotsOf("--until", "2026-03-03"))[0], ["GPTBot", false, undefined, 1, 0]);
    // A crawler with nothing but such a fetch is not in the report.
    assert.deepEqual(await robotsOf("--path", "/nowhere"), []);
  });

  it("knows fetches of robots.txt before the period, and counts nothing else of them", async () => {
    const robots = file("robots.txt", "User-agent: *\nDisallow: /b\n");
    const asked = file(
      "asked.log",
      toLine("01/Mar/2026:10:00:00", gptbot, "/robots.txt", 404) + toLine("02/Mar/2026:10:00:00", gptbot, "/b"),
    );
    const args = ["--robots", robots, "--robots-since", "2025-01-01", "--since", "2026-03-02", "--format", "json"];
    const { crawlers, requests } = (await scan(...args, asked)).report();
    assert.deepEqual(
      [requests, ...crawlers.map(({ robotsTxt, robots }) => [robotsTxt, robots?.fetched, robots?.excused])],
      [1, [0, true, 1]],
    );
  });

  it("has a path of at most 199 characters", async () => {
    const { code, stderr } = await scan("--path", `/${"a".repeat(200)}`, log);
    assert.equal(code, 2);
    assert.match(stderr, /at most 199 characters/);
  });
});

describe("whocrawls scan --output", () => {
  it("replaces a report that it completes, and keeps its mode and a link to it", async () => {
    const path = file("report.json", "old");
    chmodSync(path, 0o640);
    const link = join(folder, "link.json");
    symlinkSync(path, link);
    const { code, stdout } = await scan("--format", "json", "--output", link, log);
    assert.deepEqual([code, stdout], [0, ""]);
    assert.equal((JSON.parse(readFileSync(path, "utf8")) as Report).requests, 6);
    assert.deepEqual([statSync(path).mode & 0o777, lstatSync(link).isSymbolicLink()], [0o640, true]);
  });

  it("leaves the old report as it was where there is no room, and no other file", {
    skip: process.platform === "win32",
  }, () => {
    const place = join(folder, "full");
    mkdirSync(place);
    const path = join(place, "report.html");
    writeFileSync(path, "old");
    const command = 'trap "" XFSZ; ulimit -f 1; exec "$@"';
    const args = [runtimes.Bun, entryOf(runtimes.Bun), "scan", "--format", "html", "--output", path, timeless];
    const { status, stderr } = spawnSync("sh", ["-c", command, "sh", ...args], { encoding: "utf8" });
    assert.equal(status, 1, stderr);
    assert.match(stderr, /--output .*report\.html: The report cannot be written/);
    assert.equal(readFileSync(path, "utf8"), "old");
    assert.deepEqual(readdirSync(place), ["report.html"]);
  });

  it("leaves the old report as it was where no log can be read", async () => {
    const path = file("kept.json", "old");
    const { code } = await scan("--log-format", "s3", "--since", "7d", "--output", path, timeless);
    assert.equal(code, 2);
    assert.equal(readFileSync(path, "utf8"), "old");
  });
});
