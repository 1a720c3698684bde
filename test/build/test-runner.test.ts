/** What `npm test` does around the tests: programs that no test has named cannot be started, and only what failed is printed. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { BunOutput } from "../bun-output.ts";
import { root, runtimes } from "../cli/command-line.ts";
import { temporary } from "../support/temporary.ts";

it("a test starts only programs that it has named, from folders with any name", () => {
  const folder = temporary();
  const machine = join(folder, "it's a folder");
  mkdirSync(machine);
  for (const name of ["named", "unnamed"])
    writeFileSync(join(machine, name), `#!/bin/sh\necho ${name} "$@"\n`, { mode: 0o755 });
  const code = `
    import { spawnSync } from "node:child_process";
    import { needs, reducePath } from "${root}test/support/needs.ts";
    reducePath(process.cwd());
    const run = (name) => spawnSync(name, ["a b"], { encoding: "utf8" }).stdout;
    const before = run("named");
    console.log(JSON.stringify([needs("named"), needs("named", "missing"), before, run("named"), run("unnamed")]));`;
  const { TEST_PATH: _, TEST_FOLDER: __, ...others } = process.env;
  const { stdout, stderr } = spawnSync(runtimes.Bun, ["-e", code], {
    cwd: folder,
    env: { ...others, PATH: `${machine}:/usr/bin:/bin` },
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  assert.deepEqual(JSON.parse(stdout), [false, "without missing", null, "named a b\n", null]);
});

it("a failed test prints its own output", () => {
  const printed: string[] = [];
  const files = ["test/a/one.test.ts", "test/a/two.test.ts", "test/b/three.test.ts", "test/c/four.test.ts"];
  const output = new BunOutput(files, (text) => void printed.push(text.trim()));
  for (const part of [
    "bun test v1\n\ntest/a/one.test.ts:\nnoise\n(pass) x [1ms]\ndetails\n(fa",
    "il) y [1ms]\n\ntest/b/three.test.ts:\n(pass) v\n(ended) test/b/three.test.ts\n\ntest/a/one.test.ts:\nmore\n(skip) z\n",
    "(ended) test/a/one.test.ts\n\ntest/a/two.test.ts:\n(pass) w\n# Unhandled error between tests\nerror: late\n",
    "(ended) test/a/two.test.ts\n\ntest/c/four.test.ts:\n(pass) u\n✗ four.test.ts (worker crashed: exit code 3)\n",
    "\n1 tests failed:\n(fail) y [1ms]\n",
  ])
    output.read(part);
  output.end(true);
  assert.deepEqual(printed, [
    "test/a/one.test.ts:",
    "details\n(fail) y [1ms]",
    "ok     b",
    "test/a/two.test.ts:",
    "# Unhandled error between tests\nerror: late",
    "FAILED a",
    "test/c/four.test.ts:",
    "✗ four.test.ts (worker crashed: exit code 3)",
    "test/c/four.test.ts did not end",
  ]);
  assert.deepEqual([output.passed, output.failed, output.skipped], [4, 4, 1]);
});
