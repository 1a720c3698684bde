/** Own catalogues in processes; test/golden/cli/catalogue.txt has every command with them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { loadDetector } from "../../src/detect/file/load-detector.ts";
import { app, chat, modifiedDetector, text } from "../support/modified-detector.ts";
import { temporary } from "../support/temporary.ts";
import { runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const folder = temporary();
const own = join(folder, "own.yaml");
writeFileSync(own, "crawlers: [{ name: Acme Monitor, category: monitor, examples: [Acme Monitor/2.1] }]");

for (const [name, runtime] of testedOn())
  it(`a custom catalogue is compiled into a file and used on ${name}`, async () => {
    const compiled = join(folder, `${name}.catalogue`);
    const run = (...args: string[]) => runWhocrawls(runtime, args);
    const { code, stderr } = await run("compile", "--catalogue", own, "-o", compiled);
    assert.equal(code, 0, stderr);
    const { entries, check, expression, catalogue } = loadDetector(readFileSync(compiled));
    assert.equal(entries, detector.entries + 1);
    assert.ok(!readdirSync(folder).some((file) => file.endsWith(".tmp")));
    // The YAML file on one runtime, the file to write on the other: one function opens both for all commands.
    const file = name === "Bun" ? own : compiled;
    const checked = await run("check", "--catalogue", file, "Acme Monitor/2");
    assert.equal(checked.stdout, `${JSON.stringify(check("Acme Monitor/2"))}\n`);
    assert.equal((await runHere(["regexp", "--catalogue", compiled])).stdout, `${expression}\n`);
    const automaton = (await runHere(["export", "automaton", "--catalogue", compiled])).stdout;
    assert.ok(automaton.length > catalogue.deciding.unanchored.length);
  });

it("an automaton that would be too large is refused in words", async () => {
  const rows = Array.from(
    "abcdefghijklmnopqrst",
    (letter) =>
      `{ name: Acme ${letter}, pattern: "${letter}[ -~]{6}${letter}", category: ai, examples: [${letter}123456${letter}] }`,
  );
  const file = join(folder, "large.yaml");
  writeFileSync(file, `crawlers: [${rows.join(", ")}]`);
  const { code, stderr } = await runHere(["export", "automaton", "--catalogue", file]);
  assert.match(stderr, /Your own patterns together take too many states for an automaton \(more than 65535 states\)/);
  assert.equal(code, 2);
});

describe("people of a custom catalogue", () => {
  it("are among the strings of diff, and a form of their word that stays a crawler's is named", async () => {
    const { own: modified } = modifiedDetector();
    const file = join(folder, "modified.yaml");
    writeFileSync(file, text);
    const { stdout, stderr } = await runHere(["diff", "built-in", file]);
    for (const person of [app, chat]) assert.ok(stdout.includes(` -> not a crawler\t${person}\n`), stdout);
    assert.ok(stdout.includes("- ClaudeBot\n"), stdout);
    assert.match(
      stderr,
      /modified\.yaml:3: people: "ZetaBot\/1\.0" is still detected as a crawler by the rule bare name, .*"\^ZetaBot\.\*\$"/,
    );
    const known = new Set([...detector.strings(), ...modified.strings(), app, chat]);
    assert.ok(stderr.includes(` of ${known.size} strings `), `${known.size}: ${stderr}`);
  });
});
