/** The portable subset: what is accepted and what it means, what is refused and where. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { escapeLiteral, PatternError, parsePattern } from "../../src/pattern/parse.ts";
import { mark, testGolden } from "../support/golden.ts";
import { occurs } from "../support/naive.ts";

/** A pattern, strings in which it occurs, and strings in which it does not. */
const accepted: readonly [pattern: string, occursIn: string[], not: string[]][] = [
  ["bot", ["bot", "robots"], ["GoogleBOT/2.1", "Bot", "b ot", "bo", ""]],
  ["Bot", ["bot", "SomeBot/2.1"], ["BOT", "boT"]],
  ["BOT", ["bot", "BOT", "bOt"], ["bo"]],
  ["a|B|", ["a", "B", "b", "x"], []],
  ["x(?:a|B)y", ["xay", "xBy", "xby"], ["xy", "xaby", "XAY"]],
  ["x(a|b)y", ["xay"], ["xy"]],
  ["a?b", ["b", "ab"], ["a"]],
  ["^a{2}$", ["aa"], ["a", "aaa"]],
  ["^a{2,}$", ["aa", "aaaa"], ["a"]],
  ["^A{1,2}$", ["a", "aA"], ["aaa", ""]],
  ["^a{2}{2}$", ["aaaa"], ["aa", "aaa"]],
  ["^(?:ab)+$", ["abab"], ["aba"]],
  ["x[a-c]", ["xa", "xc"], ["xd", "x-", "xB"]],
  ["x[A-C]", ["xa", "xB"], ["xd", "xD"]],
  ["x[a-c-]", ["x-"], ["xd"]],
  ["x[^A-C]", ["xd", "x\n", "xé", "x^"], ["xa", "xB", "x"]],
  ["x[^a-c]", ["xB", "xd"], ["xb"]],
  ["x[\\]\\[\\\\]", ["x]", "x[", "x\\"], ["xx"]],
  ["x[.$*+?(){}|/^]", ["x.", "x$", "x^", "x}"], ["xx"]],
  ["\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/\\^\\$\\-", [".*+?()[]{}|/^$-"], [".*+?()[]{}|/^$"]],
  ["x.y", ["x y", "xéy", "x\ry"], ["x\ny", "xy"]],
  ["^a", ["a", "ab"], ["ba", "b\na"]],
  ["a$", ["a", "ba", "a\n", "a \r\n", "a\u2028é"], ["ab", "a\nb", "a!"]],
  ["(?:^|[^U])bot", ["bot", "xbot", "ébot"], ["ubot", "CUbot"]],
];

testGolden("pattern/refused.txt", (pattern) => {
  try {
    parsePattern(pattern, { shorthands: pattern === "[^\\s\\S]" });
    return mark("|", "accepted");
  } catch (error) {
    assert(error instanceof PatternError);
    return mark("!", error.message);
  }
});

describe("parsePattern", () => {
  for (const [pattern, occursIn, not] of accepted)
    it(`accepts ${pattern}`, () => {
      const tree = parsePattern(pattern);
      for (const text of occursIn) assert.equal(occurs(tree, text), true, `${pattern} in ${JSON.stringify(text)}`);
      for (const text of not) assert.equal(occurs(tree, text), false, `${pattern} in ${JSON.stringify(text)}`);
    });

  it("accepts the shorthands of other lists where it is told to", () => {
    const tree = parsePattern("^\\w\\d\\s\\S[\\s\\S]$", { shorthands: true });
    for (const text of ["_0\té.", "A9 xx"]) assert.equal(occurs(tree, text), true, text);
    for (const text of ["-0 xx", "a\u0660 xx", "a0\u00a0xx", "a0  x", "a0 x\n"])
      assert.equal(occurs(tree, text), false, text);
  });

  it("takes letters for themselves in what print wrote", () => {
    const tree = parsePattern("[Bb]O[^A-Z]$", { printed: true });
    for (const text of ["bO!", "BOx"]) assert.equal(occurs(tree, text), true, text);
    for (const text of ["bo!", "BOX", "bO! "]) assert.equal(occurs(tree, text), false, text);
  });

  it("escapes a literal so that it matches itself", () => {
    const ascii = String.fromCharCode(...Array.from({ length: 95 }, (_, i) => i + 32));
    for (const text of [ascii, ...ascii])
      assert.equal(occurs(parsePattern(`^${escapeLiteral(text)}`), text), true, text);
  });
});
