/** The bound of backtracking is never too low: it is compared with the runs counted one by one, on random patterns and texts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { detector } from "../../src/detect/built-in/detector.ts";
import { asEnginesRead, backtrackingSteps } from "../../src/pattern/backtracking.ts";
import { has } from "../../src/pattern/charset.ts";
import { type Nfa, toNfa } from "../../src/pattern/nfa.ts";
import { parsePattern } from "../../src/pattern/parse.ts";
import { parseDataPattern } from "../../src/pattern/parse-data-pattern.ts";
import { repeatProblem } from "../../src/pattern/repeats.ts";
import { isNullable } from "../../src/pattern/tree.ts";

/** The runs on the beginnings of a text, as an engine that fails at its end has tried them. */
function countRuns({ sets, follow, first }: Nfa, text: string): number {
  let positions = [...first];
  let steps = 0;
  for (const character of text) {
    const read = positions.filter((position) => has(sets[position]!, character.charCodeAt(0)));
    steps += read.length;
    positions = read.flatMap((position) => follow[position]!);
  }
  return steps;
}

const pattern: fc.Arbitrary<string> = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("a", "b", "[ab]", "[bc]"),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => one + other),
    fc.tuple(tie("pattern"), tie("pattern")).map(([one, other]) => `(?:${one}|${other})`),
    fc
      .tuple(tie("pattern"), fc.constantFrom("?", "{1,3}", "{0,4}", "{2,5}"))
      .map(([item, times]) => `(?:${item})${times}`),
  ),
})).pattern;

describe("backtrackingSteps", () => {
  it("is never less than the steps on a text", () => {
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 }), (source, text) => {
        const tree = parsePattern(source);
        fc.pre(!isNullable(tree));
        const nfa = toNfa([asEnginesRead(tree)]);
        fc.pre(nfa.sets.length < 300);
        assert.ok(backtrackingSteps(tree, 1e9) >= countRuns(nfa, text), source);
      }),
      { numRuns: 500 },
    );
  });

  for (const [source, isRefused] of [
    ["(?:[a-z]{1,9}-?){1,9}Acme9", true],
    ["[a-z]{1,20}[a-z0-9]{1,20}[a-z-]{1,20}Bot9/", true],
    ["[a-z]{1,40}[a-z0-9]{1,40}Bot", true],
    [".{0,99}.{0,99}x", true],
    ["(?:a?){20}b", true],
    ["(?:a|a){9}b", false],
    ["(?:ab?|a){9}c", true],
    [".{0,99}x", false],
    ["[A-Za-z]{1,30} ?[0-9.]{1,10}", false],
    ["^Mozilla.*Acme", false],
    ["^(?:[a-z]{1,9}-?){1,9}Acme9", true],
    ["[0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}", false],
  ] as const)
    it(`${isRefused ? "refuses" : "accepts"} ${source}`, () => {
      const problem = repeatProblem(parseDataPattern(source));
      if (isRefused) assert.match(problem ?? "", /in too many ways/);
      else assert.equal(problem, undefined);
    });

  it("lets through what engines read quickly: a refused pattern is slow, an accepted one is not", () => {
    // Counted in steps of the automaton, not in seconds.
    const nested = toNfa([asEnginesRead(parseDataPattern("(?:[a-z]{1,9}-?){1,9}Acme9"))]);
    assert.ok(countRuns(nested, "a".repeat(14)) > 5_000);
    const text = "abcdefgh-".repeat(20);
    for (const { pattern } of detector.catalogue.items.slice(0, 500))
      assert.ok(countRuns(toNfa([asEnginesRead(parseDataPattern(pattern))]), text) <= 500, pattern);
  });
});
