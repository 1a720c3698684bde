/** Own catalogues on the command line: every command follows, compiles little, and says what is wrong. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { loadDetector } from "../../src/detect/file/load-detector.ts";
import { app, chat, modifiedDetector, text } from "../support/modified-detector.ts";
import { runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-own-"));
process.env.XDG_CACHE_HOME = folder;
after(() => {
  delete process.env.XDG_CACHE_HOME;
  rmSync(folder, { recursive: true });
});

const own = join(folder, "own.yaml");
writeFileSync(
  own,
  `crawlers:
  - { name: Acme Monitor, pattern: "AcmeMonitor/", category: monitor, operator: Acme, robots: acmemon, examples: ["AcmeMonitor/2.1"] }
change:
  - { name: GPTBot, category: seo }
`,
);
const compiled = join(folder, "acme.catalogue");
const line = (useragent: string): string => `${JSON.stringify(own2.check(useragent))}\n`;
let own2 = detector;
const useragent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0 AcmeMonitor/2";
const before = detector.check(useragent);
const described = before.crawler ? `${before.name} (${before.category})` : "not a crawler";

const noSizes = "whocrawls scan: The log has no sizes of answers, so there are no figures of bytes.\n";

for (const [name, runtime] of testedOn()) {
  const run = (...args: string[]) => runWhocrawls(runtime, args, `${useragent}\n`);
  const here = (...args: string[]) => runHere(args, `${useragent}\n`);

  describe(`an own catalogue on ${name}`, () => {
    it("is compiled into a file", async () => {
      const { code, stderr } = await run("compile", "--catalogue", own, "-o", compiled);
      assert.equal(code, 0, stderr);
      own2 = loadDetector(readFileSync(compiled));
      assert.match(stderr, new RegExp(`${own2.entries} crawlers, version .*\\.own\\.[0-9a-f]{8}, \\d+ bytes`));
      assert.equal(own2.entries, detector.entries + 1);
      assert(!readdirSync(folder).some((file) => file.endsWith(".tmp")));
    });

    // The YAML file on one runtime, the compiled file on the other: one function opens both for all commands.
    const file = name === "Bun" ? own : compiled;
    const given = ["--catalogue", file];
    it(`is used by every command: ${file.slice(folder.length + 1)}`, async () => {
      const outputs = await Promise.all([
        run("check", ...given, useragent, "GPTBot/1.0"),
        here("check", ...given, "-"),
        here("check", ...given, "--explain", useragent),
        here("regexp", ...given, useragent),
        here("regexp", ...given),
        here("list", ...given, "--q", "acmemonitor"),
        here("export", "robots.txt", ...given, "--name", "Acme Monitor"),
        here("export", "automaton", ...given),
        here("scan", ...given, "--log-format", "plain", "--only", "crawlers", "-"),
        here("scan", ...given, "--log-format", "plain", "--format", "json", "-"),
      ]);
      assert.deepEqual(
        outputs.map(({ code, stderr }) => [code, stderr]),
        outputs.map((_, at) => [0, at === outputs.length - 1 ? noSizes : ""]),
      );
      const [check, input, explain, alternatives, expression, list, robots, automaton, only, scan] = outputs.map(
        ({ stdout }) => stdout,
      ) as string[];
      assert.equal(check, line(useragent) + line("GPTBot/1.0"));
      assert.equal(input, line(useragent));
      assert.match(
        explain!,
        /A crawler: Acme Monitor, of Acme, monitor\.[\s\S]*entry Acme Monitor, AcmeMonitor\/: decides/,
      );
      assert.match(alternatives!, /^[Aa[\]]+cme/);
      assert.equal(expression, `${own2.expression}\n`);
      assert.equal(list, "AcmeMonitor/2.1\n");
      assert.match(robots!, /User-agent: acmemon\n/);
      assert(automaton!.length > detector.catalogue.deciding.unanchored.length);
      assert.equal(only, `${useragent}\n`);
      assert.match(scan!, /"name": "Acme Monitor"/);
    });

    it("is compared with another", async () => {
      const strings = join(folder, "strings.txt");
      writeFileSync(strings, `${useragent}\nGPTBot/1.0\ncurl/8.5.0\n`);
      const { stdout, stderr } = await here("diff", "built-in", own, "--strings", strings);
      assert.equal(
        stdout,
        `+ Acme Monitor\n~ GPTBot: category\n${described} -> Acme Monitor (monitor)\t${useragent}\nGPTBot (ai) -> GPTBot (seo)\tGPTBot/1.0\n`,
      );
      assert.match(stderr, /1 crawler added, 0 removed, 1 changed; 2 of 3 strings get another verdict/);
      assert.deepEqual((await here("diff", compiled, own)).stdout, "");
    });
  });
}

describe("people of an own catalogue", () => {
  it("are among the strings of diff, and a form of their word that stays a crawler's is named", async () => {
    const { own: modified } = await modifiedDetector();
    // Compiled already, unless the file runs alone.
    const cache = process.env.TEST_CATALOGUES ?? mkdtempSync(join(folder, "cache-"));
    const file = join(cache, "own.yaml");
    if (!existsSync(file)) writeFileSync(file, text);
    const { stdout, stderr } = await runHere(["diff", "built-in", file], "", { XDG_CACHE_HOME: cache });
    for (const person of [app, chat]) assert.ok(stdout.includes(` -> not a crawler\t${person}\n`), stdout);
    assert.ok(stdout.includes("- ClaudeBot\n"), stdout);
    assert.match(
      stderr,
      /own\.yaml:3: people: "ZetaBot\/1\.0" is still a crawler's by the rule bare name, .*"\^ZetaBot\.\*\$"/,
    );
    const known = new Set([...detector.strings(), ...modified.strings(), app, chat]);
    assert.ok(stderr.includes(` of ${known.size} strings `), `${known.size}: ${stderr}`);
  });
});

it("a file that cannot be written is an error", async () => {
  const { code, stderr } = await runHere(["compile", "--catalogue", own, "-o", join(folder, "none", "x")]);
  assert.equal(code, 2);
  assert.match(stderr, /cannot be written: ENOENT/);
});
