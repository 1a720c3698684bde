/** How much own catalogues may have, all files together: counted before anything is checked that takes time. */

const most = {
  crawlers: 1000,
  changes: 1000,
  "names to remove": 5000,
  "rows of people": 100,
  "rows of verification": 1000,
  "rules to turn off": 1000,
  "examples of crawlers": 10_000,
  "words of people": 200,
  "examples of people": 400,
} as const;
type Counted = keyof typeof most;

/** What was counted in the files so far. */
export type OwnCounts = Map<Counted, number>;

interface TooMany {
  /** Where in the file. */
  readonly path: readonly string[];
  readonly problem: string;
}

/** Adds the counts of a file; the first count that is over its limit, if there is one. */
export function tooMany(file: object, counts: OwnCounts): TooMany | undefined {
  const { crawlers, change, remove, people, verification, rules } = file as Record<string, unknown>;
  const found: readonly [counted: Counted, part: string, count: number][] = [
    ["crawlers", "crawlers", lengthOf(crawlers)],
    ["changes", "change", lengthOf(change)],
    ["names to remove", "remove", lengthOf(remove)],
    ["rows of people", "people", lengthOf(people)],
    ["rows of verification", "verification", lengthOf(verification)],
    ["rules to turn off", "rules", lengthOf(memberOf(rules, "off"))],
    ["examples of crawlers", "crawlers", sumOf(crawlers, "examples")],
    ["words of people", "people", sumOf(people, "words")],
    ["examples of people", "people", sumOf(people, "examples")],
  ];
  for (const [counted, part, count] of found) {
    const sum = (counts.get(counted) ?? 0) + count;
    counts.set(counted, sum);
    if (sum > most[counted]) {
      const problem = `own catalogues have ${toText(sum)} ${counted}; at most ${toText(most[counted])} are allowed`;
      return { path: [part], problem: `${part}: ${problem}` };
    }
  }
  return undefined;
}

function sumOf(rows: unknown, member: string): number {
  return Array.isArray(rows) ? rows.reduce((sum: number, row) => sum + lengthOf(memberOf(row, member)), 0) : 0;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function toText(count: number): string {
  return count.toLocaleString("en");
}
