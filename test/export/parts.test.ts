/** Parts keep to their limit and add up to the same verdict, however long an alternative is. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { inParts, inPartsByContext } from "../../src/export/parts.ts";
import { howMany } from "../support/some-strings.ts";
import { exportStrings } from "./strings.ts";

const strings = exportStrings(howMany(150, 300));

describe("an expression in parts", () => {
  for (const maxLength of [200, 512, 4_000, 100_000])
    it(`of at most ${maxLength} characters gives the same verdict`, () => {
      const parts = inParts(detector.alternatives, maxLength);
      assert(parts.every((part) => part.length <= maxLength));
      if (maxLength === 100_000) assert.equal(parts.length, 1);
      const compiled = parts.map((part) => new RegExp(part));
      const wrong = strings.filter((text) => compiled.some((part) => part.test(text)) !== detector.isCrawler(text));
      assert.deepEqual(wrong, []);
    });

  it("counts the length that the program counts", () => {
    const quoted = (text: string): number => text.replaceAll("\\", "\\\\").length;
    assert.deepEqual(inParts(["a\\.", "b\\.", "c"], 9, quoted), ["a\\.|b\\.", "c"]);
  });

  it("cuts choices wherever they stand, and nothing else", () => {
    assert.deepEqual(inParts(["x(?:aaa|bbb)y"], 6), ["xaaay", "xbbby"]);
    assert.deepEqual(inParts(["ab(?:cde)?fg"], 8), ["abfg", "abcdefg"]);
    for (const whole of ["abcdefgh", "ab*cdefgh", "ab{0,2}cdefgh", "ab{1,2}cdefgh", "a[bc]defgh", "a(?:b|c){2}defgh"])
      assert.throws(() => inParts([whole], 6), {
        name: "UserError",
        message: `no parts of 6 characters make up ${whole}`,
      });
  });

  it("cuts the longest choice first", () => {
    assert.deepEqual(inParts(["a(?:bbb|ccc)d(?:eeee|ffff)g"], 19), ["a(?:bbb|ccc)deeeeg", "a(?:bbb|ccc)dffffg"]);
    assert.deepEqual(inParts(["(?:aaaaaa|b|c)x"], 8), ["aaaaaax", "[bc]x"]);
    assert.deepEqual(inParts(["x(?:a|b|c|dddddddd)"], 12), ["x[a-c]", "xdddddddd"]);
  });

  it("writes what several require before a match once", () => {
    const length = (text: string): number => text.length;
    const alternatives = ["(?:^|[^a-z])got", "^a", "(?:^|[^a-z])(?:b|c)d", "(?:^|[ ;])req", "(?:^|[^a-z])e?f", " g"];
    assert.deepEqual(inPartsByContext(alternatives, 100, length), [
      "(?:^|[^a-z])(?:got|[bc]d|e?f)|^a| g|(?:^|[ ;])req",
    ]);
    assert.deepEqual(inPartsByContext(alternatives, 26, length), [
      "(?:^|[^a-z])(?:got|[bc]d)",
      "(?:^|[^a-z])e?f|^a| g",
      "(?:^|[ ;])req",
    ]);
  });

  it("joins what fits, in the order given", () => {
    assert.deepEqual(inParts(["aaa", "bbb", "c", "dddd", "e"], 7), ["aaa|bbb", "c|dddd", "e"]);
    assert.deepEqual(inParts([], 7), []);
    assert.deepEqual(inParts(["abcdefg"], 7), ["abcdefg"]);
  });
});
