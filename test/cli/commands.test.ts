/** The commands as processes on both runtimes, and what is too long for test/golden/cli/commands.txt, which has their other outputs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toExpressions } from "../../src/export/expressions.ts";
import { googlebot } from "../support/user-agents.ts";
import { runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

type Row = readonly [args: readonly string[], code: number, stdout: RegExp | string, stderr?: RegExp];

const processes: readonly Row[] = [
  [["check", googlebot], 0, `${JSON.stringify(detector.check(googlebot))}\n`],
  [["list", "--limit", "1", "--limit", "2"], 2, "", /--limit is given twice/],
  [["regexp"], 0, `${detector.expression}\n`],
  [["export", "automaton"], 0, /^WCA5/],
  [["serve", "surplus"], 2, "", /"surplus"/],
  [["--version"], 0, /^\d+\.\d+\.\d+\n$/],
  [["--help"], 0, /serve [\s\S]*check [\s\S]*list [\s\S]*regexp /],
  [[], 2, "", /Usage/],
];

const here: readonly Row[] = [
  [["regexp", "--flavor", "posix"], 0, `${toExpressions(detector.catalogue).posix}\n`],
  ...["serve", "check", "list", "regexp", "scan", "export"].map(
    (command): Row => [[command, "--help"], 0, new RegExp(`^Usage: whocrawls ${command}[^]*^Examples:\\n {2}`, "m")],
  ),
];

function assertOutcome([, code, stdout, stderr]: Row, outcome: Awaited<ReturnType<typeof runHere>>): void {
  assert.match(outcome.stderr, stderr ?? /^$/);
  if (typeof stdout === "string") assert.equal(outcome.stdout, stdout);
  else assert.match(outcome.stdout, stdout);
  assert.equal(outcome.code, code);
}

for (const [name, runtime] of testedOn())
  describe(`whocrawls on ${name}`, { concurrency: 2 }, () => {
    for (const row of processes)
      it(row[0].join(" ") || "(nothing)", async () => assertOutcome(row, await runWhocrawls(runtime, row[0])));
  });

describe("whocrawls", () => {
  for (const row of here) it(row[0].join(" "), async () => assertOutcome(row, await runHere(row[0])));
});
