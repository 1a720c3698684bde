/** Every entry finds its crawler in the plain forms that its pattern matches. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { misplacedForms } from "../../src/compiler/attribution.ts";
import { inPrecedence } from "../../src/compiler/compile.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readCatalogue } from "../support/remembered.ts";

const items = inPrecedence(readCatalogue());

test("each entry is found in the forms of its category that its pattern matches", () => {
  assert.deepEqual(misplacedForms(items, detector), []);
});

// Written without the function that the compiler uses.
const browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Safari/537.36";
const promised = ["@", "@/1.0", "Mozilla/5.0 (compatible; @)", "Mozilla/5.0 (compatible; @/1.0)"];
const everywhere = [`${browser} @/1.0`, "@/1.0 (Linux; Android 14)", "Dalvik/2.1.0 (Linux; U; Android 14; @/1.0)"];

test("each entry's name is found where its category promises and its pattern matches", () => {
  const formed = items.flatMap(({ kind, name, pattern, category }) => {
    if (kind !== "entry") return [];
    const expression = new RegExp(pattern);
    return [...promised, ...(["ai", "library", "security"].includes(category) ? everywhere : [])]
      .map((form) => form.replace("@", () => name))
      .filter((text) => expression.test(text));
  });
  assert.deepEqual(
    formed.filter((text) => !detector.isCrawler(text)),
    [],
  );
  assert(formed.length > 7_500, `${formed.length} forms`);
});

test("a program whose name is an ordinary word is found by its version, and people's apps are not", () => {
  for (const text of [
    "Jersey/City 3.1 (iPhone; iOS 17.5)",
    "NING/iOS",
    "req/uest",
    "insomnia/sleep 2 (iPad; iOS 18.1)",
  ])
    assert(!detector.isCrawler(text), text);
  for (const text of ["Jersey/2.35 (HttpUrlConnection 11)", "NING/1.0", "req/0.5.6", "insomnia/2023.5.8"])
    assert(detector.isCrawler(text), text);
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

test("these crawlers are found by their own entries", () => {
  for (const text of ["Boto3/1.26.0", "DirBuster-1.0", "Scrapy/2.1 foo", "Mozilla/5.0 (Windows NT 10.0) sqlmap/1.5"])
    assert(detector.isCrawler(text), text);
  assert(!detector.isCrawler("RedesScrapy/2.1 foo"));
});
