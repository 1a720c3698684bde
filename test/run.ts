/**
 * `npm test`: builds; then types, lint and data at the same time as the tests, on Bun or, those of a browser, on Node. With `--all`, as in
 * CI, tests whose runtimes may differ run on Node, too. With `--quick`: checks, and the files that notice most. With `--update`: documents
 * and test/golden are written as the program is now. Other arguments choose test files by parts of their paths: `npm test -- cli server`.
 * Prints a line for each folder of test/ that is done, and ends with a line for each program that tests lack, and one of sums.
 */
import { spawn } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { unpackBrowser } from "./browser/unpack.ts";
import { BunOutput } from "./bun-output.ts";
import { reducePath } from "./support/needs.ts";
import { startPostgres } from "./support/postgres.ts";

/** Begins of paths below test/, one or more a line. */
const lists = {
  /** Tests that drive a browser, whose driver is made for Node, and that measure V8's heap or count calls. */
  onNode: "browser/ scan/path-memory service/steps",
  /**
   * With `--all` on both runtimes. Other tests start the runtimes that they are about, or test/contract, test/engines and test/package
   * compare what they test.
   */
  onBoth: "adapters/ catalogue/ contract/ deploy/proxies pure/ record/ robots/ service/ verify/",
  /** Only with `--all`: what only a release changes, and what takes long. */
  onlyWithAll: `browser/pictures browser/report browser/site browser/traffic catalogue/reload-memory deploy/systemd deploy/two-instances
    docs/frameworks export/fail-closed package/ scan/robots-count server/hostile`,
  /** Not here: they need packages from PyPI, and .ci/run runs them alone where it can be reached. Some keep all processors busy for minutes. */
  alone: "export/python-lint export/sql-spark service/schemathesis",
  /** With `--quick`: what notices most mistakes in 20 seconds of processor time, measured file by file. */
  quick: `accuracy/corpora accuracy/errors address/ architecture compiler/attribution compiler/compile compiler/custom/errors compiler/sources/
    contract/contract detect/built-in/ detect/names detect/extend-detector docs/tables
    export/files export/rules export/writers pages/content pattern/ scan/formats scan/lines scan/report.test
    server/limits server/settings service/auth.test service/create-service service/guards
    service/list service/openapi service/custom-detector service/xml text/`,
};

/** Ends only what hangs: on a busy machine, tests take many times as long. */
const testTimeoutMs = 15 * 60_000;

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = `${root}test/node_modules/.cache`;
const bun = `${root}node_modules/.bin/bun`;
const node = `${root}test/node_modules/.bin/node`;
const { values, positionals: words } = parseArgs({
  options: {
    all: { type: "boolean" },
    "no-skips": { type: "boolean" },
    quick: { type: "boolean" },
    update: { type: "boolean" },
  },
  allowPositionals: true,
});
const isWhole = words.length === 0;
const files = globSync("test/{*,!(node_modules)/**/*}.test.ts", { cwd: root })
  .sort()
  .filter((file) => !isIn(file, lists.alone) && (!values.quick || isIn(file, lists.quick)))
  .filter((file) =>
    isWhole ? values.all || !isIn(file, lists.onlyWithAll) : words.some((word) => file.includes(word)),
  );
const onNode = files.filter((file) => isIn(file, lists.onNode));
const onBoth = values.all ? files.filter((file) => isIn(file, lists.onBoth)) : [];

if (files.length === 0) {
  console.log(`No test file's path contains ${words.join(" or ")}.`);
  process.exit(1);
}

const started = performance.now();
const programs = mkdtempSync(join(tmpdir(), "whocrawls-programs-"));
reducePath(programs);
process.on("exit", () => rmSync(programs, { recursive: true }));
Object.assign(process.env, {
  FORCE_COLOR: "0",
  WHOCRAWLS_LOG: process.env.WHOCRAWLS_LOG ?? "off",
  // Node compiles each file once instead of in each of hundreds of processes, which takes half of their time.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? `${cache}/node-compile`,
  ...(!values.all && { TEST_ONE_RUNTIME: "1" }),
  ...(isWhole && !values.all && { TEST_NO_COMPILERS: "1" }),
  ...(values.update && { TEST_UPDATE: "1" }),
});
const sums = { passed: 0, failed: 0, skipped: 0 };

// What only test/package needs, 200 MB, is not installed for other tests.
const needsAllPackages = values.all || files.some((file) => isIn(file, "package/"));
if (needsAllPackages && !(await run("packages", [bun, "test/install.ts", "--all"]))) process.exit(1);
// Tests of an old build prove nothing, and --update would write what it says into documents.
if (!(await run("prepare", [bun, "build/prepare.ts"]))) process.exit(1);
// Of a whole run; else each file that needs one starts one.
const postgres = isWhole && !values.quick ? await startPostgres().catch(() => undefined) : undefined;
if (postgres) process.env.TEST_POSTGRES = postgres.address;
if (onNode.length > 0) await unpackBrowser();
await Promise.all([
  runOnBun(files.filter((file) => !onNode.includes(file))),
  // One process, which has one browser.
  runOnNode(["--test-isolation=none"], onNode).then(() => runOnNode([], onBoth)),
  isWhole && check(),
]);
await postgres?.close();

for (const [name, count] of countMissing())
  console.log(`skipped without ${name}: tests in ${count} ${count === 1 ? "file" : "files"}`);
console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s`);
console.log(`${sums.passed} passed, ${sums.failed} failed, ${sums.skipped} skipped`);
const isSkipWrong = values["no-skips"] && sums.skipped > 0;
if (isSkipWrong) console.log("With --no-skips, a skipped test is a failed one.");
process.exitCode = sums.failed > 0 || isSkipWrong ? 1 : 0;

function isIn(file: string, list: string): boolean {
  return list.split(/\s+/).some((start) => file.startsWith(`test/${start}`));
}

/** How many test files miss each program. */
function countMissing(): Map<string, number> {
  const path = join(programs, "missing");
  const counts = new Map<string, number>();
  if (existsSync(path))
    for (const name of readFileSync(path, "utf8").trimEnd().split("\n").sort())
      counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

async function check(): Promise<void> {
  await run("data", [bun, "build/check-data.ts"]);
  // What the type check found of each file, for the next one, which checks what has changed.
  const known = ["--incremental", "--tsBuildInfoFile", `${cache}/types.tsbuildinfo`];
  await run("types", [bun, `${root}node_modules/.bin/tsc`, "--noEmit", "--singleThreaded", ...known]);
  await run("lint", [`${root}test/node_modules/.bin/biome`, "check", "."]);
}

/** Each file has globals and modules of its own. Those that took longest begin first. */
async function runOnBun(chosen: readonly string[]): Promise<void> {
  if (chosen.length === 0) return;
  // Many tests wait for processes and clocks. Several files update the same document.
  const atOnce = values.update ? 1 : 2 + availableParallelism();
  const workers = [`--parallel=${atOnce}`, `--timings=${cache}/timings.json`, "--update-timings"];
  const flags = [...workers, "--preload=./test/support/tell-end.ts", "--no-orphans", `--timeout=${testTimeoutMs}`];
  const output = new BunOutput(chosen, console.log);
  // Bun takes a name without `./` for a part of a path.
  const command = [bun, "test", ...flags, ...chosen.map((file) => `./${file}`)];
  output.end((await start(command, (text) => output.read(text))) !== 0);
  for (const outcome of ["passed", "failed", "skipped"] as const) sums[outcome] += output[outcome];
}

async function runOnNode(flags: readonly string[], chosen: readonly string[]): Promise<void> {
  if (chosen.length === 0) return;
  const fixed = ["--test", `--test-timeout=${testTimeoutMs}`, "--test-reporter=spec"];
  await run("tests on Node", [node, ...fixed, ...flags, ...chosen]);
}

/** Runs a check, or tests on Node; prints what has failed, and adds to the sums. Resolves to whether it succeeded. */
async function run(name: string, command: readonly string[]): Promise<boolean> {
  let output = "";
  const code = await start(command, (text) => (output += text));
  // Node lists failures again behind all tests.
  console.log(code === 0 ? `ok     ${name}` : `${output.split("✖ failing tests:").at(-1)}FAILED ${name}`);
  const count = (outcome: string): number =>
    [...output.matchAll(new RegExp(`^ℹ ${outcome} (\\d+)$`, "gm"))].reduce((sum, [, value]) => sum + Number(value), 0);
  const failed = count("fail") + count("cancelled");
  sums.passed += count("pass");
  sums.skipped += count("skipped") + count("todo");
  // What fails without a failed test is a check, or a file that cannot be loaded.
  sums.failed += code !== 0 && failed === 0 ? 1 : failed;
  return code === 0;
}

/** Starts a program; resolves to its exit code. */
function start([program, ...args]: readonly string[], onText: (text: string) => void): Promise<number | null> {
  const child = spawn(program!, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", onText);
  return new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
}
