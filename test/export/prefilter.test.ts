/** A prefilter is in every lower-cased string that its expression matches, and long enough to spare engines the expression. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { itemsInPrecedence } from "../../src/export/expressions.ts";
import { toFiltered } from "../../src/export/prefilter.ts";

/** An expression, and its parts, each behind its prefilter. */
const rows: readonly [expression: string, filtered: Readonly<Record<string, string>>][] = [
  ["[Gg][Pp][Tt]bot", { gptbot: "[Gg][Pp][Tt]bot" }],
  ["[Kk]ab", { kab: "[Kk]ab" }],
  ["[Aa]1b2", { a1b2: "[Aa]1b2" }],
  ["^abcd$", { abcd: "^abcd$" }],
  ["abc[0-9]{2,4}defgh", { defgh: "abc[0-9]{2,4}defgh" }],
  ["abcd[0-9]ef", { abcd: "abcd[0-9]ef" }],
  ["a[1b]cde", { cde: "a[1b]cde" }],
  ["[a-c]defg", { defg: "[a-c]defg" }],
  ["(?:abc){2,3}", { abc: "(?:abc){2,3}" }],
  ["(?:abcdef)*ghi", { ghi: "(?:abcdef)*ghi" }],
  ["(?:abcdef)?ghi", { ghi: "(?:abcdef)?ghi" }],
  ["x(?:foobar|barfoo)y", { foo: "x(?:foobar|barfoo)y" }],
  ["(?:xabc1|2abcy|abc)", { abc: "(?:xabc1|2abcy|abc)" }],
  ["(?:abcd1|2abcd|3abc4)", { abc: "(?:abcd1|2abcd|3abc4)" }],
  ["[Gg]oogle(?:bot|news)", { google: "[Gg]oogle(?:bot|news)" }],
  // Cut only where that helps every part.
  ["abc|abd", { abc: "abc", abd: "abd" }],
  ["ab(?:cd|ef)gh", { abcdgh: "abcdgh", abefgh: "abefgh" }],
  ["a|abcd", { a: "a|abcd" }],
  ["ab?c", { a: "ab?c" }],
  ["a[0-9]+b", { a: "a[0-9]+b" }],
  ["^-?$", { "": "^-?$" }],
];

describe("a prefilter", () => {
  for (const [expression, filtered] of rows)
    it(`of ${expression}`, () => {
      const found = toFiltered(expression).map(({ prefilter, expression }) => [prefilter, expression]);
      assert.deepEqual(Object.fromEntries(found), filtered);
      assert.equal(found.length, Object.keys(filtered).length);
    });

  it("is in every string of the catalogue that its part matches, and is seldom short", () => {
    const some = detector.strings().filter((_, index) => index % 4 === 0);
    const strings = some.map((text) => ({ text, lower: text.toLowerCase() }));
    const parts = itemsInPrecedence(detector.catalogue).flatMap(({ expression }) => toFiltered(expression));
    assert(parts.length > 2_000);
    for (const { expression, prefilter } of parts) {
      const compiled = new RegExp(expression);
      const without = strings.find(({ text, lower }) => !lower.includes(prefilter) && compiled.test(text));
      assert.equal(without, undefined, `${expression} behind ${prefilter}`);
    }
    const short = parts.filter(({ prefilter }) => prefilter.length < 3);
    assert(short.length < parts.length / 50, `${short.length} of ${parts.length}`);
  });
});
