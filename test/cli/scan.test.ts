/** `whocrawls scan` as a person runs it: files, compression, pipes, broken lines, interruption; on both runtimes. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import zlib from "node:zlib";
import type { Report } from "../../src/scan/report/report.ts";
import { logLine } from "../support/log-lines.ts";
import { needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { firefox, googlebot } from "../support/user-agents.ts";
import { entryOf, runtimes, runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const folder = temporary();
/** Nearly two megabytes, so that there are several blocks for each thread; a third by Googlebot. */
const lines = Array.from({ length: 12_000 }, (_, index) =>
  logLine(index % 3 === 0 ? googlebot : firefox, { path: `/${index % 5}` }),
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
const compressors = ["bzip2", "xz"] as const;
const skip = needs(...compressors);
if (skip === false)
  for (const program of compressors) assert.equal(spawnSync(program, ["--keep", plain]).status, 0, program);

/** A folder for PATH with one program, a shell script. */
function programFolder(name: string, program: string, script: string): string {
  const path = join(folder, `bin-${name}`);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

type Given = readonly [args: readonly string[], input?: string | Uint8Array, env?: Readonly<Record<string, string>>];

async function scan(runtime: string, ...[args, input, env]: Given) {
  const { code, stdout, stderr } = await runWhocrawls(runtime, ["scan", ...args], input, env);
  return { code, stdout, stderr, report: () => JSON.parse(stdout) as Report };
}

/** What a scan prints: on Bun, which runs these tests, in this process. */
async function printed(runtime: string, ...[args, input, env]: Given) {
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
      const { lines, broken, requests, crawlerRequests, bytes, crawlerBytes, crawlers } = report();
      const [all, some] = [12_000, 4000];
      assert.deepEqual([lines, broken, requests, crawlerRequests], [all, 0, all, some]);
      assert.deepEqual([bytes, crawlerBytes], [100 * all, 100 * some]);
      assert.deepEqual(crawlers[0]?.statuses, { 200: some });
    });

    it("reads gzip of several members, zstd, bzip2, xz, and all of them together with standard input", {
      skip,
    }, async () => {
      const paths = [compressed.gzip, compressed.zstd, `${plain}.bz2`, `${plain}.xz`, "-"];
      const { code, report } = await scan(runtime, ["--format", "json", ...paths], readFileSync(`${plain}.bz2`));
      assert.equal(code, 0);
      assert.equal(report().requests, 60_000);
      assert.equal(report().crawlerRequests, 5 * 4000);
      assert.equal(report().crawlers.length, 1);
    });

    it("reads the output of several programs, compressed or not", { skip: skip || needs("bash") }, () => {
      const command = `"$@" scan --format json <(cat ${compressed.gzip}) <(cat ${plain}.xz) <(cat ${few})`;
      const { stdout } = spawnSync("bash", ["-c", command, "bash", runtime, entryOf(runtime)], { encoding: "utf8" });
      assert.equal((JSON.parse(stdout) as Report).requests, 27_000);
    });

    it("names the package of a missing program, and reads the other files", { skip }, async () => {
      const paths = [`${plain}.bz2`, `${plain}.xz`, few];
      const { code, stdout, stderr } = await printed(runtime, ["--format", "json", ...paths], "", { PATH: folder });
      assert.equal(code, 1);
      assert.match(stderr, /access\.log\.bz2: The program bzip2 is missing: install the package bzip2\.\n/);
      assert.match(stderr, /access\.log\.xz: The program xz is missing: install the package xz-utils\.\n/);
      assert.equal((JSON.parse(stdout) as Report).requests, 3000);
    });

    it("shows what a program says of a damaged file, or how it ended, after what it has decompressed", {
      skip,
    }, async () => {
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

    it("ends the program when the reader of its output has gone", { skip }, async () => {
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
      const input = `${log}no request\n${"x".repeat(3_000_000)}\n${logLine(googlebot)}\u001b[2J\n${logLine(firefox).trimEnd()}`;
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

    const [gzipped, zstd] = [zlib.gzipSync, zlib.zstdCompressSync].map((compress) => compress(readFileSync(few)));
    const zeros = Buffer.alloc(512);
    for (const [program, what, parts, code, requests] of [
      ["gzip", "other bytes", [gzipped, Buffer.from("junk")], 1, 3000],
      ["gzip", "zeros, which pad it", [gzipped, zeros], 0, 3000],
      ["gzip", "zeros and more data", [gzipped, zeros, gzipped], 1, 3000],
      ["zstd", "a further frame", [zstd, zstd], 0, 6000],
      ["zstd", "other bytes", [zstd, Buffer.from("junk")], 1, 3000],
    ] as const)
      it(`reads all of ${program} data before ${what}`, { skip: needs(program) }, async () => {
        const content = Buffer.concat(parts.map((part) => part!));
        const path = file("followed.log", content);
        for (const [from, input] of [
          [path, ""],
          ["-", content],
        ] as const) {
          const { code: actual, stderr, report } = await scan(runtime, ["--format", "json", from], input);
          // Of gzip data from a pipe, bytes that follow are only noticed.
          const isNoticed = program === "gzip" && from === "-";
          assert.equal(actual, isNoticed ? 1 : code, from);
          assert.equal(/(?:followed\.log|standard input): .*\bdamaged\b/.test(stderr), actual === 1);
          if (!isNoticed) assert.equal(report().requests, requests, from);
        }
      });

    for (const input of ["", logLine(googlebot).repeat(3), log, zlib.gzipSync(log)]) {
      it(`prints what was found so far when it is interrupted, also while ${input.length} bytes are all that comes`, async () => {
        const interruptAfter = async (waitMs: number) => {
          const args = [entryOf(runtime), "scan", "--format", "json", "--threads", "2", "-"];
          const child = spawn(runtime, args, { detached: true });
          const closed = once(child, "close");
          let [stdout, stderr] = ["", ""];
          child.stdout.on("data", (chunk) => (stdout += chunk));
          child.stderr.on("data", (chunk) => (stderr += chunk));
          child.stdin.on("error", () => {});
          child.stdin.write(input);
          await (input === "" ? sleep(waitMs) : once(child.stderr, "data"));
          // As a terminal does it: the programs that the scan has started are interrupted, too. Standard input stays open.
          process.kill(-(child.pid as number), "SIGINT");
          const [code] = await closed;
          return { code, stdout, stderr };
        };
        let outcome = await interruptAfter(500);
        // On a busy machine, it has not begun by then.
        for (let waitMs = 1000; outcome.code === null; waitMs *= 2) outcome = await interruptAfter(waitMs);
        assert.equal(outcome.code, 130);
        assert.match(outcome.stderr, /Interrupted/);
        assert.equal((JSON.parse(outcome.stdout) as Report).requests > 0, input !== "");
      });
    }

    it("ends when its input cannot be read, although more of it may come", async () => {
      for (const input of ["PK\x03\x04", "\xfd7zXZ\0"]) {
        const child = spawn(runtime, [entryOf(runtime), "scan", "-"]);
        child.stdin.on("error", () => {});
        child.stdin.write(Buffer.from(input + "x".repeat(100_000), "latin1"));
        assert.deepEqual(await once(child, "exit"), [1, null]);
      }
    });

    it("annotates lines, and passes a line on before the next one comes", async () => {
      const child = spawn(runtime, [entryOf(runtime), "scan", "--annotate", "-"]);
      for (const [line, crawler] of [
        [logLine(googlebot), true],
        [logLine(firefox), false],
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
  it("reads zstd by the program where Node cannot", { skip: needs("zstd") }, async () => {
    const require = `--require=${file("old.cjs", 'delete require("node:zlib").createZstdDecompress;')}`;
    const read = async (PATH: string) =>
      scan(runtimes.Node, ["--format", "json", compressed.zstd], "", { NODE_OPTIONS: require, PATH });
    assert.equal((await read(process.env.PATH as string)).report().requests, 12_000);
    assert.match((await read(folder)).stderr, /The program zstd is missing: install the package zstd\./);
  });
});
