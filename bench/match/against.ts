/** Compares this checkout with another one, in child processes that alternate: `npm run bench:match -- --against PATH`. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median, type Times } from "./measure.ts";
import { runtimes } from "./runtimes.ts";

const child = fileURLToPath(new URL("against-child.ts", import.meta.url));
const own = fileURLToPath(new URL("../..", import.meta.url));
/** What is measured first has the processor as the one before left it; a pair is measured in both orders. */
const pairs = 6;

/** Prints, by what was measured, the medians and how many times as long this checkout takes as the one in `folder`. */
export function printAgainst(folder: string): void {
  console.log(`| ns a string in ${folder}, here, and here / there | runtime | cold tables | warm tables |`);
  console.log("|---|---|--:|--:|");
  for (const { name, program } of runtimes) {
    const run = (root: string) =>
      JSON.parse(execFileSync(program, [child, root], { encoding: "utf8" })) as Record<string, Times>;
    const [there, here]: Record<string, Times>[][] = [[], []];
    for (let pair = 0; pair < pairs; pair++) {
      const order = [() => there!.push(run(folder)), () => here!.push(run(own))];
      for (const measure of pair % 2 === 0 ? order : order.toReversed()) measure();
    }
    for (const what of Object.keys(here![0]!)) {
      const cells = (["cold", "warm"] as const).map((tables) => {
        const of = (runs: readonly Record<string, Times>[]) => runs.map((times) => times[what]![tables]);
        const [before, now] = [of(there!), of(here!)];
        const ratios = now.map((time, i) => time / before[i]!);
        return `${Math.round(median(before))}, ${Math.round(median(now))}, ${median(ratios).toFixed(2)}`;
      });
      console.log(`| ${what} | ${name} | ${cells.join(" | ")} |`);
    }
  }
}
