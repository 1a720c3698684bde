/** Compiled files with the right checksum and wrong content give the documented error, never one of the language. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { crc32 } from "../../../src/detect/automaton/crc.ts";
import { loadDetector } from "../../../src/detect/file/load-detector.ts";
import { CatalogueFileError, writeSections } from "../../../src/detect/file/sections.ts";
import { createOwnDetector } from "../../support/own-detector.ts";

const values: Readonly<Record<string, unknown>> = { ...createOwnDetector().catalogue };

function withHeader(header: string): Uint8Array {
  const file = Buffer.alloc(12 + header.length);
  file.write(`WCC2____${header}`);
  file.writeUInt32LE(header.length, 4);
  file.writeUInt32LE(crc32(file.subarray(0, -4)), file.length - 4);
  return file;
}

it("a crafted header is refused", () => {
  const places = [
    "5",
    "null",
    '"x"',
    "[]",
    "[0]",
    "[5]",
    '["0","0"]',
    "[0.5,1]",
    "[0,null]",
    "[1,0]",
    "[-1,0]",
    "[0,9]",
    "{}",
  ];
  for (const header of [...places.map((place) => `{"version":${place}}`), "5", "null", "[]", "[5]", '"x"', "{}", ""])
    assert.throws(() => loadDetector(withHeader(header)), CatalogueFileError, header);
});

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
