/** The process that compiles: it ends with its parent, and its end is reported as what it was. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { runInProcess } from "../../src/catalogue/catalogue-process.ts";
import { root, testedOn } from "../cli/command-line.ts";
import { childrenOf } from "../server/children-of.ts";
import { until } from "../support/until.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-process-"));
after(() => rmSync(folder, { recursive: true }));
const cache = { temporary: join(folder, "temporary") };
/** For this, everything is compiled, which takes seconds. */
const files = [{ path: "own.yaml", text: "remove: [curl]" }];
const compiling = { type: "open", options: { files, cache } } as const;

describe("the process that compiles", { skip: process.platform !== "linux" && "not Linux" }, () => {
  it("is reported as killed if it was killed", async () => {
    const onCompile = (seconds?: number): void => {
      if (seconds === undefined) for (const pid of childrenOf(process.pid)) process.kill(pid, "SIGKILL");
    };
    await assert.rejects(runInProcess(compiling, { onCompile }), {
      name: "CatalogueError",
      message: "The process that compiles the catalogue was killed by SIGKILL.",
    });
  });

  it("is killed when nobody needs it any more", async () => {
    const end = new AbortController();
    await assert.rejects(runInProcess(compiling, { signal: end.signal, onCompile: () => end.abort() }), {
      name: "AbortError",
    });
    assert.ok(!existsSync(cache.temporary));
  });

  // A parent that says which process it has started.
  const script = join(folder, "parent.ts");
  writeFileSync(
    script,
    `import { runInProcess } from ${JSON.stringify(`${root}src/catalogue/catalogue-process.ts`)};
    import { childrenOf } from ${JSON.stringify(`${root}test/server/children-of.ts`)};
    const onCompile = () => console.log(childrenOf(process.pid).join());
    await runInProcess(${JSON.stringify(compiling)}, { onCompile });`,
  );
  for (const [name, runtime] of testedOn())
    it(`ends with its parent, even one that is killed, on ${name}`, async () => {
      const parent = spawn(runtime, [script], { stdio: ["ignore", "pipe", "inherit"] });
      const [pid] = (await once(parent.stdout.setEncoding("utf8"), "data")) as [string];
      const child = Number(pid);
      assert.ok(child > 0, pid);
      parent.kill("SIGKILL");
      await until(() => hasEnded(child));
      assert.ok(!existsSync(cache.temporary));
    });
});

/** Also one that waits for a parent to read its exit code. */
function hasEnded(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}
