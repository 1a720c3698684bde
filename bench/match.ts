/**
 * How fast a string is decided, next to other libraries and to a loop that only reads the characters: `npm run bench:match`.
 * Prints a table for each runtime; with `--against PATH` how long this checkout takes compared with
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
  console.log("\n| naming, CPU µs a kB: first, again | Node | Bun |\n|---|--:|--:|");
  for (const name of Object.keys(reports[0]!.hard)) {
    const cells = reports.map(({ hard }) => hard[name]!.map((time) => time.toFixed(0)).join(", "));
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
  console.log("\n| | Node | Bun |\n|---|--:|--:|");
  console.log(
    `| CPU from the import to the first verdict, ms | ${reports.map(({ readyMs }) => readyMs.toFixed(1)).join(" | ")} |`,
  );
  console.log(`| tables, kB | ${reports.map(({ tableBytes }) => (tableBytes / 1000).toFixed(0)).join(" | ")} |`);
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

function ratio(times: Readonly<Record<string, Times>>, contender: string, tables: keyof Times): number {
  return times[contender]![tables] / times.isCrawler![tables];
}
