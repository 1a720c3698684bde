/** The stored form of strings and the cut to 2 KiB, on chosen and on random strings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { maxStoredBytes, toFolded, toFoldedColumn, toRecorded, toStored } from "../../src/record/stored-text.ts";
import { rowsOf } from "../support/table.ts";

/** Any UTF-16 at all, with NUL and surrogates more often than chance would have them. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 0x41, 0xd800, 0xdbff, 0xdc00, 0xdfff)), {
    maxLength: 60,
  })
  .map((units) => String.fromCharCode(...units));

test("the stored form is what a UTF-8 database without NUL can hold, and stays the same when it is stored again", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const stored = toStored(text);
      assert.equal(
        stored,
        new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from(text)).replaceAll("\0", "\ufffd"),
      );
      assert.equal(toStored(stored), stored);
    }),
    { numRuns: 1000 },
  );
});

test("searches compare lowercase, and databases hold those that they could not find themselves", () => {
  const rows: [string, string, boolean][] = [
    ["FooBot/1.0 \x7f", "foobot/1.0 \x7f", false],
    ["A\0", "a\ufffd", false],
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
    \u07ff 1025 1024 | \u0800 683 682 | € 683 682 | \u{1f980} 512 1024 | \u{1f980} 513 1024 | \u{10f000} 513 1024
    \0 683 682 | \ud800 683 682
  `).flat();
  const after = [
    ["", 0],
    [`x${"\u{1f980}".repeat(512)}`, 1023],
    [`x${"\udc00".repeat(683)}`, 683],
    [`${"x".repeat(2047)}\ud83e`, 2047],
  ] as const;
  for (const row of rows) {
    const [text = "", times, length] = row.split(" ");
    assert.equal(toRecorded(text.repeat(Number(times))).length, Number(length), row);
  }
  for (const [text, length] of after)
    assert.equal(toRecorded(text).length, length, `${text.length} ${text.slice(0, 3)}`);
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 400 }), (text, times) => {
      const long = text.repeat(times);
      const recorded = toRecorded(long);
      assert.ok(Buffer.byteLength(recorded) <= maxStoredBytes);
      assert.ok(toStored(long).startsWith(recorded) && recorded.isWellFormed());
      if (recorded.length < long.length) assert.ok(Buffer.byteLength(recorded) > maxStoredBytes - 4);
    }),
  );
});
