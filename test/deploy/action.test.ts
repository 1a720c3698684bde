/** action.yml: its script runs with the inputs as the runner hands them over, hostile ones included. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { parse } from "yaml";
import { root, runtimes } from "../cli/command-line.ts";
import { runHere } from "../cli/run-here.ts";
import { describeWith } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly run: string; readonly env?: Readonly<Record<string, string>> }[];
  };
}

const { inputs, runs } = parse(readFileSync(`${root}action.yml`, "utf8")) as Action;
const [install, step] = runs.steps;
const folder = temporary();
process.chdir(folder);

const hostileName = `$(touch pwned) "'\`touch pwned\`; touch pwned # *.log`;
const maskingLine = '203.0.113.9 - - [10/Oct/2025:13:55:36 +0000] "GET ::add-mask::x HTTP/1.1" 200 5 "-" "GPTBot"\n';
const robots = "User-agent: GPTBot\nDisallow: /\n";
for (const name of ["access.log", hostileName, "-x.log"]) writeFileSync(name, maskingLine);
writeFileSync("robots.txt", robots);
writeFileSync(`${hostileName}.txt`, robots);
const before = readdirSync(folder);

/** Runs the step as the runner does: values replace the expressions of `env`, and defaults the values that are not given. */
function run(given: Readonly<Record<string, string>>, node = dirname(runtimes.Node)) {
  const toValue = (expression: string): string => {
    const [, name = ""] = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(expression) ?? [];
    assert.ok(name in inputs, expression);
    return given[name] ?? inputs[name]?.default ?? "";
  };
  const env = Object.fromEntries(Object.entries(step?.env ?? {}).map(([name, value]) => [name, toValue(value)]));
  const { status, stdout, stderr } = spawnSync("bash", ["-eo", "pipefail", "-c", step?.run ?? ""], {
    encoding: "utf8",
    env: { PATH: `${node}:${process.env.PATH}`, GITHUB_ACTION_PATH: root, ...env },
  });
  assert.equal(stderr, "");
  return { status, stdout };
}

/** What the runner does not read for commands. */
function ignored(stdout: string): string {
  const [, , text = ""] = /^::stop-commands::([0-9a-f]{32})\n([\s\S]*)::\1::\n$/.exec(stdout) ?? [];
  assert.notEqual(text, "", stdout);
  return text;
}

/** In the place of node: says with what words it was called. */
const echo = temporary();
writeFileSync(join(echo, "node"), "#!/bin/sh\nshift\nprintf '%s\\0' \"$@\"\n", { mode: 0o755 });

function wordsOf(given: Readonly<Record<string, string>>): readonly string[] {
  const { status, stdout } = run(given, echo);
  assert.equal(status, 0, stdout);
  const [, , words = ""] = /^::stop-commands::([0-9a-f]{32})\n([\s\S]*)::\1::\n$/.exec(stdout) ?? [];
  return words.split("\0").slice(0, -1);
}

describeWith(["bash"], "action.yml", () => {
  it("has no expression in a script, and a variable for each input", () => {
    for (const { run } of runs.steps) assert.doesNotMatch(run, /\$\{\{/);
    assert.match(install?.run ?? "", /npm install/);
    assert.equal(Object.keys(step?.env ?? {}).length, Object.keys(inputs).length);
  });

  it("reports on logs, one per line, also with a name that is shell code", async () => {
    for (const full of ["false", "true"]) {
      const { status, stdout } = run({ log: `access.log\n\n${hostileName}\n-x.log\n`, full });
      const given = full === "true" ? ["--full"] : [];
      const expected = await runHere(["scan", ...given, "--", "access.log", hostileName, "-x.log"]);
      assert.equal(status, 0, stdout);
      assert.equal(ignored(stdout), expected.stderr + expected.stdout);
      assert.equal(/^ *::add-mask::x/m.test(ignored(stdout)), full === "true");
    }
  });

  it("writes the report to a file, in the format that it is given", async () => {
    const { status, stdout } = run({ log: "access.log", format: "json", output: "-o $(touch pwned).json" });
    assert.equal(status, 0, stdout);
    const written = readFileSync("-o $(touch pwned).json", "utf8");
    assert.equal(written, (await runHere(["scan", "--format", "json", "access.log"])).stdout);
    rmSync("-o $(touch pwned).json");
  });

  it("checks a robots.txt, and fails unless it says what is expected", async () => {
    for (const file of ["robots.txt", `${hostileName}.txt`]) {
      const ok = run({ robots: file, expect: "GPTBot=blocked" });
      assert.equal(ok.status, 0, ok.stdout);
      const wrong = run({ robots: file, expect: "search-engine=blocked" });
      assert.equal(wrong.status, 1);
      const expected = await runHere(["robots", "--expect", "search-engine=blocked", "--", file]);
      assert.deepEqual(ignored(wrong.stdout), expected.stdout + expected.stderr);
    }
  });

  const hostile = [
    "$(touch pwned)`touch pwned`",
    "\"; touch pwned; '; touch pwned; '",
    "x\ntouch pwned",
    "--help",
    "--",
    "*",
  ];
  for (const value of hostile)
    it(`hands ${JSON.stringify(value)} on as one word, whatever the input`, () => {
      assert.deepEqual(wordsOf({ log: value }), ["scan", "--format=table", "--", ...value.split("\n")]);
      assert.deepEqual(wordsOf({ log: "access.log", format: value }), [
        "scan",
        `--format=${value}`,
        "--",
        "access.log",
      ]);
      assert.deepEqual(wordsOf({ log: "access.log", full: value }), ["scan", "--format=table", "--", "access.log"]);
      assert.deepEqual(wordsOf({ robots: value }), ["robots", "--", value]);
      assert.deepEqual(wordsOf({ robots: "robots.txt", expect: value }), [
        "robots",
        `--expect=${value}`,
        "--",
        "robots.txt",
      ]);
    });

  it("takes an option for a value", () => {
    for (const given of [
      { log: "--help" },
      { log: "access.log", format: "--help" },
      { robots: "--help" },
      { robots: "robots.txt", expect: "--help" },
    ]) {
      const { status, stdout } = run(given);
      assert.ok(status === 1 || status === 2, `${JSON.stringify(given)} ${status} ${stdout}`);
      assert.match(ignored(stdout), /^whocrawls (?:scan|robots): /m);
      assert.doesNotMatch(ignored(stdout), /^Usage:/m);
    }
  });

  it("needs either a log or a robots.txt", () => {
    for (const given of [{}, { log: "access.log", robots: "robots.txt" }])
      assert.deepEqual(run(given), { status: 2, stdout: "whocrawls: Give one of the inputs log and robots.\n" });
  });

  it("has run no input as code", () => {
    assert.ok(!existsSync("pwned"));
    assert.deepEqual(readdirSync(folder), before);
  });
});
