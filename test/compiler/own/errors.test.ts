/** What is wrong with an own catalogue is said with its line, and what was meant. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planOwn } from "../../../src/compiler/own/compile-own.ts";
import { DataError } from "../../../src/compiler/sources/data-error.ts";
import { detector } from "../../../src/detect/built-in/detector.ts";

const problemsOf = (...texts: string[]): readonly string[] => {
  try {
    const { finish } = planOwn(
      texts.map((text, index) => ({ path: index === 0 ? "own.yaml" : `own${index + 1}.yaml`, text })),
      detector.catalogue,
    );
    finish(detector.catalogue, "");
  } catch (error) {
    assert(error instanceof DataError, String(error));
    return error.problems;
  }
  return [];
};

const acme = '{ name: Acme Monitor, pattern: "AcmeMonitor/", category: monitor, examples: ["AcmeMonitor/2.1"] }';

describe("an own catalogue is refused with file and line:", () => {
  for (const [what, text, ...expected] of [
    [
      "a list",
      "- name: x",
      /^own\.yaml:1: an own catalogue has the parts crawlers, change, .* stand below "crawlers:"/,
    ],
    ["no YAML", "crawlers: [", /^own\.yaml:\d+: /],
    ["a repeated part", "remove: [curl]\nchange: []\nremove: []", /^own\.yaml:3: the member "remove" is there twice$/],
    [
      "aliases that repeat each other",
      `${"abcdefgh".replace(/./g, (name, at: number) => `${name}: &${name} [${at === 0 ? "x" : Array(9).fill(`*${"abcdefgh"[at - 1]}`)}]\n`)}remove: *h`,
      /^own\.yaml:1: Excessive alias count/,
    ],
    ["an unknown part", "# own\ncrawler: []", /^own\.yaml:2: there is no member "crawler"\. Did you mean "crawlers"\?/],
    [
      "an unknown member",
      `crawlers:\n  - ${acme}\n  - name: B\n    categories: ai\n`,
      /^own\.yaml:4: crawlers: there is no member "categories"\. Did you mean "category"\?/,
      /^own\.yaml:3: crawlers\.examples: /,
    ],
    [
      "a missing member and one of the wrong type",
      "people:\n  - words: AcmeBot\n    examples: [AcmeBot]",
      /^own\.yaml:2: people\.words: a list/,
      /^own\.yaml:2: people\.why: missing/,
    ],
    [
      "an unknown category",
      `crawlers:\n  - { name: B, category: monitors, examples: [B] }`,
      /^own\.yaml:2: crawlers\.category: /,
    ],
    [
      "an example that the pattern does not match",
      "crawlers:\n  - { name: Beta, category: ai, examples: [Gamma] }",
      /^own\.yaml:2: the pattern of Beta does not match its example "Gamma"/,
    ],
    [
      "a pattern that matches everything",
      'crawlers:\n  - { name: B, pattern: "b*", category: ai, examples: [b] }',
      /^own\.yaml:2: crawlers\.pattern: /,
    ],
    [
      "a pattern that is too long",
      `crawlers:\n  - { name: B, pattern: "${"(?:".repeat(400)}b${")".repeat(400)}", category: ai, examples: [b] }`,
      /^own\.yaml:2: crawlers\.pattern: the pattern has 1601 characters; at most 1000 are allowed/,
    ],
    [
      "a name that is too long",
      `crawlers:\n  - { name: ${"B".repeat(201)}, category: ai, examples: [b] }`,
      /^own\.yaml:2: crawlers\.name: Too big/,
    ],
    [
      "a pattern whose repeats multiply",
      'crawlers:\n  - { name: B, pattern: "B(?:[a-z]{1,100}[0-9]{1,100}){1,100}", category: ai, examples: [Ba1] }',
      /^own\.yaml:2: crawlers\.pattern: the pattern is too large/,
    ],
    [
      "a pattern that takes too many states",
      'crawlers:\n  - { name: B, pattern: "B.{13}y", category: ai, examples: [B0123456789012y] }',
      /^own\.yaml:2: the pattern of B takes too many states; shorten its repeats/,
    ],
    [
      "a pattern whose states have too many members",
      'crawlers:\n  - { name: B, pattern: "Bx.{0,99}y", category: ai, examples: [Bxy] }',
      /^own\.yaml:2: the pattern of B takes too many states; shorten its repeats/,
    ],
    [
      "patterns that take too many states together",
      `crawlers:\n${Array.from("DEFGHIJKLMNO", (name) => `  - { name: ${name}, pattern: "${name}x.{0,15}${name}y", category: ai, examples: [${name}x${name}y] }`).join("\n")}`,
      /^own\.yaml:\d+: the own patterns together take too many states/,
    ],
    [
      "a pattern that takes quadratic time",
      'crawlers:\n  - { name: B, pattern: "b[a-z]*c", category: ai, examples: [bc] }',
      /^own\.yaml:2: crawlers\.pattern: a repeat without bound/,
    ],
    [
      "repeats that can read a text in many ways",
      'crawlers:\n  - { name: B, pattern: "(?:[a-z]{1,9}-?){1,9}Acme9", category: ai, examples: [bc] }',
      /^own\.yaml:2: crawlers\.pattern: repeats that follow each other, or a repeat in a repeat, can read the same text/,
    ],
    [
      "a pattern that counts characters beyond ASCII",
      'crawlers:\n  - { name: B, pattern: "Bcd.{2}e", category: ai, examples: [Bcdxxe] }',
      /^own\.yaml:2: the pattern of B counts characters beyond ASCII/,
    ],
    [
      "a name that is there twice",
      `crawlers:\n  - ${acme}\n  - ${acme.replace("Acme Monitor", "ACME monitor")}`,
      /^own\.yaml:3: the name ACME monitor is taken by own\.yaml:2/,
    ],
    [
      "an example that goes to another own entry",
      `crawlers:\n  - { name: Acme, pattern: "AcmeMonitor/2", category: ai, examples: [AcmeMonitor/2] }\n  - ${acme}`,
      /^own\.yaml:3: the example "AcmeMonitor\/2\.1" of Acme Monitor goes to Acme$/,
    ],
    [
      "a name with a line break",
      'crawlers:\n  - { name: "B\\nC", pattern: Bcd, category: ai, examples: [Bcd] }',
      /^own\.yaml:2: "B.*invisible character/,
    ],
    [
      "a change of an unknown crawler",
      "change:\n  - { name: GPTBott, category: ai }",
      /^own\.yaml:2: change: no crawler is called GPTBott\. Did you mean "GPTBot"\?/,
    ],
    [
      "a change of the pattern",
      "change:\n  - name: GPTBot\n    pattern: x",
      /^own\.yaml:3: change cannot set pattern: an entry of the same name below "crawlers:" replaces/,
    ],
    ["a change of nothing", "change: [{ name: GPTBot }]", /^own\.yaml:1: change: it changes nothing/],
    [
      "a change of what is removed",
      "remove: [GPTBot]\nchange: [{ name: GPTBot, category: ai }]",
      /^own\.yaml:2: change: no crawler is called GPTBot/,
    ],
    [
      "a removal of an unknown crawler",
      "remove:\n  - curl\n  - wgett",
      /^own\.yaml:3: remove: no crawler is called wgett\. Did you mean "Wget2"\?/,
    ],
    [
      "an unknown rule",
      "rules: { off: [bare names] }",
      /^own\.yaml:1: rules: no rule is called bare names\. Did you mean "bare name"\?/,
    ],
    [
      "people without a reason",
      "people:\n  - { words: [AcmeBot], examples: [AcmeBot/1] }",
      /^own\.yaml:2: people\.why: /,
    ],
    [
      "people that an entry matches",
      'people:\n  - { words: [GPTBot], examples: ["x GPTBot/1.0"], why: ours }',
      /^own\.yaml:2: people: "x GPTBot\/1\.0" is matched by the entry GPTBot, and an entry has no exceptions\. Write remove: \[GPTBot\]/,
    ],
    [
      "words that do not contain what a rule finds",
      'people:\n  - { words: [AcmeApp], examples: ["Mozilla/5.0 (iPhone) AcmeBot/3.2 AcmeApp"], why: ours }',
      /^own\.yaml:2: people: .* is matched by the rule .*Add the word "AcmeBot"/,
    ],
    [
      "verification of an unknown crawler",
      "verification:\n  - { crawlers: [Acme], ranges: [10.0.0.0/8] }",
      /^own\.yaml:2: verification: no crawler is called Acme\./,
    ],
    [
      "an address that is none",
      "verification:\n  - { crawlers: [GPTBot], ranges: [10.0.0.0/33] }",
      /^own\.yaml:2: verification\.ranges: "10\.0\.0\.0\/33" is not an address, a prefix/,
    ],
    [
      "a list without a format",
      'verification:\n  - { crawlers: [GPTBot], ranges: ["https://acme.example/ips"] }',
      /^own\.yaml:2: verification\.ranges: say its format: \{ url: "https:\/\/acme\.example\/ips", format: json or/,
    ],
    [
      "a list without TLS",
      'verification:\n  - { crawlers: [GPTBot], ranges: ["http://acme.example/ips.json"] }',
      /^own\.yaml:2: verification\.ranges: a list has an https:\/\/ address/,
    ],
    ...["0.0.0.0/0", "::/0", "::ffff:0:0/90", "8.0.0.0/8", "2000::/3"].map(
      (range) =>
        [
          `verification by ${range}`,
          `verification:\n  - { crawlers: [GPTBot], ranges: ["${range}", 10.0.0.0/8, "fc00::/7", 192.0.2.7] }`,
          /^own\.yaml:2: verification\.ranges: .*is wider than any crawler's addresses/,
        ] as const,
    ),
    [
      "verification by nothing",
      "verification:\n  - { crawlers: [GPTBot] }",
      /^own\.yaml:2: verification: at least one of ranges, dns and agents is needed/,
    ],
    [
      "a conclusive method that is not there",
      "verification:\n  - { crawlers: [GPTBot], dns: [acme.example], conclusive: [ip-range] }",
      /^own\.yaml:2: verification\.conclusive: it names ip-range/,
    ],
  ] as const)
    it(what, () => {
      const problems = problemsOf(text);
      assert.equal(problems.length, expected.length, problems.join("\n"));
      for (const [index, pattern] of expected.entries()) assert.match(problems[index]!, pattern);
    });

  const repeated = (count: number, row: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => row(i)).join("\n");
  const crawlers = (count: number, example = "Acme"): string =>
    `crawlers:\n${repeated(count, (i) => `  - { name: Acme${i}x, category: ai, examples: [Acme${i}x, ${example}] }`)}`;
  for (const [text, line, expected] of [
    [crawlers(1001), 1, "1,001 crawlers; at most 1,000"],
    [crawlers(100, "x,".repeat(100)), 1, "10,100 examples of crawlers; at most 10,000"],
    [`change:\n${repeated(1001, () => "  - { name: curl, category: ai }")}`, 1, "1,001 changes; at most 1,000"],
    [`# own\nremove:\n${repeated(5001, (i) => `  - a${i}`)}`, 2, "5,001 names to remove; at most 5,000"],
    [
      `people:\n${repeated(101, (i) => `  - { words: [Acme${i}Bot], examples: [Acme${i}Bot], why: ours }`)}`,
      1,
      "101 rows of people; at most 100",
    ],
    [`people:\n  - { words: [${"a,".repeat(201)}], examples: [a], why: b }`, 1, "201 words of people; at most 200"],
    [`people:\n  - { words: [a], examples: [${"a,".repeat(401)}], why: b }`, 1, "401 examples of people; at most 400"],
    [`rules:\n  off:\n${repeated(1001, () => "  - x")}`, 1, "1,001 rules to turn off; at most 1,000"],
    [
      `verification:\n${repeated(1001, () => "  - { crawlers: [curl] }")}`,
      1,
      "1,001 rows of verification; at most 1,000",
    ],
  ] as const)
    it(expected, () => {
      const [problem = "", ...others] = problemsOf(text);
      assert.deepEqual(others, []);
      assert.ok(
        problem.startsWith(`own.yaml:${line}: `) && problem.includes(`own catalogues have ${expected} are allowed`),
        problem,
      );
    });

  it("counts that several files have together", () => {
    assert.match(
      problemsOf(crawlers(600), crawlers(600)).join(),
      /^own2\.yaml:1: .* have 1,200 crawlers; at most 1,000/,
    );
  });

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

  it("the problems of all files at once", () => {
    assert.deepEqual(
      problemsOf("remov: []", "chang: []").map((problem) => problem.split(":")[0]),
      ["own.yaml", "own2.yaml"],
    );
  });
});

describe("an own catalogue is accepted", () => {
  for (const [what, text] of [
    ["without content", ""],
    ["with parts that are empty", "crawlers:\nchange:\nremove:\npeople:\nrules:\nverification:\n"],
    ["with a crawler", `crawlers:\n  - ${acme}`],
    [
      "with the home page of a crawler",
      `crawlers:\n  - { name: Acme, category: ai, url: "https://acme.example/", examples: [Acme] }`,
    ],
  ] as const)
    it(what, () => assert.deepEqual(problemsOf(text), []));
});
