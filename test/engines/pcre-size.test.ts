/** The limits in characters of build/check-data.ts and of custom catalogues keep expressions below the 64 KiB of PCRE2. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { customDetector } from "../compiler/custom/custom-detector.ts";
import { needs } from "../support/needs.ts";
import { run } from "./engine.ts";

const { expression } = detector;

/** The bytes of the compiled expression; NaN if it is too large. */
function compiledBytes(pattern: string): number {
  const out = run(["pcre2test", "-q"], `/${Buffer.from(pattern).toString("hex")}/hex,memory\n`);
  return Number(/code space\): (\d+)$/m.exec(out)?.[1]);
}

describe("PCRE2 compiles", () => {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-pcre-"));
  after(() => rmSync(folder, { recursive: true }));

  it("the built-in expression to at most 62,000 bytes", { skip: needs("pcre2test") }, () => {
    const bytes = compiledBytes(expression);
    assert(bytes <= 62_000, `${bytes} bytes`);
    assert(Number.isNaN(compiledBytes(`${expression}|${expression}`)));
  });

  it("expressions with custom entries, if no warning says that they are too long", { skip: needs("pcre2test") }, () => {
    // Names that share little, because common beginnings take up no space.
    const rows = Array.from({ length: 1_000 }, (_, i) => {
      const name = `${(((i + 1) * 2654435761) % 2 ** 32).toString(36)}Watch`;
      return `  - { name: ${name}, pattern: "${name}/", category: monitor, examples: [${name}/1.0] }\n`;
    });
    const lay = (count: number) => customDetector(`crawlers:\n${rows.slice(0, count).join("")}`);
    // By the length that each has taken so far, and then one by one: every catalogue takes a third of a second.
    let count = 200;
    let fitting = lay(count);
    for (let more = 1; more !== 0; ) {
      const { length } = fitting.own.expression;
      more = Math.trunc(((31_000 - length) * count) / (length - expression.length));
      count += more;
      if (more !== 0) fitting = lay(count);
    }
    let next = lay(count + 1);
    for (const end = count + 10; count < end && next.warnings.length === 0; )
      [fitting, next] = [next, lay(++count + 1)];
    assert.deepEqual(fitting.warnings, []);
    const { length } = fitting.own.expression;
    assert(length > 30_900, `${length} characters`);
    const bytes = compiledBytes(fitting.own.expression);
    assert(bytes < 65_536, `${bytes} bytes`);
    assert.match(next.warnings.join(), /^The expression has 31,?0\d\d characters; .*grep -P, PHP, nginx and Apache/);
  });

  it("the built-in expression in grep -P and in PHP", { skip: needs("grep", "php") }, () => {
    const file = join(folder, "expression");
    writeFileSync(file, `${expression}\n`);
    const lines = ["GPTBot/1.2", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"];
    assert.equal(run(["grep", "-P", "-f", file], `${lines.join("\n")}\n`), `${lines[0]}\n`);
    const code = `$pattern = "\\x01" . rtrim(file_get_contents($argv[1]), "\\n") . "\\x01";
foreach (array_slice($argv, 2) as $line) echo var_export(preg_match($pattern, $line), true), "\\n";`;
    const { stdout, stderr } = spawnSync("php", ["-r", code, "--", file, ...lines], { encoding: "utf8" });
    assert.deepEqual([stdout, stderr], ["1\n0\n", ""]);
  });
});
