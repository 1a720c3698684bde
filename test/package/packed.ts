/** The package as `npm run pack` writes it, packed once for all test files of a run. */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, runtimes } from "../cli/command-line.ts";
import { until } from "../support/until.ts";

/** The path of the tarball, which is removed after the run, or when the process of a file that runs alone exits. */
export async function packedTarball(): Promise<string> {
  const shared = process.env.TEST_FOLDER ?? ownFolder();
  const [begun, finished] = [join(shared, "packing"), join(shared, "packed")];
  if (makes(begun)) {
    const unfinished = join(begun, "packed");
    mkdirSync(unfinished);
    const { stderr } = spawnSync(runtimes.Bun, ["build/pack.ts", unfinished], { cwd: root, encoding: "utf8" });
    if (globSync("*.tgz", { cwd: unfinished }).length !== 1)
      throw new Error(`npm run pack writes no package: ${stderr}`);
    renameSync(unfinished, finished);
  }
  await until(() => existsSync(finished), "npm run pack writes no package");
  return join(finished, globSync("*.tgz", { cwd: finished })[0]!);
}

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-packed-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Whether a folder is new: the first test file makes it. */
function makes(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}
