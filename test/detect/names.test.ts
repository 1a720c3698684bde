/**
 * Names are whole: what a crawler calls itself, not what is found within another word, and no word of a browser or platform; and its
 * facts are those of its entry.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readSources } from "../../build/read-catalogue.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { entryOf } from "../../src/detect/matched-entry.ts";
import { parseLimits } from "../../src/detect/policy/limits.ts";
import { parseWords, toSelection } from "../../src/detect/policy/selection.ts";
import { check } from "../../src/index.ts";
import type { Report } from "../../src/scan/report/report.ts";
import { runHere } from "../cli/run-here.ts";
import { mark, testGolden } from "../support/golden.ts";
import { readCatalogue } from "../support/remembered.ts";

testGolden("detect/names.txt", (input) => {
  const useragent = input.replace(/^facts: /, "").replace("\\u202e", "\u202e");
  const verdict = check(useragent);
  const { crawler, name = "(no name)", operator, operatorDerived, category } = verdict;
  assert(crawler);
  // The record finds the strings of a name without an entry by it.
  assert.ok([entryOf(verdict), "(no name)"].includes(name) || useragent.includes(name));
  const stated = operatorDerived ? undefined : operator;
  return mark("|", input.startsWith("facts: ") ? [name, stated ?? "(no operator)", category].join(", ") : name);
});

describe("names are whole", () => {
  it("a word of more than 100 characters is no name", () => {
    for (const [word, name] of [
      ["Bot".repeat(20), "Bot".repeat(20)],
      ["Bot".repeat(34), "evil"],
      ["Bot".repeat(400), undefined],
    ] as const) {
      const verdict = check(`evil ${word}`);
      assert.deepEqual([verdict.crawler, verdict.name], [true, name]);
    }
  });

  it("who names Googlebot and is another has not Google for an operator", () => {
    for (const useragent of ["Fake-Googlebot/1.0", "Mozilla/5.0 (compatible; FooBot/1.0; compatible with Googlebot)"]) {
      const verdict = check(useragent);
      assert(verdict.crawler);
      assert.equal(verdict.operator, undefined);
    }
  });
});

describe("Honda-Search, which is made with Nutch", () => {
  const hondaSearch =
    "Honda-Search/0.7.2 (Nutch; http://lucene.apache.org/nutch/bot.html; nutch-agent@lucene.apache.org)";
  const honda = check(hondaSearch);
  const nutch = check("Nutch/1.19");
  const { items } = detector.catalogue;

  it("has the facts of Nutch's entry, and no other members", () => {
    assert.equal(entryOf(honda), "Apache Nutch");
    const { useragent, name, match, ...facts } = JSON.parse(JSON.stringify(honda));
    const { useragent: _, name: __, match: ___, ...expected } = JSON.parse(JSON.stringify(nutch));
    assert.deepEqual(facts, expected);
  });

  it("is selected and limited by the entry, and selected by its own name", () => {
    for (const word of ["Apache Nutch", "name:Honda-Search", "library"])
      assert.ok(toSelection(parseWords(word, items))(honda), word);
    const count = parseLimits([["Apache Nutch", "30/m"]], "name", items);
    assert.deepEqual(count(honda), count(nutch));
    assert.notEqual(count(honda), undefined);
  });

  it("is counted as Apache Nutch by a scan, which can select it by that name", async () => {
    const args = ["scan", "-", "--log-format", "plain", "--crawler", "Apache Nutch", "--format", "json"];
    const { crawlers } = JSON.parse((await runHere(args, hondaSearch)).stdout) as Report;
    assert.deepEqual(
      crawlers.map(({ name, requests }) => [name, requests]),
      [["Apache Nutch", 1]],
    );
  });
});

it("entries of the package with the category seo are reviewed", () => {
  const labelled = readSources().upstream.filter(({ tags }) => tags?.includes("seo")).length;
  const reviewed = readSources()
    .corrections.text.split(/^- /m)
    .filter((text) => /^ {2}category: seo$/m.test(text));
  const kept = readCatalogue().entries.filter(
    ({ category, source }) => category === "seo" && source.startsWith("crawler-user-agents: "),
  );
  for (const { source } of kept) {
    const pattern = source.slice("crawler-user-agents: ".length);
    assert.ok(
      reviewed.some((text) => text.startsWith(`pattern: ${pattern}\n`) || text.startsWith(`pattern: '${pattern}'\n`)),
      pattern,
    );
  }
  assert.ok(kept.length > 0 && kept.length < labelled / 2, `${kept.length} of ${labelled}`);
});
