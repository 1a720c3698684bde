/**
 * `npm run bench:standalone`: the files of `whocrawls export python` and the others of their kind, in their languages, beside the expression
 * there; Python's also beside its peers from PyPI, without their caches, and PHP's beside CrawlerDetect. Microseconds a string, the fastest
 * of five rounds in turn; sizes; and what first calls and requests take.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync, gzipSync } from "node:zlib";
import { Crawler } from "es6-crawler-detect";
import { detector } from "../src/detect/built-in/detector.ts";
import { standalone } from "../src/export/targets/standalone.ts";
import { sets } from "./match/sets.ts";

const peers = ["crawlerdetect==0.4.2", "crawler-user-agents==1.67.0", "is-bot==0.3.7", "ua-parser==1.0.2"];
const perSet = 1_000;
const programs = fileURLToPath(new URL("standalone/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "whocrawls-bench-"));
const files = { python: "whocrawls.py", php: "Whocrawls.php", go: "whocrawls/whocrawls.go" };

try {
  const chosen = Object.fromEntries(Object.entries(sets).map(([name, strings]) => [name, everyNth(strings)]));
  writeFileSync(join(folder, "sets.json"), JSON.stringify(chosen));
  writeFileSync(join(folder, "expression"), detector.expression);
  const { compiledExclusions, compiledRegexList } = new Crawler() as unknown as Readonly<Record<string, RegExp>>;
  const sources = [compiledExclusions!.source, compiledRegexList!.source];
  writeFileSync(join(folder, "crawler-detect.json"), JSON.stringify(sources));
  mkdirSync(join(folder, "whocrawls"));
  console.log("| file | kB | gzip |\n|---|--:|--:|");
  for (const [target, file] of Object.entries(files)) {
    const deflate = (bytes: Uint8Array): Uint8Array => deflateRawSync(bytes, { level: 9 });
    const text = standalone[target]!.write(detector.catalogue, { command: `whocrawls export ${target}`, deflate });
    writeFileSync(join(folder, file), text);
    console.log(`| ${file} | ${toKilobytes(text.length)} | ${toKilobytes(gzipSync(text).length)} |`);
  }
  run("python3", ["-m", "venv", "venv"]);
  run("venv/bin/pip", ["install", "--quiet", "--disable-pip-version-check", ...peers]);
  print("Python", "is_crawler", run("venv/bin/python", [`${programs}measure.py`, "sets.json", "expression"]));
  const first = "import time, whocrawls; t = time.process_time; a = t(); whocrawls.is_crawler('curl/8'); b = t()";
  const ms = run("python3", ["-c", `${first}; whocrawls.check('curl/8'); print((b - a) * 1e3, (t() - b) * 1e3)`]);
  console.log(`\nPython, ms of CPU: first is_crawler, then first check: ${ms.trim()}`);
  print("PHP", "isCrawler", run("php", [`${programs}measure.php`, "sets.json", "expression"]));
  writeFileSync(join(folder, "go.mod"), "module example.org/crawlers\n\ngo 1.19\n");
  copyFileSync(`${programs}measure.go`, join(folder, "main.go"));
  run("go", ["build", "-o", "measure", "."]);
  print("Go", "IsCrawler", run("./measure", ["sets.json", "expression"]));
} finally {
  rmSync(folder, { recursive: true });
}

function everyNth(strings: readonly string[]): string[] {
  const step = Math.ceil(strings.length / perSet);
  return strings.filter((_, index) => index % step === 0);
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return stdout;
}

/** A row for each contender: microseconds, and in parentheses how many times as long as our own function takes. */
function print(language: string, own: string, output: string): void {
  const times = JSON.parse(output) as Record<string, Record<string, number>>;
  const kinds = Object.keys(sets);
  console.log(`\n| ${language}: µs a string | ${kinds.join(" | ")} |\n|---|${"--:|".repeat(kinds.length)}`);
  for (const [name, byKind] of Object.entries(times)) {
    const cells = kinds.map(
      (kind) => `${byKind[kind]!.toFixed(1)} (${(byKind[kind]! / times[own]![kind]!).toFixed(1)})`,
    );
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}

function toKilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(0);
}
