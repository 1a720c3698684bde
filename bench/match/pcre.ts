/** How fast PCRE2 (`grep -P`) matches our expression, next to isbot's: a table of bench/match.ts. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expression } from "../../src/generated/expression.ts";
import { sets } from "./sets.ts";

const lines = 100_000;
const rounds = 7;

/** Prints nanoseconds a string, the fastest of all rounds, without the time that grep needs to start and to compile. */
export function printPcre(): void {
  const { getPattern } = createRequire(import.meta.url)("isbot") as typeof import("isbot");
  // The same class; PCRE2 refuses a range from a class.
  const isbots = getPattern().source.replaceAll("[\\w\\d-.]", "[\\w\\d.-]");
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-bench-"));
  try {
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const contenders = {
      "our expression": ["-cPf", file("ours", `${expression}\n`)],
      isbot: ["-ciPf", file("isbot", `${isbots}\n`)],
    };
    const empty = file("empty", "");
    console.log(`\n| ${execFileSync("grep", ["--version"], { encoding: "utf8" }).split("\n")[0]} -P: ns a string |`);
    console.log(`| | ${Object.keys(sets).join(" | ")} |\n|---|${"--:|".repeat(Object.keys(sets).length)}`);
    const cells: Record<string, number[]> = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
    for (const strings of Object.values(sets)) {
      const input = file(
        "strings",
        Array.from({ length: lines }, (_, i) => `${strings[i % strings.length]}\n`).join(""),
      );
      const fastest = new Map<string, number>();
      for (let round = 0; round < rounds; round++)
        for (const [name, args] of Object.entries(contenders))
          fastest.set(
            name,
            Math.min(fastest.get(name) ?? Infinity, timeOf([...args, input]) - timeOf([...args, empty])),
          );
      for (const [name, ms] of fastest) cells[name]!.push((ms * 1e6) / lines);
    }
    for (const [name, times] of Object.entries(cells))
      console.log(`| ${name} | ${times.map((ns) => Math.round(ns).toLocaleString("en")).join(" | ")} |`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function timeOf(args: readonly string[]): number {
  const begin = performance.now();
  const { status } = spawnSync("grep", args, { env: { ...process.env, LC_ALL: "C" } });
  // 1: no line matches.
  if (status === null || status > 1) throw new Error(`grep ${args.join(" ")} failed with ${status}`);
  return performance.now() - begin;
}
