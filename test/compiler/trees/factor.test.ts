/** What alternatives share is written once; that the language stays the same is tested together with print. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { arrange, factor } from "../../../src/compiler/trees/factor.ts";
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

describe("arrange", () => {
  const long = "[bc]{2}".repeat(60);
  for (const [what, pattern, arranged] of [
    ["writes a short rest behind every beginning", "(?:^|[^u])bot|cut", "^bot|[^u]bot|cut"],
    ["writes a long rest once", `(?:^|[^u])${long}|cut`, `(?:^|[^u])${long}|cut`],
  ] as const)
    it(what, () => {
      assert.equal(print(arrange(parsePattern(pattern))), arranged);
    });
});
