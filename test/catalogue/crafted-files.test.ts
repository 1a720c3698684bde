/** Compiled files with the right checksum and wrong content give the documented errors, whatever reads them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toBaseCatalogue } from "../../src/catalogue/base-catalogue.ts";
import { parseDataFile, proveDataFile } from "../../src/catalogue/data-file.ts";
import { UpdateError } from "../../src/catalogue/errors.ts";
import { crc32 } from "../../src/detect/automaton/crc.ts";
import { loadDetector } from "../../src/detect/file/load-detector.ts";
import { CatalogueFileError, readSections, writeSections } from "../../src/detect/file/sections.ts";
import { detector1, time1, toData } from "./channel.ts";

const values: Readonly<Record<string, unknown>> = {
  ...readSections(toData(detector1, time1)),
  sources: new Uint8Array(9),
};

/** What each reader of compiled files may throw. */
const readers: readonly (readonly [
  name: string,
  read: (bytes: Uint8Array) => unknown,
  error: new (message: string) => Error,
])[] = [
  ["toBaseCatalogue", toBaseCatalogue, CatalogueFileError],
  ["parseDataFile", parseDataFile, UpdateError],
];

/** Refused with the documented error, never with one of the language. */
function assertRefused(bytes: Uint8Array, what: string): void {
  for (const [name, read, error] of readers)
    assert.throws(
      () => read(bytes),
      (thrown) => {
        assert(thrown instanceof error, `${name}, ${what}: ${thrown}`);
        // The words of an error of the language.
        assert.doesNotMatch(thrown.message, /undefined|iterable|not a function|not an object|reading '/, what);
        return true;
      },
    );
}

function withHeader(header: string): Uint8Array {
  const file = Buffer.alloc(12 + header.length);
  file.write(`WCC1____${header}`);
  file.writeUInt32LE(header.length, 4);
  file.writeUInt32LE(crc32(file.subarray(0, -4)), file.length - 4);
  return file;
}

describe("a crafted header is refused:", () => {
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
    it(header, () => {
      const bytes = withHeader(header);
      assertRefused(bytes, header);
      assert.throws(() => loadDetector(bytes), CatalogueFileError);
    });

  it("a place that has no JSON", () => {
    const bytes = withHeader('{"manifest":[0,0],"version":[0,0]}');
    assertRefused(bytes, "no JSON");
  });
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

/** What is sound, or is read only later, by what has its own errors. */
const sound: Readonly<Record<string, readonly string[]>> = {
  version: ["a text"],
  entries: ["a number"],
  expression: ["a text"],
  sources: ["bytes"],
};

describe("a member of another type is refused:", () => {
  for (const name of Object.keys(values))
    it(name, () => {
      for (const [what, value] of wrong) {
        if (sound[name]?.includes(what)) continue;
        const bytes = writeSections({ ...values, [name]: value });
        if (name !== "vectors") assertRefused(bytes, what);
        else assert.throws(() => parseDataFile(bytes), UpdateError, what);
      }
    });

  for (const name of ["format", "version", "date", "minimumProgram"] as const)
    it(`${name} of the manifest`, () => {
      for (const [what, value] of wrong) {
        if (["a text", "a number", "a negative number"].includes(what) && name !== "date") continue;
        const manifest = { ...(values as { manifest?: object }).manifest, [name]: value };
        assert.throws(() => parseDataFile(writeSections({ ...values, manifest })), UpdateError, what);
      }
    });

  it("where loadDetector reads it", () => {
    const members = ["expression", "spellings", "alternatives", "attribution", "deciding", "identification", "items"];
    for (const name of [...members, "rules", "namesOnly", "strings", "wellKnown", "verification", "version", "entries"])
      for (const [what, value] of wrong.filter(([what]) => what !== "bytes beyond the end")) {
        if (sound[name]?.includes(what) || isOfKind(values[name], value)) continue;
        const read = (): unknown =>
          loadDetector(writeSections({ ...values, [name]: value })).catalogue[name as "items"];
        assert.throws(read, CatalogueFileError, `${name}: ${what}`);
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

it("an empty expression is refused, which would match every string, and another one than the tables by the vectors", async () => {
  assertRefused(writeSections({ ...values, expression: "" }), "expression");
  assertRefused(writeSections({ ...values, alternatives: ["bot", ""] }), "alternatives");
  const { sources: _, ...rest } = values;
  for (const expression of ["[a-z]?", "Googlebot"])
    await assert.rejects(proveDataFile(parseDataFile(writeSections({ ...rest, expression }))), UpdateError, expression);
  await proveDataFile(parseDataFile(writeSections(rest)));
});

it("ranges that are wider than any crawler's addresses are refused, as in lists", () => {
  const { verification } = detector1.catalogue;
  for (const range of ["0.0.0.0/0", "::/0", "::ffff:0:0/90", "8.0.0.0/8", "2000::/3"]) {
    const [proof] = verification.proofs.filter(({ ranges }) => ranges !== undefined);
    const prefixes = [{ ...proof!, prefixes: [range] }];
    assertRefused(writeSections({ ...values, verification: { ...verification, proofs: prefixes } }), range);
    const ranges = { [proof!.id]: { asOf: "2026-01-01", prefixes: range } };
    assertRefused(writeSections({ ...values, verification: { ...verification, ranges } }), range);
  }
  const ranges = { acme: { asOf: "2026-01-01", prefixes: "10.0.0.0/8" } };
  assertRefused(writeSections({ ...values, verification: { proofs: [], ranges } }), "a private list");
});
