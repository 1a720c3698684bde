/** Printed expressions mean what their tree means, whatever the flags and the flavor. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { anyChar, end, has } from "../../src/pattern/charset.ts";
import { factor } from "../../src/pattern/factor.ts";
import { flavors, portable } from "../../src/pattern/flavors.ts";
import { parsePattern } from "../../src/pattern/parse.ts";
import { print, toRegExp } from "../../src/pattern/print.ts";
import { never, one } from "../../src/pattern/tree.ts";
import { isSmall, patterns, sets, texts } from "../support/arbitrary.ts";
import { occurs } from "../support/naive.ts";

const characters = [...Array.from({ length: 128 }, (_, i) => String.fromCharCode(i)), "é"];

describe("print", () => {
  it("means the same without flags and with u and v, as it is and with common parts shared", () => {
    fc.assert(
      fc.property(patterns(), fc.array(texts, { minLength: 20, maxLength: 20 }), (pattern, strings) => {
        const tree = parsePattern(pattern);
        fc.pre(isSmall(tree));
        const spellings = [print(tree), print(factor(tree))];
        const expressions = spellings.flatMap((text) => ["", "u", "v"].map((flags) => new RegExp(text, flags)));
        expressions.push(new RegExp(print(tree, flavors.rust)));
        for (const text of strings) {
          const expected = occurs(tree, text);
          for (const expression of expressions)
            if (expression.test(text) !== expected) assert.fail(`${expression} ${text}`);
        }
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it("is read by parsePattern as the same tree", () => {
    fc.assert(
      fc.property(patterns(), (pattern) => {
        const text = print(factor(parsePattern(pattern)));
        assert.equal(print(parsePattern(text, { printed: true })), text);
      }),
      { numRuns: 300, seed: 2 },
    );
    const blanks = "[Aa]\\t[\\t-\\r ][^\\n]";
    assert.equal(print(parsePattern(blanks, { printed: true })), blanks);
  });

  it("writes every set of characters so that the class matches them and no other", () => {
    fc.assert(
      fc.property(sets(end), (set) => {
        if ((set & anyChar) === 0n) return;
        for (const flags of ["", "u", "v"]) {
          const expression = new RegExp(`^(?:${print(one(set & anyChar))})$`, flags);
          characters.forEach((char, symbol) => {
            if (expression.test(char) !== has(set, symbol)) assert.fail(`${expression} ${JSON.stringify(char)}`);
          });
        }
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it("writes any character at all, which no class does everywhere", () => {
    for (const [name, flavor] of Object.entries(flavors)) {
      const expression = new RegExp(`^${print(one(anyChar), flavor)}$`, name === "compact" ? "i" : "");
      assert(
        characters.every((char) => expression.test(char)),
        String(expression),
      );
    }
  });

  it("can stand between two slashes", () => {
    assert.equal(print(parsePattern("A/[/b]")), "[Aa]\\/[\\/b]");
    assert.equal(print(parsePattern("A/[/b]"), flavors.rust), "[Aa]/[/b]");
  });

  it("writes control characters by names", () => {
    assert.equal(print(parsePattern("a\t[\t\\s]", { shorthands: true })), "a\\t[\\t-\\r ]");
  });

  for (const [pattern, posix] of [
    ["(?:a|Bc)?[B-D]", "(a|[Bb]c)?[B-Db-d]"],
    ["x[\\]A]", "x[]Aa]"],
    ["x[\\^\\-]", "x[-^]"],
    ["x[^\\^\\-]", "x[^^-]"],
    ["x[\\]\\-\\^\\\\]", "x[]\\\\^-]"],
    ["[\\[-\\]]", "[][\\\\]"],
    [".\\.\\/", ".\\./"],
    ["\\]\\}", "]}"],
  ] as const)
    it(`writes ${pattern} as ${posix} for POSIX`, () => {
      assert.equal(print(parsePattern(pattern), flavors.posix), posix);
    });

  it("refuses what no engine can say", () => {
    assert.throws(() => print(never), RangeError);
    assert.equal(flavors.portable, portable);
    assert.equal(toRegExp(parsePattern("x$")).test("x \n"), true);
  });
});
