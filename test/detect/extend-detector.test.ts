/** Own crawlers without a compiler: the verdicts are those of the compiled entries. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planOwn } from "../../src/compiler/own/compile-own.ts";
import { createDetector } from "../../src/detect/create-detector.ts";
import { factNames } from "../../src/detect/facts.ts";
import { encodeCatalogue } from "../../src/detect/file/catalogue-file.ts";
import { toExpressions } from "../../src/export/expressions.ts";
import { detector, extendDetector, loadDetector, type OwnCrawler } from "../../src/index.ts";
import { createStrings } from "../support/random-strings.ts";

const crawlers: OwnCrawler[] = [
  {
    name: "Acme Monitor",
    pattern: "AcmeMonitor/",
    category: "monitor",
    operator: "Acme",
    examples: ["AcmeMonitor/2.1"],
  },
  { name: "Gamma", pattern: "[(;] ?Gamma(?:Bot|Feed)? v[0-9.]{1,9}", category: "feed", examples: ["(GammaBot v1)"] },
  { name: "Beta", pattern: "^Beta[0-9]{2}$", category: "library", examples: ["Beta12"] },
  { name: "Acme", category: "other", purposes: ["search"], examples: ["Acme"] },
  { name: "gptbot", pattern: "GPTBot", category: "seo", examples: ["GPTBot"] },
];
const own = extendDetector(detector, { crawlers });
const plan = planOwn([{ path: "own.yaml", text: JSON.stringify({ crawlers }) }], detector.catalogue);
const compiled = createDetector(plan.finish(detector.catalogue, ".own").catalogue);
const loaded = loadDetector(encodeCatalogue(own.catalogue));

describe("an extended detector", () => {
  it("gives the verdicts of the compiled catalogue", () => {
    const next = createStrings({
      seed: 5,
      patterns: crawlers.map(({ name, pattern = name }) => pattern),
      texts: detector.strings().slice(0, 1000),
    });
    const expression = new RegExp(toExpressions(own.catalogue).portable!);
    let found = 0;
    for (let i = 0; i < 5_000; i++) {
      const text = next();
      const verdict = own.check(text);
      if (crawlers.some(({ name }) => name === verdict.name)) found++;
      assert.deepEqual(loaded.check(text), verdict);
      assert.equal(own.isCrawler(text), verdict.crawler);
      assert.equal(own.isCrawlerBytes(new TextEncoder().encode(text)), verdict.crawler);
      assert.equal(expression.test(text), verdict.crawler);
      // Of several own crawlers the first names it here, and there the one with the longest pattern.
      const expected = compiled.check(text);
      assert.deepEqual(
        [verdict.crawler, verdict.crawler && verdict.category === expected.category],
        [expected.crawler, expected.crawler],
      );
    }
    assert(found > 50, `${found}`);
  });

  it("replaces an entry of the same name, and leaves the base as it was", () => {
    assert.deepEqual([own.check("GPTBot/1.0").name, detector.check("GPTBot/1.0").name], ["gptbot", "GPTBot"]);
    assert.equal(own.entries, detector.entries + 4);
    assert.match(own.version, /\.own\.[0-9a-f]{8}$/);
  });

  it("leaves what a replaced entry alone matched a crawler's, without its name and its facts", () => {
    const crawlers: OwnCrawler[] = [
      { name: "SITESUCKER", pattern: "AcmeSucker", category: "seo" },
      { name: "CURL", pattern: "AcmeCurl", category: "seo" },
    ];
    const narrow = extendDetector(detector, { crawlers });
    const text = "SiteSucker/5.1.5";
    assert.deepEqual(narrow.check(text), {
      ...{ useragent: text, crawler: true, name: "SiteSucker", category: "archive" },
      ...{ pattern: "SiteSucker", match: "SiteSucker" },
    });
    assert.deepEqual(
      narrow.explain(text).explanation.map(({ kind, decides }) => [kind, decides]),
      [["rule", true]],
    );
    assert.equal(narrow.entries, detector.entries);
    assert.ok(narrow.catalogue.wellKnown.includes("CURL"));
  });

  it("puts the members of verdicts in the order of all detectors", () => {
    const order = ["useragent", "crawler", "name", ...factNames(), "pattern", "match"];
    for (const { check } of [detector, own, compiled, loaded])
      for (const text of ["AcmeMonitor/2.1", "Acme", "GPTBot/1.0", "curl/8", "FooBot", ""]) {
        const members = Object.keys(check(text));
        assert.deepEqual(
          members,
          order.filter((member) => members.includes(member)),
          text,
        );
      }
  });

  it("can be extended again", () => {
    const twice = extendDetector(own, { crawlers: [{ name: "Zeta", category: "ai" }] });
    assert.deepEqual(
      ["x Zeta", "AcmeMonitor/1"].map((text) => twice.check(text).name),
      ["Zeta", "Acme Monitor"],
    );
  });

  for (const [crawler, message] of [
    [
      { name: "A", category: "monitors" },
      /The crawler "A": there is no category "monitors"\. Did you mean "monitor"\?/,
    ],
    [{ name: "A", category: "ai", patern: "x" }, /A crawler has no option "patern"\. Did you mean "pattern"\?/],
    [{ name: "A", category: "ai", pattern: "b+c" }, /its repeats can read the same text in too many ways/],
    [{ name: "A", category: "ai", pattern: `(?:(?:abc){100}){100}d` }, /written out it has more than 1000 characters/],
    [{ name: "A", category: "ai", pattern: "b".repeat(1001) }, /has 1001 characters; at most 1000 are allowed/],
    [{ name: "A".repeat(201), category: "ai" }, /`name` has at most 200 characters/],
    [{ name: "A", category: "ai", pattern: "b?" }, /would match everything/],
    [{ name: "A", category: "ai", pattern: "(?=b)c" }, /The crawler "A": .* at offset/],
    [{ name: "A", category: "ai", pattern: "Bcd", examples: ["x"] }, /does not match the example "x"/],
    [{ name: "", category: "ai" }, /`name` is a string of one line/],
    [{ name: "A", category: "ai", pattern: /Acme/ }, /`pattern` is a string of one line/],
    [{ name: "A", category: "ai", operator: 5 }, /`operator` is a string of one line/],
    [{ name: "A\nB", category: "ai", pattern: "Acme" }, /`name` is a string of one line/],
    [{ name: "A", category: "ai", pattern: "Acme", url: "javascript:alert(1)" }, /`url` is an address/],
    [{ name: "A", category: "ai", pattern: "Acme", examples: "Acme" }, /`examples` is a list of strings/],
    [
      { name: "A", category: "ai", pattern: "Acme", purposes: ["sale"] },
      /`purposes` is a list of search, training, agent/,
    ],
    [{ name: "A", category: "ai", pattern: "Mozilla" }, /its pattern matches browsers, such as "Mozilla/],
  ] as const)
    it(`refuses ${JSON.stringify(crawler)}`, () => {
      assert.throws(
        () => extendDetector(detector, { crawlers: [crawler as never] }),
        (error: Error) => error instanceof TypeError && message.test(error.message),
      );
    });
});
