/** Reads what test runners print: how many tests passed, failed and were skipped, and what a person needs to see of it. */

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Bun ends with ` 12 pass`, ` 1 skip`, ` 0 fail`, each on a line of its own. */
export function countBun(output: string): Counts {
  const sum = (word: string) => lastNumber(output, new RegExp(`^ *(\\d+) ${word}$`, "gm"));
  return { passed: sum("pass"), failed: sum("fail"), skipped: sum("skip") + sum("todo") };
}

/** Node's spec reporter ends with `ℹ pass 12`, `ℹ skipped 1`, `ℹ fail 0`. */
export function countNode(output: string): Counts {
  const sum = (word: string) => lastNumber(output, new RegExp(`^ℹ ${word} (\\d+)$`, "gm"));
  return { passed: sum("pass"), failed: sum("fail") + sum("cancelled"), skipped: sum("skipped") + sum("todo") };
}

function lastNumber(output: string, expression: RegExp): number {
  return Number([...output.matchAll(expression)].at(-1)?.[1] ?? 0);
}

/** The failures in a run's output, without the tests that passed. */
export function toFailures(output: string): string {
  const [, failures] = output.split("✖ failing tests:");
  return (failures ?? output)
    .split("\n")
    .filter((line) => !/^\s*(?:\(pass\)|✔)/.test(line))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** The lines of a run's output that name skipped tests. */
export function toSkips(output: string): string {
  return output
    .split("\n")
    .filter((line) => /^\s*(?:\(skip\)|\(todo\)|﹣)|^skipped: /.test(line))
    .join("\n");
}
