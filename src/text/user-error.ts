/** The error of the person who runs the program. */

/** A mistake in arguments, settings or files; the message says what to do instead. Commands print it and end with 2. */
export class UserError extends Error {
  override readonly name: string = "UserError";
}
