/** Why a catalogue cannot be used. */

/** A catalogue that is wrong, unreadable, or cannot be compiled here. The message has one problem a line, with file and line. */
export class CatalogueError extends Error {
  override readonly name = "CatalogueError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}
