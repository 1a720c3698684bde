/** The packages of the tests are installed once when their files changed, also if several runs begin at once. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { root, runtimes } from "../cli/command-line.ts";
import { temporary } from "../support/temporary.ts";

const folder = temporary();

it("packages are installed when their files changed, by one of the runs that begin at once", async () => {
  const test = join(folder, "test");
  mkdirSync(test);
  mkdirSync(join(folder, "bench"));
  cpSync(`${root}test/install.ts`, join(test, "install.ts"));
  // npm runs the script `prepare` of what it installs in.
  const writeManifest = (version: string) => {
    const manifest = { version, scripts: { prepare: "echo >> installs" }, devDependencies: { late: "file:../late" } };
    writeFileSync(join(test, "package.json"), JSON.stringify(manifest));
  };
  mkdirSync(join(folder, "late"));
  writeFileSync(join(folder, "late", "package.json"), JSON.stringify({ name: "late", version: "1.0.0" }));
  const isLateThere = () => existsSync(join(test, "node_modules/late"));
  const install = async (...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)(runtimes.Bun, ["test/install.ts", ...args], { cwd: folder });
    return stdout.split("\n").length - 1;
  };
  const installs = () => readFileSync(join(test, "installs"), "utf8").length;

  writeManifest("1.0.0");
  writeFileSync(join(test, "package-lock.json"), JSON.stringify({ lockfileVersion: 3, packages: {} }));
  await Promise.all([install(), install(), install()]);
  assert.equal(installs(), 1);
  assert.equal(realpathSync(join(folder, "bench/node_modules")), realpathSync(join(test, "node_modules")));
  assert.equal(await install(), 0);
  writeManifest("1.0.1");
  assert.equal(await install(), 1);
  assert.equal(await install(), 0);
  assert.deepEqual([installs(), isLateThere()], [2, false]);
  // What only `--all` needs comes with it, and then stays.
  assert.equal(await install("--all"), 1);
  assert.equal(isLateThere(), true);
  writeManifest("1.0.2");
  assert.equal(await install(), 1);
  assert.deepEqual([await install("--all"), installs(), isLateThere()], [0, 4, true]);
});
