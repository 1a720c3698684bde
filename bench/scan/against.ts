/** Compares scans by this checkout with scans by another one, in turn: `npm run bench:scan -- --against PATH`. */
import { median } from "../match/measure.ts";

/** What is measured first has the processor as the one before left it; a pair is measured in both orders. */
const pairs = 6;

/**
 * Prints, for each name, the median of the CPU seconds there and here, and here / there. `commandsOf` returns the commands of the
 * checkout in a folder; `measure` runs one and returns its CPU seconds.
 */
export function printAgainst(
  [there, here]: readonly [string, string],
  commandsOf: (folder: string) => Readonly<Record<string, readonly string[]>>,
  measure: (command: readonly string[]) => number,
): void {
  console.log(`| CPU seconds | ${there} | here | here / there |\n|---|--:|--:|--:|`);
  for (const [name, command] of Object.entries(commandsOf(here))) {
    const [before, now]: number[][] = [[], []];
    for (let pair = 0; pair < pairs; pair++) {
      const order = [() => before!.push(measure(commandsOf(there)[name]!)), () => now!.push(measure(command))];
      for (const run of pair % 2 === 0 ? order : order.toReversed()) run();
    }
    const [old, current] = [median(before!), median(now!)];
    console.log(`| ${name} | ${old.toFixed(2)} | ${current.toFixed(2)} | ${(current / old).toFixed(2)} |`);
  }
}
