/** From the texts of the data to verdicts: a detector of a catalogue that was compiled in this process. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileCatalogue } from "../../src/compiler/compile-catalogue.ts";
import { DataError } from "../../src/compiler/sources/data-error.ts";
import { loadCatalogue } from "../../src/compiler/sources/load.ts";
import { createDetector } from "../../src/detect/create-detector.ts";
import { factRows } from "../../src/detect/facts.ts";
import { firefox } from "../support/user-agents.ts";

const acme = `- name: Acme Monitor
  pattern: AcmeMonitor/
  operator: Acme
  category: monitor
  examples: [AcmeMonitor/2.1]
- name: Tiny
  pattern: TinyBot/
  operator: Tiny
  category: seo
  examples: ["TinyBot/1.0"]`;

const sources = (crawlers: string) => ({
  version: "1.0.0+test",
  crawlers: [{ path: "own.yaml", text: crawlers }],
  rules: {
    path: "rules.yaml",
    text: `- { name: bot, pattern: Bot/, examples: [FooBot/1.0] }
- { name: code, pattern: '<[?]', category: security, examples: ['<?php'] }`,
  },
  shapes: { path: "shapes.yaml", text: "[]" },
  corrections: { path: "upstream.yaml", text: "[]" },
  hostOperators: { path: "host-operators.yaml", text: "[]" },
  upstream: [],
  browsers: [firefox],
});

describe("a compiled catalogue", () => {
  const catalogue = compileCatalogue(loadCatalogue(sources(acme)));
  const detector = createDetector(catalogue);
  const expression = new RegExp(catalogue.expression);

  for (const [text, name, operator, category] of [
    ["AcmeMonitor/2.1", "Acme Monitor", "Acme", "monitor"],
    [`${firefox} AcmeMonitor/3`, "Acme Monitor", "Acme", "monitor"],
    ["FooBot/1.0", "FooBot", undefined, "other"],
    // The rule decides about Tiny: its entry only names, and does not match behind a letter.
    ["the TinyBot/2", "Tiny", "Tiny", "seo"],
    ["MyTinyBot/2", "MyTinyBot", undefined, "other"],
    ["2TinyBot/2", "Tiny", "Tiny", "seo"],
    // Code may quote names: the crawler of that name did not send it, and its words are no names.
    ["<?php AcmeMonitor/2.1", undefined, undefined, "security"],
    [`${firefox} <?= FooBot/1.0 ?>`, undefined, undefined, "security"],
    [firefox, undefined, undefined, undefined],
  ] as const) {
    it(`gives the verdict on ${text}`, () => {
      const isCrawler = category !== undefined;
      const verdict = detector.check(text);
      assert.deepEqual(
        [verdict.crawler, verdict.name, verdict.operator, verdict.category],
        [isCrawler, name, operator, category],
      );
      assert.equal(detector.isCrawler(text), isCrawler);
      assert.equal(detector.isCrawlerBytes(new TextEncoder().encode(`x${text}`), 1), isCrawler);
      assert.equal(expression.test(text), isCrawler);
      assert.equal(
        detector.explain(text).explanation.some(({ decides }) => decides),
        isCrawler,
      );
    });
  }

  it("has every fact of an entry in its verdicts, in the order of the table", () => {
    const facts = { operator: "Acme", category: "ai", purposes: ["search", "agent"], url: "https://acme.example/bot" };
    const robotsRules = { star: false, fallback: ["foo"], tokens: "letters", url: "https://acme.example/robots" };
    const own = { name: "AcmeAI", ...facts, robots: "acme", robotsRules, examples: ["AcmeAI/1"] };
    const theirs = { pattern: "Derived/", url: "https://derived.example/", instances: ["Derived/1"] };
    const library = { maker: "Acme", category: "library" };
    const tool = { name: "AcmeTool", ...library, examples: ["AcmeTool/1"] };
    const derived = { operator: "derived.example", operatorDerived: true, category: "other", url: theirs.url };
    const all = compileCatalogue(loadCatalogue({ ...sources(JSON.stringify([own, tool])), upstream: [theirs] }));
    const { check } = createDetector(all);
    const head = (useragent: string, name: string) => ({ useragent, crawler: true, name });
    const tail = (pattern: string, match: string) => ({ pattern, match });
    // The text, too: the members have one order.
    for (const [verdict, expected] of [
      [check("AcmeAI/1"), { ...head("AcmeAI/1", "AcmeAI"), ...facts, ...tail("AcmeAI", "AcmeAI") }],
      [check("AcmeTool/1"), { ...head("AcmeTool/1", "AcmeTool"), ...library, ...tail("AcmeTool", "AcmeTool") }],
      [check("Derived/1"), { ...head("Derived/1", "Derived"), ...derived, ...tail("Derived/", "Derived/") }],
    ] as const)
      assert.equal(JSON.stringify(verdict), JSON.stringify(expected));
    const known = Object.keys({ ...facts, ...library, ...derived });
    assert.deepEqual(known.sort(), Object.keys(factRows).sort());
    assert.equal(all.items.find(({ name }) => name === "AcmeAI")?.robots, "acme");
    assert.deepEqual(all.items.find(({ name }) => name === "AcmeAI")?.robotsRules, robotsRules);
  });

  it("says what it was made of", () => {
    assert.deepEqual([detector.version, detector.entries], ["1.0.0+test", 2]);
    assert.deepEqual(detector.strings(), ["AcmeMonitor/2.1", "TinyBot/1.0", "FooBot/1.0", "<?php"]);
    assert.deepEqual([catalogue.wellKnown, catalogue.verification], [[], { proofs: [], ranges: {} }]);
  });

  it("is not made of wrong data, which is named with its line", () => {
    const wrong = () => loadCatalogue(sources(acme.replace("category: monitor", "category: monitors")));
    assert.throws(wrong, (error) => error instanceof DataError && /^own\.yaml:4: category/.test(error.message));
  });
});
