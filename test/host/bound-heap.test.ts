/** Under Node the space for new objects stops growing; without the bound the same work makes it larger. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "../cli/command-line.ts";

test("V8's space for new objects grows to 32 MB and no further", async () => {
  const largest = async (how: string): Promise<number> => {
    const { stdout } = await promisify(execFile)(`${root}node_modules/.bin/node`, [
      `${root}test/host/young-objects.ts`,
      how,
    ]);
    return Number(stdout);
  };
  const [bound, free] = await Promise.all([largest("bound"), largest("free")]);
  assert.ok(free > 40, `The work is too little to show anything: ${free} MB.`);
  assert.ok(bound >= 16 && bound <= 40, `${bound} MB`);
});
