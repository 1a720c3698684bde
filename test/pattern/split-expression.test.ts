/** Parts of an expression are together the whole, cut only between alternatives, and none is longer than asked for. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toExpressions } from "../../src/export/expressions.ts";
import { isCrawler } from "../../src/expression.ts";
import { flavors } from "../../src/pattern/flavors.ts";
import { parsePattern } from "../../src/pattern/parse.ts";
import { print } from "../../src/pattern/print.ts";
import { cutExpression, maxCharactersForV8, splitExpression } from "../../src/pattern/split-expression.ts";

describe("splitExpression", () => {
  for (const [expression, most, parts] of [
    ["a|b|c", 3, ["a|b", "c"]],
    ["a|b|c", 1, ["a", "b", "c"]],
    ["a|b|c", 9, ["a|b|c"]],
    ["(?:a|b)|[|(]|\\||\\(|c", 1, ["(?:a|b)", "[|(]", "\\|", "\\(", "c"]],
    ["[\\]|]|(?:[)|]|x)y", 1, ["[\\]|]", "(?:[)|]|x)y"]],
  ] as const)
    it(`cuts ${expression} into parts of ${most}`, () => {
      assert.deepEqual(splitExpression(expression, most), parts);
    });

  it("leaves nothing of the catalogue's expression out", () => {
    const parts = splitExpression(detector.expression, 2_000);
    assert.equal(parts.join("|"), detector.expression);
    assert(parts.length > 5);
    for (const part of parts) new RegExp(part);
  });
});

it("cutExpression cuts long alternatives, too, at groups in them", () => {
  assert.deepEqual(
    [...cutExpression("(?:a|[(|])?b(?:c{2}|(?:d|\\)e)*){0,3}f|g", 16)],
    ["(?:a|[(|])?b", "(?:", "c{2}", "|", "(?:d|\\)e)*", "){0,3}", "f", "|", "g"],
  );
  const pieces = [...cutExpression(detector.expression, 500)];
  assert.equal(pieces.join(""), detector.expression);
  assert.ok(pieces.every((piece) => piece.length <= 500));
});

describe("the flavors", () => {
  it("are those of the whole tree, although they are written in steps", () => {
    const tree = parsePattern(detector.expression, { printed: true });
    const expressions = toExpressions(detector.catalogue);
    for (const [name, flavor] of Object.entries(flavors)) assert.equal(expressions[name], print(tree, flavor), name);
  });
});

describe("the flavor split", () => {
  it("is the expression in parts that V8 optimizes, one a line", () => {
    const parts = toExpressions(detector.catalogue).split!.split("\n");
    assert.equal(parts.join("|"), detector.expression);
    assert(parts.length > 1);
    for (const part of parts) assert(part.length <= maxCharactersForV8);
  });
});

describe("isCrawler of whocrawls/expression", () => {
  it("answers as the library does", () => {
    for (const text of [...detector.strings(), "", null, undefined])
      assert.equal(isCrawler(text), detector.isCrawler(text));
    assert.equal(isCrawler("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"), false);
    assert.throws(() => isCrawler(5 as unknown as string), TypeError);
  });
});
