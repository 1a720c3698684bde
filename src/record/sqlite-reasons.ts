/** What failures of SQLite and of the file system mean to an operator. */

/** Primary result codes of SQLite (https://sqlite.org/rescode.html) and what they tell an operator. */
const reasons = new Map([
  [5, "the file is locked by another process"],
  [6, "the file is locked by another process"],
  [8, "the file or its folder is read-only"],
  [10, "the disk reports an error"],
  [11, "the file is corrupt"],
  [13, "the disk is full"],
  [14, "the file cannot be opened"],
  [26, "the file is not a SQLite database"],
]);

/** The same for the folder and the lock beside the file, by the system's error code. */
const systemReasons = new Map([
  ["EACCES", "the file or its folder is read-only"],
  ["EPERM", "the file or its folder is read-only"],
  ["EROFS", "the file or its folder is read-only"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk is full"],
  ["EEXIST", "the folder's name is taken by a file"],
  ["ENOTDIR", "the folder's name is taken by a file"],
]);

/** Whether the file's content is at fault, rather than its surroundings. */
export function isCorruption(error: unknown): boolean {
  return [11, 26].includes(primaryCode(error));
}

/** What happened, in an operator's words. */
export function sqliteReasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons.get(primaryCode(error)) ?? systemReasons.get(code ?? "") ?? message;
}

/** The upper bits of a result code only say more about the same failure. */
function primaryCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff;
}
