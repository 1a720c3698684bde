/**
 * `npm run mutate -- src/record/*.ts`: changes the meaning of these files in one place at a time (Stryker), and says how
 * many changes a test notices and which ones none does. `--share 2/5` tries every fifth change only, beginning at the second. `--tests
 * test/host/log,test/host/settings` asks only test files whose paths begin so: the quick ones, for a lower bound in less time.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Mutants, toReport } from "./report.ts";
import { readOutcomes } from "./run-tests.ts";

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    share: { type: "string", default: "1/1" },
    tests: { type: "string" },
    concurrency: { type: "string", default: "2" },
  },
});
if (paths.length === 0) {
  console.error("Name files to change: npm run mutate -- src/record/stored-text.ts");
  process.exit(2);
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const bun = `${root}node_modules/.bin/bun`;
const folder = mkdtempSync(join(tmpdir(), "whocrawls-mutate-"));
chmodSync(folder, 0o755);
const report = join(folder, "mutants.json");
const parts = [...new Set(paths.map((path) => path.split("/")[1] ?? ""))];
// A file, for Stryker takes the runner's command from nowhere else.
const configuration = join(folder, "stryker.json");
writeFileSync(
  configuration,
  JSON.stringify({
    mutate: paths,
    testRunner: "command",
    commandRunner: { command: `${bun} build/mutate/run-tests.ts ${folder} ${options.share} ${parts.join(" ")}` },
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: report },
    concurrency: Number(options.concurrency),
    dryRunTimeoutMinutes: 15,
    // run-tests.ts has limits of its own: here a change that no test notices would look like an endless loop.
    timeoutMS: 1_200_000,
    ignorePatterns: [".whocrawls"],
    tempDirName: ".mutants",
    // Its rewriting of the real one needs an interface that TypeScript 7 does not have; tests do not read it.
    tsconfigFile: "none.json",
  }),
);
const { status } = spawnSync(process.execPath, [`${root}node_modules/.bin/stryker`, "run", configuration], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, WHOCRAWLS_LOG: "off", ...(options.tests && { MUTANTS_TESTS: options.tests }) },
});
if (status === 0) {
  const mutants = JSON.parse(readFileSync(report, "utf8")) as Mutants;
  console.log(toReport(mutants, readOutcomes(folder)));
}
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
