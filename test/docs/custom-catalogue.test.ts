/** docs/custom-catalogue.md: its catalogue compiles, and its programs print what they are for. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { root, testedOn } from "../cli/command-line.ts";
import { customDetector } from "../compiler/custom/custom-detector.ts";
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
    const { items, rules } = customDetector(text).own.catalogue;
    const namesIn = (list: readonly { readonly name?: string }[]) => new Set(list.map(({ name }) => name));
    const gone = [...namesIn([...detector.catalogue.items, ...detector.catalogue.rules])];
    assert.deepEqual(
      gone.filter((name) => !namesIn([...items, ...rules]).has(name)),
      ["curl", "bare name"],
    );
    const { pattern, why } = rules.find(({ name }) => name === "bot")!.except.at(-1)!;
    assert.deepEqual([pattern, why], ["AcmeBot", "our chat app"]);
  });

  writeFileSync(join(folder, "own.yaml"), text);
  for (const [name, runtime] of testedOn())
    for (const [index, program] of blocks("js").entries())
      it(`has program ${index + 1}, which names the crawler on ${name}`, () => {
        writeFileSync(join(folder, "program.js"), program);
        const { stdout, stderr } = spawnSync(runtime, ["program.js"], { cwd: folder, encoding: "utf8" });
        assert.equal(stdout, "Acme Monitor\n", stderr);
      });
});
