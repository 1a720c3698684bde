/** `whocrawls scan --output`: a report is replaced as a whole, or left as it was. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Report } from "../../src/scan/report/report.ts";
import { logLines } from "../support/log-lines.ts";
import { temporary } from "../support/temporary.ts";
import { entryOf, runtimes } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const folder = temporary();
function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
const log = file("access.log", logLines("6 | gptbot"));
const timeless = file("timeless.log", "GPTBot/1.2\n".repeat(3));

describe("whocrawls scan --output", () => {
  it("replaces a report that it completes, and keeps its mode and a link to it", async () => {
    const path = file("report.json", "old");
    chmodSync(path, 0o640);
    const link = join(folder, "link.json");
    symlinkSync(path, link);
    const { code, stdout } = await runHere(["scan", "--format", "json", "--output", link, log]);
    assert.deepEqual([code, stdout], [0, ""]);
    assert.equal((JSON.parse(readFileSync(path, "utf8")) as Report).requests, 6);
    assert.deepEqual([statSync(path).mode & 0o777, lstatSync(link).isSymbolicLink()], [0o640, true]);
  });

  it("leaves the old report as it was where there is no room, and no other file", {
    skip: process.platform === "win32",
  }, () => {
    const place = join(folder, "full");
    mkdirSync(place);
    const path = join(place, "report.html");
    writeFileSync(path, "old");
    const command = 'trap "" XFSZ; ulimit -f 1; exec "$@"';
    const args = [runtimes.Bun, entryOf(runtimes.Bun), "scan", "--format", "html", "--output", path, timeless];
    const { status, stderr } = spawnSync("sh", ["-c", command, "sh", ...args], { encoding: "utf8" });
    assert.equal(status, 1, stderr);
    assert.match(stderr, /--output .*report\.html: The report cannot be written/);
    assert.equal(readFileSync(path, "utf8"), "old");
    assert.deepEqual(readdirSync(place), ["report.html"]);
  });

  it("has the code of an error where standard output or standard error has no room", {
    skip: !existsSync("/dev/full"),
  }, () => {
    for (const [name, stdio] of [
      ["output", ["ignore", openSync("/dev/full", "w"), "pipe"]],
      ["error", ["ignore", "pipe", openSync("/dev/full", "w")]],
    ] as const)
      for (const [options, code] of [
        [[], 1],
        [["--exit-code"], 2],
      ] as const) {
        const { status, stderr } = spawnSync(runtimes.Bun, [entryOf(runtimes.Bun), "scan", ...options, log], {
          stdio: [...stdio],
        });
        assert.equal(status, code, name);
        if (name === "output") assert.match(String(stderr), /The output cannot be written: ENOSPC/);
      }
  });

  it("leaves the old report as it was where no log can be read", async () => {
    const path = file("kept.json", "old");
    const { code } = await runHere(["scan", "--log-format", "s3", "--since", "7d", "--output", path, timeless]);
    assert.equal(code, 2);
    assert.equal(readFileSync(path, "utf8"), "old");
  });
});
