/** The figures of `whocrawls scan --compare` equal those of an independent comparison; test/golden/cli/scan-compare.txt has its outputs. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { detector } from "../../src/detect/built-in/detector.ts";
import { entryOf } from "../../src/detect/matched-entry.ts";
import type { Comparison } from "../../src/scan/report/comparison.ts";
import type { Report } from "../../src/scan/report/report.ts";
import { logLine } from "../support/log-lines.ts";
import { needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { firefox } from "../support/user-agents.ts";
import { runHere } from "./run-here.ts";

const script = fileURLToPath(new URL("../scan/compare.py", import.meta.url));
const folder = temporary();

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const scan = async (...args: string[]) => {
  const { code, stdout, stderr } = await runHere(["scan", ...args]);
  return { code, stdout, stderr, report: () => JSON.parse(stdout) as Report & { comparison: Comparison } };
};

const march = Date.UTC(2026, 2, 1) / 1000;

/** Crawlers with their facts, by one of their strings. */
const facts = new Map(
  detector.strings().flatMap((useragent) => {
    const verdict = detector.check(useragent);
    if (!verdict.crawler || entryOf(verdict) === undefined || /["\\]/.test(useragent)) return [];
    const { operator } = verdict;
    return [[useragent, { name: entryOf(verdict), operator }] as const];
  }),
);

/** A log of 20,000 lines over so many days; crawlers come in other shares than in a log with another `step`. */
function writeLog(name: string, from: number, days: number, agents: readonly string[], step: number): string {
  const count = 20_000;
  const lines = Array.from({ length: count }, (_, at) => {
    const useragent =
      at % 3 === 0 ? firefox : agents[Math.floor((((at * step) % 9973) ** 2 / 9973 ** 2) * agents.length)]!;
    const iso = new Date((from + Math.floor((at * days * 86_400) / count)) * 1000).toISOString();
    return logLine(useragent, {
      time: `${iso.slice(8, 10)}/Mar/2026:${iso.slice(11, 19)}`,
      bytes: (at * step) % 50_000,
    });
  });
  return file(name, lines.join(""));
}

const agents = [...facts.keys()];
const oldLog = writeLog("old.log", march, 7, agents.slice(0, 1500), 31);
const newLog = writeLog("new.log", march + 8 * 86_400, 3, agents.slice(400, 1900), 57);
const old = join(folder, "old.json");

it("scan --compare agrees with an independent comparison", { skip: needs("python3") }, async () => {
  assert.equal((await scan("--format", "json", "--output", old, oldLog)).code, 0);
  const { code, report } = await scan("--compare", old, "--exit-code", "--format", "json", "--threads", "3", newLog);
  assert.equal(code, 1);
  const { comparison, ...later } = report();
  const rows = {
    total: comparison.totals,
    operator: comparison.operators,
    crawler: comparison.crawlers.map(({ category: _, rule: __, ...row }) => row),
  };
  const found = Object.entries(rows).flatMap(([kind, all]) =>
    all.map(({ name, ...figures }) => [`${kind} ${name}`, figures]),
  );
  const known = file("facts.json", JSON.stringify(Object.fromEntries(facts)));
  const { stdout, stderr } = spawnSync("python3", [script, oldLog, newLog, known], {
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  assert.deepEqual(Object.fromEntries(found), JSON.parse(stdout || stderr));
  assert.equal(
    later.crawlers.length + comparison.crawlers.filter(({ status }) => status === "gone").length,
    comparison.crawlers.length,
  );
  for (const status of ["new", "gone", "both"])
    assert.ok(comparison.crawlers.filter((crawler) => crawler.status === status).length > 100, status);
  assert.deepEqual(comparison.notes, []);
});
