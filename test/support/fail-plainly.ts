/** Failures that tell a contributor what to do: a sentence without a stack, and the command that writes what is out of date. */

/** Throws an error whose report is the message alone. */
export function failPlainly(message: string): never {
  const error = new Error(message);
  error.stack = `Error: ${message}`;
  throw error;
}

/** The command that writes again what the calling test file compares. */
export function updateCommand(): string {
  const [, file = ""] = /\/test\/([\w/-]+)\.test\.ts/.exec(new Error().stack ?? "") ?? [];
  return `npm test -- --update ${file}`;
}

/** Fails if names lack a row in a file, and says where it belongs and what then to run. */
export function expectRows(missing: readonly string[], file: string, command: string): void {
  if (missing.length > 0) failPlainly(`${file} lacks ${missing.join(", ")}. Add it there, then run: ${command}`);
}
