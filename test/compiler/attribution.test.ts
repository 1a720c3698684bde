/** What check:data says of examples and people that the catalogue gets wrong. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { misattributed, type Person } from "../../src/compiler/attribution.ts";
import { inPrecedence } from "../../src/compiler/compile.ts";
import { compileCatalogue } from "../../src/compiler/compile-catalogue.ts";
import { loadCatalogue } from "../../src/compiler/sources/load.ts";
import { createDetector } from "../../src/detect/create-detector.ts";

function problemsOf(crawlers: string, rules: string, people: readonly Person[] = []): string[] {
  const sources = {
    version: "0",
    crawlers: [{ path: "a.yaml", text: crawlers }],
    rules: { path: "rules.yaml", text: rules },
    shapes: { path: "shapes.yaml", text: "" },
    corrections: { path: "upstream.yaml", text: "" },
    houses: { path: "houses.yaml", text: "" },
    upstream: [],
    browsers: ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
  };
  const detector = createDetector(compileCatalogue(sources));
  return misattributed(inPrecedence(loadCatalogue(sources)), detector, people);
}

const good = "- name: Tool\n  pattern: ^tool/\n  category: library\n  examples: [tool/1]\n";
const rule = "- name: bot\n  pattern: bot\n  examples: [some bot]\n  people: [robust phone]\n";

describe("misattributed", () => {
  it("has nothing to say of a sound catalogue", () => {
    assert.deepEqual(problemsOf(good, rule), []);
  });

  it("names an example that another entry wins", () => {
    const other = "- name: Other\n  pattern: other\n  category: seo\n  examples: [tool/2 other]\n";
    assert.deepEqual(problemsOf(`${other}${good.replace("tool/1", "tool/2 other")}`, rule), [
      'a.yaml:5: the example "tool/2 other" of Tool goes to Other (a.yaml:1)',
    ]);
  });

  it("names people whom a rule, an entry or a shape takes for crawlers", () => {
    const shape = "- name: shape\n  pattern: '^[a-z]{4}$'\n  examples: [abce]\n  people: [robs, some bot x, tool/1]\n";
    assert.deepEqual(problemsOf(good, `${rule}${shape}`), [
      'rules.yaml:5: "robs", a person\'s, is taken for a crawler by the rule shape (rules.yaml:5), which matches "robs"',
      'rules.yaml:5: "some bot x", a person\'s, is taken for a crawler by the rule bot (rules.yaml:1), which matches "bot"',
      'rules.yaml:5: "tool/1", a person\'s, is taken for a crawler by the entry Tool (a.yaml:1), which matches "tool/"',
    ]);
    assert.deepEqual(
      problemsOf(good, rule, [
        { text: "robust phone", source: "people.txt:1" },
        { text: "abbot phone", source: "people.txt:2" },
      ]),
      [
        'people.txt:2: "abbot phone", a person\'s, is taken for a crawler by the rule bot (rules.yaml:1), which matches "bot"',
      ],
    );
  });

  it("names an example of a rule that its own exception holds back", () => {
    const excepted = "- name: bot\n  pattern: bot\n  except: [{ words: [cubot], why: phones }]\n  examples: [cubot]\n";
    assert.deepEqual(problemsOf(good, excepted), [
      'rules.yaml:1: the example "cubot" of bot is not taken for a crawler',
    ]);
  });
});
