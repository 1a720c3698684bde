/** Several automata decide together as the definition says, wherever in a string the second half begins. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { decide } from "../../../src/compiler/automaton/decide.ts";
import { createMatcher } from "../../../src/detect/automaton/matcher.ts";
import { finish } from "../../../src/pattern/finish.ts";
import { parsePattern } from "../../../src/pattern/parse.ts";
import { matchesAnchorsOnly } from "../../../src/pattern/tree.ts";
import { isSmall, patterns, texts } from "../../support/arbitrary.ts";
import { toTable } from "../../support/automata.ts";
import { occurs } from "../../support/naive.ts";

const groups = fc.array(
  fc.array(
    patterns({ depth: 1 })
      .map((pattern) => parsePattern(pattern))
      .filter((tree) => isSmall(tree) && !matchesAnchorsOnly(tree)),
    { minLength: 1, maxLength: 2 },
  ),
  { minLength: 1, maxLength: 2 },
);

describe("decide", () => {
  it("accepts the strings in which a tree occurs", () => {
    fc.assert(
      fc.property(groups, fc.array(texts, { minLength: 40, maxLength: 40 }), (trees, strings) => {
        const { unanchored, anchored } = finish(decide(...trees));
        const matcher = createMatcher(toTable(unanchored), anchored.map(toTable));
        for (const text of strings) {
          const expected = trees.flat().some((tree) => occurs(tree, text));
          assert.equal(matcher.test(text), expected, JSON.stringify(text));
          assert.equal(matcher.testBytes(Buffer.from(text, "latin1"), undefined, undefined), expected);
        }
      }),
      { numRuns: 150, seed: 11 },
    );
  });

  it("searches for what may begin at the start or after some characters, so no anchored automaton repeats it", () => {
    const sizes = (...list: string[]) => {
      const { unanchored, anchored } = finish(decide(list.map((pattern) => parsePattern(pattern))));
      return [unanchored, ...anchored].map(({ stateCount }) => stateCount);
    };
    const words = ["(?:^|[^A-Za-z])apple", "(?:^|[^A-Za-z])banana"];
    assert.equal(sizes(...words)[1], 1);
    assert.deepEqual(sizes(...words, "^cherry").slice(1), sizes("^cherry").slice(1));
  });
});
