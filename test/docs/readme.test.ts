/**
 * The README is correct: its console examples are run against a running service and must print what they show.
 * UPDATE_DOCS=1 writes what they print into it.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { escapeLiteral } from "../../src/pattern/parse.ts";
import { toBanner } from "../../src/server/banner.ts";
import { root, runtimes } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../server/service-process.ts";
import { assertDocumentHas, readDocument } from "../support/document.ts";

const readme = readDocument("README.md");
const missing = ["bash", "curl", "grep"].filter((program) => spawnSync(program, ["--version"]).status !== 0);

interface Example {
  readonly command: string;
  readonly output: string;
}

/** A block is commands, each after `$ `, continued where a line ends with a backslash or a pipe, and what each prints. */
function parseBlock(block: string): Example[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [, command, output] = /^((?:.*[\\|]\n)*.*)\n?([\s\S]*)$/.exec(text) as unknown as [string, string, string];
      return { command, output };
    });
}

describe("README.md", () => {
  let service: ServiceProcess;

  before(async () => {
    service = await startService(runtimes.Bun);
  });

  after(async () => {
    service.child.kill("SIGTERM");
    await service.ended;
  });

  const blocks = [...readme.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map((match) => match[1] as string);
  const examples = blocks.flatMap(parseBlock);

  it("has examples", () => assert.ok(examples.length >= 8));

  for (const { command, output } of examples) {
    it(`shows what it prints: ${command.slice(0, 60)}`, { skip: missing.length > 0 && `no ${missing}` }, () => {
      // Without npx, which takes half a second to start the same program: test/package/package.test.ts runs it.
      const whocrawls = `"${runtimes.Node}" "${root}dist/cli.js"`;
      const actual = command
        .replaceAll("http://localhost:8080", service.url)
        .replaceAll(/(^|\| *)npx whocrawls/gm, (_, before) => `${before}${whocrawls}`);
      assert.ok(!actual.includes("npx"), actual);
      const { stdout, stderr } = spawnSync("bash", ["-c", actual], { cwd: root, encoding: "utf8" });
      const printed = stdout === "" || stdout.endsWith("\n") ? stdout : `${stdout}\n`;
      assert.ok(printed !== "", stderr);
      assertDocumentHas(
        "README.md",
        new RegExp(`(?<=^\\$ ${escapeLiteral(command)}\\n)${escapeLiteral(output)}`, "m"),
        printed,
      );
    });
  }

  it("shows the first line that the service prints by default, whatever the numbers", () => {
    const shown = /^whocrawls listens on .*$/m.exec(readme)?.[0] ?? "";
    const withoutNumbers = (line: string) => line.replace(/\d+(?:[.,]\d+)*/g, "N");
    const defaults = { record: undefined, dataFolder: ".whocrawls", listEvaluated: "all", tokens: [] } as const;
    assert.equal(withoutNumbers(shown), withoutNumbers(toBanner(detector, { url: "http://localhost:8080" }, defaults)));
    // This one was started without a record.
    const start = (line: string) => withoutNumbers(line.slice(0, line.lastIndexOf(";")));
    assert.equal(start(shown), start(service.firstLine));
  });

  it("shows what the library answers", () => {
    const code = /^```js\n([\s\S]*?)^```$/m.exec(readme)?.[1] as string;
    const expected = [...code.matchAll(/; \/\/ (.*)$/gm)].map((match) => match[1]).join("\n");
    const { stdout } = spawnSync(runtimes.Node, ["--input-type=module", "-e", code], { cwd: root, encoding: "utf8" });
    assert.equal(stdout.trimEnd(), expected);
  });

  it("names files that exist", () => {
    for (const [, name] of readme.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)) {
      assert.ok(existsSync(join(root, name as string)), name);
    }
  });
});
