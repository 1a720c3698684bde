/** Inclusion of languages, against all short strings. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createCover } from "../../../src/compiler/automaton/covers.ts";
import { parsePattern } from "../../../src/pattern/parse.ts";
import { toRegExp } from "../../../src/pattern/print.ts";
import { isNullable, type Tree } from "../../../src/pattern/tree.ts";
import { allTexts, isSmall, patterns } from "../../support/arbitrary.ts";
import { decisionOf } from "../../support/automata.ts";

const coverOf = (...trees: Tree[]): ((tree: Tree) => boolean) => createCover(decisionOf(...trees));

describe("createCover", () => {
  for (const [general, special, covered] of [
    ["bot", "googlebot", true],
    ["bot", "bots?", true],
    ["googlebot", "bot", false],
    ["bot", "^bot$", true],
    ["^bot", "bot", false],
    ["bot$", "bot *$", true],
    ["bot$", "bot[ x]$", false],
    ["bot$", "xbot$", true],
    ["(?:^|[^u])bot", "xbot", true],
    ["(?:^|[^u])bot", "Bot", false],
    ["(?:^|[^u])bot|ubot", "bot", true],
    ["a[0-9]", "a[0-9.]+", false],
    ["a[0-9]|a\\.", "a[0-9.]+", true],
    ["x$|x[^-]|x-", "x", true],
    ["[ab]", "a|b|ab", true],
  ] as const)
    it(`${general} ${covered ? "covers" : "does not cover"} ${special}`, () => {
      assert.equal(coverOf(parsePattern(general))(parsePattern(special)), covered);
    });

  it("agrees with all short strings on random patterns", () => {
    // Words of at most three characters, so that a string of six shows every difference in any surroundings.
    const short = fc
      .tuple(
        fc.constantFrom("", "", "^", "(?:^|[^a])"),
        fc.array(fc.constantFrom("a", "b", "[ab]", "[^a]", "a?", "b?", "(?:ab|b)"), { minLength: 1, maxLength: 3 }),
        fc.constantFrom("", "", "$", "(?:b|$)"),
      )
      .map(([before, middle, after]) => parsePattern(before + middle.join("") + after))
      .filter((tree) => !isNullable(tree));
    const strings = allTexts("abc", 7);
    let coveredOnes = 0;
    fc.assert(
      fc.property(fc.array(short, { minLength: 1, maxLength: 3 }), short, (general, special) => {
        const expressions = general.map(toRegExp);
        const narrow = toRegExp(special);
        const found = strings.filter((text) => narrow.test(text));
        const expected = found.every((text) => expressions.some((expression) => expression.test(text)));
        assert.equal(coverOf(...general)(special), expected);
        if (expected) coveredOnes++;
      }),
      { numRuns: 300, seed: 9 },
    );
    assert(coveredOnes > 20, `${coveredOnes} of the random cases were inclusions`);
  });

  it("never says so wrongly where patterns repeat", () => {
    const trees = patterns({ depth: 1 })
      .map((pattern) => parsePattern(pattern))
      .filter((tree) => isSmall(tree) && !isNullable(tree));
    const strings = allTexts("ab1", 6);
    fc.assert(
      fc.property(trees, trees, (general, special) => {
        if (!coverOf(general)(special)) return;
        const [wide, narrow] = [toRegExp(general), toRegExp(special)];
        for (const text of strings) assert(!narrow.test(text) || wide.test(text), `${wide} ${narrow} ${text}`);
      }),
      { numRuns: 100, seed: 10 },
    );
  });
});
