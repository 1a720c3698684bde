/** Every entry finds its crawler in the plain forms that its pattern matches, unless data/exemptions.yaml lists it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readCatalogue } from "../../build/read-catalogue.ts";
import { misplacedForms } from "../../src/compiler/attribution.ts";
import { inPrecedence } from "../../src/compiler/compile.ts";
import { detector } from "../../src/detect/built-in/detector.ts";

const items = inPrecedence(readCatalogue());

test("each entry is found in its forms, and exemptions list the forms in which rules find the others", () => {
  assert.deepEqual(misplacedForms(items, detector), []);
});

test("an entry that is not found is named with its form", () => {
  const blind = { ...detector, isCrawler: (text: string) => detector.isCrawler(text) && !text.startsWith("Boto3/1.0") };
  assert.deepEqual(
    misplacedForms(items, blind as typeof detector).map((problem) => problem.replace(/^.*?: /, "")),
    [
      'Boto3 is not found in the form "alone": "Boto3/1.0"',
      'Boto3 is not found in the form "comment": "Boto3/1.0 (Linux; Android 14)"',
      'Boto3 is not found in the form "comment": "Boto3/1.0 foo"',
    ],
  );
});

test("libraries, scanners and AI crawlers are not exempted for room, and docs/accuracy.md counts the others", () => {
  const categoryOf = new Map(readCatalogue().entries.map(({ name, category }) => [name, category]));
  const names = detector.catalogue.exemptions.flatMap(({ why, crawlers }) => (why === "room" ? crawlers : []));
  const favored = names.filter((name) => ["library", "security", "ai"].includes(categoryOf.get(name)!));
  assert.deepEqual(favored, []);
  const page = readFileSync(new URL("../../docs/accuracy.md", import.meta.url), "utf8");
  assert.equal(/(\d+) of the catalogue's entries are found only/.exec(page)?.[1], String(names.length));
});

test("these crawlers are found by their own entries", () => {
  for (const text of ["Boto3/1.26.0", "DirBuster-1.0", "Scrapy/2.1 foo", "Mozilla/5.0 (Windows NT 10.0) sqlmap/1.5"])
    assert(detector.isCrawler(text), text);
  assert(!detector.isCrawler("RedesScrapy/2.1 foo"));
});
