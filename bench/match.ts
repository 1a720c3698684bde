/**
 * How fast a string is decided, next to isbot and crawler-user-agents, to the ways we do not take, and to a loop that only
 * reads the characters: `npm run bench:match`. Prints the tables of docs/matching.md, for Node and for Bun.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Report } from "./match/measure.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const child = fileURLToPath(new URL("match/child.ts", import.meta.url));

for (const runtime of ["node", "bun"])
  for (const table of ["peers", "ways"]) {
    const output = execFileSync(`${root}node_modules/.bin/${runtime}`, [child, table], { encoding: "utf8" });
    print(JSON.parse(output) as Report);
  }

function print({ runtime, versions, start, sets }: Report): void {
  console.log(`\n## ${runtime}\n\n${versions}. ${start}\n`);
  const names = Object.keys(sets);
  console.log(`| ns a string, and times as long as ${"`isCrawler`"} | ${names.join(" | ")} |`);
  console.log(`|---|${names.map(() => "---:|").join("")}`);
  for (const contender of Object.keys(sets[names[0]!]!)) {
    const cells = names.map((name) => {
      const nanoseconds = sets[name]![contender]!;
      return `${Math.round(nanoseconds).toLocaleString("en")} (${(nanoseconds / sets[name]!.isCrawler!).toFixed(1)})`;
    });
    console.log(`| ${contender} | ${cells.join(" | ")} |`);
  }
}
