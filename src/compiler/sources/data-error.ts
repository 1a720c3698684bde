/** What is wrong with data, apart from what reads it: compiling needs no reader of YAML. */

/** Thrown when the catalogue's data is wrong; the message has one `file:line: what is wrong` a line. */
export class DataError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "DataError";
    this.problems = problems;
  }
}
