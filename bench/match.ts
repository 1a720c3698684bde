/**
 * How fast a string is decided, next to other libraries and to a loop that only reads the characters: `npm run bench:match`.
 * Prints a table for each runtime, and which goals are met; with `--against PATH` how long this checkout takes compared with
 * another one, which has been built, too. docs/measurements/matching.md keeps what was measured.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { printAgainst } from "./match/against.ts";
import type { Report } from "./match/child.ts";
import type { Times } from "./match/measure.ts";
import { printPcre } from "./match/pcre.ts";
import { runtimes } from "./match/runtimes.ts";

type Tables = keyof Times;

/** How many times as long as `isCrawler` isbot must take at least, with Node and with Bun. */
const goals: readonly { set: string; tables: Tables; atLeast: readonly [node: number, bun: number] }[] = [
  { set: "browsers", tables: "cold", atLeast: [20, 18] },
  { set: "rare browsers", tables: "cold", atLeast: [6.5, 6] },
  { set: "crawlers", tables: "cold", atLeast: [3.3, 3.3] },
  { set: "rare browsers", tables: "warm", atLeast: [8, 7.5] },
  { set: "crawlers", tables: "warm", atLeast: [6.5, 6] },
];
const mostMilliseconds = 8;
/** Deciding and identifying. */
const mostTableKilobytes = [1_400, 1_100];

const { against } = parseArgs({ options: { against: { type: "string" } } }).values;
if (against === undefined) printReports();
else printAgainst(against);

function printReports(): void {
  const child = fileURLToPath(new URL("match/child.ts", import.meta.url));
  const reports = runtimes.map(
    ({ program }) => JSON.parse(execFileSync(program, [child], { encoding: "utf8" })) as Report,
  );
  console.log(reports[0]!.versions);
  for (const report of reports) printReport(report);
  printPcre();
  console.log("\n| goal | Node | Bun |\n|---|--:|--:|");
  for (const { set, tables, atLeast } of goals) {
    const cells = reports.map((report, i) => {
      const value = ratio(report.sets[set]!, "isbot", tables);
      return verdict(value, value >= atLeast[i]!);
    });
    console.log(
      `| isbot, ${set}, ${tables} tables: at least ${atLeast.join(" and ")} times isCrawler | ${cells.join(" | ")} |`,
    );
  }
  const ready = reports.map(({ readyMs }) => verdict(readyMs, readyMs <= mostMilliseconds));
  console.log(`| ready to decide in at most ${mostMilliseconds} ms | ${ready.join(" | ")} |`);
  mostTableKilobytes.forEach((most, i) => {
    const cells = reports.map(({ tableBytes }) => verdict(tableBytes[i]! / 1000, tableBytes[i]! <= most * 1000));
    console.log(`| tables for ${["deciding", "identifying"][i]} in at most ${most} kB | ${cells.join(" | ")} |`);
  });
}

function printReport({ runtime, sets }: Report): void {
  const columns = Object.keys(sets).flatMap((set) => (["cold", "warm"] as const).map((tables) => ({ set, tables })));
  console.log(`\n| ${runtime}: ns a string, and times as long as isCrawler |`);
  console.log(`| | ${columns.map(({ set, tables }) => `${set}, ${tables}`).join(" | ")} |`);
  console.log(`|---|${columns.map(() => "--:|").join("")}`);
  for (const contender of Object.keys(sets[columns[0]!.set]!)) {
    const cells = columns.map(({ set, tables }) => {
      const times = sets[set]!;
      return `${Math.round(times[contender]![tables]).toLocaleString("en")} (${ratio(times, contender, tables).toFixed(1)})`;
    });
    console.log(`| ${contender} | ${cells.join(" | ")} |`);
  }
}

function ratio(times: Readonly<Record<string, Times>>, contender: string, tables: Tables): number {
  return times[contender]![tables] / times.isCrawler![tables];
}

function verdict(value: number, met: boolean): string {
  return met ? value.toFixed(1) : `**${value.toFixed(1)}**, missed`;
}
