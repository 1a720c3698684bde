/** Replaces files atomically, so that no reader sees, and no full disk or killed process leaves, half a file. */
import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";

/** The permissions of the file (by default 0o666 minus `umask`), and whether its content is synced to disk before it is renamed. */
export interface ReplaceOptions {
  readonly mode?: number;
  readonly flush?: boolean;
}

/** Writes a file beside `path` and gives it this name. Rejects with the system's error; the old file is then unchanged. */
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
