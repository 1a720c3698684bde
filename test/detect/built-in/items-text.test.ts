/** The items in the generated module are those that the catalogue was compiled into. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inPrecedence } from "../../../src/compiler/compile.ts";
import { items } from "../../../src/detect/built-in/items.ts";
import { readItemsText, toItemsText } from "../../../src/detect/built-in/items-text.ts";
import type { ItemFacts } from "../../../src/detect/compiled-catalogue.ts";
import { readCatalogue } from "../../support/remembered.ts";

const roundTrip = (all: readonly ItemFacts[]): unknown[] => {
  const list = readItemsText(toItemsText(all));
  return Array.from({ length: list.length }, (_, index) => list.at(index));
};

describe("items as text", () => {
  for (const [what, item, line] of [
    ["a pattern that is the name", { name: "Foo", category: "ai", pattern: "Foo" }, "Foo"],
    ["a pattern that is the name, escaped", { name: "f.io", category: "ai", pattern: "f\\.io" }, "f.io"],
    ["a name in a pattern", { name: "F.oo", category: "ai", pattern: "F\\.oo\\/[0-9]" }, "F.oo\t\t\t<\\/[0-9]"],
    [
      "an operator that is the host, and the name in small letters",
      {
        name: "Foobot",
        operator: "foobot.org",
        operatorDerived: true,
        category: "seo",
        url: "http://www.foobot.org/a/foo",
        pattern: "^A",
      },
      "Foobot\t2>.org/a/`\t\t^A",
    ],
    ["a maker", { name: "Foo", maker: "Foo Ltd", category: "library", pattern: "Foo" }, "Foo\t\t=< Ltd"],
  ] as const satisfies readonly (readonly [string, ItemFacts, string])[])
    it(`shorten ${what}`, () => {
      assert.equal(toItemsText([item]).split("\n")[1], `0${line}`);
      assert.deepEqual(roundTrip([item]), [item]);
    });

  it("are kept, whatever characters they have", () => {
    for (const name of ["A", "bot", "a<b", "a\tb\n", "$&", "\u00e9>", "-"])
      for (const pattern of ["A", "<", "`>", "\\.", "1\t2"])
        for (const more of [
          {},
          { url: "ftp://<A>" },
          { url: "", operator: "" },
          { url: "", operator: "=", maker: "" },
          { operator: "=", maker: "A" },
          { match: "12" },
          { operatorDerived: true, operator: "x" } as const,
          { robots: "A", purposes: ["search"] } as const,
        ]) {
          const item: ItemFacts = { name, category: "ai", pattern, ...more };
          assert.deepEqual(roundTrip([item, { category: "seo", pattern }]), [item, { category: "seo", pattern }]);
        }
  });

  it("has all facts of the catalogue", () => {
    const facts = (item: { name?: string; pattern: string; operator?: string; maker?: string; kind?: string }) => ({
      name: item.kind === "rule" ? undefined : item.name,
      pattern: item.pattern,
      operator: item.operator,
      maker: item.maker,
    });
    assert.deepEqual(items().map(facts), inPrecedence(readCatalogue()).map(facts));
    assert.deepEqual(roundTrip(items()), items());
  });

  it("has makers, and no operator, of libraries", () => {
    const libraries = items().filter(({ category }) => category === "library");
    assert.deepEqual(
      libraries.filter(({ operator }) => operator !== undefined),
      [],
    );
    assert.ok(libraries.some(({ maker }) => maker === "Google"));
  });
});
