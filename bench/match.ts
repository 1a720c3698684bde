/**
 * How fast a string is decided, next to other libraries and to a loop that only reads the characters: `npm run bench:match`.
 * Prints one table for Node and Bun, and which goals are met. docs/measurements/matching.md keeps what was measured.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Report } from "./match/measure.ts";

/** How many times as long a contender must take as `isCrawler` at least, or `check` at most. */
const goals: readonly { set: string; contender: string; atLeast?: number; atMost?: number }[] = [
  { set: "browsers", contender: "isbot", atLeast: 20 },
  { set: "rare browsers", contender: "isbot", atLeast: 7 },
  { set: "crawlers", contender: "isbot", atLeast: 5.5 },
  { set: "crawlers", contender: "check", atMost: 3 },
];
const mostMilliseconds = 10;

const child = fileURLToPath(new URL("match/child.ts", import.meta.url));
const reports = ["node", "bun"].map((runtime) => {
  const program = fileURLToPath(new URL(`../node_modules/.bin/${runtime}`, import.meta.url));
  return JSON.parse(execFileSync(program, [child], { encoding: "utf8" })) as Report;
});

const columns = reports.flatMap((report) =>
  Object.entries(report.sets).map(([set, times]) => ({ report, set, times })),
);
const first = columns[0]!;
console.log(`${first.report.versions}\n`);
console.log("| ns a string, and times as long as isCrawler |");
console.log(`| | ${columns.map(({ report, set }) => `${set}, ${report.runtime}`).join(" | ")} |`);
console.log(`|---|${columns.map(() => "--:|").join("")}`);
for (const contender of Object.keys(first.times)) {
  const cells = columns.map(
    ({ times }) => `${Math.round(times[contender]!).toLocaleString("en")} (${ratio(times, contender).toFixed(1)})`,
  );
  console.log(`| ${contender} | ${cells.join(" | ")} |`);
}

console.log("\n| goal | Node | Bun |\n|---|--:|--:|");
for (const { set, contender, atLeast, atMost } of goals) {
  const limit = atLeast === undefined ? `at most ${atMost} times isCrawler` : `at least ${atLeast} times isCrawler`;
  const cells = reports.map((report) => {
    const value = ratio(report.sets[set]!, contender);
    return verdict(value, value >= (atLeast ?? 0) && value <= (atMost ?? Number.POSITIVE_INFINITY));
  });
  console.log(`| ${contender}, ${set}: ${limit} | ${cells.join(" | ")} |`);
}
const ready = reports.map(({ readyMs }) => verdict(readyMs, readyMs <= mostMilliseconds));
console.log(`| ready to decide in at most ${mostMilliseconds} ms | ${ready.join(" | ")} |`);
console.log(
  `| tables in memory, kB: deciding, identifying | ${reports.map(({ tableBytes }) => tableBytes.map((bytes) => Math.ceil(bytes / 1000)).join(", ")).join(" | ")} |`,
);

function ratio(times: Readonly<Record<string, number>>, contender: string): number {
  return times[contender]! / times.isCrawler!;
}

function verdict(value: number, met: boolean): string {
  return met ? value.toFixed(1) : `**${value.toFixed(1)}**, missed`;
}
