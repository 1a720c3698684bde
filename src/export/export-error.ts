/** What cannot be exported as it was asked for: a mistake of the user, or a limit of the program. The message says which. */
export class ExportError extends Error {
  override readonly name = "ExportError";
}
