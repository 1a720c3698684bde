/** The temporary folder of a test file. */
import { accessSync, constants, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

/** Creates a folder that is removed after the tests; called outside of a test. */
export function temporary(parent = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(parent, "whocrawls-")));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The same in memory where there is such a place, for small files: waiting for a disk proves nothing. */
export function temporaryInMemory(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    return temporary("/dev/shm");
  } catch {
    return temporary();
  }
}
