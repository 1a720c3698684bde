/** The expressions by which Whocrawls.php skips parts of browsers' strings never hide what makes a crawler. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decide } from "../../src/compiler/automaton/decide.ts";
import { encodeTable } from "../../src/compiler/automaton/encode-table.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toBytesText } from "../../src/detect/text.ts";
import { provenPhrases } from "../../src/export/standalone/familiar-phrases.ts";
import { finish } from "../../src/pattern/finish.ts";
import { parsePattern } from "../../src/pattern/parse.ts";

const known = provenPhrases(detector.catalogue.deciding.unanchored);

describe("familiar phrases", () => {
  it("of the catalogue skip devices and products", () => {
    const skipped = new RegExp(`^${known.map((phrase) => `(?:${phrase})`).join("")}`);
    for (const text of [
      "8.0; Pixel 2 Build/OPD3.170816.012) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/60.0.9360.1836 Mobile Safari/537.36",
      "13; SM-G991B Build/TP1A.220624.014; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/119.0 Mobile Safari/537.36",
      "14; 23127PN0CC) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Mobile Safari/537.36",
    ])
      assert.equal(skipped.exec(text)?.[0], text);
    assert(!skipped.test("8.0; Pixel 2; Bot) AppleWebKit/537.36 (KHTML, like Gecko) Safari/537.36"));
  });

  const [device, products] = known as [string, string];
  for (const [pattern, left] of [
    ["BOT", [device, products]],
    ["Safari/[0-9]+ x", [device, products]],
    ["Nexus 5|GSA/x", [products]],
    ["9PRO|S[A-Z][0-9]$|[A-Z][0-9]; w", [products]],
    ["AppleWebKit/[0-9.]+ .K", [products]],
    ["GSA/[0-9]|Nexus x", [device]],
    ["Mobile/1E1 ", [device]],
    ["Safari/[0-9.]+$", [device]],
    ["[0-9] [A-Z]", []],
  ] as const)
    it(`are ${left.length} beside ${pattern}`, () => {
      const { unanchored } = finish(decide([parsePattern(pattern)]));
      assert.deepEqual(provenPhrases(toBytesText(encodeTable(unanchored))), left);
    });
});
