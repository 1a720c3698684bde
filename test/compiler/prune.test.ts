/** Which entries decide, and which only name what rules find. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compile } from "../../src/compiler/compile.ts";
import type { Catalogue, Entry, Rule } from "../../src/compiler/entry.ts";
import { toRegExp } from "../../src/pattern/print.ts";

const facts = { category: "other", examples: [], source: "test:1" } as const;
const rules: Rule[] = [
  { ...facts, name: "bot", pattern: "Bot", except: [{ pattern: "Bot[a-rt-z]", why: "botanic" }], people: [] },
  { ...facts, name: "bare name", pattern: "^[A-Z][A-Z]+(?:/[0-9])?$", except: [], people: [] },
];
const entryOf = (pattern: string, example: string, more: Partial<Entry>): Entry => ({
  ...{ ...facts, name: "Foo", pattern, purposes: [], instances: [] },
  examples: [example],
  ...more,
});

const catalogueOf = (entry: Entry): Catalogue => ({ version: "1", entries: [entry], rules, browsers: [] });

describe("an entry", () => {
  for (const [what, pattern, example, more, found, missed] of [
    ["only names where rules find its examples, in other versions too", "Foo", "FooBot/1", {}, [], ["x Foo/1.2"]],
    ["decides where a rule finds an example, but no longer version", "Foo/", "Foo/1", {}, ["Foo/1", "x Foo/1.2"], []],
    ["decides where rules do not find one of its examples", "Foo", "x Foo", {}, ["x Foo/1.2"], []],
    ["decides where rules find the token alone, but not behind a browser", "Foo", "Foo", {}, ["x Foo/1.2"], []],
    ["only names where its token is at the start, and a rule finds it", "^Foo", "Foo", {}, [], ["Foo x"]],
    ["decides where it has no examples", "Foo", "", { examples: [] }, ["x Foo"], []],
    ["of the package is as one of ours", "Foo", "", { examples: [], instances: ["FooBot"] }, [], ["Foo x"]],
    ["only names where a rule finds its token, but for exceptions", "FooBot", "FooBot/1", {}, [], ["x FooBotanic"]],
  ] as const)
    it(what, () => {
      const { tree, namesOnly } = compile(catalogueOf(entryOf(pattern, example, more)));
      const expression = toRegExp(tree);
      for (const text of found) assert(expression.test(text), text);
      for (const text of missed) assert(!expression.test(text), text);
      assert.deepEqual(namesOnly, found.length === 0 ? [0] : []);
    });
});
