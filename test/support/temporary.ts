/** The temporary folder of a test file. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

/** Creates a folder that is removed after the tests; called outside of a test. */
export function temporary(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "whocrawls-")));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
