/**
 * `TESTS="test/text test/scan" npm run mutate -- --mutate "src/text/**\/*.ts"`: Stryker changes these files in one place at a time
 * and lists the changes that no test in TESTS notices. Tests that a busy machine may fail count as having noticed.
 */
const tests = (process.env.TESTS ?? "test").split(" ").map((path) => `./${path}`);

export default {
  testRunner: "command",
  commandRunner: { command: `node_modules/.bin/bun test --bail --timeout 60000 ${tests.join(" ")}` },
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false },
  concurrency: 2,
  dryRunTimeoutMinutes: 15,
  ignorePatterns: [".whocrawls"],
  tempDirName: ".mutants",
  // Its rewriting of the real one needs an interface that TypeScript 7 does not have; tests do not read it.
  tsconfigFile: "none.json",
};
