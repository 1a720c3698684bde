/** docs/custom-catalogue.md: its catalogue compiles, and its programs print what they are for. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { planCustom } from "../../src/compiler/custom/compile-custom.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { root, testedOn } from "../cli/command-line.ts";
import { readDocument } from "../support/document.ts";
import { temporary } from "../support/temporary.ts";

const page = readDocument("docs/custom-catalogue.md");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map((match) => match[1] as string);

const folder = temporary();
mkdirSync(join(folder, "node_modules"));
symlinkSync(root, join(folder, "node_modules/whocrawls"));
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
const [text = ""] = blocks("yaml");

describe("docs/custom-catalogue.md", () => {
  it("has a custom catalogue with every part", () => {
    const { modification } = planCustom([{ path: "own.yaml", text }], detector.catalogue);
    const except = [{ rule: "bot", words: ["AcmeBot"], why: "our chat app" }];
    assert.deepEqual(modification, { remove: ["curl"], rulesOff: ["bare name"], except });
  });

  // Without the parts for which the whole catalogue is compiled; test/catalogue does that.
  writeFileSync(join(folder, "own.yaml"), text.replace(/^remove:[\s\S]*(?=^verification:)/m, ""));
  for (const [name, runtime] of testedOn())
    for (const [index, program] of blocks("js").entries())
      it(`has program ${index + 1}, which names the crawler on ${name}`, () => {
        writeFileSync(join(folder, "program.js"), program);
        const { stdout, stderr } = spawnSync(runtime, ["program.js"], { cwd: folder, encoding: "utf8" });
        assert.equal(stdout, "Acme Monitor\n", stderr);
      });
});
