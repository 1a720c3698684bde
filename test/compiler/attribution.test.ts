/** What check:data says of examples and people that the catalogue gets wrong. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decisionsOf, misattributed } from "../../src/compiler/attribution.ts";
import { compile } from "../../src/compiler/compile.ts";
import { loadCatalogue } from "../../src/compiler/sources/load.ts";

function problemsOf(crawlers: string, rules: string): string[] {
  const catalogue = loadCatalogue({
    version: "0",
    crawlers: [{ path: "a.yaml", text: crawlers }],
    rules: { path: "rules.yaml", text: rules },
    shapes: { path: "shapes.yaml", text: "" },
    corrections: { path: "upstream.yaml", text: "" },
    houses: { path: "houses.yaml", text: "" },
    upstream: [],
  });
  return misattributed(decisionsOf(compile(catalogue)));
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
      'rules.yaml:5: "robs", a person\'s, is taken for a crawler by an anchored rule',
      'rules.yaml:5: "some bot x", a person\'s, is taken for bot (rules.yaml:1)',
      'rules.yaml:5: "tool/1", a person\'s, is taken for Tool (a.yaml:1)',
    ]);
  });

  it("names an example of a rule that its own exception holds back", () => {
    const excepted = "- name: bot\n  pattern: bot\n  except: [{ words: [cubot], why: phones }]\n  examples: [cubot]\n";
    assert.deepEqual(problemsOf(good, excepted), [
      'rules.yaml:1: the example "cubot" of bot is not taken for a crawler',
    ]);
  });
});
