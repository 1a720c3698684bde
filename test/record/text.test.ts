/** The escape of stored strings and the cut to 2 KiB, on chosen and on random strings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  fromStored,
  maxStoredBytes,
  recordedLength,
  toFolded,
  toFoldedColumn,
  toStored,
} from "../../src/record/stored-text.ts";
import { rowsOf } from "../support/table.ts";

/** Any UTF-16 at all, with what the escape is about more often than chance would have it. */
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.constantFrom(0, 0x41, 0xd800, 0xdbfb, 0xdbfc, 0xdbfe, 0xdbff, 0xdc00, 0xdd00, 0xde00, 0xde3f, 0xdfff),
    ),
    { maxLength: 60 },
  )
  .map((units) => String.fromCharCode(...units));

test("the stored form is well-formed, has no NUL, and leads back", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const stored = toStored(text);
      assert.ok(stored.isWellFormed() && !stored.includes("\0"));
      assert.equal(fromStored(stored), text);
      assert.equal(fromStored(Buffer.from(stored, "utf8").toString("utf8")), text);
    }),
    { numRuns: 1000 },
  );
});

test("what a stored form contains is what the string contains, pairs being one character", () => {
  const characters = fc.array(fc.constantFrom("a", "\0", "\ud900", "\udc01", "\u{1f980}", "\u{10f000}", "\u{10fa00}"));
  fc.assert(
    fc.property(characters, characters, (list, part) => {
      // Joined characters may form pairs; taking them apart again by code point is what is compared.
      const text = [...list.join("")];
      const wanted = [...part.join("")];
      const contained = text.some((_, at) => wanted.every((each, n) => text[at + n] === each)) || wanted.length === 0;
      assert.equal(toStored(text.join("")).includes(toStored(wanted.join(""))), contained);
    }),
    { numRuns: 1000 },
  );
});

test("stored forms are those that databases have", () => {
  const ordinary = ["", "Mozilla/5.0 (compatible; FooBot/1.0)", "Ünïcödé", "\u{1f980}", "\ue000 \u{f0000}"];
  const rows: [string, string][] = [
    ...ordinary.map((text): [string, string] => [text, text]),
    ["a\0b\0", "a\u{10f800}b\u{10f800}"],
    ["\ud800", "\u{10f000}"],
    ["\udfff\ud800", "\u{10f7ff}\u{10f000}"],
    ["\ud83e\ud83e\udd80\udd80", "\u{10f03e}\u{1f980}\u{10f580}"],
    ["\u{10efff}\u{10f000}", "\u{10efff}\u{10f900}\u{10fa00}"],
    ["\u{10ffff}", "\u{10f93f}\u{10fa3f}"],
  ];
  for (const [text, stored] of rows) {
    assert.equal(toStored(text), stored, JSON.stringify(text));
    assert.equal(fromStored(stored), text, JSON.stringify(text));
  }
});

test("searches compare small letters, and databases hold those that they could not find themselves", () => {
  const rows: [string, string, boolean][] = [
    ["FooBot/1.0 \x7f", "foobot/1.0 \x7f", false],
    ["A\0", "a\u{10f800}", false],
    ["ÜBER", "über", true],
    ["BoT é", "bot é", true],
    ["é BoT", "é bot", true],
    ["\x80", "\x80", true],
    ["", "", false],
  ];
  for (const [text, folded, isHeld] of rows) {
    assert.equal(toFolded(text), folded, text);
    assert.equal(toFoldedColumn(text), isHeld ? folded : null, text);
  }
});

test("a string is cut where its stored form would pass 2 KiB, never inside a pair", () => {
  const rows = rowsOf(`
    x 2048 2048 | x 2049 2048 | x 100000 2048 | é 1024 1024 | é 1025 1024 | \x7f 2049 2048 | \x80 1025 1024
    \u07ff 1025 1024 | \u0800 683 682 | € 683 682 | \u{1f980} 512 1024 | \u{1f980} 513 1024 | \u{10f000} 300 512
    \0 513 512 | \ud800 513 512
  `).flat();
  const after = [
    ["", 0],
    [`x${"\u{1f980}".repeat(512)}`, 1023],
    [`x${"\udc00".repeat(513)}`, 512],
    [`x${"\udbff\udc00".repeat(300)}`, 511],
    [`x${"\udbfb\udfff".repeat(513)}`, 1023],
    [`${"x".repeat(2047)}\ud83e`, 2047],
  ] as const;
  for (const row of rows) {
    const [text = "", times, length] = row.split(" ");
    assert.equal(recordedLength(text.repeat(Number(times))), Number(length), row);
  }
  for (const [text, length] of after) assert.equal(recordedLength(text), length, `${text.length} ${text.slice(0, 3)}`);
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 400 }), (text, times) => {
      const long = text.repeat(times);
      const cut = long.slice(0, recordedLength(long));
      assert.ok(Buffer.byteLength(toStored(cut)) <= maxStoredBytes);
      if (cut.length < long.length) {
        assert.ok(Buffer.byteLength(toStored(cut)) > maxStoredBytes - 8);
        assert.equal(toStored(long).startsWith(toStored(cut)), true);
      }
    }),
  );
});
