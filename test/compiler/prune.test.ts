/** Which entries decide, and which only name what rules find. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compile } from "../../src/compiler/compile.ts";
import type { Catalogue, Entry, Rule } from "../../src/compiler/entry.ts";
import { toRegExp } from "../../src/pattern/print.ts";

const facts = { category: "other", examples: [], source: "test:1" } as const;
const rules: Rule[] = [
  { ...facts, name: "bot", pattern: "Bot", except: [{ pattern: "Bot[a-rt-z]", why: "botanic" }], people: [] },
  { ...facts, name: "bare name", pattern: "^[A-Z][A-Z]+/[0-9]$", except: [], people: [] },
];
const long = "Letters Of Great Length";

const entryOf = (pattern: string, example: string, more: Partial<Entry>): Entry => ({
  ...{ ...facts, name: "Foo", pattern, purposes: [], instances: [] },
  examples: [example],
  ...more,
});

const catalogueOf = (entry: Entry): Catalogue => ({ version: "1", entries: [entry], rules });

describe("an entry", () => {
  for (const [what, pattern, example, more, found, missed] of [
    ["decides where its pattern is short", "Foo/", "Foo/1", {}, ["Foo/1", "x Foo/1.2"], []],
    ["only names where it is long and rules find its examples", long, `${long}Bot`, {}, [], [long, `x ${long}/1.2`]],
    ["decides where rules do not find its examples", long, `${long}/1.2`, {}, [long], []],
    ["decides where it has no examples", long, "", { examples: [] }, [long], []],
    ["decides in a category of appended tokens", long, `${long}Bot`, { category: "ai" }, [`x ${long}`], []],
    [
      "of the package does not decide for its category",
      ...[long, "", { category: "ai", examples: [], instances: [`${long}Bot`] } as const, [], [long]],
    ],
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
