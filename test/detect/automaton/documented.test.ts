/** docs/automaton.md: its Python program gives the library's verdicts, and its example is what is written. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { encodeTable } from "../../../src/compiler/automaton/encode-table.ts";
import { detector } from "../../../src/detect/built-in/detector.ts";
import { exportAutomaton } from "../../../src/export/targets/automaton.ts";
import { parsePattern } from "../../../src/pattern/parse.ts";
import { decisionOf } from "../../support/automata.ts";
import { needs } from "../../support/needs.ts";
import { readCorpora } from "../../support/remembered.ts";
import { someOf } from "../../support/some-strings.ts";
import { temporary } from "../../support/temporary.ts";

const page = readFileSync(new URL("../../../docs/automaton.md", import.meta.url), "utf8");
const folder = temporary();

function block(language: string): string {
  const found = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1];
  assert(found, `the page has a block of ${language}`);
  return found;
}

describe("docs/automaton.md", () => {
  it("shows a program in Python that gives the verdicts of the library", { skip: needs("python3") }, () => {
    writeFileSync(join(folder, "crawlers.py"), block("python"));
    writeFileSync(join(folder, "crawlers.automaton"), exportAutomaton(detector.catalogue.deciding));
    const strings = [
      ...someOf([...detector.strings(), ...readCorpora().flatMap((corpus) => corpus.strings)], 3_000),
      "caf\u00e9 \u{1f916} bot",
    ];
    const lines = strings.filter((text) => !/[\r\n]/.test(text));
    const { stdout, stderr, error } = spawnSync(
      "python3",
      [join(folder, "crawlers.py"), join(folder, "crawlers.automaton")],
      { input: lines.map((line) => `${line}\n`).join(""), encoding: "utf8", maxBuffer: 1 << 24 },
    );
    if (error) throw error;
    assert.equal(stderr, "");
    const answers = stdout.trim().split("\n");
    assert.equal(answers.length, lines.length);
    const wrong = lines.filter((line, i) => answers[i] !== (detector.isCrawler(line) ? "crawler" : "person"));
    assert.deepEqual(wrong, []);
  });

  it("shows a whole automaton as it is written", () => {
    const documented = block("hex")
      .split("\n")
      .flatMap((line) => /^(?:[0-9a-f]{2}(?: ×\d+)?(?: |$))+/.exec(line)?.[0].trim() ?? [])
      .join(" ")
      .replace(/([0-9a-f]{2}) ×(\d+)/g, (_, byte: string, times: string) => Array(Number(times)).fill(byte).join(" "));
    const written = Buffer.from(encodeTable(decisionOf(parsePattern("42")))).toString("hex");
    assert.equal(documented.replaceAll(" ", ""), written);
  });
});
