/**
 * `npm test`: types, lint, data, then every test file under Bun; files of pure functions share a process. With `--all`, as in
 * CI: each file in a process of its own, on both runtimes if they may differ. With `--quick`: checks, and the files that notice
 * most. With `--update`: documents and test/golden are written as the program is now. Other arguments choose test files by parts
 * of their paths: `npm test -- cli server`. Ends with one line of sums.
 */
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { unpackBrowser } from "./browser/unpack.ts";
import { type Counts, countBun, countNode, toFailures, toSkips } from "./runner/count-tests.ts";
import { runCommand } from "./runner/run-command.ts";
import { startPostgres } from "./support/postgres.ts";

/**
 * With `--all`, tests that start the runtimes they are about themselves, read files only, are about the build, or about pure
 * functions whose results test/contract, test/engines and test/package compare on both runtimes: once is enough.
 */
const runOnce = [
  "test/accuracy/",
  "test/detect/",
  "test/compiler/",
  "test/pattern/",
  "test/build/",
  "test/catalogue/open-catalogue",
  "test/architecture",
  "test/address/",
  "test/cli/",
  "test/deploy/action",
  "test/deploy/two-instances",
  "test/deploy/compose",
  "test/deploy/kubernetes",
  "test/deploy/own-catalogue",
  "test/deploy/settings",
  "test/deploy/systemd",
  "test/docs/",
  "test/engines/",
  "test/export/",
  "test/expressions/",
  "test/text/",
  "test/server/",
  "test/package/",
  "test/pages/",
  "test/runner/",
  "test/record/open-store",
  "test/record/paging",
  "test/record/record.test",
  "test/record/text",
  "test/record/traffic",
  "test/scan/",
  "test/service/openapi",
];

/** Tests that drive a browser, whose driver is made for Node, and that measure V8's heap. */
const onNodeOnly = ["test/browser/", "test/scan/path-memory"];

/** Only with `--all`: what only a release changes, and what takes long. */
const onlyWithAll = ["test/package/executable"];

/** Never together with others, because they keep all processors busy for minutes: .ci/run runs them alone, where PyPI can be reached. */
const alone = ["test/export/sql-spark.test.ts", "test/service/schemathesis.test.ts"];

/** Without `--all`, files of one runtime whose paths begin with a part of one row run in one process: one detector, one browser. */
const together = [
  ["test/browser/"],
  ["test/detect/", "test/accuracy/", "test/address/", "test/build/well-known"],
  ["test/compiler/", "test/pattern/", "test/text/"],
  ["test/pages/"],
  ["test/service/"],
  ["test/verify/"],
  ["test/scan/"],
  // One package for both.
  ["test/package/package", "test/deploy/systemd"],
  // Files that wait for other programs stay alone.
  ["test/export/servers"],
  ["test/export/sql"],
  ["test/export/proxies-page"],
  ["test/export/"],
  ["test/cli/catalogue", "test/cli/scan"],
  ["test/cli/"],
  ["test/docs/updates"],
  ["test/docs/api"],
  ["test/docs/"],
  ["test/adapters/"],
  ["test/record/postgres-store"],
  ["test/record/"],
  [
    "test/robots/",
    "test/runner/",
    "test/build/packed",
    "test/build/released",
    "test/build/stale",
    "test/build/workflows",
  ],
  ["test/deploy/compose", "test/deploy/kubernetes", "test/deploy/metrics", "test/deploy/settings"],
  // Without a service as a process.
  [
    "test/server/application",
    "test/server/configuration",
    "test/server/limits",
    "test/server/log",
    "test/server/metrics",
    "test/server/settings",
    "test/server/start",
  ],
];

/**
 * With `--quick`: what notices most mistakes in 20 seconds of processor time, measured file by file. The rows run at the same
 * time as each other and as the type check.
 */
const quick = [
  [
    "test/compiler/attribution",
    "test/compiler/compile",
    "test/compiler/own/errors",
    "test/compiler/sources/",
    "test/detect/built-in/",
    "test/detect/names",
    "test/detect/overlay/extend-detector",
    "test/docs/networks",
    "test/docs/signals",
    "test/docs/tables",
    "test/export/files",
    "test/export/rules",
    "test/export/writers",
  ],
  [
    "test/accuracy/corpora",
    "test/accuracy/errors",
    "test/address/",
    "test/architecture",
    "test/contract/contract",
    "test/pages/content",
    "test/pattern/",
    "test/scan/formats",
    "test/scan/lines",
    "test/scan/report-content",
    "test/server/configuration",
    "test/server/limits",
    "test/server/settings",
    "test/service/auth.test",
    "test/service/create-service",
    "test/service/guards",
    "test/service/list",
    "test/service/openapi",
    "test/service/use",
    "test/service/xml",
    "test/text/",
  ],
];

/** Those that take longest, measured file by file, begin first, so that no processor waits for one of them at the end. */
const slowest = [
  "test/compiler/",
  "test/browser/",
  "test/detect/",
  "test/service/",
  "test/scan/",
  "test/cli/scan",
  "test/cli/catalogue",
  "test/package/package",
  "test/deploy/two-instances",
  "test/export/comments",
  "test/engines/conformance",
  "test/server/serve",
  "test/cli/check",
  "test/catalogue/open-catalogue",
  "test/docs/updates",
  "test/server/reload",
  "test/server/robots-txt",
  "test/docs/coming-from",
  "test/export/servers",
  "test/export/sql",
  "test/engines/linear-time",
  "test/expressions/",
  "test/pages/",
  "test/verify/",
  "test/server/",
  "test/build/data",
  "test/deploy/",
  "test/package/",
  "test/record/",
  "test/docs/",
  "test/export/",
  "test/catalogue/",
  "test/contract/",
];

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Reads the counts of tests from the output; a step without it is one test. */
  readonly count?: (output: string) => Counts;
}

/** A file that takes longer than this hangs, also where others keep the machine busy: the longest, with `--all`, takes three minutes beside others. */
const limitMs = 400_000;

const root = fileURLToPath(new URL("..", import.meta.url));
const { values, positionals: filters } = parseArgs({
  options: { all: { type: "boolean" }, quick: { type: "boolean" }, update: { type: "boolean" } },
  allowPositionals: true,
});
const isAll = values.all === true;
const isQuick = values.quick === true;
if (values.update === true) process.env.TEST_UPDATE = "1";
const files = globSync("test/{*,!(node_modules)/**/*}.test.ts", { cwd: root })
  .sort((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b))
  .filter((file) => !isQuick || isIn(file, quick.flat()))
  .filter((file) => isAll || filters.length > 0 || !isIn(file, onlyWithAll))
  .filter((file) => !alone.includes(file))
  .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)));

// Node compiles each file once instead of in each of hundreds of processes, which takes half of their time.
process.env.NODE_COMPILE_CACHE ??= `${root}test/node_modules/.cache/node-compile`;

const bun = `${root}node_modules/.bin/bun`;
const node = `${root}test/node_modules/.bin/node`;
/** What the type check found of each file, for the next one, which checks what has changed; CI begins anew. */
const checkedTypes = ["--incremental", "--tsBuildInfoFile", `${root}test/node_modules/.cache/types.tsbuildinfo`];
const checks: Step[] = [
  { name: "data", command: [bun, "build/check-data.ts"] },
  {
    name: "types",
    command: [bun, `${root}node_modules/.bin/tsc`, "--noEmit", "--singleThreaded", ...(isAll ? [] : checkedTypes)],
  },
  { name: "lint", command: [`${root}test/node_modules/.bin/biome`, "check", "."] },
];
const nodeTest = [node, "--test", "--test-isolation=none", "--test-reporter=spec"];
const onBun = (name: string, ...chosen: readonly string[]): Step => ({
  name: `Bun   ${name}`,
  // Bun takes a name without `./` for a part of a path.
  command: [bun, "test", "--timeout", "120000", ...chosen.map((file) => `./${file}`)],
  count: countBun,
});
const onNode = (name: string, ...chosen: readonly string[]): Step => ({
  name: `Node  ${name}`,
  command: [...nodeTest, ...chosen],
  count: countNode,
});
const testRuns = isAll ? files.flatMap(runsOf) : toRuns(files);

const started = performance.now();
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
await runStep({ name: "build", command: [bun, "build/prepare.ts"] });
// Tests of an old build prove nothing, and --update would write what it says into documents.
if (total.failed > 0) process.exit(1);
// Of a whole run; else each file that needs one starts one.
const postgres = filters.length === 0 && !isQuick ? await startPostgres().catch(() => undefined) : undefined;
if (postgres) process.env.TEST_POSTGRES = postgres.address;
// The first file that needs the modified catalogue compiles it for all.
const catalogues = mkdtempSync(join(tmpdir(), "whocrawls-catalogues-"));
process.env.TEST_CATALOGUES = catalogues;
if (!isAll) process.env.TEST_ONE_RUNTIME = "1";
if (files.some((file) => file.startsWith("test/browser/"))) await unpackBrowser();
// The checks are long, too, and one processor is enough for the groups of files that begin before them.
await runSteps([...testRuns.slice(0, 3), ...(filters.length === 0 ? checks : []), ...testRuns.slice(3)]);
await postgres?.close();
rmSync(catalogues, { recursive: true });

if (process.env.CI === "true" && total.skipped > 0) {
  console.log("In CI a skipped test is a failed one.");
  total.failed += total.skipped;
  total.skipped = 0;
}
if (files.length === 0) console.log(`No test file's path contains ${filters.join(" or ")}.`);
console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || files.length === 0 ? 1 : 0;

function isIn(file: string, starts: readonly string[]): boolean {
  return starts.some((start) => file.startsWith(start));
}

/** The runs of one file with `--all`. */
function runsOf(file: string): readonly Step[] {
  if (isIn(file, onNodeOnly)) return [onNode(file, file)];
  return isIn(file, runOnce) ? [onBun(file, file)] : [onBun(file, file), onNode(file, file)];
}

/** One run for each file, or for those that run together, at the place of the first of them. */
function toRuns(files: readonly string[]): readonly Step[] {
  const groups = Map.groupBy(files, (file) => {
    const runtime = isIn(file, onNodeOnly) ? "Node" : "Bun";
    const groups = isQuick ? quick : together;
    return `${runtime} ${groups.find((starts) => isIn(file, starts))?.join(" ") ?? file}`;
  });
  return [...groups].map(([group, chosen]) => {
    const run = group.startsWith("Node ") ? onNode : onBun;
    const name = chosen.length === 1 ? chosen[0]! : group.slice(group.indexOf(" ") + 1);
    return run(name, ...chosen);
  });
}

function rankOf(file: string): number {
  const rank = slowest.findIndex((start) => file.startsWith(start));
  return rank === -1 ? slowest.length : rank;
}

/** Runs steps, two more at a time than there are processors: many of them wait for processes and clocks. */
async function runSteps(steps: readonly Step[]): Promise<void> {
  const waiting = [...steps];
  const worker = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await runStep(step);
  };
  await Promise.all(Array.from({ length: 2 + availableParallelism() }, worker));
}

async function runStep({ name, command, count }: Step): Promise<void> {
  const start = performance.now();
  const { code, output } = await runCommand(command, { cwd: root, limitMs });
  const counts = count?.(output) ?? { passed: 0, failed: 0, skipped: 0 };
  if (count === undefined && code === 0) counts.passed++;
  // A run that fails without a failed test has failed to load a file; one without any test has proved nothing.
  if (counts.failed === 0 && (code !== 0 || counts.passed + counts.skipped === 0)) counts.failed++;
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const sums =
    count === undefined ? "" : `: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
  if (code === undefined) console.log(`\n${name} did not end within ${limitMs / 1000} s.`);
  if (counts.failed > 0) console.log(`\n${toFailures(output)}\n`);
  else if (counts.skipped > 0) console.log(toSkips(output));
  console.log(`${counts.failed > 0 ? "FAILED" : "ok    "} ${name}${sums} (${seconds} s)`);
}
