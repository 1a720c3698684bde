/** Replaces files whole, so that no reader, full disk or killed process leaves a half of one. */
import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";

/** The rights of the file, by default those that `umask` leaves of 0o666; and whether its content is on the disk before it has its name. */
export interface ReplaceOptions {
  readonly mode?: number;
  readonly flush?: boolean;
}

/** Writes a file beside `path` and gives it this name. Rejects with the system's error; the old file is then as it was. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  options: ReplaceOptions = {},
): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, content, { ...options, flag: "wx" });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}
