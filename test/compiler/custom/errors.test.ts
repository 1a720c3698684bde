/** What is wrong with a custom catalogue is said with its line, and what was meant: test/golden/compiler/custom.txt. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DataError } from "../../../src/compiler/sources/data-error.ts";
import { detector } from "../../../src/detect/built-in/detector.ts";
import { mark, testGolden } from "../../support/golden.ts";
import { customDetector } from "./custom-detector.ts";

const problemsOf = (...texts: string[]): readonly string[] => {
  try {
    customDetector(...texts);
  } catch (error) {
    assert(error instanceof DataError, String(error));
    return error.problems;
  }
  return [];
};

testGolden("compiler/custom.txt", (text) => problemsOf(text).flatMap((problem) => mark("!", problem)));

describe("a custom catalogue is refused with", () => {
  const repeated = (count: number, row: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => row(i)).join("\n");
  const crawler = (name: string, pattern: string, example = "b"): string =>
    `crawlers: [{ name: ${name}, pattern: "${pattern}", category: ai, examples: [${example}] }]`;
  const crawlers = (count: number, example = "Acme"): string =>
    `crawlers:\n${repeated(count, (i) => `  - { name: Acme${i}x, category: ai, examples: [Acme${i}x, ${example}] }`)}`;
  const people = (words: number, examples: number): string =>
    `people:\n  - { words: [${"a,".repeat(words)}], examples: [${"a,".repeat(examples)}], why: b }`;
  const toLarge = (_: unknown, i: number): string =>
    `{ name: D${i}, pattern: "D[ -~]{8}y", category: ai, examples: [D01234567y] }`;
  for (const [text, line, says] of [
    [crawler("B", `${"(?:".repeat(400)}b${")".repeat(400)}`), 1, "has 1601 characters; at most 1000 are allowed"],
    [crawler("B".repeat(201), "b"), 1, "crawlers.name: Too big"],
    [
      `crawlers: [${Array.from({ length: 300 }, toLarge).join(", ")}]`,
      1,
      "your patterns together need too many states",
    ],
    [crawlers(1001), 1, "crawlers: custom catalogues have 1,001; at most 1,000"],
    [crawlers(100, "x,".repeat(100)), 1, "crawlers.examples: custom catalogues have 10,100; at most 10,000"],
    [
      `change:\n${repeated(1001, () => "  - { name: curl, category: ai }")}`,
      1,
      "change: custom catalogues have 1,001; at most 1,000",
    ],
    [`# own\nremove:\n${repeated(5001, (i) => `  - a${i}`)}`, 2, "remove: custom catalogues have 5,001; at most 5,000"],
    [`people:\n${repeated(101, () => "  - {}")}`, 1, "people: custom catalogues have 101; at most 100"],
    [people(201, 1), 1, "people.words: custom catalogues have 201; at most 200"],
    [people(1, 401), 1, "people.examples: custom catalogues have 401; at most 400"],
    [`rules:\n  off:\n${repeated(1001, () => "  - x")}`, 2, "rules.off: custom catalogues have 1,001; at most 1,000"],
    [
      `verification:\n${repeated(1001, () => "  - {}")}`,
      1,
      "verification: custom catalogues have 1,001; at most 1,000",
    ],
  ] as const)
    it(says, () => {
      const [problem = "", ...others] = problemsOf(text);
      assert.deepEqual(others, []);
      assert.ok(problem.startsWith(`own.yaml:${line}: `) && problem.includes(says), problem);
    });

  it("what several files have together", () =>
    assert.match(
      problemsOf(crawlers(600), crawlers(600)).join(),
      /^own2\.yaml:1: crawlers: custom catalogues have 1,200; at most 1,000/,
    ));

  it("the first ten problems, and how many more there are", () => {
    for (const text of [
      `remove:\n${repeated(400, (i) => `  - Unknown${i}bot`)}`,
      repeated(1_400, (i) => `k${i}:`),
      `change:\n  - name: curl\n${repeated(400, (i) => `    a${i}:`)}`,
    ]) {
      const problems = problemsOf(text);
      assert.equal(problems.length, 11);
      assert.match(problems[10]!, /^and (?:390|1,390) more$/);
    }
  });

  it("problems of at most 2,000 characters, whatever they quote", () => {
    const long = "x".repeat(60_000);
    for (const text of [
      `remove: [${long}]`,
      `rules: { off: [${long}] }`,
      `crawlers: [{ name: Zork, category: seo, examples: [${long}] }]`,
    ])
      assert.deepEqual(
        problemsOf(text).map(({ length }) => length),
        [2_001],
      );
  });

  it("a catalogue below of which nothing is left, which no expression could describe", () => {
    const { items, rules } = detector.catalogue;
    const remove = items.flatMap(({ name }) => name ?? []);
    const off = rules.map(({ name }) => name);
    const crawlers = [{ name: "Zork", category: "seo", examples: ["Zork/1"] }];
    assert.deepEqual(problemsOf(JSON.stringify({ crawlers, remove, rules: { off } })), [
      "own.yaml: nothing is left of the catalogue below; leave at least one entry or rule",
    ]);
    for (const [left, text] of [
      [{ remove, rules: { off: off.slice(1) } }, "x jndi:y"],
      [{ remove: remove.filter((name) => name !== "curl"), rules: { off } }, "curl/8"],
    ] as const) {
      const { own } = customDetector(JSON.stringify(left));
      assert(own.isCrawler(text) && new RegExp(own.expression).test(text), text);
      assert(!own.isCrawler("Googlebot/2.1") && !new RegExp(own.expression).test("Googlebot/2.1"));
    }
  });

  it("the problems of all files at once", () => {
    const files = problemsOf("remov: []", "chang: []").map((problem) => problem.split(":")[0]);
    assert.deepEqual(files, ["own.yaml", "own2.yaml"]);
  });
});
