/** A compiled catalogue as a file: what was written can be read, and other bytes give the documented error, never one of the language. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { crc32 } from "../../../src/detect/automaton/crc.ts";
import { detector } from "../../../src/detect/built-in/detector.ts";
import type { CompiledCatalogue } from "../../../src/detect/compiled-catalogue.ts";
import { encodeCatalogue } from "../../../src/detect/file/catalogue-file.ts";
import { loadDetector } from "../../../src/detect/file/load-detector.ts";
import { CatalogueFileError, writeSections } from "../../../src/detect/file/sections.ts";
import { createOwnDetector } from "../../support/own-detector.ts";
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
    const read = loadDetector(Buffer.from(bytes)).catalogue;
    const buffers = { ...read, deciding: { ...read.deciding, unanchored: Buffer.from(read.deciding.unanchored) } };
    assert.deepEqual(encodeCatalogue({ ...read }), bytes);
    assert.deepEqual(loadDetector(encodeCatalogue(buffers)).check("GPTBot/1.0"), detector.check("GPTBot/1.0"));
  });

  it("keeps text beyond ASCII", () => {
    const catalogue = { ...detector.catalogue, strings: ["café ☕ \u{1F600} \ud800"] };
    assert.deepEqual(loadDetector(encodeCatalogue(catalogue)).strings(), catalogue.strings);
  });
});

describe("other bytes", () => {
  /** A file of this header alone, with the right checksum. */
  const withHeader = (header: string): Uint8Array => {
    const file = Buffer.alloc(12 + header.length);
    file.write(`WCC2____${header}`);
    file.writeUInt32LE(header.length, 4);
    file.writeUInt32LE(crc32(file.subarray(0, -4)), file.length - 4);
    return file;
  };
  const changed = (at: number): Uint8Array => bytes.with(at, bytes[at]! ^ 1);
  for (const [what, wrong, message] of [
    ["nothing", new Uint8Array(0), /does not begin with WCC/],
    ["text", new TextEncoder().encode("crawlers: []"), /does not begin with WCC/],
    ["a format of another version", bytes.with(3, 0x33), /has the format "3"; this version of whocrawls reads 2/],
    ["no format", bytes.subarray(0, 3), /has the format ""/],
    ["the beginning", bytes.subarray(0, 6), /damaged or incomplete/],
    ["the first half", bytes.subarray(0, bytes.length / 2), /damaged or incomplete/],
    ["all but the last byte", bytes.subarray(0, -1), /damaged or incomplete/],
    ["a changed bit in the header", changed(20), /damaged or incomplete/],
    ["a changed bit in the middle", changed(bytes.length >> 1), /damaged or incomplete/],
    ["a changed bit in the checksum", changed(bytes.length - 1), /damaged or incomplete/],
    ["a header that is no JSON", withHeader("{"), /its header is wrong/],
    ["a header of values beyond the end", withHeader('{"version":[0,4294967295]}'), /its header is wrong/],
    ["other values", writeSections({ version: "1" }), /has no entries/],
  ] as const)
    it(`are refused: ${what}`, () => assert.throws(() => loadDetector(wrong), isFileError(message)));

  it("are refused: a header of wrong places", () => {
    const places = '5 null "x" [] [0] [5] ["0","0"] [0.5,1] [0,null] [1,0] [-1,0] [0,9] {}'.split(" ");
    for (const header of [...places.map((place) => `{"version":${place}}`), ...places, ""])
      assert.throws(() => loadDetector(withHeader(header)), CatalogueFileError, header);
  });

  it("are refused: a string", () => {
    assert.throws(() => loadDetector("WCC2" as unknown as Uint8Array), TypeError);
  });
});

const values: Readonly<Record<string, unknown>> = { ...createOwnDetector().catalogue };

/** The types of JSON, and bytes; and bytes that are elsewhere than the file says. */
const wrong: readonly (readonly [what: string, value: unknown])[] = [
  ["null", null],
  ["a number", 5],
  ["a negative number", -1],
  ["a text", "\0"],
  ["a list of null", [null]],
  ["a list of lists", [[5]]],
  ["an object", { x: null }],
  ["a truth value", true],
  ["bytes", new Uint8Array(3)],
  ["bytes without a place", { $bytes: 5 }],
  ["bytes beyond the end", { $bytes: [0, 1e9] }],
];

describe("a member of another type is refused when it is read:", () => {
  for (const [name, right] of Object.entries(values))
    it(name, () => {
      for (const [what, value] of wrong) {
        if (what === "bytes beyond the end" || isOfKind(right, value)) continue;
        const read = (): unknown =>
          loadDetector(writeSections({ ...values, [name]: value })).catalogue[name as "items"];
        assert.throws(read, CatalogueFileError, what);
      }
    });
});

function isOfKind(one: unknown, other: unknown): boolean {
  const kindOf = (value: unknown) =>
    Array.isArray(value) ? "list" : value instanceof Uint8Array ? "bytes" : typeof value;
  return (
    other !== null && kindOf(one) === kindOf(other) && !(kindOf(other) === "object" && "$bytes" in (other as object))
  );
}
