/**
 * How fast logs are scanned, next to ripgrep with crawler-user-agents' patterns, GoAccess, and `wc -l`: `npm run bench:scan`.
 * One generated combined log of a million lines; each contender on one core, ours also on two. Ratios are of one round, by CPU
 * time on one core, which other programs change least. Prints a table for docs/measurements/scan.md. With `--against PATH`, it compares
 * this checkout with another built one instead. A number is how many lines the log has.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root, runtimes } from "../test/cli/command-line.ts";
import { median } from "./match/measure.ts";
import { printAgainst } from "./scan/against.ts";
import { generateLog } from "./scan/generate-log.ts";

const { values, positionals } = parseArgs({ options: { against: { type: "string" } }, allowPositionals: true });
const folder = mkdtempSync(join(tmpdir(), "whocrawls-bench-"));
const log = join(folder, "access.log");
const lines = Number(positionals[0] ?? 1_000_000);
const rounds = 3;

interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

const patterns = join(folder, "patterns.txt");
const require = createRequire(import.meta.url);
// ripgrep's engine rejects unnecessary escapes.
const theirs = (require("crawler-user-agents") as { pattern: string }[]).map(({ pattern }) =>
  pattern.replace(/\\([/!])/g, "$1"),
);
writeFileSync(patterns, theirs.join("\n"));

const scan = (runtime: keyof typeof runtimes, threads: number, checkout = root): readonly string[] => [
  runtimes[runtime],
  join(checkout, "dist/cli.js"),
  "scan",
  "--threads",
  String(threads),
  log,
];
const robots = join(folder, "robots.txt");
writeFileSync(
  robots,
  `User-agent: *
Disallow: /articles/1
Allow: /articles/11
Disallow: /*/6$
Disallow: /*?sort=

User-agent: GPTBot
User-agent: ClaudeBot
Disallow: /
`,
);
const withRobots = (command: readonly string[]): readonly string[] => [
  ...command,
  ...["--robots", robots, "--robots-since", "2026-01-01"],
];
const oneCore = (command: readonly string[]): readonly string[] => ["taskset", "--cpu-list", "0", ...command];
const contenders: Readonly<Record<string, readonly string[]>> = {
  "whocrawls scan on Bun, one core": oneCore(scan("Bun", 1)),
  "whocrawls scan on Node, one core": oneCore(scan("Node", 1)),
  "whocrawls scan --robots on Bun, one core": withRobots(oneCore(scan("Bun", 1))),
  "whocrawls scan --robots on Node, one core": withRobots(oneCore(scan("Node", 1))),
  "whocrawls scan --fleets on Bun, one core": [...oneCore(scan("Bun", 1)), "--fleets"],
  "whocrawls scan --fleets on Node, one core": [...oneCore(scan("Node", 1)), "--fleets"],
  "whocrawls scan on Bun, two cores": scan("Bun", 2),
  "whocrawls scan on Node, two cores": scan("Node", 2),
  "ripgrep -c -f, one core": oneCore(["rg", "--count", "--text", "--file", patterns, log]),
  "GoAccess, one core": oneCore([
    "goaccess",
    log,
    "--log-format=COMBINED",
    "--no-progress",
    "--output",
    join(folder, "goaccess.json"),
  ]),
  "wc -l, one core": oneCore(["wc", "-l", log]),
};

function measure(command: readonly string[]): Measured {
  const start = performance.now();
  const { exitCode, resourceUsage, stderr } = Bun.spawnSync([...command], { stdout: "ignore", stderr: "pipe" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
  return {
    seconds: (performance.now() - start) / 1000,
    cpuSeconds: Number(resourceUsage.cpuTime.total) / 1e6,
    megabytes: resourceUsage.maxRSS / 1e6,
  };
}

try {
  generateLog(log, lines);
  if (values.against === undefined) printContenders();
  else
    printAgainst(
      [values.against, root],
      (checkout) => ({ Bun: oneCore(scan("Bun", 1, checkout)), Node: oneCore(scan("Node", 1, checkout)) }),
      (command) => measure(command).cpuSeconds,
    );
} finally {
  rmSync(folder, { recursive: true });
}

function printContenders(): void {
  const results = new Map<string, Measured[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, command] of Object.entries(contenders)) {
      // It takes longer than all others together.
      if (name.startsWith("GoAccess") && round > 0) continue;
      results.set(name, [...(results.get(name) ?? []), measure(command)]);
    }
  }
  const medianRatio = (name: string, other: string, of: (measured: Measured) => number): string =>
    median(results.get(name)!.map((measured, round) => of(results.get(other)![round]!) / of(measured))).toFixed(2);
  console.log(
    `${lines.toLocaleString("en")} lines, ${Math.round(statSync(log).size / 1e6)} MB; medians of ${rounds} rounds, starting included\n`,
  );
  console.log("| | seconds | CPU seconds | MB of memory |\n|---|--:|--:|--:|");
  for (const [name, all] of results) {
    const [seconds, cpuSeconds, megabytes] = [
      all.map((m) => m.seconds),
      all.map((m) => m.cpuSeconds),
      all.map((m) => m.megabytes),
    ];
    console.log(
      `| ${name} | ${median(seconds).toFixed(2)} | ${median(cpuSeconds).toFixed(2)} | ${median(megabytes).toFixed(0)} |`,
    );
  }
  console.log("\n| lines per second | Bun | Node |\n|---|--:|--:|");
  const cpu = ({ cpuSeconds }: Measured): number => cpuSeconds;
  const ours = (runtime: string, cores: string): string => `whocrawls scan on ${runtime}, ${cores}`;
  const row = (title: string, ratioOf: (runtime: string) => string): void =>
    console.log(`| ${title} | ${ratioOf("Bun")} | ${ratioOf("Node")} |`);
  row("one core / ripgrep", (runtime) => medianRatio(ours(runtime, "one core"), "ripgrep -c -f, one core", cpu));
  row("one core: with --robots / without", (runtime) =>
    medianRatio(`whocrawls scan --robots on ${runtime}, one core`, ours(runtime, "one core"), cpu),
  );
  row("one core: with --fleets / without", (runtime) =>
    medianRatio(`whocrawls scan --fleets on ${runtime}, one core`, ours(runtime, "one core"), cpu),
  );
  row("two cores / one core, by time", (runtime) =>
    medianRatio(ours(runtime, "two cores"), ours(runtime, "one core"), ({ seconds }) => seconds),
  );
  row("two cores / one core, by CPU time: 2 if threads cost nothing", (runtime) =>
    (2 * Number(medianRatio(ours(runtime, "two cores"), ours(runtime, "one core"), cpu))).toFixed(2),
  );
}
