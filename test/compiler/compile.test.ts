/** From a catalogue to automata: the same bytes each time, the right one wins, and what cannot be compiled is named. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Compiled, compile } from "../../src/compiler/compile.ts";
import { compileCatalogue } from "../../src/compiler/compile-catalogue.ts";
import type { Catalogue, Entry, Rule } from "../../src/compiler/entry.ts";
import { toNameIndex } from "../../src/compiler/name-index.ts";
import type { Category } from "../../src/detect/categories.ts";
import { NameIndex } from "../../src/detect/name-index.ts";
import { toExpression } from "../../src/pattern/factor.ts";
import { finish } from "../../src/pattern/finish.ts";

function entry(name: string, pattern = name, category: Category = "other", source = "own.yaml:1"): Entry {
  return { name, pattern, category, purposes: [], examples: [], instances: [], source };
}

function rule(pattern: string, except: readonly string[] = []): Rule {
  const exceptions = except.map((text) => ({ pattern: text, why: "" }));
  const empty = { category: "other" as const, examples: [], people: [] };
  return { name: pattern, pattern, ...empty, except: exceptions, source: "rules.yaml:7" };
}

const catalogue = (entries: readonly Entry[], rules: readonly Rule[] = []): Catalogue => ({
  version: "0",
  browsers: ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
  entries,
  rules,
});

const entries = [
  entry("curl", "^curl/", "library"),
  entry("Headless", "HeadlessChrome", "automation"),
  entry("Foo Crawler", "FOO", "seo"),
  entry("Foo Image", "FOO-IMAGE", "seo"),
  entry("Foo (package)", "FOO-IMAGE/2", "seo", "crawler-user-agents: foo-image/2"),
  entry("Wide", "[ab][0-9]{2,4}x|yy", "ai"),
];
const rules = [rule("bot", ["Cubot", "robot[ -]vac"]), rule("spider")];

function expressionOf({ alternatives, itemTrees }: Compiled): string {
  return toExpression(alternatives.map((item) => itemTrees[item]!));
}

function namesOf({ items, itemTrees }: Compiled): string[] {
  return finish(toNameIndex(items, itemTrees, []));
}

function winner(compiled: Compiled, text: string): string | undefined {
  const found = new NameIndex(namesOf(compiled)).find(text);
  return found && compiled.items[found.item]?.name;
}

describe("compile", () => {
  it("gives the same bytes each time, in whatever order the entries come", () => {
    const expected = compileCatalogue(catalogue(entries, rules));
    assert.deepEqual(compileCatalogue(catalogue(entries, rules)), expected);
    assert.deepEqual(
      { ...compileCatalogue(catalogue(entries.toReversed(), rules)), owners: expected.owners },
      expected,
    );
  });

  const compiled = compile(catalogue(entries, rules));
  for (const [text, name, why] of [
    ["foo-image/2.0", "Foo Image", "reviewed data win over the package's"],
    ["Foo-Image bot", "Foo Image", "the longer pattern wins over the shorter"],
    ["foo HeadlessChrome", "Foo Crawler", "a named crawler wins over the tool it is built with"],
    ["curl/8 bot", "curl", "an entry wins over a rule"],
    ["some bot, some spider", "bot", "the first rule wins"],
    ["Cubot spider", "spider", "an exception does not hide another item"],
    ["Cubot, robot-vac", undefined, "every occurrence is excepted"],
    ["Cubot, robot", "bot", "one occurrence is not"],
    ["xcurl/8", undefined, "an anchored pattern"],
  ] as const)
    it(`attributes ${JSON.stringify(text)} to ${name ?? "nobody"}: ${why}`, () => {
      assert.equal(winner(compiled, text), name);
      assert.equal(new RegExp(expressionOf(compiled)).test(text), name !== undefined);
    });

  it("leaves out what another alternative covers", () => {
    const expression = expressionOf(compile(catalogue([...entries, entry("Foo Robot"), entry("Food")], rules)));
    assert.equal(expression, expressionOf(compiled));
    assert(!/Ii\]\[Mm/.test(expression), "foo covers foo-image");
  });

  it("refuses exceptions that leave nothing of the pattern, or repeat without bound", () => {
    const compileWith = (...except: string[]) => compile(catalogue([], [rule("bot", except)]));
    compileWith("o");
    assert.throws(() => compileWith("bot"), /^CatalogueError: rules\.yaml:7: rule bot: .*leave nothing/);
    compileWith("bot[0-9]+ ");
    for (const [exception, problem] of [
      ["[a-z]+bot", "a class that an exception repeats may not contain characters of the pattern"],
      ["bot[0-9]*", "an exception may only repeat a character or a class without bound, with +"],
    ] as const)
      assert.throws(
        () => compileWith(exception),
        (error) => String(error) === `CatalogueError: rules.yaml:7: rule bot: ${problem}`,
      );
  });

  it("refuses a pattern that counts characters beyond ASCII, for encodings count them differently", () => {
    const counting = entry("Two", "x[^a]{2}y", "other", "seo.yaml:12");
    assert.throws(
      () => compile(catalogue([...entries, counting])),
      /^CatalogueError: seo\.yaml:12: the pattern of Two depends on the number of non-ASCII characters/,
    );
    compile(catalogue([entry("Any", "^v[^a]+w|xy"), entry("Other", "(?:^|[^a])b")]));
  });
});
