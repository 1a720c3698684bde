/** The package as `npm run pack` writes it, packed once for all test files of a process. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, runtimes } from "../cli/command-line.ts";

let packed: string | undefined;

/** The path of the tarball, which is removed when the process exits. */
export function packedTarball(): string {
  if (packed !== undefined) return packed;
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-packed-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const { stdout, stderr } = spawnSync(runtimes.Bun, ["build/pack.ts", folder], { cwd: root, encoding: "utf8" });
  const [name] = /whocrawls-\S+\.tgz/.exec(stdout) ?? [];
  if (name === undefined) throw new Error(`npm run pack writes no package: ${stderr}`);
  packed = join(folder, name);
  return packed;
}
