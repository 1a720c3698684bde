/** `whocrawls scan` as a person runs it: files, compression, pipes, broken lines, interruption; on both runtimes. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import zlib from "node:zlib";
import { version } from "../../src/generated/about.ts";
import type { Report } from "../../src/scan/report/report.ts";
import { entryOf, runtimes, runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-scan-"));
after(() => rmSync(folder, { recursive: true }));

const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const toLine = (useragent: string, second: number, path = "/"): string =>
  `192.0.2.1 - - [02/Mar/2026:10:00:${String(second % 60).padStart(2, "0")} +0000] "GET ${path} HTTP/1.1" 200 100 "-" "${useragent}"\n`;

/** Nearly two megabytes, so that there are several blocks for each thread; a third by Googlebot. */
const lines = Array.from({ length: 12_000 }, (_, index) =>
  toLine(index % 3 === 0 ? googlebot : firefox, index, `/${index % 5}`),
);
const log = lines.join("");
const crawlerLines = lines.filter((line) => line.includes("Googlebot"));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const plain = file("access.log", log);
const few = file("few.log", lines.slice(0, 3000).join(""));
const compressed = {
  gzip: file(
    "access.log.gz",
    Buffer.concat([zlib.gzipSync(lines.slice(0, 5000).join("")), zlib.gzipSync(lines.slice(5000).join(""))]),
  ),
  zstd: file("access.log.zst", zlib.zstdCompressSync(log)),
};
for (const program of ["bzip2", "xz"]) assert.equal(spawnSync(program, ["--keep", plain]).status, 0, program);

/** A folder for PATH with one program, a shell script. */
function programFolder(name: string, program: string, script: string): string {
  const path = join(folder, `bin-${name}`);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

async function scan(
  runtime: string,
  args: readonly string[],
  input: string | Uint8Array = "",
  env: Readonly<Record<string, string>> = {},
) {
  const { code, stdout, stderr } = await runWhocrawls(runtime, ["scan", ...args], input, env);
  return { code, stdout, stderr, report: () => JSON.parse(stdout) as Report };
}

/** What a scan prints: on Bun, which runs these tests, in this process. */
async function printed(
  runtime: string,
  args: readonly string[],
  input: string | Uint8Array = "",
  env: Readonly<Record<string, string>> = {},
) {
  if (runtime !== runtimes.Bun) return scan(runtime, args, input, env);
  const { code, stdout, stderr } = await runHere(["scan", ...args], input, env);
  return { code, stdout, stderr, report: () => JSON.parse(stdout) as Report };
}

for (const [name, runtime] of testedOn()) {
  describe(`whocrawls scan on ${name}`, () => {
    it("counts a file, and says what it took its format for", async () => {
      const { code, stderr, report } = await scan(runtime, ["--format", "json", plain]);
      assert.equal(code, 0);
      assert.ok(stderr.startsWith(`whocrawls scan: ${plain}: combined `) && stderr.split("\n").length === 2, stderr);
      const { categories, purposes, operators, crawlers, paths, pathsExact, times, ...others } = report();
      const { pathsByBytes, directories, clientErrors, serverErrors, crawlerTimes, ...totals } = others;
      assert.equal(directories.length + pathsByBytes.length, paths.length + 1);
      assert.deepEqual([clientErrors, serverErrors], [[], []]);
      assert.deepEqual(crawlerTimes, { from: "2026-03-02T10:00:00Z", seconds: 3600 });
      assert.deepEqual([pathsExact, paths.length > 0], [true, true]);
      assert.deepEqual(totals, {
        schema: 2,
        findings: [
          {
            id: "bytes",
            text: "Googlebot got 400 kB, 33.3 % of all bytes, on 2026-03-02.",
            section: "bytes",
            isAlarm: false,
          },
        ],
        catalogue: version,
        period: { from: "2026-03-02T10:00:00Z", to: "2026-03-02T10:00:59Z", seconds: 59 },
        lines: 12_000,
        broken: 0,
        unreadable: [],
        requests: 12_000,
        crawlerRequests: 4000,
        bytes: 1_200_000,
        crawlerBytes: 400_000,
        hasSizes: true,
        timezone: "UTC",
      });
      const span = { first: "2026-03-02T10:00:00Z", last: "2026-03-02T10:00:57Z" };
      const counts = { crawlers: 1, requests: 4000, bytes: 400_000 };
      assert.deepEqual(categories, [{ name: "search-engine", ...counts, ...span }]);
      assert.deepEqual(operators, [{ name: "Google", ...counts, ...span }]);
      assert.deepEqual(purposes, [{ name: "search", ...counts, ...span, ai: { crawlers: 0, requests: 0, bytes: 0 } }]);
      assert.equal(crawlers.length, 1);
      assert.equal(crawlers[0]?.name, "Googlebot");
      assert.deepEqual(crawlers[0]?.statuses, { 200: 4000 });
      assert.deepEqual(crawlers[0]?.paths.map(({ path }) => path).sort(), ["/0", "/1", "/2", "/3", "/4"]);
      assert.deepEqual(times, [
        {
          from: "2026-03-02T10:00:00Z",
          seconds: 60,
          requests: 12_000,
          crawlerRequests: 4000,
          bytes: 1_200_000,
          crawlerBytes: 400_000,
        },
      ]);
    });

    it("reads gzip of several members, zstd, bzip2, xz, and all of them together with standard input", async () => {
      const paths = [compressed.gzip, compressed.zstd, `${plain}.bz2`, `${plain}.xz`, "-"];
      const { code, report } = await scan(runtime, ["--format", "json", ...paths], readFileSync(`${plain}.bz2`));
      assert.equal(code, 0);
      assert.equal(report().requests, 60_000);
      assert.equal(report().crawlerRequests, 5 * 4000);
      assert.equal(report().crawlers.length, 1);
    });

    it("reads the output of several programs, compressed or not", () => {
      const command = `"$@" scan --format json <(cat ${compressed.gzip}) <(cat ${plain}.xz) <(cat ${few})`;
      const { stdout } = spawnSync("bash", ["-c", command, "bash", runtime, entryOf(runtime)], { encoding: "utf8" });
      assert.equal((JSON.parse(stdout) as Report).requests, 27_000);
    });

    it("names the package of a missing program, and reads the other files", async () => {
      const paths = [`${plain}.bz2`, `${plain}.xz`, few];
      const { code, stdout, stderr } = await printed(runtime, ["--format", "json", ...paths], "", { PATH: folder });
      assert.equal(code, 1);
      assert.match(stderr, /access\.log\.bz2: The program bzip2 is missing: install the package bzip2\.\n/);
      assert.match(stderr, /access\.log\.xz: The program xz is missing: install the package xz-utils\.\n/);
      assert.equal((JSON.parse(stdout) as Report).requests, 3000);
    });

    it("shows what a program says of a damaged file, or how it ended, after what it has decompressed", async () => {
      const garbage = file("garbage.bz2", Buffer.concat([readFileSync(`${plain}.bz2`), Buffer.from("garbage")]));
      const PATH = `${programFolder("dies", "xz", `cat ${few}; kill -KILL $$`)}:${process.env.PATH}`;
      const { code, stderr, report } = await printed(runtime, ["--format", "json", garbage, `${plain}.xz`], "", {
        PATH,
      });
      assert.equal(code, 1);
      assert.match(
        stderr,
        /garbage\.bz2: The bzip2 data is damaged or .*: bzip2: .*trailing garbage after EOF ignored\.\n/,
      );
      assert.match(stderr, /access\.log\.xz: .*\bdamaged\b.*: xz .*SIGKILL\.\n/);
      assert.equal(report().requests, 15_000);
    });

    it("ends the program when the reader of its output has gone", async () => {
      const pidFile = join(folder, `pid-${name}`);
      const PATH = `${programFolder(name, "xz", `echo $$ >${pidFile}; exec yes "$(head -n 1 ${few})"`)}:${process.env.PATH}`;
      const child = spawn(runtime, [entryOf(runtime), "scan", "--only", "crawlers", `${plain}.xz`], {
        env: { ...process.env, PATH },
        stdio: ["ignore", "pipe", "ignore"],
      });
      await once(child.stdout, "data");
      child.stdout.destroy();
      assert.deepEqual(await once(child, "exit"), [0, null]);
      const isRunning = () => existsSync(`/proc/${readFileSync(pidFile, "utf8").trim()}`);
      while (isRunning()) await sleep(20);
    });

    it("passes the lines of crawlers through as they are, in order", async () => {
      const { stdout } = await printed(runtime, ["--only", "crawlers", "--threads", "3", plain]);
      assert.ok(stdout === crawlerLines.join(""));
    });

    it("shows broken lines, counts the rest, and survives a line longer than its memory", async () => {
      const input = `${log}no request\n${"x".repeat(3_000_000)}\n${toLine(googlebot, 1)}\u001b[2J\n${toLine(firefox, 1).trimEnd()}`;
      const { code, stderr, report } = await printed(runtime, ["--format", "json", "-"], input);
      assert.equal(code, 0);
      assert.deepEqual([report().lines, report().broken, report().requests], [12_005, 3, 12_002]);
      assert.match(stderr, /\b3 of 12005 lines .*\n[\s\S]* {2}no request\n/);
      assert.ok(!stderr.includes("\u001b"));
    });

    it("reports what was read of a damaged file, and fails", async () => {
      const whole = readFileSync(compressed.gzip);
      const path = file("cut.log.gz", whole.subarray(0, whole.length - 2000));
      const { code, stderr, report } = await printed(runtime, ["--format", "json", path, plain]);
      assert.equal(code, 1);
      assert.match(stderr, /cut\.log\.gz: .*\bgzip\b.*\bdamaged\b/);
      assert.ok(report().requests > 12_000);
      // Less than a block, which no other block follows.
      const short = zlib.gzipSync(log.slice(0, 300_000));
      const only = await printed(runtime, [
        "--format",
        "json",
        file("short.log.gz", short.subarray(0, short.length - 200)),
      ]);
      assert.equal(only.code, 1);
      assert.ok(only.report().requests > 100);
    });

    for (const input of ["", toLine(googlebot, 1).repeat(3), log]) {
      it(`prints what was found so far when it is interrupted, also while ${input.length} bytes are all that comes`, async () => {
        const child = spawn(runtime, [entryOf(runtime), "scan", "--format", "json", "--threads", "2", "-"]);
        let stdout = "";
        let stderr = "";
        child.stdout.on("data", (chunk) => (stdout += chunk));
        child.stderr.on("data", (chunk) => (stderr += chunk));
        child.stdin.on("error", () => {});
        child.stdin.write(input);
        if (input === "") await sleep(1000);
        else await once(child.stderr, "data");
        child.kill("SIGINT");
        // Standard input stays open.
        const [code] = await once(child, "exit");
        assert.equal(code, 130);
        await Promise.all([child.stdout, child.stderr].map((stream) => stream.closed || once(stream, "close")));
        assert.match(stderr, /Interrupted/);
        assert.equal((JSON.parse(stdout) as Report).requests > 0, input !== "");
      });
    }

    it("annotates lines, and passes a line on before the next one comes", async () => {
      const child = spawn(runtime, [entryOf(runtime), "scan", "--annotate", "-"]);
      for (const [line, crawler] of [
        [toLine(googlebot, 1), true],
        [toLine(firefox, 2), false],
      ] as const) {
        child.stdin.write(line);
        const [chunk] = await once(child.stdout, "data");
        const [passed, verdict] = String(chunk).split("\t");
        assert.equal(passed, line.trimEnd());
        assert.equal((JSON.parse(verdict as string) as { crawler: boolean }).crawler, crawler);
      }
      child.stdin.end();
      assert.deepEqual(await once(child, "close"), [0, null]);
    });
  });
}

describe("whocrawls scan", () => {
  it("reads zstd by the program where Node cannot", async () => {
    const require = `--require=${file("old.cjs", 'delete require("node:zlib").createZstdDecompress;')}`;
    const read = async (PATH: string) =>
      scan(runtimes.Node, ["--format", "json", compressed.zstd], "", { NODE_OPTIONS: require, PATH });
    assert.equal((await read(process.env.PATH as string)).report().requests, 12_000);
    assert.match((await read(folder)).stderr, /The program zstd is missing: install the package zstd\./);
  });

  // The first bytes of a text, which fit no format.
  const cut = zlib.gzipSync("a line of a log\nanother\n", { level: 0 }).subarray(0, 30);
  for (const [what, content, code, stderr] of [
    ["gzip that ends early", cut, 1, /^whocrawls scan: [^\n]*log: The gzip data is damaged or ends too early[^\n]*\n$/],
    ["bzip2 that ends early", "BZh9", 1, /damaged or ends too early/],
    ["only long lines", "x".repeat(600_000), 2, /Every line is longer than 512 KiB\./],
    ["UTF-16", Buffer.from(`\ufeff${log}`, "utf16le"), 2, /is UTF-16\..*iconv/],
    [
      "escapes for a terminal",
      "It was the best of times,\n\u001b[2Jit was the worst\n",
      2,
      / {2}[^\u001b]*it was the worst\n/,
    ],
    ["carriage returns", log.slice(0, 5000).replaceAll("\n", "\r"), 2, /carriage return alone.*tr '\\r' '\\n'/],
    ["carriage returns in CSV", "user_agent,status\rcurl/8,200\r".repeat(5), 2, /carriage return alone/],
  ] as const)
    it(`says what is wrong with ${what}`, async () => {
      const outcome = await runHere(["scan", file("wrong.log", content)]);
      assert.match(outcome.stderr, stderr);
      assert.deepEqual([outcome.code, outcome.stdout], [code, ""]);
    });
});

it("aligns columns behind paths in Chinese and Japanese", async () => {
  const lines = ["/about", "/製品/一覧", "/ニュース"].map(
    (path) => `192.0.2.1 - - [02/Mar/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 9 "-" "GPTBot/1.2"`,
  );
  const { stdout } = await runHere(["scan", "-"], `${lines.join("\n")}\n`);
  const rows = stdout.split("\n").filter((line) => line.endsWith("1  GPTBot"));
  // Each of these characters is as wide as two others.
  assert.equal(rows.length, 3);
  assert.equal(new Set(rows.map((row) => row.replace(/[^\0-~]/g, "##").length)).size, 1);
});
