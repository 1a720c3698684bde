/** Own crawlers without a compiler: the verdicts are those of the compiled entries. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { factNames } from "../../src/detect/facts.ts";
import { encodeCatalogue } from "../../src/detect/file/catalogue-file.ts";
import { toExpressions } from "../../src/export/expressions.ts";
import { type CustomCrawler, detector, extendDetector, loadDetector } from "../../src/index.ts";
import { customDetector } from "../compiler/custom/custom-detector.ts";
import { mark, testGolden } from "../support/golden.ts";
import { createStrings } from "../support/random-strings.ts";

const crawlers: CustomCrawler[] = [
  { name: "Acme Monitor", pattern: "AcmeMonitor/", category: "monitor", operator: "Acme", examples: ["AcmeMonitor/2"] },
  { name: "Gamma", pattern: "[(;] ?Gamma(?:Bot|Feed)? v[0-9.]{1,9}", category: "feed", examples: ["(GammaBot v1)"] },
  { name: "Beta", pattern: "^Beta[0-9]{2}$", category: "library", examples: ["Beta12"] },
  { name: "Acme", category: "other", purposes: ["search"], examples: ["Acme"] },
  { name: "gptbot", pattern: "GPTBot", category: "seo", examples: ["GPTBot"] },
];
const own = extendDetector(detector, { crawlers });
const { own: compiled } = customDetector(JSON.stringify({ crawlers }));
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
      // Of several custom crawlers the first names it here, and there the one with the longest pattern.
      const expected = compiled.check(text);
      assert.equal(verdict.crawler, expected.crawler);
      assert.equal(verdict.category, expected.category);
    }
    assert(found > 50, `${found}`);
  });

  it("replaces an entry of the same name, and leaves the base as it was", () => {
    assert.deepEqual([own.check("GPTBot/1.0").name, detector.check("GPTBot/1.0").name], ["gptbot", "GPTBot"]);
    assert.equal(own.entries, detector.entries + 4);
    assert.match(own.version, /\.own\.[0-9a-f]{8}$/);
  });

  it("leaves what a replaced entry alone matched a crawler's, without its name and its facts", () => {
    const crawlers: CustomCrawler[] = [
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
        const expected = order.filter((member) => members.includes(member));
        assert.deepEqual(members, expected, text);
      }
  });

  it("reads offsets beyond the bytes as their ends, and drops fractions, as the built-in detector does", () => {
    const person = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    const bytes = new TextEncoder().encode(`${person} AcmeMonitor/2 Googlebot/2.1`);
    const { length } = person;
    const inside = [undefined, 0, 1, length, length + 1, length + 14, bytes.length];
    const odd = [-4, -0.5, 0.5, length + 0.9, bytes.length + 1, 2 ** 31, 2 ** 32 + 5, 1e300];
    const offsets = [...inside, ...odd, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const place = (offset: number): number => Math.trunc(Math.min(Math.max(offset || 0, 0), bytes.length));
    for (const from of offsets)
      for (const to of offsets)
        for (const { isCrawlerBytes } of [detector, own]) {
          const part = bytes.slice(place(from ?? 0), place(to ?? bytes.length));
          assert.equal(isCrawlerBytes(bytes, from, to), isCrawlerBytes(part), `${from} ${to}`);
        }
    assert.equal(own.isCrawlerBytes(bytes, 0.5, length), false);
  });

  it("can be extended again", () => {
    const twice = extendDetector(own, { crawlers: [{ name: "Zeta", category: "ai" }] });
    assert.equal(twice.check("x Zeta").name, "Zeta");
    assert.equal(twice.check("AcmeMonitor/1").name, "Acme Monitor");
  });
});

testGolden("detect/custom-crawlers.txt", (input) => {
  const times = (_: string, text: string, count: string) => text.repeat(Number(count));
  const crawler = JSON.parse(input.replace(/(\w)×(\d+)/g, times)) as never;
  try {
    extendDetector(detector, { crawlers: [crawler] });
    return mark("|", "accepted");
  } catch (error) {
    return mark("!", String(error).replace(/(\w)\1{99,}/g, "$1..."));
  }
});

it("a pattern that is an expression is refused", () => {
  const crawler = { name: "A", category: "ai", pattern: /Acme/ } as never;
  assert.throws(
    () => extendDetector(detector, { crawlers: [crawler] }),
    /^TypeError: .*`pattern` must be a one-line string/,
  );
});

it("100 crawlers are accepted, 101 are not, and neither is a single crawler without a list", () => {
  const crawlers = Array.from({ length: 101 }, (_, i) => ({ name: `Zork${i}Bot`, category: "ai" as const }));
  assert.equal(extendDetector(detector, { crawlers: crawlers.slice(1) }).check("Zork100Bot/1.0").name, "Zork100Bot");
  for (const wrong of [crawlers, crawlers[0] as never])
    assert.throws(() => extendDetector(detector, { crawlers: wrong }), /^TypeError: .*a list of at most 100;/);
});

it("two crawlers of one name, in any case, and gaps in the list are refused", () => {
  const crawler = { name: "Zork", category: "ai" } as const;
  assert.throws(
    () => extendDetector(detector, { crawlers: [crawler, { ...crawler, name: "ZORK", pattern: "Zorkify" }] }),
    /^TypeError: Two crawlers are named "ZORK"\.$/,
  );
  assert.throws(
    () => extendDetector(detector, { crawlers: Array(1).concat(crawler) as never }),
    /^TypeError: A crawler takes an object/,
  );
});
