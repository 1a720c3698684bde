/**
 * Every regular expression of src/ and web/ is proved to take linear time by the package `recheck`, or named here with the
 * reason why it needs no proof. test/engines/linear-time.test.ts proves the expressions of the catalogue.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { check } from "recheck";
import { findExpressions } from "./find-expressions.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const catalogue = "consists of the catalogue's patterns";
const ownText = "reads only text of this package";
const shortText = "reads at most 768 characters (`reach` in src/detect/naming/name-at.ts)";
const separated = "each repeat ends at a character that the repeat does not match; too large for recheck's automaton";

/** Expressions without a proof, and why they need none: `file expression`, as the code has it. */
const exempt: Readonly<Record<string, string>> = {
  "upstream.ts /^[^A-Za-z0-9]+|[^A-Za-z0-9)!.]+$/g": ownText,
  'decider.ts new RegExp(familiar, "y")': catalogue,
  'shared-tables.ts new RegExp(familiar, "y")': catalogue,
  'explain.ts new RegExp(members.map(({ candidate }) => candidate.source).join("|"), "is")': catalogue,
  'explain.ts new RegExp(/\\$|\\\\S/.test(pattern) ? print(tree()) : pattern, "is")': catalogue,
  "identify.ts new RegExp(String(item.match))": catalogue,
  'identify.ts new RegExp(match, "y")': catalogue,
  "identify.ts new RegExp(part)": catalogue,
  'identify.ts new RegExp(`(?:${match})$`, "g")': catalogue,
  'expression-verdicts.ts new RegExp(part().expressions.join("|"))': catalogue,
  "expression-verdicts.ts new RegExp(source)": catalogue,
  'expression-verdicts.ts new RegExp(match === "^" ? source : match, "g")': catalogue,
  "name-at.ts /https?:\\/\\/|www\\.|[\\w.-]+@/i": shortText,
  "phrases.ts /(?:[-_ ](?:v[. ]{0,2})?|v)?\\d+(?:\\.\\d+)+\\w*$/i": shortText,
  "phrases.ts /^[^A-Za-z0-9]+|[^A-Za-z0-9!]+$/g": shortText,
  "shorten.ts new RegExp(expression)": catalogue,
  "check-catalogue.ts new RegExp(value)": "is made to see whether it can be, and not used",
  "target.ts new RegExp(expression)": "is asked about the empty string alone",
  "expression.ts new RegExp(part)": catalogue,
  "index.ts new RegExp(expression)": catalogue,
  "expression-page.ts /(\\[\\^?\\]?(?:\\\\.|[^\\]\\\\])*\\])|(\\\\.)|(\\(\\?:|[()])|([?*+]|\\{\\d*,?\\d*\\})|([\\^$])|(\\|)/g":
    ownText,
  "print.ts new RegExp(print(tree))": catalogue,
  "regexp.ts new RegExp(text)": catalogue,
  'check.ts /\\[\\d{1,2}\\/[A-Z][a-z]{2}\\/\\d{4}:\\d{2}|"(?:GET|HEAD|POST|PUT|OPTIONS) [^"]* HTTP\\/\\d|^\\{"[^"]+":/':
    separated,
  "aws.ts /^\\S+ \\S+ \\[[^\\]]*\\] \\S+ \\S+ \\S+ [A-Z0-9]+\\.[A-Z0-9_.]+ /": separated,
  "haproxy.ts /^\\S+ \\[\\d\\d\\/[A-Z][a-z]{2}\\/\\d{4}:\\d\\d:\\d\\d:\\d\\d\\.\\d{3}\\] (?:\\S+ ){10}/": separated,
  "envelope.ts new RegExp(": separated,
  "clf.ts /^\\S+ (?!- )/": "one repeat behind `^`; recheck cannot prove expressions with a lookahead",
  "parse-ranges.ts /(?<![\\w.:])(?:[\\d.]{7,15}|(?=[\\da-f]{0,4}:)[\\da-f:]{2,39})\\/\\d{1,3}(?![\\w./])/gi":
    "reads at most 43 characters from each place; recheck cannot prove expressions with a lookahead",
};

/** Why an expression is not proved to be linear; undefined if it is. A timeout and a search for slow strings prove nothing. */
async function refute(source: string, flags: string): Promise<string | undefined> {
  const result = await check(source, flags, { timeout: 60_000, maxRepeatCount: 1000 });
  if (result.status === "unknown") return result.error.kind;
  return result.status === "safe" && result.checker === "automaton" ? undefined : result.complexity.summary;
}

describe("the expressions of the code", () => {
  const found = globSync("{src,web}/**/*.ts", { cwd: root })
    .filter((path) => !path.startsWith("src/generated/"))
    .flatMap((path) =>
      findExpressions(readFileSync(root + path, "utf8")).map(({ source, flags, text }) => ({
        source,
        flags,
        name: `${basename(path)} ${text.split("\n")[0]}`,
      })),
    );

  // Half a minute of CPU where recheck has no native program, such as Linux on arm64 without Java.
  it("take linear time, or have a reason here", { timeout: 200_000 }, async () => {
    const others = found.filter(({ name }) => !(name in exempt));
    assert.ok(others.length > 150, `${others.length}`);
    const refuted: string[] = [];
    for (const { name, source, flags } of others) {
      const reason = source === undefined ? "known only when the program runs" : await refute(source, flags);
      if (reason !== undefined) refuted.push(`${name}: ${reason}`);
    }
    assert.deepEqual(refuted, []);
  });

  it("have no reason here without an expression", () => {
    const names = new Set(found.map(({ name }) => name));
    assert.deepEqual(
      Object.keys(exempt).filter((name) => !names.has(name)),
      [],
    );
  });
});

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
