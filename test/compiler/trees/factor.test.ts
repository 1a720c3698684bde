/** What alternatives share is written once; that the language stays the same is tested together with print. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { factor } from "../../../src/compiler/trees/factor.ts";
import { parsePattern } from "../../../src/pattern/parse.ts";
import { print } from "../../../src/pattern/print.ts";

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
