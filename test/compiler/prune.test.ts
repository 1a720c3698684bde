/** Which entries decide, and which only name what rules find. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compile } from "../../src/compiler/compile.ts";
import type { Entry, Rule } from "../../src/compiler/entry.ts";
import { toRegExp } from "../../src/pattern/print.ts";
import { alt } from "../../src/pattern/tree.ts";

const facts = { category: "library", examples: [], source: "test:1" } as const;
const rules: Rule[] = [
  { ...facts, name: "bot", pattern: "Bot", except: [{ pattern: "Bot[a-rt-z]", why: "botanic" }], people: [] },
  { ...facts, name: "name", pattern: "^[A-Z][A-Z]+(?:/[0-9](?:\\.[0-9])?)?$", except: [], people: [] },
];
const phone = "Dalvik/2.1.0 (Linux; U; Android 14; Foo/2)";

describe("an entry", () => {
  for (const [what, pattern, known, found, missed] of [
    ["only names where rules find its strings in every form", "FooBot", ["FooBot/1"], [], ["x FooBotanic"]],
    ["decides where rules find its token alone only", "Foo", ["Foo"], ["Foo/1.2 x", phone], ["x aFoo"]],
    ["decides in the forms of its name, whatever its strings are", "Foo", ["a bot Foo"], ["Foo/1.2 x", phone], []],
    ["only names where its pattern matches no other form", "^Foo$", ["Foo"], [], ["Foo x"]],
    ["decides where a rule finds an example, but no longer version", "Foo/", ["Foo/1"], ["a Foo/1.2"], []],
    ["decides where no rule finds one of its examples", "Foo", ["a Foo"], ["a Foo/1.2", phone], []],
    ["decides where it has no strings", "Foo", [], ["x Foo"], ["x aFoo"]],
    ["decides where it has no strings and no forms", "-B-x?y", [], ["a -B-y"], []],
  ] as const)
    it(what, () => {
      // Strings of the package, and our own examples.
      for (const instances of [[], known]) {
        const entry: Entry = { ...facts, name: "Foo", pattern, examples: known.slice(instances.length), instances };
        const chosen = compile({ version: "1", entries: [entry], rules, browsers: [] });
        const { alternatives, itemTrees } = chosen;
        const expression = toRegExp(alt(...alternatives.map((item) => itemTrees[item]!)));
        for (const text of found) assert(expression.test(text), text);
        for (const text of missed) assert(!expression.test(text), text);
        assert.equal(alternatives.includes(0), found.length > 0);
      }
    });

  it("decides only alone and after compatible, if its category has only these forms", () => {
    const entry: Entry = { ...facts, category: "seo", name: "Foo", pattern: "Foo", examples: ["Foo"], instances: [] };
    const deciding = (some: Rule[]): number[] => [
      ...compile({ version: "1", entries: [entry], rules: some, browsers: [] }).alternatives,
    ];
    assert(deciding(rules).includes(0));
    const compatible: Rule = { ...facts, name: "compatible", pattern: "[(]compatible; ", except: [], people: [] };
    assert(!deciding([...rules, compatible]).includes(0));
  });
});
