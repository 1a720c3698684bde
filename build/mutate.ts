/**
 * `npm run mutate -- src/record/text.ts …`: changes the meaning of these files in one place after the other, and says which
 * changes no test notices (Stryker). Tests are those of the same folder, under Bun. Takes seconds a change.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The tests that are to notice a change, by the folder of src/. */
const testsOf: Readonly<Record<string, readonly string[]>> = {
  service: ["test/service", "test/contract"],
  host: ["test/host", "test/service", "test/deploy"],
  record: ["test/record"],
};

const root = fileURLToPath(new URL("..", import.meta.url));
const paths = process.argv.slice(2);
const parts = [...new Set(paths.map((path) => path.split("/")[1] ?? ""))];
if (paths.length === 0) {
  console.error("Name files to change: npm run mutate -- src/record/text.ts");
  process.exit(2);
}

const folders = parts.flatMap((part) => testsOf[part] ?? [`test/${part}`]);
const tests = folders.flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: root })).map((file) => `./${file}`);
// A file, for Stryker takes the runner's command from nowhere else.
const folder = mkdtempSync(join(tmpdir(), "whocrawls-mutate-"));
const configuration = join(folder, "stryker.json");
const options = {
  mutate: paths,
  testRunner: "command",
  commandRunner: { command: `node_modules/.bin/bun test --bail --timeout 20000 ${tests.join(" ")}` },
  reporters: ["clear-text"],
  concurrency: 2,
  ignorePatterns: [".whocrawls"],
  tempDirName: ".mutants",
  // Its rewriting of the real one needs an interface that TypeScript 7 does not have; tests do not read it.
  tsconfigFile: "none.json",
};
writeFileSync(configuration, JSON.stringify(options));
const { status } = spawnSync(process.execPath, [`${root}node_modules/.bin/stryker`, "run", configuration], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, WHOCRAWLS_LOG: "off" },
});
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
