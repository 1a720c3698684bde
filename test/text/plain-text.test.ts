/** What a terminal obeys, or what cannot be seen, is written as its code point; JSON and XML mean the same as before. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { XMLParser } from "fast-xml-parser";
import { toVisible } from "../../src/text/html.ts";
import { toPlain, toPlainJson, toPlainLines, toPlainXml } from "../../src/text/plain-text.ts";

/** A control sequence of one byte, an override of direction, a tag, a filler, a variation selector, half a character. */
const hostile = "a\u009b2J\u202eb\u{e0041}c\u3164d\ufe0fe\ud800f\u007f\u2028";
const invisible = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2028\u3164\ud800-\udfff]|\ufe0f/;

describe("text from anyone", () => {
  it("is shown by its code points", () => {
    assert.equal(toPlain("\u001b[2J\n\u202e"), "\\u{001b}[2J\\u{000a}\\u{202e}");
    assert.equal(toPlainLines("a\nb\u0007"), "a\nb\\u{0007}");
    assert.equal(toPlain("Größe бот"), "Größe бот");
    assert.doesNotMatch(toPlain(hostile), invisible);
    assert.match(toPlain(hostile), /\\u\{e0041\}/);
    assert.doesNotMatch(toVisible(hostile).text, invisible);
  });

  it("means the same in JSON", () => {
    for (const indent of [undefined, 2]) {
      const json = toPlainJson({ name: hostile, list: [1, "\n"] }, indent);
      assert.doesNotMatch(json, invisible);
      assert.deepEqual(JSON.parse(json), { name: hostile, list: [1, "\n"] });
    }
  });

  it("means the same in XML", () => {
    const text = "a\u009b2J\u202eb\u{e0041}c\u3164d";
    const xml = toPlainXml(`<?xml version="1.0"?>\n<a>${text}</a>`);
    assert.doesNotMatch(xml, invisible);
    assert.equal(new XMLParser({ htmlEntities: true }).parse(xml).a, text);
  });
});
