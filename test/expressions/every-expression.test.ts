/** Every expression of src/ and web/ that sees input is proved to take linear time. Timings are in bench/hostile.ts. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { detector } from "../../src/detect/built-in/detector.ts";
import { itemsInPrecedence } from "../../src/export/export-items.ts";
import { familiar } from "../../src/generated/decision.ts";
import { parseDataPattern } from "../../src/pattern/parse-data-pattern.ts";
import { print } from "../../src/pattern/print.ts";
import { findExpressions } from "./find-expressions.ts";
import { refuteAll, type WrittenExpression } from "./prove.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const catalogue = "made of the catalogue's patterns, which are proved below";
const ownText = "reads only text of this package";
const shortText = "reads at most 768 characters (`reach` in src/detect/naming/name-at.ts)";

/** Expressions without a proof, and why they need none: `file expression`, as the code has it. */
const exempt: Readonly<Record<string, string>> = {
  "src/compiler/sources/upstream.ts /^[^A-Za-z0-9]+|[^A-Za-z0-9)!.]+$/g": ownText,
  "src/compiler/sources/upstream.ts new RegExp(": ownText,
  'src/detect/decider.ts new RegExp(familiar, "y")': catalogue,
  'src/scan/run/shared-tables.ts new RegExp(familiar, "y")': catalogue,
  'src/detect/explain.ts new RegExp(members.map(({ candidate }) => candidate.source).join("|"), "is")': catalogue,
  'src/detect/explain.ts new RegExp(/\\$|\\\\S/.test(pattern) ? print(tree()) : pattern, "is")': catalogue,
  "src/detect/identify.ts new RegExp(String(item.match))": catalogue,
  'src/detect/identify.ts new RegExp(match, "y")': catalogue,
  "src/detect/identify.ts new RegExp(part)": catalogue,
  'src/detect/identify.ts new RegExp(`(?:${match})$`, "g")': catalogue,
  'src/detect/overlay/expression-verdicts.ts new RegExp(part().expressions.join("|"))': catalogue,
  "src/detect/overlay/expression-verdicts.ts new RegExp(source)": catalogue,
  'src/detect/overlay/expression-verdicts.ts new RegExp(match === "^" ? source : match, "g")': catalogue,
  "src/detect/naming/name-at.ts /https?:\\/\\/|www\\.|[\\w.-]+@/i": shortText,
  "src/detect/naming/phrases.ts /(?:[-_ ](?:v[. ]{0,2})?|v)?\\d+(?:\\.\\d+)+\\w*$/i": shortText,
  "src/detect/naming/phrases.ts /^[^A-Za-z0-9]+|[^A-Za-z0-9!]+$/g": shortText,
  "src/pattern/split-expression.ts /\\\\.|\\[(?:\\\\.|[^\\]\\\\])*\\]|./gs": ownText,
  "src/export/shorten.ts new RegExp(expression)": catalogue,
  "src/export/target.ts new RegExp(expression)": "is asked about the empty string alone",
  "src/expression.ts new RegExp(part)": catalogue,
  "src/index.ts new RegExp(expression)": catalogue,
  "src/pages/reference/expression-page.ts /(\\[\\^?\\]?(?:\\\\.|[^\\]\\\\])*\\])|(\\\\.)|(\\(\\?:|[()])|([?*+]|\\{\\d*,?\\d*\\})|([\\^$])|(\\|)/g":
    ownText,
  "src/pattern/print.ts new RegExp(print(tree))": catalogue,
  "src/service/regexp.ts new RegExp(text)": catalogue,
};

describe("the expressions of the code", () => {
  const found = globSync("{src,web}/**/*.ts", { cwd: root })
    .filter((path) => !path.startsWith("src/generated/"))
    .sort()
    .flatMap((path) =>
      findExpressions(readFileSync(root + path, "utf8")).map(({ source, flags, text }) => ({
        source,
        flags,
        name: `${path} ${text.split("\n")[0]}`,
      })),
    );
  const known = found.filter((one): one is WrittenExpression & { name: string } => one.source !== undefined);
  const reasons = refuteAll(known);

  it("are found at all", () => assert.ok(known.length > 150, `${known.length}`));

  it("take linear time, by proof", () => {
    const refuted = known.flatMap(({ name }, at) =>
      reasons[at] === undefined || name in exempt ? [] : [`${name}: ${reasons[at]}`],
    );
    assert.deepEqual(refuted, []);
  });

  it("that are known only when the program runs are named here", () => {
    const unknown = found.filter(({ source, name }) => source === undefined && !(name in exempt));
    assert.deepEqual(
      unknown.map(({ name }) => name),
      [],
    );
  });

  it("are exempt only where they have no proof", () => {
    const unproved = new Set(found.filter(({ source }) => source === undefined).map(({ name }) => name));
    known.forEach(({ name }, at) => {
      if (reasons[at] !== undefined) unproved.add(name);
    });
    assert.deepEqual(
      Object.keys(exempt).filter((name) => !unproved.has(name)),
      [],
    );
  });
});

describe("the expressions of the catalogue", () => {
  it("take linear time in each use that the code makes of them", () => {
    const plain = (source: string): WrittenExpression => ({ source, flags: "" });
    const all = [
      { source: familiar, flags: "y" },
      ...detector.alternatives.map(plain),
      ...itemsInPrecedence(detector.catalogue).flatMap(({ match, part, pattern, expression }) => [
        ...[part, expression].filter((source) => source !== undefined).map(plain),
        ...(typeof match === "string" ? [plain(match), plain(`(?:${match})$`)] : []),
        { source: pattern, flags: "is" },
        { source: print(parseDataPattern(pattern, { shorthands: true })), flags: "is" },
      ]),
    ];
    assert.ok(all.length > 5000);
    const reasons = refuteAll(all);
    assert.deepEqual(
      all.filter((_, at) => reasons[at] !== undefined),
      [],
    );
  });
});
