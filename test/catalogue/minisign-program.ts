/** Runs the real minisign. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

export const haveMinisign = spawnSync("minisign", ["-v"]).status === 0;

/** Runs it in a folder; returns its output. */
export function minisign(folder: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("minisign", args, { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout + stderr;
}
