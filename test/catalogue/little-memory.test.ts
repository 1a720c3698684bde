/** Compiling everything is refused where memory is short, with what to do instead. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { CatalogueError } from "../../src/catalogue/catalogue-error.ts";
import { compileInProcess } from "../../src/catalogue/compile-process.ts";
import { memoryLeft } from "../../src/catalogue/memory-left.ts";
import { childrenOf } from "../server/children-of.ts";

const modification = { remove: ["curl"], rulesOff: [], except: [] };

/** What a compilation is refused with. */
async function refusalOf(compiling: Promise<unknown>): Promise<string> {
  const error = await compiling.catch((error: unknown) => error);
  assert(error instanceof CatalogueError, String(error));
  assert.match(error.message, /^people:, remove: and rules: .* too little memory .*Compile it on another machine/);
  return error.message;
}

describe("with little memory", { skip: process.platform !== "linux" }, () => {
  it("no process is started", async () => {
    const refusal = await refusalOf(compileInProcess(modification, "not even read", 100e6));
    assert.match(refusal, /170 MB are needed and 100 MB are left/);
  });

  it("a process that the system stops is reported", async () => {
    // It waits for the rest of its input, which is never valid.
    const refusal = refusalOf(compileInProcess(modification, " ".repeat(5_000_000), 1e9));
    for (const pid of childrenOf(process.pid)) process.kill(pid, "SIGKILL");
    assert.match(await refusal, /the system has stopped the process that compiles/);
  });
});

describe("the memory that is left", () => {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-memory-"));
  after(() => rmSync(folder, { recursive: true }));
  const machine = { "/proc/meminfo": "MemTotal: 900000 kB\nMemAvailable:   500000 kB\n" };
  const group = "/sys/fs/cgroup/";
  for (const [what, files, bytes] of [
    ["of the machine", machine, 512_000_000],
    [
      "of a container, files in memory included",
      {
        [`${group}memory.max`]: "268435456\n",
        [`${group}memory.current`]: "200000000\n",
        [`${group}memory.stat`]: "anon 1\ninactive_file 50000000\n",
      },
      118_435_456,
    ],
    [
      "of a container with control groups of version 1",
      {
        [`${group}memory/memory.limit_in_bytes`]: "268435456\n",
        [`${group}memory/memory.usage_in_bytes`]: "260000000\n",
        [`${group}memory/memory.stat`]: "inactive_file 9\ntotal_inactive_file 1000000\n",
      },
      // The last count is that of the whole group; the first one its own.
      8_435_465,
    ],
    [
      "of a container without a limit",
      { [`${group}memory.max`]: "max\n", [`${group}memory.current`]: "200000000\n" },
      512_000_000,
    ],
  ] as const)
    it(`is that ${what}`, () => {
      const root = mkdtempSync(join(folder, "root-"));
      for (const [path, text] of Object.entries({ ...machine, ...files })) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      assert.equal(memoryLeft(root), bytes);
    });
});
