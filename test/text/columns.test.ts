/** Text in columns: characters of Chinese and Japanese take two, marks none, and no line is longer than it may be. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fit, pad, widthOf, wrap } from "../../src/text/columns.ts";

describe("columns", () => {
  for (const [text, width, fitted] of [
    ["/about", 6, "/abo…"],
    ["/製品/一覧", 10, "/製品/一…"],
    ["/ﾆｭｰｽ", 5, "/ﾆｭ…"],
    ["ニュース", 8, "ニュー…"],
    ["e\u0301te\u0301", 3, "e\u0301…"],
    ["👩‍👩‍👧‍👦 family", 9, "👩‍👩‍👧‍👦 fami…"],
  ] as const)
    it(`of ${JSON.stringify(text)}`, () => {
      assert.equal(widthOf(text), width);
      assert.equal(fit(text, width), text);
      assert.equal(fit(text, undefined), text);
      assert.deepEqual([pad(text, width), pad(text, width + 2)], [text, `${text}  `]);
      assert.equal(fit(text, width - 1), fitted);
    });

  it("wrap between words", () => {
    assert.equal(wrap("one two three", 7), "one two\nthree");
    assert.equal(wrap("一覧 製品 about", 9), "一覧 製品\nabout");
    assert.equal(wrap("longer-than-that it is", 5), "long…\nit is");
    assert.equal(wrap("one two", undefined), "one two");
  });
});
