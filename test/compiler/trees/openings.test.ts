/** Exceptions of whole strings against their definition, and what the result may not contain. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { withoutExceptions } from "../../../src/compiler/trees/exceptions.ts";
import { factor } from "../../../src/compiler/trees/factor.ts";
import { parsePattern } from "../../../src/pattern/parse.ts";
import { toRegExp } from "../../../src/pattern/print.ts";
import { isNever, type Tree } from "../../../src/pattern/tree.ts";
import { allTexts } from "../../support/arbitrary.ts";
import { occurs } from "../../support/naive.ts";

const strings = [...allTexts("ab 1", 4), ...allTexts("ab", 7)];

function agree(pattern: string, exceptions: readonly string[]): void {
  const tree = parsePattern(pattern);
  const excluded = exceptions.map((text) => parsePattern(text));
  const difference: Tree = factor(withoutExceptions(tree, excluded));
  const expression = isNever(difference) ? undefined : toRegExp(difference);
  for (const text of strings)
    if ((expression?.test(text) ?? false) !== occurs(tree, text, excluded))
      assert.fail(`${pattern} but ${exceptions} in ${JSON.stringify(text)}: ${expression}`);
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
    it(`${pattern} but not ${exceptions.join(", ")}`, () => agree(pattern!, exceptions));

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
    fc.assert(fc.property(pattern, fc.array(opening, { minLength: 1, maxLength: 3 }), agree), {
      numRuns: 150,
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
    assert.throws(() => withoutExceptions(parsePattern("^[ab]+$"), [parsePattern("^ab$")]), /is an opening/);
    assert.throws(() => withoutExceptions(parsePattern("^[ab]+$"), [parsePattern("ab")]), /is an opening/);
    assert.throws(() => withoutExceptions(parsePattern("^[^a]b$"), [parsePattern("^b.*$")]), /line feeds/);
    assert.throws(() => withoutExceptions(parsePattern("^a$|^b$"), [parsePattern("^b.*$")]), RangeError);
  });
});
