/**
 * How fast logs are scanned, next to ripgrep with crawler-user-agents' patterns, GoAccess, and `wc -l`: `npm run bench:scan`.
 * One generated combined log of a million lines; each contender on one core, ours also on two.
 * Prints a table for docs/measurements/scan.md.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateLog } from "./scan/generate-log.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "whocrawls-bench-"));
const log = join(folder, "access.log");
const lines = Number(process.argv[2] ?? 1_000_000);
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

const scan = (runtime: string, threads: number): readonly string[] => [
  `${root}node_modules/.bin/${runtime}`,
  `${root}dist/cli.js`,
  "scan",
  "--threads",
  String(threads),
  log,
];
const oneCore = (command: readonly string[]): readonly string[] => ["taskset", "--cpu-list", "0", ...command];
const contenders: Readonly<Record<string, readonly string[]>> = {
  "whocrawls scan on Bun, one core": oneCore(scan("bun", 1)),
  "whocrawls scan on Node, one core": oneCore(scan("node", 1)),
  "whocrawls scan on Bun, two cores": scan("bun", 2),
  "whocrawls scan on Node, two cores": scan("node", 2),
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
  const results = new Map<string, Measured[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, command] of Object.entries(contenders)) {
      // It takes longer than all others together.
      if (name.startsWith("GoAccess") && round > 0) continue;
      results.set(name, [...(results.get(name) ?? []), measure(command)]);
    }
  }
  const best = [...results].map(([name, all]) => [name, all.toSorted((a, b) => a.seconds - b.seconds)[0]!] as const);
  const ours = best[0]![1].seconds;
  console.log(
    `${lines.toLocaleString("en")} lines, ${Math.round(statSync(log).size / 1e6)} MB; the best of ${rounds} rounds, starting included\n`,
  );
  console.log("| | seconds | CPU seconds | times as long as the first | MB of memory |\n|---|--:|--:|--:|--:|");
  for (const [name, { seconds, cpuSeconds, megabytes }] of best) {
    console.log(
      `| ${name} | ${seconds.toFixed(2)} | ${cpuSeconds.toFixed(2)} | ${(seconds / ours).toFixed(2)} | ${megabytes.toFixed(0)} |`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
