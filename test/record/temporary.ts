/** A folder for the small files of tests: in memory where there is such a place, since waiting for a disk proves nothing. */
import { accessSync, constants, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a folder; the caller removes it. */
export function temporaryFolder(): string {
  let parent = tmpdir();
  try {
    accessSync("/dev/shm", constants.W_OK);
    parent = "/dev/shm";
  } catch {}
  return mkdtempSync(join(parent, "whocrawls-record-"));
}
