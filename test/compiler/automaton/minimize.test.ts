/** Automata answer as the definition says, before and after they are made minimal, and are as small as can be. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Dfa, determinize } from "../../../src/compiler/automaton/dfa.ts";
import { minimize } from "../../../src/compiler/automaton/minimize.ts";
import { factor } from "../../../src/compiler/trees/factor.ts";
import { toNfa } from "../../../src/pattern/nfa.ts";
import { parsePattern } from "../../../src/pattern/parse.ts";
import { isNullable } from "../../../src/pattern/tree.ts";
import { allTexts, isSmall, patterns, texts } from "../../support/arbitrary.ts";
import { decisionOf, outputOf, smallestStateCount } from "../../support/automata.ts";
import { occurs } from "../../support/naive.ts";

/** Random patterns that automata of a test can be built from. */
const trees = patterns({ depth: 1 })
  .map((pattern) => parsePattern(pattern))
  .filter((tree) => isSmall(tree) && !isNullable(tree));

/** Whether some state accepts whatever follows, and yet nothing has been accepted there. */
function isUniversalAtEnd(dfa: Dfa): boolean {
  const surely = new Set([...Array(dfa.stateCount).keys()].filter((state) => dfa.endOutput[state] !== 0));
  for (let before = -1; before !== surely.size; ) {
    before = surely.size;
    for (const state of surely)
      for (let c = 0; c < dfa.classCount; c++)
        if (!surely.has(dfa.next[state * dfa.classCount + c]!)) surely.delete(state);
  }
  return [...surely].some((state) => dfa.output[state] === 0);
}

describe("determinize and minimize", () => {
  it("decide as the definition does", () => {
    fc.assert(
      fc.property(trees, fc.array(texts, { minLength: 30, maxLength: 30 }), (tree, strings) => {
        const large = determinize(toNfa([tree]), { absorbing: true });
        const small = minimize(large);
        for (const text of strings) {
          const expected = occurs(tree, text) ? 1 : 0;
          assert.equal(outputOf(large, text), expected, `before: ${JSON.stringify(text)}`);
          assert.equal(outputOf(small, text), expected, `after: ${JSON.stringify(text)}`);
        }
      }),
      { numRuns: 150, seed: 5 },
    );
  });

  it("say which of several patterns occurs: the first", () => {
    fc.assert(
      fc.property(
        fc.array(trees, { minLength: 2, maxLength: 4 }),
        fc.array(texts, { minLength: 20 }),
        (list, strings) => {
          const dfa = minimize(determinize(toNfa(list)));
          for (const text of strings)
            assert.equal(outputOf(dfa, text), list.findIndex((tree) => occurs(tree, text)) + 1, JSON.stringify(text));
        },
      ),
      { numRuns: 60, seed: 6 },
    );
  });

  it("leave as few states as Brzozowski's way", () => {
    fc.assert(
      fc.property(trees, (tree) => {
        const dfa = determinize(toNfa([tree]), { absorbing: true });
        // A state from which nothing can be rejected any more is not one that has accepted: reading goes on.
        fc.pre(dfa.stateCount <= 60 && !isUniversalAtEnd(dfa));
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
    const sizeOf = (...list: string[]): number => determinize(toNfa(list.map((p) => parsePattern(p)))).stateCount;
    const joined = "(?:ab|cd)[xy]{3}[0-9]+z";
    assert.equal(sizeOf("ab[xy]{3}[0-9]+z|cd[xy]{3}[0-9]+z"), sizeOf(joined));
    // What another pattern reports is not the same, though it reads the same.
    assert(sizeOf("ab[xy]{3}[0-9]+z", "cd[xy]{3}[0-9]+z") > sizeOf(joined));
  });

  it("have the classic sizes", () => {
    // A literal of n characters takes n + 1 states when reading stops at the first match (Knuth, Morris and Pratt).
    assert.equal(decisionOf(parsePattern("abcab")).stateCount, 6);
    // "The third character from the end is an a" is the case in which determinizing doubles the states each time.
    const dfa = decisionOf(parsePattern("a[ab]{2}c"));
    assert.equal(dfa.stateCount, 9);
    for (const text of allTexts("abc", 6)) assert.equal(outputOf(dfa, text), /a[ab]{2}c/.test(text) ? 1 : 0);
  });

  it("refuse a pattern that matches everywhere", () => {
    assert.throws(() => toNfa([parsePattern("a?")]), RangeError);
  });
});
