/** Header fields in every form they come in, and the limits on how many of them are read. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type RequestHeaders, toFields } from "../../src/verify/request-headers.ts";

describe("fields", () => {
  const cases: readonly (readonly [what: string, headers: RequestHeaders, value: string | undefined])[] = [
    ["by a name in any case", { "X-Some": "1" }, "1"],
    ["of several lines", { "x-some": ["1", "2"] }, "1, 2"],
    [
      "of several spellings of one name, in order",
      { "X-Some": "1", "x-some": ["2", "3"], "X-SOME": "4" },
      "1, 2, 3, 4",
    ],
    ["without lines are none", { "x-some": [] }, undefined],
    ["of the web's Headers", new Headers({ "X-Some": " 1 " }), "1"],
    ["of other readers", { get: (name: string) => (name === "x-some" ? "1" : null) }, "1"],
    ["that are missing", { "x-other": "1" }, undefined],
  ];
  for (const [what, headers, value] of cases) it(what, () => assert.equal(toFields(headers)?.("x-some"), value));

  it("of other readers may be those of HTTP/2; names that are none are not sent", () => {
    assert.equal(toFields({ get: (name: string) => (name === ":method" ? "GET" : null) })?.(":method"), "GET");
    // The web's Headers throw for them.
    for (const name of ["no name", ":method"]) assert.equal(toFields(new Headers())?.(name), undefined);
  });
});

describe("a line", () => {
  const toPlain = (line: string) => toFields({ a: line })?.("a");
  it("loses the blanks around it, and its breaks with the blanks at them become one blank (RFC 9112 §5.2)", () => {
    for (const [line, plain] of [
      ["  a\t", "a"],
      ["a\r\n b", "a b"],
      ["a \r\n\t b", "a b"],
      ["a\n b\n\tc", "a b c"],
      ["a\r\nb", "a\r\nb"],
      ["a  b", "a  b"],
      ["a \n\n b", "a b"],
    ] as const)
      assert.equal(toPlain(line), plain, JSON.stringify(line));
  });

  it("is the same as by the expression that says so, whose time is quadratic", () => {
    const text = fc.string({ unit: fc.constantFrom(" ", "\t", "\r", "\n", "a"), maxLength: 14 });
    fc.assert(
      fc.property(text, (line) => toPlain(line) === line.trim().replace(/\s*\r?\n\s+/g, " ")),
      { numRuns: 5000 },
    );
  });
});

describe("limits", () => {
  const named = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, "1"]));
  /** One name in so many spellings. */
  const spelled = (count: number): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        [..."abcdefgh"].map((letter, bit) => (at & (1 << bit) ? letter.toUpperCase() : letter)).join(""),
        "1",
      ]),
    );
  for (const [what, headers, expected] of [
    ["100 fields", named(100), true],
    ["101 fields", named(101), false],
    ["100 spellings of a name", spelled(100), true],
    ["101 spellings of a name", spelled(101), false],
    ["100 lines", { a: Array(60).fill("1"), b: Array(40).fill("1") }, true],
    ["101 lines", { a: Array(60).fill("1"), b: Array(41).fill("1") }, false],
    ["101 fields without lines", Object.fromEntries(Object.keys(named(101)).map((name) => [name, []])), false],
    ["32,768 characters", { abcd: "x".repeat(32_764) }, true],
    ["32,769 characters", { abcd: "x".repeat(32_765) }, false],
    ["32,769 characters in lines", { abcd: ["x".repeat(16_380), "x".repeat(16_381)] }, false],
    ["the web's Headers, which a runtime has limited", new Headers(named(101)), true],
  ] as const)
    it(`${what} are ${expected ? "read" : "too many"}`, () => assert.equal(toFields(headers) !== undefined, expected));
});
