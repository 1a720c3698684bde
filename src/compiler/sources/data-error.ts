/** What is wrong with data, apart from what reads it: compiling needs no reader of YAML. */

/** A problem, or what writes it where that takes time. */
export type Problem = string | (() => string);

const mostShown = 10;

/** The first ten problems, and how many more there are. */
export function firstOf(problems: readonly Problem[]): string[] {
  const shown = problems.slice(0, mostShown).map((problem) => (typeof problem === "string" ? problem : problem()));
  const more = problems.length - shown.length;
  return more > 0 ? [...shown, `and ${more.toLocaleString("en")} more`] : shown;
}

/** Thrown when the catalogue's data is wrong; the message has one `file:line: what is wrong` a line. */
export class DataError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "DataError";
    this.problems = problems;
  }
}
