/** A compiled catalogue as a file: what was written can be read, and other bytes give the documented error, never one of the language. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { crc32 } from "../../../src/detect/automaton/crc.ts";
import { detector } from "../../../src/detect/built-in/detector.ts";
import type { CompiledCatalogue } from "../../../src/detect/compiled-catalogue.ts";
import { encodeCatalogue } from "../../../src/detect/file/catalogue-file.ts";
import { loadDetector } from "../../../src/detect/file/load-detector.ts";
import { CatalogueFileError, writeSections } from "../../../src/detect/file/sections.ts";
import { createCustomDetector } from "../../support/custom-detector.ts";
import { createStrings } from "../../support/random-strings.ts";

const bytes = encodeCatalogue(detector.catalogue);
const isFileError = (expected: RegExp) => (error: unknown) =>
  error instanceof Error && error.name === "CatalogueFileError" && expected.test(error.message);

describe("a compiled file", () => {
  it("has everything of the catalogue", () => {
    const read = loadDetector(bytes).catalogue;
    for (const name of Object.keys(detector.catalogue) as (keyof CompiledCatalogue)[])
      assert.deepEqual(read[name], detector.catalogue[name], name);
    assert.deepEqual(encodeCatalogue({ ...read }), bytes);
  });

  it("decodes a member once", () => {
    const { catalogue } = loadDetector(bytes);
    assert.equal(catalogue.items, catalogue.items);
  });

  it("gives the verdicts of the catalogue", () => {
    const loaded = loadDetector(bytes);
    const next = createStrings({
      seed: 7,
      patterns: detector.catalogue.items.map(({ pattern }) => pattern),
      texts: detector.strings(),
    });
    for (const text of [...detector.strings().slice(0, 2_000), ...Array.from({ length: 2_000 }, next)]) {
      assert.deepEqual(loaded.check(text), detector.check(text));
      assert.equal(loaded.isCrawler(text), detector.isCrawler(text));
    }
    assert.deepEqual(loaded.explain("cubot bot"), detector.explain("cubot bot"));
  });

  it("may lie anywhere in a buffer", () => {
    const buffer = new Uint8Array(bytes.length + 7);
    buffer.set(bytes, 3);
    assert.equal(loadDetector(buffer.subarray(3, 3 + bytes.length)).check("GPTBot/1.0").name, "GPTBot");
  });

  it("may come from Node's Buffer, and be written again", () => {
    assert.deepEqual(encodeCatalogue({ ...loadDetector(Buffer.from(bytes)).catalogue }), bytes);
  });

  it("keeps text beyond ASCII", () => {
    const catalogue = { ...detector.catalogue, strings: ["café ☕ \u{1F600} \ud800"] };
    assert.deepEqual(loadDetector(encodeCatalogue(catalogue)).strings(), catalogue.strings);
  });
});

describe("other bytes", () => {
  /** A file of these lines, with the right checksum. */
  const withLines = (lines: string): Uint8Array => {
    const text = Buffer.from(`WCC6\n${lines}`);
    return Buffer.concat([text, Buffer.from(crc32(text).toString(16).padStart(8, "0"))]);
  };
  const changed = (at: number): Uint8Array => bytes.with(at, bytes[at]! ^ 1);
  for (const [what, wrong, message] of [
    ["nothing", new Uint8Array(0), /does not begin with WCC/],
    ["text", new TextEncoder().encode("crawlers: []"), /does not begin with WCC/],
    ["a format of another version", bytes.with(3, 0x32), /has the format "2"; this version of whocrawls reads 6/],
    ["no format", bytes.subarray(0, 3), /has the format ""/],
    ["the beginning", bytes.subarray(0, 6), /damaged or incomplete/],
    ["the first half", bytes.subarray(0, bytes.length / 2), /damaged or incomplete/],
    ["all but the last byte", bytes.subarray(0, -1), /damaged or incomplete/],
    ["a changed bit in the first line", changed(20), /damaged or incomplete/],
    ["a changed bit in the middle", changed(bytes.length >> 1), /damaged or incomplete/],
    ["a changed bit in the checksum", changed(bytes.length - 1), /damaged or incomplete/],
    ["a line without a value", withLines("version\n"), /a line has no value/],
    ["a value without a name", withLines('version "1"\n"1"\n'), /a line has no value/],
    ["a line that does not end", withLines('version "1"'), /a line has no value/],
    ["other values", writeSections({ version: "1" }), /has no entries/],
  ] as const)
    it(`are refused: ${what}`, () => assert.throws(() => loadDetector(wrong), isFileError(message)));

  it("are refused: a value that is no JSON", () => {
    const { version: _, ...others } = detector.catalogue;
    const lines = Object.entries(others).map(([name, value]) => `${name} ${JSON.stringify(value)}\n`);
    for (const json of ["", "{", "1 2", "undefined"]) {
      const text = `version ${json}\n${lines.join("")}`.replace(/[\u0080-\uffff]/g, "?");
      assert.throws(() => loadDetector(withLines(text)), isFileError(/malformed: version/), json);
    }
  });

  it("are refused: a string", () => {
    assert.throws(() => loadDetector("WCC6" as unknown as Uint8Array), TypeError);
  });
});

const values: Readonly<Record<string, unknown>> = { ...createCustomDetector().catalogue };

/** The types of JSON. */
const wrong: readonly (readonly [what: string, value: unknown])[] = [
  ["null", null],
  ["a number", 5],
  ["a negative number", -1],
  ["a text", "\0"],
  ["a list of null", [null]],
  ["a list of lists", [[5]]],
  ["an object", { x: null }],
  ["a truth value", true],
];

describe("a member of another type is refused when it is read:", () => {
  for (const [name, right] of Object.entries(values))
    it(name, () => {
      for (const [what, value] of wrong) {
        if (isOfKind(right, value)) continue;
        const read = (): unknown =>
          loadDetector(writeSections({ ...values, [name]: value })).catalogue[name as "items"];
        assert.throws(read, CatalogueFileError, what);
      }
    });
});

function isOfKind(one: unknown, other: unknown): boolean {
  return other !== null && typeof one === typeof other && Array.isArray(one) === Array.isArray(other);
}
