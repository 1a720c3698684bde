/** Reads the address of the repository's page from git. */
import { spawnSync } from "node:child_process";
import { toRepositoryPage } from "./packed-files.ts";

/** The page of the remote `origin`; undefined if there is none. */
export function readRepositoryPage(root: string): string | undefined {
  // In CI containers, the checkout may belong to another user.
  const args = ["-c", "safe.directory=*", "remote", "get-url", "origin"];
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return status === 0 ? toRepositoryPage(stdout) : undefined;
}
