/** Errors in words: the class for user errors, messages for thrown values, and reasons why a file or an address cannot be read. */

/** A mistake in arguments, settings or files; the message says what to do instead. Commands print it and exit with 2. */
export class UserError extends Error {
  override readonly name: string = "UserError";
}

/** The message of what was thrown: JavaScript can throw anything. */
export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
  ENOTFOUND: "the host has no address",
  EAI_AGAIN: "DNS did not answer",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  ENETUNREACH: "the network cannot be reached",
  EHOSTUNREACH: "the host cannot be reached",
};

/** `there is no such file`; the message of an error that has no code of these. */
export function toReadProblem(error: unknown): string {
  const { code = "", message } = error as Error & { readonly code?: string };
  return problems[code] ?? message;
}
