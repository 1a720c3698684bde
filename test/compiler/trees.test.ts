/**
 * Exceptions against their definition: an occurrence counts unless it lies within an occurrence of an exception. What alternatives share is
 * written once; that the language stays the same is tested together with print.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { except, wordsOf } from "../../src/compiler/trees/difference.ts";
import { withoutExceptions } from "../../src/compiler/trees/exceptions.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { portableOf } from "../../src/detect/name-index.ts";
import { factor, toExpression, toExpressionInParts } from "../../src/pattern/factor.ts";
import { parsePattern } from "../../src/pattern/parse.ts";
import { print, toRegExp } from "../../src/pattern/print.ts";
import { isNever, isNullable, type Tree } from "../../src/pattern/tree.ts";
import { allTexts, isSmall, patterns } from "../support/arbitrary.ts";
import { occurs } from "../support/naive.ts";
import { howMany } from "../support/some-strings.ts";

const strings = [...allTexts("ab", 7), ...allTexts("abc1", 4)];
const withBlanks = [...allTexts("ab 1", 4), ...allTexts("ab", 7)];

function agree(tree: Tree, pattern: Tree, exceptions: readonly Tree[], hint: string, texts = strings): void {
  const expression = isNever(tree) ? undefined : toRegExp(factor(tree));
  for (const text of texts) {
    if ((expression?.test(text) ?? false) !== occurs(pattern, text, exceptions))
      assert.fail(`${hint} in ${JSON.stringify(text)}: ${expression}`);
  }
}

function isHandy(tree: Tree): boolean {
  try {
    const words = wordsOf(tree);
    return words.length <= 6 && words.every((word) => word.length <= 5);
  } catch {
    return false;
  }
}

describe("except", () => {
  const cases = `b ab; b ba; b aba; b ab ba bb; b aab abab bab; b ^b ab; b b$; ab [ab]ab aba; a|bb ab bba; [ab] aa; aa aaa; b b; bb b;
    b (?:^|a)b(?:a|$); b aba bbb abb bba; a{1,2}b? ca{1,2} ab[1c]`;
  for (const [pattern, ...exceptions] of cases.split(/;\s*/).map((words) => words.split(" ")))
    it(`${pattern} but not in ${exceptions.join(", ")}`, () => {
      const tree = parsePattern(pattern!);
      const excluded = exceptions.map((exception) => parsePattern(exception));
      let difference: Tree;
      try {
        difference = except(tree, excluded);
      } catch (error) {
        // A `$` skips any number of blanks: there is no finite list of what it stands for.
        assert(error instanceof RangeError && exceptions.some((exception) => exception.includes("$")));
        return;
      }
      agree(difference, tree, excluded, `${pattern} but ${exceptions}`);
    });

  it("does what the definition says for random patterns and exceptions, on all short strings", () => {
    const bounded = patterns({ unbounded: false, anchors: false, depth: 1 });
    const exception = fc.tuple(fc.constantFrom("", "", "^"), bounded).map(([start, p]) => `${start}(?:${p})`);
    fc.assert(
      fc.property(bounded, fc.array(exception, { minLength: 1, maxLength: 3 }), (pattern, exceptions) => {
        const tree = parsePattern(pattern);
        const excluded = exceptions.map((text) => parsePattern(text));
        fc.pre(!isNullable(tree)); // The catalogue refuses those.
        fc.pre([tree, ...excluded].every((t) => isSmall(t) && isHandy(t)));
        agree(except(tree, excluded), tree, excluded, `${pattern} but ${exceptions}`);
      }),
      { numRuns: howMany(30, 1000), seed: 4 },
    );
  });

  it("does what the definition says for exceptions with a repeated class, before and after the pattern", () => {
    const piece = fc.constantFrom("", "^", "a", "b", "[ab]", "ab?", "(?:a|ba)");
    const repeated = fc
      .tuple(piece, fc.constantFrom("1+", "[1c]+", "b+", "[b1]+"), piece)
      .map((parts) => parts.join(""));
    const finite = fc.constantFrom("ab", "b1a", "1b");
    const texts = [...allTexts("ab1", 6), ...strings];
    let compared = 0;
    fc.assert(
      fc.property(
        fc.constantFrom("a", "b", "ab", "[ab]", "aa?", "b|a1"),
        fc.array(fc.oneof(repeated, repeated, finite), { minLength: 1, maxLength: 3 }),
        (pattern, exceptions) => {
          const tree = parsePattern(pattern);
          const excluded = exceptions.map((text) => parsePattern(text));
          let difference: Tree;
          try {
            difference = except(tree, excluded);
          } catch (error) {
            // Some combinations have no spelling without repeated groups.
            assert(error instanceof RangeError);
            return;
          }
          compared++;
          agree(difference, tree, excluded, `${pattern} but ${exceptions}`, texts);
        },
      ),
      { numRuns: howMany(60, 2000), seed: 5 },
    );
    assert(compared > 20, `only ${compared} differences`);
  });

  it("refuses patterns that stand for infinitely many words, or too many", () => {
    assert.throws(() => except(parsePattern("ab+"), [parsePattern("cab")]), RangeError);
    for (const exception of ["b(?:cd)+", "b1*c", "b1+c2+d", "b1+[1c]", "[ab]+c"])
      assert.throws(() => except(parsePattern("b"), [parsePattern(exception)]), RangeError, exception);
    assert.throws(() => wordsOf(parsePattern("(?:a|bb){1,20}")), RangeError);
  });
});

function agreeOpenings(pattern: string, exceptions: readonly string[]): void {
  const [tree, excluded] = [parsePattern(pattern), exceptions.map((text) => parsePattern(text))];
  agree(withoutExceptions(tree, excluded), tree, excluded, `${pattern} but ${exceptions}`, withBlanks);
}

describe("exceptions of whole strings", () => {
  for (const [pattern, ...exceptions] of [
    ["^[ab]+$", "^a.*$"],
    ["^[ab]+$", "^(?:ab|ba).*$"],
    ["^[ab]+$", "^(?:a|aab).*$", "^bb.*$"],
    ["^[ab]{2,3}(?: [ab]+){0,2}1?$", "^(?:aa b|b[ab]a).*$"],
    ["^a(?:b|1)?a*$", "^ab.*$", "^a1a.*$"],
    ["^a$", "^a.*$"],
    ["^[ab]+$", "^[ab].*$"],
  ])
    it(`${pattern} but not ${exceptions.join(", ")}`, () => agreeOpenings(pattern!, exceptions));

  it("does what the definition says for random patterns and openings", () => {
    const piece = fc.constantFrom("a", "b", "[ab]", "a?", "[ab]{1,2}", "(?:ab|b)", "(?:a1|b)?", " ?", "[ab]*", "1+");
    // At the end of a pattern that the empty string matches, other blanks are skipped.
    const needsText = (text: string): boolean => !new RegExp(text).test("");
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 5 })
      .map((items) => `^${items.join("")}$`)
      .filter(needsText);
    const opening = fc
      .array(fc.constantFrom("a", "b", "[ab]", "1", "(?:ab|b)", "b?"), { minLength: 1, maxLength: 3 })
      .map((items) => `^${items.join("")}.*$`)
      .filter(needsText);
    fc.assert(fc.property(pattern, fc.array(opening, { minLength: 1, maxLength: 3 }), agreeOpenings), {
      numRuns: howMany(30, 1000),
      seed: 13,
    });
  });

  it("leaves repeats as they are: no group is repeated without bound", () => {
    const text = toRegExp(
      withoutExceptions(parsePattern("^[a-z]+(?: [a-z]+){0,9}$"), [parsePattern("^(?:foo|ba).*$")]),
    );
    assert.doesNotMatch(text.source, /\)[*+]/);
  });

  it("refuses exceptions that are no openings, and patterns that may have several lines", () => {
    assert.throws(() => withoutExceptions(parsePattern("^[ab]+$"), [parsePattern("^ab$")]), /must be a prefix/);
    assert.throws(() => withoutExceptions(parsePattern("^[ab]+$"), [parsePattern("ab")]), /must be a prefix/);
    assert.throws(() => withoutExceptions(parsePattern("^[^a]b$"), [parsePattern("^b.*$")]), /line feeds/);
    assert.throws(() => withoutExceptions(parsePattern("^a$|^b$"), [parsePattern("^b.*$")]), RangeError);
  });
});

describe("factor", () => {
  for (const [pattern, shared] of [
    ["google|goo", "goo(?:gle)?"],
    ["abc|abd|xyz", "ab[cd]|xyz"],
    ["xbot|ybot|zzbot", "(?:[xy]|zz)bot"],
    ["abx|acx|dx", "(?:a[bc]|d)x"],
    ["a|ab|abc", "a(?:bc?)?"],
    ["x(?:a|)y", "xa?y"],
    ["(?:ab|a)x|(?:ab|a)y", "ab?[xy]"],
    ["a[bc]|ab|ac", "a[bc]"],
    // Sharing what they begin with makes these two alike.
    ["(?:ab|ac)x|a[bc]x", "a[bc]x"],
  ] as const)
    it(`${pattern} becomes ${shared}`, () => {
      assert.equal(print(factor(parsePattern(pattern))), shared);
    });
});

it("an expression is written in parts, and is the same", () => {
  const { alternatives, nameIndex } = detector.catalogue;
  const trees = alternatives.map((item) => parsePattern(portableOf(nameIndex[item]!), { printed: true }));
  const writing = toExpressionInParts(trees);
  let parts = 0;
  let part = writing.next();
  for (; part.done !== true; part = writing.next()) parts++;
  assert.equal(part.value, toExpression(trees));
  assert.ok(parts > 200, `${parts}`);
});

describe("an expression", () => {
  const long = "[bc]{2}".repeat(60);
  for (const [what, pattern, arranged] of [
    ["writes a short rest behind every beginning", "(?:^|[^u])bot|cut", "^bot|[^u]bot|cut"],
    ["writes a long rest once", `(?:^|[^u])${long}|cut`, `(?:^|[^u])${long}|cut`],
  ] as const)
    it(what, () => {
      assert.equal(toExpression([parsePattern(pattern)]), arranged);
    });
});
