/**
 * Every regular expression of src/ and web/ is proved to take linear time by the package `recheck`, or the line above it is a
 * comment `// linear: REASON` that says why it needs no proof. test/engines/linear-time.test.ts proves the expressions of the catalogue.
 */
import assert from "node:assert/strict";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { check } from "recheck";
import { findExpressions } from "./find-expressions.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Why an expression is not proved to be linear; undefined if it is. A search for slow strings proves nothing. */
async function refute(source: string, flags: string): Promise<string | undefined> {
  const result = await check(source, flags, { timeout: null, maxRepeatCount: 1000 });
  if (result.status === "unknown") return result.error.kind;
  return result.status === "safe" && result.checker === "automaton" ? undefined : result.complexity.summary;
}

/** What was proved before: everything again takes half a minute of CPU, which only `--all` does. */
const memory = `${root}test/node_modules/.cache/linear-expressions.json`;
const isRemembered = process.env.TEST_ONE_RUNTIME !== undefined && existsSync(memory);
const proved = new Set<string>(isRemembered ? JSON.parse(readFileSync(memory, "utf8")) : []);

describe("the expressions of the code", () => {
  const paths = globSync("{src,web}/**/*.ts", { cwd: root }).filter((path) => !path.startsWith("src/generated/"));
  const files = paths.map((path) => {
    const code = readFileSync(root + path, "utf8");
    // Found expressions have no types.
    const lines = code.replaceAll(/ as \w+/g, "").split("\n");
    const exempt = lines.filter((_, at) => /^ *\/\/ linear: \S/.test(lines[at - 1] ?? ""));
    return {
      path,
      exempt,
      expressions: findExpressions(code).map((found) => ({ ...found, first: firstLine(found.text) })),
    };
  });

  // Half a minute of CPU where recheck has no native program, such as Linux on arm64 without Java.
  it("take linear time, or have a reason beside them", async () => {
    const others = files.flatMap(({ path, exempt, expressions }) =>
      expressions
        .filter(({ first }) => !exempt.some((line) => line.includes(first)))
        .map(({ source, flags, first }) => ({ name: `${path} ${first}`, source, flags })),
    );
    assert.ok(others.length > 150, `${others.length}`);
    const refuted: string[] = [];
    for (const { name, source, flags } of others) {
      const key = `${flags} ${source}`;
      if (source !== undefined && proved.has(key)) continue;
      const reason = source === undefined ? "known only when the program runs" : await refute(source, flags);
      if (reason !== undefined)
        refuted.push(`${name}: ${reason}; // linear: REASON above it says why that does no harm`);
      else proved.add(key);
    }
    mkdirSync(dirname(memory), { recursive: true });
    writeFileSync(memory, JSON.stringify([...proved]));
    assert.deepEqual(refuted, []);
  });

  it("have no reason without an expression", () => {
    const stray = files.flatMap(({ path, exempt, expressions }) =>
      exempt.filter((line) => !expressions.some(({ first }) => line.includes(first))).map((line) => `${path} ${line}`),
    );
    assert.deepEqual(stray, []);
  });
});

function firstLine(text: string): string {
  return text.split("\n")[0] as string;
}

describe("the proof", () => {
  for (const [source, reason] of [
    ["\\s+$", "2nd degree polynomial"],
    ["^(?:a|ab?b?)*x", "exponential"],
    ["^\\S+ (?!- )", "safe (fuzz)"],
  ] as const)
    it(`refuses ${source}`, async () => assert.equal(await refute(source, ""), reason));
});

describe("expressions are found", () => {
  it("as literals, in calls, and from constants", () => {
    const code = `
      // /comment/ and "/string/"
      const part = "b+", literal = /d/i;
      const half: number = (4 as number) / 2 / 1;
      text.replace(/a[/]+/gu, "").split(/,/);
      new RegExp("c\\\\d"); RegExp(\`^\${part}c\`, "y"); new RegExp(String.raw\`\\s\` + part); new RegExp(literal, "g");
      new RegExp(unknown); new RegExp("e", flags);`;
    assert.deepEqual(
      findExpressions(code).map(({ source, flags }) => `${source} ${flags}`.trim()),
      ["d i", "a[/]+ gu", ",", "c\\d", "^b+c y", "\\sb+", "d g", "undefined", "undefined"],
    );
  });
});
