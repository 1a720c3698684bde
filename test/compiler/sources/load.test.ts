/** What is wrong with the catalogue's data is said with file and line (test/golden/compiler/sources.txt), and how sources are joined. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DataError } from "../../../src/compiler/sources/data-error.ts";
import { type CatalogueSource, loadCatalogue } from "../../../src/compiler/sources/load.ts";
import { mark, testGolden } from "../../support/golden.ts";

const spare = { pattern: "SpareBot", url: "https://www.spare.example/bot", instances: ["SpareBot/1.0"], tags: ["seo"] };
const old = { pattern: "Old\\w+Fetcher", instances: ["OldPageFetcher/2"] };
const corrections = "- pattern: 'Old\\w+Fetcher'\n  use: Old[A-Z]{1,20}Fetcher\n  why: a repeat without bound\n";

type Parts = Readonly<Partial<Record<"crawlers" | "rules" | "corrections" | "hostOperators", string>>>;

function source({
  crawlers = "- { name: FirstBot, category: seo, examples: [FirstBot/1] }",
  rules = "- { name: bot, pattern: bot, examples: [bot] }",
  corrections = "",
  hostOperators = "- hosts: [knownagents.com, github.io]",
}: Parts = {}): CatalogueSource {
  return {
    version: "0.0.0",
    crawlers: [{ path: "data/crawlers/seo.yaml", text: crawlers }],
    shapes: { path: "data/shapes.yaml", text: "- { name: program, what: not a browser, begins: '[^M]' }" },
    rules: { path: "data/rules.yaml", text: rules },
    corrections: { path: "data/upstream.yaml", text: corrections },
    hostOperators: { path: "data/host-operators.yaml", text: hostOperators },
    upstream: [spare],
    browsers: [],
  };
}

testGolden("compiler/sources.txt", (input) => {
  const [crawlers = "", ...others] = input.split(/^--- /m);
  const parts = others.map((text) => /^(\w+)\n([\s\S]*)/.exec(text)!.slice(1, 3) as [string, string]);
  try {
    loadCatalogue(source({ ...(crawlers !== "" && { crawlers }), ...Object.fromEntries(parts) }));
  } catch (error) {
    assert(error instanceof DataError, String(error));
    return error.problems.flatMap((problem) => mark("!", problem));
  }
  return [];
});

describe("loadCatalogue", () => {
  it("says what to do about patterns of the package that are not portable", () => {
    assert.throws(
      () => loadCatalogue({ ...source(), upstream: [spare, old] }),
      /^CatalogueError: crawler-user-agents: Old\\w\+Fetcher: its repetitions can match .*use instead in data\/upstream\.yaml$/,
    );
  });

  it("joins the package's entries with ours, which win, and corrects them", () => {
    const { entries, rules, version } = loadCatalogue({
      ...source({
        corrections: `${corrections}- pattern: SpareBot\n  operator: Spare Ltd\n  category: ai\n  why: asked them\n`,
      }),
      upstream: [spare, old, { pattern: "First ?Bot", instances: ["First Bot/2", "FirstBot/3"] }],
    });
    assert.deepEqual(
      entries.map(({ name, category, operator, operatorDerived, instances }) => [
        ...[name, category, operator, operatorDerived],
        instances.length,
      ]),
      [
        ["FirstBot", "seo", undefined, undefined, 1],
        ["SpareBot", "ai", "Spare Ltd", undefined, 1],
        ["OldPageFetcher", "other", undefined, undefined, 1],
      ],
    );
    assert.deepEqual(entries[0]!.instances, ["FirstBot/3"], "only what our own pattern matches");
    assert.equal(entries[1]!.source, "crawler-user-agents: SpareBot");
    assert.deepEqual(rules[0], {
      ...{ name: "bot", pattern: "bot", category: "other", except: [], examples: ["bot"], people: [] },
      source: "data/rules.yaml:1",
    });
    assert.equal(version, "0.0.0");
  });

  it("takes the site of the contact address for the operator, and says so", () => {
    const entry = loadCatalogue(source()).entries.find(({ name }) => name === "SpareBot");
    assert.equal(entry?.operator, "spare.example");
    assert.equal(entry?.operatorDerived, true);
    for (const [more, maker] of [
      ["  category: library\n", undefined],
      ["  maker: Spare Ltd\n", "Spare Ltd"],
    ] as const) {
      const text = `- pattern: SpareBot\n${more}  why: anyone runs it\n`;
      const program = loadCatalogue(source({ corrections: text })).entries.find(({ name }) => name === "SpareBot");
      assert.deepEqual([program?.operator, program?.operatorDerived, program?.maker], [undefined, undefined, maker]);
    }
  });

  it("takes the operator of the longest listed host for a reviewed one, and none of hosts that publish for others", () => {
    const hostOperators =
      "- { operator: Spare Ltd, hosts: [spare.example] }\n- hosts: [docs.spare.example, github.io]\n";
    for (const [url, operator, derived] of [
      ["https://www.spare.example/bot", "Spare Ltd", undefined],
      ["https://help.spare.example/bot", "Spare Ltd", undefined],
      ["https://a.docs.spare.example/bot", undefined, undefined],
      ["https://spare.github.io/", undefined, undefined],
      ["https://github.io.example/", "github.io.example", true],
      ["https://myspare.example/", "myspare.example", true],
      ["http://192.0.2.1/bot", undefined, undefined],
      ["http://[2001:db8::1]/bot", undefined, undefined],
    ] as const) {
      const { entries } = loadCatalogue({ ...source({ hostOperators }), upstream: [{ ...spare, url }] });
      const entry = entries.find(({ name }) => name === "SpareBot");
      assert.deepEqual([entry?.url, entry?.operator, entry?.operatorDerived], [url, operator, derived]);
    }
  });

  it("takes the package's label seo for no category, so that only reviewed entries have it", () => {
    const categoryOf = (tags: readonly string[], text = ""): string | undefined =>
      loadCatalogue({ ...source({ corrections: text }), upstream: [{ ...spare, tags }] }).entries.find(
        ({ name }) => name === "SpareBot",
      )?.category;
    assert.equal(categoryOf(["seo"]), "other");
    assert.equal(categoryOf(["seo", "feed-reader"]), "feed");
    assert.equal(categoryOf(["monitoring"]), "monitor");
    assert.equal(categoryOf(["seo"], "- pattern: SpareBot\n  category: seo\n  why: an index of links\n"), "seo");
  });
});
