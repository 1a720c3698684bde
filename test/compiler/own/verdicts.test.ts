/** Own catalogues: verdicts, expressions and facts are those of the data with the same entries. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readCorpora } from "../../../bench/accuracy/corpora.ts";
import { readPeople } from "../../../build/read-people.ts";
import { detector } from "../../../src/detect/built-in/detector.ts";
import { createDetector } from "../../../src/detect/create-detector.ts";
import { encodeCatalogue } from "../../../src/detect/file/catalogue-file.ts";
import { loadDetector } from "../../../src/detect/file/load-detector.ts";
import type { Detector } from "../../../src/detect/verdict.ts";
import { toExpressions } from "../../../src/export/expressions.ts";
import { createStrings } from "../../support/random-strings.ts";
import { ownDetector } from "./own-detector.ts";

const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
const corpora = readCorpora().flatMap(({ strings }) => strings);
const utf8 = new TextEncoder();

/** Check, the bytes, the expression in its spellings, the explanation, and the file all agree. */
function assertConsistent(own: Detector, texts: readonly string[]): void {
  const loaded = loadDetector(encodeCatalogue(own.catalogue));
  const { portable, rust } = toExpressions(own.catalogue);
  const forms = [new RegExp(portable!), new RegExp(rust!)];
  const attribution = own.catalogue.attribution.map((expression) => new RegExp(expression));
  for (const [index, text] of texts.entries()) {
    const verdict = own.check(text);
    assert.deepEqual(loaded.check(text), verdict);
    assert.equal(own.isCrawler(text), verdict.crawler, text);
    assert.equal(own.isCrawlerBytes(utf8.encode(text)), verdict.crawler, text);
    for (const form of forms) assert.equal(form.test(text), verdict.crawler, text);
    if (index % 100 > 0) continue;
    assert.equal(
      own.explain(text).explanation.some(({ decides }) => decides),
      verdict.crawler,
      text,
    );
    if (!verdict.crawler) continue;
    const first = own.catalogue.items[attribution.findIndex((expression) => expression.test(text))]!;
    assert.equal(first.pattern, verdict.pattern, text);
  }
}

const entries = `
  - { name: Acme Monitor, pattern: "AcmeMonitor/", category: monitor, operator: Acme, examples: ["${browser} AcmeMonitor/2.1"] }
  - { name: Acme, category: other, examples: ["${browser} Acme/1"] }
  - { name: Beta, pattern: "^Beta[0-9]{1,3}$", category: library, examples: ["Beta12"] }
  - { name: Gamma, pattern: "[(;] ?Gamma(?:Bot|Feed)? v[0-9.]+", category: feed, url: "https://gamma.example/bot", examples: ["${browser} (GammaFeed v1.0)"] }
  - { name: Delta Check, pattern: "Firefox/141[.]0$", category: security, purposes: [search], robots: delta, examples: ["${browser}"] }
`;

function stringsFor({ catalogue }: Detector): string[] {
  const patterns = catalogue.items.slice(0, 40).map(({ pattern }) => pattern);
  const next = createStrings({ seed: 11, patterns, texts: corpora });
  const few = [
    "Beta12",
    "xBeta12",
    "Beta1234",
    "Beta9 ",
    `${browser} Acme/1`,
    "GammaBot v1",
    "(Gamma v1",
    "ACME",
    "Acme monitor",
  ];
  return [...corpora, ...Array.from({ length: 3_000 }, next), ...few, ...few.map((text) => `${browser} ${text}`)];
}

describe("own entries", () => {
  const { own, warnings } = ownDetector(`crawlers:${entries}`);

  it("are consistent in every form", () => assertConsistent(own, stringsFor(own)));

  it("precede all others, and longer patterns shorter ones", () => {
    const names = ["AcmeMonitor/2 GPTBot/1.0", "Acme GPTBot/1.0", "Beta12", "Googlebot/2.1 (Gamma v1", browser].map(
      (text) => own.check(text).name,
    );
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

  it("are decided as by a catalogue that has them in its data", async () => {
    const { compileLoaded } = await import("../../../src/compiler/compile-loaded.ts");
    const { readSources } = await import("../../../build/read-catalogue.ts");
    const { loadCatalogue } = await import("../../../src/compiler/sources/load.ts");
    const { browsers, ...sources } = readSources();
    // Of an entry whose examples rules find, a catalogue's pattern only names; own patterns always decide.
    const text = entries.replace(/\n.*name: Beta.*/, "");
    const crawlers = [...sources.crawlers, { path: "own.yaml", text }];
    const { own } = ownDetector(`crawlers:${text}`);
    const whole = createDetector(compileLoaded(loadCatalogue({ ...sources, crawlers }), browsers));
    for (const text of [...stringsFor(own), ...own.strings(), ...readPeople()])
      assert.equal(own.isCrawler(text), whole.isCrawler(text), text);
  });

  it("are in the catalogue's facts", () => {
    assert.equal(own.entries, detector.entries + 5);
    assert.equal(own.version, `${detector.version}.own.test`);
    assert.deepEqual(warnings, []);
    assert(own.strings().includes(`${browser} AcmeMonitor/2.1`));
    assert.equal(own.catalogue.items.find(({ name }) => name === "Delta Check")?.robots, "delta");
  });
});

describe("of several files", () => {
  const file = (name: string, pattern: string): string =>
    `crawlers: [{ name: ${name}, pattern: "${pattern}", category: ai, examples: ["${pattern}x"] }]`;

  it("the later precedes, whatever the length", () => {
    const { own } = ownDetector(file("First", "AcmeLongName"), file("Second", "Acme"));
    assert.equal(own.check("AcmeLongName").name, "Second");
  });

  it("the later replaces an entry, changes it, and removes it", () => {
    const first = file("First", "Acme");
    assert.equal(ownDetector(first, file("First", "Bcme")).own.isCrawler(`${browser} AcmeX`), false);
    assert.equal(ownDetector(first, "change: [{ name: first, category: seo }]").own.check("Acme").category, "seo");
    assert.equal(ownDetector(first, "remove: [First]").own.isCrawler(`${browser} AcmeX`), false);
  });
});

describe("changes", () => {
  const { own } = ownDetector(
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
  it("replaces it in milliseconds where it matches all that it matched", () => {
    const { own } = ownDetector('crawlers: [{ name: gptbot, pattern: "GPT", category: seo, examples: [GPTBot] }]');
    assert.deepEqual([own.check("GPTBot/1.0").name, own.entries], ["gptbot", detector.entries]);
    assert.equal(own.catalogue.items.filter(({ name = "" }) => name.toLowerCase() === "gptbot").length, 1);
    assertConsistent(own, stringsFor(own));
  });

  it("is the only one of its name otherwise, too", () => {
    const { own } = ownDetector('crawlers: [{ name: curl, pattern: "AcmeCurl", category: seo, examples: [AcmeCurl] }]');
    assert.equal(own.check("AcmeCurl/1.0").name, "curl");
    assert.notEqual(own.check("curl/8.5.0").pattern, detector.check("curl/8.5.0").pattern);
    assertConsistent(own, stringsFor(own));
  });
});

describe("removals, people and rules", () => {
  const example = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ZetaBot/3.2";
  const { own, warnings } = ownDetector(
    `remove: [curl, GPTBot]\npeople: [{ words: [ZetaBot], examples: ["${example}"], why: our app }]\nrules: { off: [bare name] }\ncrawlers:${entries}`,
  );

  it("are consistent in every form", () => assertConsistent(own, stringsFor(own)));

  it("take effect", () => {
    assert(detector.isCrawler(example) && !own.isCrawler(example));
    assert(own.isCrawler(example.replace("ZetaBot", "ZetoBot")));
    assert.notEqual(own.check("curl/8.5.0").pattern, detector.check("curl/8.5.0").pattern);
    assert(own.catalogue.items.every(({ name }) => name !== "curl" && name !== "GPTBot"));
    assert(!own.catalogue.rules.some(({ name }) => name === "bare name"));
    assert(!own.catalogue.wellKnown.includes("GPTBot"));
    assert.equal(own.entries, detector.entries + 3);
  });

  it("warn of strings that something else still matches", () => {
    const warning = warnings.find((text) => text.includes("GPTBot"));
    assert.match(String(warning), /^own1\.yaml:1: remove: \d+ known strings? of GPTBot .* by the (rule|entry) /);
  });
});

describe("verification", () => {
  const { own } = ownDetector(
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
