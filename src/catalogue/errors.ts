/** Why a catalogue cannot be used. */

import { UserError } from "../text/errors.ts";

/** A catalogue that is wrong, unreadable, or cannot be compiled here. The message has one problem a line, with file and line. */
export class CatalogueError extends UserError {
  override readonly name = "CatalogueError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}
