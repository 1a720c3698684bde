/** Writes a report to a file atomically, so that a full disk or a killed process leaves the old report intact. */
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { replaceFile } from "../../files/replace-file.ts";
import { UserError } from "../../text/errors.ts";

export interface ReportFile {
  /** Rejects with an Error that says why the report cannot be written; the old one is then still there. */
  write(text: string): Promise<void>;
}

/** Checks that a report can be written to `path`, before hours are spent on the logs `logs`. Throws a UserError. */
export async function openReportFile(path: string, logs: readonly string[]): Promise<ReportFile> {
  const refuse = (reason: string): never => {
    throw new UserError(`--output ${path}: ${reason}`);
  };
  const real = (name: string): Promise<string> => realpath(name).catch(() => resolve(name));
  // Follow a symbolic link, so that it stays a link.
  const target = await real(path);
  const old = await stat(target).catch(() => undefined);
  if (old !== undefined && !old.isFile()) refuse("This is not a regular file.");
  for (const log of logs)
    if (log !== "-" && (await real(log)) === target) refuse("This file is one of the logs to read.");
  await access(dirname(target), constants.W_OK).catch((error: Error) =>
    refuse(`The folder is not writable: ${error.message}.`),
  );
  return {
    async write(text) {
      try {
        await replaceFile(target, text, { flush: true, ...(old && { mode: old.mode & 0o777 }) });
      } catch (error) {
        throw new Error(`--output ${path}: The report cannot be written: ${(error as Error).message}`);
      }
    },
  };
}
