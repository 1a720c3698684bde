/** Automata answer as the definition says, before and after they are made minimal, and are as small as can be. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { determinize } from "../../../src/compiler/automaton/dfa.ts";
import { minimize } from "../../../src/compiler/automaton/minimize.ts";
import { factor } from "../../../src/pattern/factor.ts";
import { finish } from "../../../src/pattern/finish.ts";
import { toNfa } from "../../../src/pattern/nfa.ts";
import { parsePattern } from "../../../src/pattern/parse.ts";
import { isNullable } from "../../../src/pattern/tree.ts";
import { allTexts, isSmall, patterns, texts } from "../../support/arbitrary.ts";
import { decisionOf, isAccepted, smallestStateCount } from "../../support/automata.ts";
import { occurs } from "../../support/naive.ts";

/** Random patterns that automata of a test can be built from. */
const trees = patterns({ depth: 1 })
  .map((pattern) => parsePattern(pattern))
  .filter((tree) => isSmall(tree) && !isNullable(tree));

describe("determinize and minimize", () => {
  it("decide as the definition does", () => {
    fc.assert(
      fc.property(trees, fc.array(texts, { minLength: 30, maxLength: 30 }), (tree, strings) => {
        const large = finish(determinize(toNfa(tree), 10_000));
        const small = minimize(large);
        for (const text of strings) {
          const expected = occurs(tree, text);
          assert.equal(isAccepted(large, text), expected, `before: ${JSON.stringify(text)}`);
          assert.equal(isAccepted(small, text), expected, `after: ${JSON.stringify(text)}`);
        }
      }),
      { numRuns: 150, seed: 5 },
    );
  });

  it("leave as few states as Brzozowski's way", () => {
    fc.assert(
      fc.property(trees, (tree) => {
        const dfa = finish(determinize(toNfa(tree), 10_000));
        fc.pre(dfa.stateCount <= 60);
        assert.equal(minimize(dfa).stateCount, smallestStateCount(dfa));
      }),
      { numRuns: 80, seed: 7 },
    );
  });

  it("give one automaton for one language, however it is written", () => {
    for (const [a, b] of [
      ["bot|robot|bots", "bot"],
      ["a(?:b|c)d", "abd|acd"],
      ["^a+$", "^aa*$"],
      ["(?:^|[^u])bot|ubot", "bot"],
    ] as const)
      assert.deepEqual(decisionOf(factor(parsePattern(a))), decisionOf(parsePattern(b)), `${a} and ${b}`);
  });

  it("share the endings of patterns before the result is made minimal", () => {
    const sizeOf = (pattern: string): number => finish(determinize(toNfa(parsePattern(pattern)), 10_000)).stateCount;
    assert.equal(sizeOf("ab[xy]{3}[0-9]+z|cd[xy]{3}[0-9]+z"), sizeOf("(?:ab|cd)[xy]{3}[0-9]+z"));
  });

  it("have the classic sizes", () => {
    // A literal of n characters takes n + 1 states when reading stops at the first match (Knuth, Morris and Pratt).
    assert.equal(decisionOf(parsePattern("abcab")).stateCount, 6);
    // "The third character from the end is an a" is the case in which determinizing doubles the states each time.
    const dfa = decisionOf(parsePattern("a[ab]{2}c"));
    assert.equal(dfa.stateCount, 9);
    for (const text of allTexts("abc", 6)) assert.equal(isAccepted(dfa, text), /a[ab]{2}c/.test(text));
  });

  it("refuse a pattern that matches everywhere", () => {
    assert.throws(() => toNfa(parsePattern("a?")), RangeError);
  });
});
