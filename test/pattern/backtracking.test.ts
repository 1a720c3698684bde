/** The bound of backtracking is never too low: it is compared with the runs counted one by one, on random patterns and texts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toNfa } from "../../src/pattern/nfa.ts";
import { parseDataPattern, parsePattern } from "../../src/pattern/parse.ts";
import { isNullable } from "../../src/pattern/tree.ts";
import { asEnginesRead, backtrackingSteps, countRuns } from "../support/backtracking.ts";

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
        const nfa = toNfa(asEnginesRead(tree));
        fc.pre(nfa.sets.length < 300);
        assert.ok(backtrackingSteps(tree, 1e9) >= countRuns(nfa, text), source);
      }),
      { numRuns: 500 },
    );
  });

  it("lets through what engines read quickly: a refused pattern is slow, an accepted one is not", () => {
    // Counted in steps of the automaton, not in seconds.
    const nested = toNfa(asEnginesRead(parseDataPattern("(?:[a-z]{1,9}-?){1,9}Acme9")));
    assert.ok(countRuns(nested, "a".repeat(14)) > 5_000);
    const text = "abcdefgh-".repeat(20);
    for (const { pattern } of detector.catalogue.items.slice(0, 500))
      assert.ok(countRuns(toNfa(asEnginesRead(parseDataPattern(pattern))), text) <= 500, pattern);
  });
});
