/**
 * `npm test`: types, lint, data, then every test under Bun and those that may differ between runtimes under Node, too.
 * Arguments choose test files by parts of their paths: `npm test -- cli host`. Ends with one line of sums.
 */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { isStale } from "./stale.ts";

/** Tests that start the runtimes they are about themselves, or that read files only: once is enough. */
const runOnce = ["test/architecture", "test/cli/", "test/docs/", "test/engines/", "test/host/", "test/package/"];

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Reads the counts of tests from the output; a step without it is one test. */
  readonly count?: (output: string) => Counts;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const filters = process.argv.slice(2);
const files = globSync("test/**/*.test.ts", { cwd: root })
  .sort()
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)));
const once = files.filter((file) => runOnce.some((start) => file.startsWith(start)));
const onBoth = files.filter((file) => !once.includes(file));

const bun = `${root}node_modules/.bin/bun`;
const node = `${root}node_modules/.bin/node`;
const checks: Step[] = [
  { name: "data", command: [bun, "build/check-data.ts"] },
  { name: "types", command: [bun, `${root}node_modules/.bin/tsc`, "--noEmit"] },
  { name: "lint", command: [`${root}node_modules/.bin/biome`, "check", "."] },
];
// The longest first.
const testRuns: Step[] = [
  { name: "tests of processes", command: [bun, "test", "--timeout", "60000", ...once.map(toPath)], count: countBun },
  { name: "tests on Bun", command: [bun, "test", "--timeout", "60000", ...onBoth.map(toPath)], count: countBun },
  { name: "tests on Node", command: [node, "--test", "--test-reporter=spec", ...onBoth], count: countNode },
];

const started = performance.now();
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
if (isStale(root)) await runStep({ name: "generate", command: [bun, "build/generate.ts"] });
await runStep({ name: "bundle", command: [bun, "build/bundle.ts"] });
await runSteps([
  ...testRuns.filter((run) => run.command.some((part) => part.endsWith(".test.ts"))),
  ...(filters.length === 0 ? checks : []),
]);

if (process.env.CI === "true" && total.skipped > 0) {
  console.log("In CI a skipped test is a failed one.");
  total.failed += total.skipped;
  total.skipped = 0;
}
if (files.length === 0) console.log(`No test file's path contains ${filters.join(" or ")}.`);
console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || files.length === 0 ? 1 : 0;

/** Bun takes a name without `./` for a part of a path. */
function toPath(file: string): string {
  return `./${file}`;
}

/** Runs steps, as many at a time as there are processors. */
async function runSteps(steps: readonly Step[]): Promise<void> {
  const waiting = [...steps];
  const worker = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await runStep(step);
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
}

async function runStep({ name, command, count }: Step): Promise<void> {
  const start = performance.now();
  const { code, output } = await run(command);
  const counts = count?.(output) ?? { passed: 0, failed: 0, skipped: 0 };
  if (count === undefined && code === 0) counts.passed++;
  // A run that fails without a failed test has failed to load a file; one without any test has proved nothing.
  if (counts.failed === 0 && (code !== 0 || counts.passed === 0)) counts.failed++;
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const sums =
    count === undefined ? "" : `: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
  if (counts.failed > 0) console.log(`\n${interesting(output)}\n`);
  else if (counts.skipped > 0) console.log(output.split("\n").filter(isSkip).join("\n"));
  console.log(`${counts.failed > 0 ? "FAILED" : "ok    "} ${name}${sums} (${seconds} s)`);
}

function run([program, ...args]: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program as string, args, {
      cwd: root,
      env: { WHOCRAWLS_LOG: "off", ...process.env, FORCE_COLOR: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text: string) => {
        output += text;
      });
    }
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** Bun ends with ` 12 pass`, ` 1 skip`, ` 0 fail`, each on a line of its own. */
function countBun(output: string): Counts {
  const sum = (word: string) => lastNumber(output, new RegExp(`^ *(\\d+) ${word}$`, "gm"));
  return { passed: sum("pass"), failed: sum("fail"), skipped: sum("skip") + sum("todo") };
}

/** Node's spec reporter ends with `ℹ pass 12`, `ℹ skipped 1`, `ℹ fail 0`. */
function countNode(output: string): Counts {
  const sum = (word: string) => lastNumber(output, new RegExp(`^ℹ ${word} (\\d+)$`, "gm"));
  return { passed: sum("pass"), failed: sum("fail") + sum("cancelled"), skipped: sum("skipped") + sum("todo") };
}

function lastNumber(output: string, expression: RegExp): number {
  return Number([...output.matchAll(expression)].at(-1)?.[1] ?? 0);
}

/** What a person needs to see of a run that failed: not the tests that passed. */
function interesting(output: string): string {
  const [, failures] = output.split("✖ failing tests:");
  return (failures ?? output)
    .split("\n")
    .filter((line) => !/^\s*(?:\(pass\)|✔)/.test(line))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function isSkip(line: string): boolean {
  return /^\s*(?:\(skip\)|\(todo\)|﹣)/.test(line);
}
