/** Why a file cannot be read, in words instead of the system's codes. */

const problems: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "this user may not read it",
};

/** `there is no such file`; the message of an error that has no code of these. */
export function toFileProblem(error: unknown): string {
  const { code = "", message } = error as Error & { readonly code?: string };
  return problems[code] ?? message;
}
