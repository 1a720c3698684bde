/** Errors in data; a separate module, so that compiling does not need the YAML reader. */
import { UserError } from "../../text/errors.ts";

/** A problem, or a function that writes it if that takes time. */
export type Problem = string | (() => string);

const maxShown = 10;
/** In characters, longer than any path with a message: a problem may quote a text of megabytes, and services log it. */
const maxProblemLength = 2_000;

/** The first ten problems, and how many more there are. */
export function firstOf(problems: readonly Problem[]): string[] {
  const shown = problems.slice(0, maxShown).map((problem) => (typeof problem === "string" ? problem : problem()));
  const more = problems.length - shown.length;
  return more > 0 ? [...shown, `and ${more.toLocaleString("en")} more`] : shown;
}

/**
 * Thrown for data that is invalid, unreadable, or cannot be compiled; each line of the message is one `file:line: problem`. Users know it by
 * the name under which the entry `whocrawls/compiler` exports it.
 */
export class DataError extends UserError {
  override readonly name = "CatalogueError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    const shown = problems.map((text) =>
      text.length > maxProblemLength ? `${text.slice(0, maxProblemLength)}…` : text,
    );
    super(shown.join("\n"));
    this.problems = shown;
  }
}
