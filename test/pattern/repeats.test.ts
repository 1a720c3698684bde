/** The rule for repeats: it refuses what is slow by proof, and accepts the catalogue's patterns. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toNfa } from "../../src/pattern/nfa.ts";
import { parseDataPattern, parsePattern } from "../../src/pattern/parse.ts";
import { repeatProblem } from "../../src/pattern/repeats.ts";
import { isNullable } from "../../src/pattern/tree.ts";
import { asEnginesRead, countRuns } from "../support/backtracking.ts";
import { isLinear } from "../support/linear.ts";

const accepted = [
  ...[".{0,99}x", "(?:a|a){9}b", "[A-Za-z]{1,30} ?[0-9.]{1,10}", "[0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}"],
  ...["x[0-9]+y", "x[0-9.]+; y", "/[0-9]+; *x", "Bot/[0-9.]+; x", "x[0-9]{2,};", "bot$", "(?:^|x)[0-9]+y"],
  ...["^Mozilla.*Acme", "^[a-z]+y", "^[a-z]+(?:-[a-z]+){0,9}/1", "^bot [!-~]*$", "Acme [^ ]+ x"],
];
const slow = [
  ...["(?:[a-z]{1,9}-?){1,9}Acme9", "[a-z]{1,20}[a-z0-9]{1,20}[a-z-]{1,20}Bot9/", "[a-z]{1,40}[a-z0-9]{1,40}Bot"],
  ...[".{0,99}.{0,99}x", "(?:a?){20}b", "(?:ab?|a){9}c", "^(?:[a-z]{1,9}-?){1,9}Acme9", "[0-9]+x", "x[a-z]+y"],
  ...[
    "x.*y",
    "b{2,}c",
    " $",
    "x[0-9]+[0-9.]*y",
    "^.*x.*y",
    "^[a-z ]+$",
    "x ?$",
    "x/[0-9.]+[.]y",
    `a${"b?".repeat(20)}c`,
  ],
];
const pattern: fc.Arbitrary<string> = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("a", "b", "[ab]", "[bc]", "a+", "[ab]*", "[^a]{2,}", "[bc]{0,9}"),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => one + other),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(?:${one}|${other})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("?", "{1,3}", "{0,4}", "{2,5}"))
      .map(([item, times]) => `(?:${item})${times}`),
  ),
})).pattern;

const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "x"), maxLength: 40 });

describe("repeatProblem", () => {
  for (const source of accepted)
    it(`accepts ${source}`, () => assert.equal(repeatProblem(parseDataPattern(source)), undefined));
  for (const source of slow)
    it(`refuses ${source}`, () => assert.match(repeatProblem(parseDataPattern(source)) ?? "", /in too many ways/));
  it("refuses a group without bound", () =>
    assert.match(repeatProblem(parseDataPattern("^(?:ab)*c")) ?? "", /must repeat one character, not a group/));

  it("accepts the patterns of all entries", () => {
    for (const { name, pattern } of detector.catalogue.items)
      if (name !== undefined)
        assert.equal(repeatProblem(parseDataPattern(pattern, { shorthands: true })), undefined, pattern);
  });

  it("accepts nothing that is slow by proof", () => {
    let count = 0;
    fc.assert(
      fc.property(fc.constantFrom("", "x"), pattern, text, (begin, source, text) => {
        const tree = parsePattern(begin + source);
        fc.pre(!isNullable(tree) && repeatProblem(tree) === undefined);
        count++;
        assert.ok(isLinear(tree), begin + source);
        if (!/[+*]|,\}/.test(source)) assert.ok(countRuns(toNfa(asEnginesRead(tree)), text) <= 500, begin + source);
      }),
      { numRuns: 3_000 },
    );
    assert.ok(count > 500, `${count}`);
  });
});
