/** The unit for systemd: what systemd itself says about it, and about the program that the commands of docs/operations.md install. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { root } from "../cli/command-line.ts";
import { packedTarball } from "../package/packed.ts";
import { needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { readShipped, runProgram, substitute } from "./shipped.ts";

const skip = needs("systemd-analyze");
const unit = readShipped("systemd/whocrawls@.service");
const folder = temporary();
const path = join(folder, "whocrawls@8080.service");

/** `systemd-analyze security` from 0 (locked up) to 10 (free to do anything). */
const maxExposure = 1.5;

before(async () => {
  // As docs/operations.md says, but below another folder than /usr/local.
  const page = readFileSync(`${root}docs/operations.md`, "utf8");
  const [, command = ""] = /^(npm install --global .*)$/m.exec(page) ?? [];
  const install = substitute(command, { "/usr/local": folder, " whocrawls": ` ${await packedTarball()}` });
  const installed = runProgram("sh", ["-c", `${install} --offline --no-audit --no-fund`]);
  assert.equal(installed.status, 0, installed.output);
  writeFileSync(path, substitute(unit, { "/usr/local": folder }));
});

describe("whocrawls@.service", () => {
  it("is a unit that systemd accepts without a word", { skip }, () => {
    assert.deepEqual(runProgram("systemd-analyze", ["verify", path]), { status: 0, output: "" });
  });

  it("starts the program that the documented command installs", () => {
    const [, program = ""] = /^ExecStart=(\S+) serve$/m.exec(readFileSync(path, "utf8")) ?? [];
    assert.match(runProgram(program, ["--version"]).output, /^\d+\.\d+\.\d+\n$/);
  });

  it("does not start a service again that another attempt does not help", () => {
    const exits = /^RestartPreventExitStatus=(.*)$/m.exec(unit)?.[1]?.split(" ");
    assert.deepEqual(exits, ["2", "127", "203"]);
    assert.equal(runProgram("env", ["PATH=/nowhere", `${root}dist/cli.js`, "serve"]).status, 127);
  });

  it("would not be accepted with a mistake in it", { skip }, () => {
    const wrong = join(folder, "wrong@8080.service");
    writeFileSync(wrong, substitute(unit, { "/usr/local": folder, "UMask=": "Umask=" }));
    assert.match(runProgram("systemd-analyze", ["verify", wrong]).output, /Umask/);
  });

  it(`exposes the machine to at most ${maxExposure} of 10`, { skip }, () => {
    const threshold = `--threshold=${maxExposure * 10}`;
    const args = ["security", "--offline=yes", "--no-pager", threshold, path];
    const { status, output } = runProgram("systemd-analyze", args);
    assert.match(output, /Overall exposure level for whocrawls@8080\.service: \d/);
    assert.equal(status, 0, output);
  });

  it("lets JavaScript engines compile, and says why", () => {
    assert.doesNotMatch(unit, /^MemoryDenyWriteExecute/m);
    assert.match(unit, /^# Not MemoryDenyWriteExecute=yes: /m);
  });

  it("has a port and a folder for each instance, and writes where it may", () => {
    assert.match(unit, /^Environment=PORT=%i$/m);
    const stateFolder = /^StateDirectory=(.*%i)$/m.exec(unit)?.[1];
    assert.match(unit, new RegExp(`^Environment=WHOCRAWLS_DATA=/var/lib/${stateFolder}$`, "m"));
  });
});
