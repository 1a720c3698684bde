/** The file for Python, and what docs/clients.md shows with it, as the language's own tools judge it: ruff for Python 3.8, mypy --strict. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "../cli/command-line.ts";
import { runHere } from "../cli/run-here.ts";
import { noteMissing } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";

const programs = `${root}test/node_modules/.cache/python/bin/`;
const skip = !existsSync(`${programs}ruff`) && noteMissing("ruff and mypy, which .ci/run installs");
const rules = "B,C4,E,F,I,PIE,RET,RUF,SIM,UP,W";

const template = `${root}src/export/standalone/whocrawls.py`;
const middleware = ["wsgi.py", "asgi.py"].map((name) => `${root}docs/clients/middleware/${name}`);
const caller = "from whocrawls import check, is_crawler\n\nprint(is_crawler(b''), (check(None).name or '').lower())\n";

describe("the file for Python", { skip }, () => {
  const place = temporary();
  const file = join(place, "whocrawls.py");

  const judge = (program: string, options: string, files: readonly string[]): string => {
    const args = [...options.split(" "), ...files];
    const { stdout, stderr } = spawnSync(`${programs}${program}`, args, { cwd: place, encoding: "utf8" });
    return stdout + stderr;
  };
  const ruff = (options: string, files: readonly string[]): string =>
    judge("ruff", `${options} --isolated --no-cache --target-version py38`, files);

  it("is formatted and clean, with its data, too", async () => {
    writeFileSync(file, (await runHere(["export", "python"])).stdout);
    const sources = [template, ...middleware];
    assert.equal(ruff("format --check --line-length 120", sources), "3 files already formatted\n");
    assert.equal(ruff(`check --select ${rules} --line-length 140`, sources), "All checks passed!\n");
    // Familiar beginnings are one line.
    assert.equal(ruff(`check --select ${rules} --ignore E501`, [file]), "All checks passed!\n");
  });

  it("has types, which callers see", () => {
    const types = (name: string, text: string): string => {
      writeFileSync(join(place, name), text);
      return judge("mypy", "--strict --no-error-summary --cache-dir cache", [name, "whocrawls.py"]);
    };
    assert.equal(types("caller.py", caller), "");
    assert.match(
      types("wrong.py", `${caller}is_crawler(1)\ncheck("").name.lower()\n`),
      /:4: .* "int";.*\n.*:5: .* "None"/s,
    );
  });
});
