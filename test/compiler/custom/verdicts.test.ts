/** Own catalogues: verdicts, expressions and facts are those of the data with the same entries. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readPeople } from "../../../build/read-people.ts";
import { findMissedForms } from "../../../src/compiler/custom/people.ts";
import { detector } from "../../../src/detect/built-in/detector.ts";
import { extendDetector } from "../../../src/detect/extend-detector.ts";
import { encodeCatalogue } from "../../../src/detect/file/catalogue-file.ts";
import { loadDetector } from "../../../src/detect/file/load-detector.ts";
import { expressionOf } from "../../../src/detect/name-index.ts";
import type { Detector } from "../../../src/detect/verdict.ts";
import { toExpressions } from "../../../src/export/expressions.ts";
import { finish } from "../../../src/pattern/finish.ts";
import { app, browser, entries, modifiedDetector } from "../../support/modified-detector.ts";
import { createStrings } from "../../support/random-strings.ts";
import { createSign } from "../../support/reference.ts";
import { readCorpora } from "../../support/remembered.ts";
import { isAll, someOf } from "../../support/some-strings.ts";
import { customDetector } from "./custom-detector.ts";

const corpora = someOf(
  readCorpora().flatMap(({ strings }) => strings),
  700,
);
const utf8 = new TextEncoder();

/** Check, the bytes, the expression in its spellings, the explanation, and the file all agree. */
function assertConsistent(own: Detector, texts: readonly string[]): void {
  const loaded = loadDetector(encodeCatalogue(own.catalogue));
  const { portable, rust } = toExpressions(own.catalogue);
  const forms = [new RegExp(portable!), new RegExp(rust!)];
  const expressions = own.catalogue.nameIndex.map((line) => new RegExp(expressionOf(line)));
  for (const [index, text] of texts.entries()) {
    const verdict = own.check(text);
    assert.deepEqual(loaded.check(text), verdict);
    assert.equal(own.isCrawler(text), verdict.crawler, text);
    assert.equal(own.isCrawlerBytes(utf8.encode(text)), verdict.crawler, text);
    for (const form of forms) assert.equal(form.test(text), verdict.crawler, text);
    if (index % 100 > 0) continue;
    const isExplained = own.explain(text).explanation.some(({ decides }) => decides);
    assert.equal(isExplained, verdict.crawler, text);
    if (!verdict.crawler) continue;
    const first = own.catalogue.items[expressions.findIndex((expression) => expression.test(text))]!;
    assert.equal(first.pattern, verdict.pattern, text);
  }
}

function stringsFor({ catalogue }: Detector): string[] {
  const patterns = catalogue.items.slice(0, 40).map(({ pattern }) => pattern);
  const next = createStrings({ seed: 11, patterns, texts: corpora });
  const few = `Beta12|xBeta12|Beta1234|Beta9 |${browser} Acme/1|GammaBot v1|(Gamma v1|ACME|Acme monitor`.split("|");
  return [...corpora, ...Array.from({ length: 1_000 }, next), ...few, ...few.map((text) => `${browser} ${text}`)];
}

describe("custom entries", () => {
  const { own, warnings } = customDetector(`crawlers:${entries}`);

  it("are consistent in every form", () => assertConsistent(own, stringsFor(own)));

  it("are found in every place, whatever their category", () => {
    const loaded = loadDetector(encodeCatalogue(own.catalogue));
    for (const name of ["AcmeMonitor/2.1", "AcmeX", "Gamma v1"])
      for (const text of [
        name,
        `${browser} (${name}`,
        `Mozilla/5.0 (compatible; ${name})`,
        `(${name} (Linux; Android 14)`,
      ])
        for (const one of [own, loaded]) assert(one.isCrawler(`${text}`), text);
  });

  it("precede all others, and longer patterns shorter ones", () => {
    const texts = ["AcmeMonitor/2 GPTBot/1.0", "Acme GPTBot/1.0", "Beta12", "Googlebot/2.1 (Gamma v1", browser];
    const names = texts.map((text) => own.check(text).name);
    assert.deepEqual(names, ["Acme Monitor", "Acme", "Beta", "Gamma", "Delta Check"]);
    assert.deepEqual(own.check("x AcmeMonitor/2.1"), {
      ...{ useragent: "x AcmeMonitor/2.1", crawler: true, name: "Acme Monitor", operator: "Acme" },
      ...{ category: "monitor", pattern: "AcmeMonitor/", match: "AcmeMonitor/" },
    });
    assert.equal(own.check("(GammaFeed v1.25)").match, "GammaFeed v1.25".replace(/^/, "("));
  });

  it("leave all other verdicts as they are", () => {
    const mine = new Set(own.catalogue.items.slice(0, 5).map(({ name }) => name));
    for (const text of stringsFor(own)) {
      const verdict = own.check(text);
      if (!mine.has(verdict.name)) assert.deepEqual(verdict, detector.check(text));
    }
  });

  it("are decided as their patterns are written", () => {
    const signs = own.catalogue.items.slice(0, 5).map(({ pattern }) => createSign(pattern));
    for (const text of [...stringsFor(own), ...own.strings(), ...readPeople()])
      assert.equal(own.isCrawler(text), detector.isCrawler(text) || signs.some((isIn) => isIn(text)), text);
  });

  it("are in the catalogue's facts", () => {
    assert.equal(own.entries, detector.entries + 5);
    assert.equal(own.version, `${detector.version}.own.test`);
    assert.deepEqual(warnings, []);
    assert(own.strings().includes(`${browser} AcmeMonitor/2.1`));
    assert.equal(own.catalogue.items.find(({ name }) => name === "Delta Check")?.robots, "delta");
  });
});

describe("many custom entries, and unusual ones", () => {
  it("may be as many as are allowed", () => {
    const end = isAll ? " of the office".repeat(9) : "";
    const names = Array.from({ length: 1000 }, (_, i) => `Acme Monitoring Crawler Number ${i} X,${end}`);
    const rows = names.map((name) => JSON.stringify({ name, category: "monitor", examples: [name] }));
    const { own } = customDetector(`{"crawlers": [${rows.join(", ")}]}`);
    for (const name of names) assert.equal(own.check(`${browser} ${name}`).name, name);
    for (const text of detector.strings().slice(0, 500)) assert.equal(own.check(text).name, detector.check(text).name);
  });

  it("may have control characters", () => {
    const { own } = customDetector(
      'crawlers: [{ name: A, pattern: "Zork\\tQuux", category: ai, examples: ["Zork\\tQuux"] }, { name: B, pattern: "Zork\\nQuux", category: ai, examples: ["Zork\\nQuux"] }]',
    );
    const texts = ["x Zork\tQuux", "x zork\tQuux", "Zork\nQuux"];
    assert.deepEqual(
      texts.map((text) => own.check(text).name),
      ["A", "A", "B"],
    );
  });
});

describe("of several files", () => {
  const file = (name: string, pattern: string): string =>
    `crawlers: [{ name: ${name}, pattern: "${pattern}", category: ai, examples: ["${pattern}x"] }]`;

  it("the later precedes, whatever the length", () => {
    const { own } = customDetector(file("First", "AcmeLongName"), file("Second", "Acme"));
    assert.equal(own.check("AcmeLongName").name, "Second");
  });

  it("the later replaces an entry, changes it, and removes it", () => {
    const first = file("First", "Acme");
    assert.equal(customDetector(first, file("First", "Bcme")).own.isCrawler(`${browser} AcmeX`), false);
    assert.equal(customDetector(first, "change: [{ name: first, category: seo }]").own.check("Acme").category, "seo");
    assert.equal(customDetector(first, "remove: [First]").own.isCrawler(`${browser} AcmeX`), false);
  });
});

describe("changes", () => {
  const { own } = customDetector(
    "change: [{ name: GPTBot, category: seo, purposes: [search, training], operator: Me }, { name: GPTBOT, robots: gptx }]",
  );

  it("are in the verdict and the facts, and nowhere else", () => {
    const { category, purposes, operator, ...others } = own.check("GPTBot/1.0");
    assert.deepEqual([category, purposes, operator], ["seo", ["search", "training"], "Me"]);
    const { category: _, purposes: __, operator: ___, ...before } = detector.check("GPTBot/1.0");
    assert.deepEqual(others, before);
    assert.equal(own.expression, detector.expression);
    assert.equal(own.catalogue.items.find(({ name }) => name === "GPTBot")?.robots, "gptx");
    assert.equal(detector.check("GPTBot/1.0").category, "ai");
  });
});

describe("an entry of an existing name", () => {
  it("replaces it where it matches all that it matched", () => {
    const { own } = customDetector('crawlers: [{ name: gptbot, pattern: "GPT", category: seo, examples: [GPTBot] }]');
    assert.deepEqual([own.check("GPTBot/1.0").name, own.entries], ["gptbot", detector.entries]);
    assert.equal(own.catalogue.items.filter(({ name = "" }) => name.toLowerCase() === "gptbot").length, 1);
  });

  it("replaces it where it matches something else", () => {
    const { own } = customDetector(
      'crawlers: [{ name: curl, pattern: "AcmeCurl", category: seo, examples: [AcmeCurl] }]',
    );
    assert.deepEqual([own.check("AcmeCurl").name, own.entries], ["curl", detector.entries]);
    assert.notEqual(own.check("curl/8.5.0").pattern, detector.check("curl/8.5.0").pattern);
  });
});

it("an entry in another spelling is verified and well known as before", () => {
  const row = 'crawlers: [{ name: googlebot, pattern: "Googlebot", category: seo, examples: [Googlebot/2.1] }]';
  for (const own of [
    customDetector(row).own,
    extendDetector(detector, { crawlers: [{ name: "googlebot", pattern: "Googlebot", category: "seo" }] }),
  ]) {
    const { verification, wellKnown } = own.catalogue;
    assert.equal(own.check("Googlebot/2.1").name, "googlebot");
    assert.deepEqual(
      wellKnown.map((name) => name.replace("googlebot", "Googlebot")),
      detector.catalogue.wellKnown,
    );
    const proofOf = (name: string, { proofs } = verification) =>
      proofs.find(({ crawlers }) => crawlers.includes(name))?.id;
    assert.equal(proofOf("googlebot"), proofOf("Googlebot", detector.catalogue.verification));
  }
});

describe("removals, people and rules", async () => {
  const { own, warnings } = modifiedDetector();

  it("are consistent in every form", () => assertConsistent(own, stringsFor(own)));

  it("take effect", () => {
    assert(detector.isCrawler(app) && !own.isCrawler(app));
    assert(own.isCrawler(app.replace("ZetaBot", "ZetoBot")));
    assert.notEqual(own.check("curl/8.5.0").pattern, detector.check("curl/8.5.0").pattern);
    assert(own.catalogue.items.every(({ name }) => name !== "curl" && name !== "ClaudeBot"));
    assert(!own.catalogue.rules.some(({ name }) => name === "small bare name"));
    assert(detector.catalogue.wellKnown.includes("ClaudeBot") && !own.catalogue.wellKnown.includes("ClaudeBot"));
    assert(own.catalogue.wellKnown.includes("Pinterestbot"));
    assert.equal(own.check("AcmeWget/1.0").name, "Wget");
    assert.notEqual(own.check("Wget/1.21").pattern, detector.check("Wget/1.21").pattern);
    assert.equal(own.entries, detector.entries + 3);
  });

  it("warn of strings that something else still matches", () => {
    const warning = warnings.find((text) => text.includes("ClaudeBot"));
    assert.match(String(warning), /own\.yaml:1: remove: \d+ known strings? of ClaudeBot .* by the (rule|entry) /);
  });
});

describe("forms of people's words that stay a crawler's", () => {
  const formsOf = (word: string, example: string): string[] =>
    finish(
      findMissedForms([{ value: { words: [word], examples: [example], why: "" }, source: "" }], detector.catalogue),
    ).map((text) => /"(.*?)"/.exec(text)![1]!);
  for (const [word, example, form] of [
    ["AcmeBot", "AcmeBot/3.2 (iPhone; iOS 18.1)", "AcmeBot/3.2"],
    ["AcmeBot", "AcmeBot Chat", "AcmeBot/1.0"],
    ["AcmeZeta", "AcmeZeta for iPhone/1", "AcmeZeta/1.0"],
    ["CUBOT", `${browser} CUBOT`, undefined],
    ["^AcmeBot.*$", "AcmeBot/3.2", undefined],
  ] as const)
    it(`of ${word} in ${example}: ${form ?? "none"}`, () =>
      assert.deepEqual(formsOf(word, example), form === undefined ? [] : [form]));
});

describe("verification", () => {
  const { own } = customDetector(
    `crawlers:${entries}\nverification:\n  - { crawlers: [acme monitor], ranges: [10.20.0.0/16, "https://acme.example/ips.json", 192.0.2.7] }\n  - { crawlers: [GPTBot], dns: [acme.example], conclusive: [dns] }`,
    "verification: [{ crawlers: [Acme Monitor], ranges: [10.30.0.1] }]",
  );

  it("is that of the last file, before that of the catalogue", () => {
    const { proofs } = own.catalogue.verification;
    const of = (name: string) => proofs.filter(({ crawlers }) => crawlers.includes(name));
    assert.deepEqual(of("Acme Monitor"), [
      { id: "own-acme-monitor", crawlers: ["Acme Monitor"], page: "", prefixes: ["10.30.0.1/32"], conclusive: [] },
    ]);
    assert.deepEqual(of("GPTBot"), [
      { id: "own-gptbot", crawlers: ["GPTBot"], page: "", dns: ["acme.example"], conclusive: ["dns"] },
    ]);
    assert(of("Googlebot").length === 1);
  });
});
