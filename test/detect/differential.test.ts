/** The verdict, however it is come by, is that of the specification: a loop over the patterns (test/support/reference.ts). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { NameIndex } from "../../src/detect/name-index.ts";
import { toExpressions } from "../../src/export/expressions.ts";
import { modifiedDetector } from "../support/modified-detector.ts";
import { createStrings } from "../support/random-strings.ts";
import { createReference, referenceItems } from "../support/reference.ts";
import { readCorpora } from "../support/remembered.ts";
import { howMany, someOf } from "../support/some-strings.ts";

const expressions = toExpressions(detector.catalogue);

const everything = [...new Set([...detector.strings(), ...readCorpora().flatMap(({ strings }) => strings)])];
const corpora = someOf(everything, 1_500);
const items = referenceItems();
const patterns = items.map(({ pattern }) => pattern);
const reference = createReference(items);
const many = howMany(10_000, 1_000_000);
const utf8 = new TextEncoder();
const buffer = new Uint8Array(1 << 16);

function createRandomStrings(seed: number): () => string {
  return createStrings({ seed, patterns, texts: corpora });
}

/** All ways to the verdict that are compared, but the expression. */
function assertAlike(text: string, expected: boolean): void {
  const hint = (way: string): string => `${way}: ${JSON.stringify(text)}`;
  if (detector.isCrawler(text) !== expected) assert.fail(hint("isCrawler"));
  if (detector.check(text).crawler !== expected) assert.fail(hint("check"));
  const { written } = utf8.encodeInto(text, buffer);
  if (detector.isCrawlerBytes(buffer, 0, written) !== expected) assert.fail(hint("testBytes, UTF-8"));
}

describe("the verdict is that of a loop over the patterns", () => {
  it(`on ${corpora.length.toLocaleString("en")} strings of corpora`, () => {
    const forms = [new RegExp(expressions.portable!), new RegExp(expressions.rust!)];
    for (const text of corpora) {
      const expected = reference(text);
      assertAlike(text, expected);
      for (const form of forms) if (form.test(text) !== expected) assert.fail(`expression: ${text}`);
    }
    assert(corpora.some(detector.isCrawler) && !corpora.every(detector.isCrawler));
  });

  it("on 1,000 random strings made of pieces of patterns", () => {
    const next = createRandomStrings(1);
    for (let i = 0; i < 1_000; i++) {
      const text = next();
      assertAlike(text, reference(text));
    }
  });

  it(`and the automaton's that of the expression on ${many.toLocaleString("en")} more`, () => {
    const next = createRandomStrings(2);
    const expression = new RegExp(detector.expression);
    let crawlers = 0;
    for (let i = 0; i < many; i++) {
      const text = next();
      const expected = expression.test(text);
      if (detector.isCrawler(text) !== expected) assert.fail(`isCrawler: ${JSON.stringify(text)}`);
      const { written } = utf8.encodeInto(text, buffer);
      if (detector.isCrawlerBytes(buffer, 0, written) !== expected) assert.fail(`testBytes: ${JSON.stringify(text)}`);
      if (expected) crawlers++;
    }
    assert(crawlers > 0.3 * many && crawlers < 0.95 * many, `${crawlers} of them are crawlers`);
  });

  it("and the compact flavor finds them all, and little more in what is sent in earnest", () => {
    const compact = new RegExp(expressions.compact!, "i");
    const next = createRandomStrings(4);
    for (let i = 0; i < 2_000; i++) {
      const text = next();
      assert(compact.test(text) || !detector.isCrawler(text), JSON.stringify(text));
    }
    const more = corpora.filter((text) => compact.test(text) !== detector.isCrawler(text));
    assert(more.length < corpora.length / 100, `${more.length} of ${corpora.length}: ${more.slice(0, 20).join("\n")}`);
  });

  for (const [what, { isCrawler, catalogue }] of [
    ["the built-in catalogue", detector],
    ["a custom catalogue", modifiedDetector().own],
  ] as const)
    it(`and the index of names of ${what} finds an item in each string that is a crawler's`, () => {
      const index = new NameIndex(catalogue.nameIndex);
      const next = createRandomStrings(5);
      const random = Array.from({ length: many }, next);
      // The characters from 4,096 on are decided by other tables.
      const long = [...Array(200).keys()].map((i) => `${"x ".repeat(2_000 + i)}${next()}`);
      const found = [...everything, ...random, ...long].filter(isCrawler);
      assert(found.length > everything.length / 4 + many * 0.3, `${found.length} of them are crawlers`);
      const nameless = found.filter((text) => index.find(text) === undefined);
      assert.deepEqual(nameless.slice(0, 10), [], `${nameless.length} strings`);
    });

  it("for bytes in Latin-1, too, and for a part of a larger buffer", () => {
    const next = createRandomStrings(3);
    for (let i = 0; i < 2_000; i++) {
      const text = next();
      for (let at = 0; at < text.length; at++) buffer[at + 3] = Math.min(text.charCodeAt(at), 0xe9);
      assert.equal(detector.isCrawlerBytes(buffer, 3, text.length + 3), detector.isCrawler(text), JSON.stringify(text));
    }
  });
});
