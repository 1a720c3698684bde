/** The items in the generated module are those that the catalogue was compiled into. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readCatalogue } from "../../../build/read-catalogue.ts";
import { inPrecedence } from "../../../src/compiler/compile.ts";
import { items } from "../../../src/detect/built-in/items.ts";
import { fromItemsText, toItemsText } from "../../../src/detect/built-in/items-text.ts";
import type { ItemFacts } from "../../../src/detect/compiled-catalogue.ts";

describe("items as text", () => {
  for (const [what, item, stored] of [
    ["a pattern that is the name", { name: "Foo", category: "ai", pattern: "Foo" }, { name: "Foo", category: "ai" }],
    [
      "a pattern that is the name, escaped",
      { name: "foo.io", category: "seo", pattern: "foo\\.io", match: 6 },
      { name: "foo.io", category: "seo" },
    ],
    [
      "a name at the beginning of a pattern",
      { name: "Foo", category: "seo", pattern: "Foo\\/[0-9]", match: 5 },
      { name: "Foo", category: "seo", behindName: "\\/[0-9]", match: 5 },
    ],
    [
      "a length that follows from the pattern",
      { name: "A", category: "seo", pattern: "b\\.c", match: 3 },
      { name: "A", category: "seo", pattern: "b\\.c" },
    ],
    [
      "an operator that is the host",
      {
        name: "A",
        operator: "b.org",
        operatorDerived: true,
        category: "seo",
        url: "http://www.b.org/a",
        pattern: "^A",
        match: 1,
      },
      { name: "A", operatorDerived: true, category: "seo", url: "http://www.b.org/a", pattern: "^A", match: 1 },
    ],
  ] as const satisfies readonly (readonly [string, ItemFacts, object])[])
    it(`is without ${what}`, () => {
      assert.deepEqual(JSON.parse(toItemsText([item])), [stored]);
      assert.deepEqual(fromItemsText(toItemsText([item])), [item]);
    });

  it("has all facts of the catalogue", () => {
    const facts = (item: { name?: string; pattern: string; operator?: string; kind?: string }) => ({
      name: item.kind === "rule" ? undefined : item.name,
      pattern: item.pattern,
      operator: item.operator,
    });
    assert.deepEqual(items().map(facts), inPrecedence(readCatalogue()).map(facts));
    assert.deepEqual(fromItemsText(toItemsText(items())), items());
  });
});
