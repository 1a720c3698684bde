/** What is wrong with the catalogue's data is said with file and line. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DataError } from "../../../src/compiler/sources/data-error.ts";
import { type CatalogueSource, loadCatalogue } from "../../../src/compiler/sources/load.ts";

const spare = { pattern: "SpareBot", url: "https://www.spare.example/bot", instances: ["SpareBot/1.0"], tags: ["seo"] };
const old = { pattern: "Old\\w+Fetcher", instances: ["OldPageFetcher/2"] };
const corrections = "- pattern: 'Old\\w+Fetcher'\n  use: Old[A-Z]{1,20}Fetcher\n  why: a repeat without bound\n";

function source(
  parts: { crawlers?: string; rules?: string; corrections?: string; houses?: string } = {},
): CatalogueSource {
  return {
    version: "0.0.0",
    crawlers: [
      {
        path: "data/crawlers/seo.yaml",
        text: parts.crawlers ?? "- name: FirstBot\n  category: seo\n  examples: [FirstBot/1]\n",
      },
    ],
    shapes: { path: "data/shapes.yaml", text: "- name: program\n  what: not a browser\n  begins: '[^M]'\n" },
    rules: { path: "data/rules.yaml", text: parts.rules ?? "- name: bot\n  pattern: bot\n  examples: [bot]\n" },
    corrections: { path: "data/upstream.yaml", text: parts.corrections ?? "" },
    houses: { path: "data/houses.yaml", text: parts.houses ?? "- hosts: [knownagents.com, github.io]\n" },
    upstream: [spare],
  };
}

function problemsOf(parts: Parameters<typeof source>[0]): readonly string[] {
  try {
    loadCatalogue(source(parts));
  } catch (error) {
    assert(error instanceof DataError, String(error));
    return error.problems;
  }
  return [];
}

const rule = (lines: string): string => `- name: bot\n  examples: [bot]\n${lines}\n`;
const entry = (lines: string): string =>
  `- name: FirstBot\n  category: seo\n  examples: [FirstBot/1]\n- name: Second\n  category: seo\n${lines}\n`;

/** Wrong data, and the beginning of what is said about it. */
const wrong: readonly [what: string, parts: Parameters<typeof source>[0], problems: RegExp[]][] = [
  [
    "a pattern that is not portable",
    { crawlers: entry("  pattern: 'Second\\b'\n  examples: [Second]") },
    [/^data\/crawlers\/seo\.yaml:6: pattern: \\b is not portable at offset 6/],
  ],
  [
    "an example without the blank of the pattern",
    { crawlers: entry("  pattern: ' Second/'\n  examples: [a Second/1, Second/1]") },
    [/^data\/crawlers\/seo\.yaml:4: the pattern of Second does not match its example "Second\/1"$/],
  ],
  [
    "an example that the pattern does not match",
    { crawlers: entry("  examples:\n    - Second/1\n    - Secnd/1") },
    [/^data\/crawlers\/seo\.yaml:4: the pattern of Second does not match its example "Secnd\/1"$/],
  ],
  [
    "two entries with one name, whatever its case and punctuation",
    { crawlers: entry("  examples: [second]\n- name: FIRST-BOT\n  category: ai\n  examples: [first-bot]") },
    [/^data\/crawlers\/seo\.yaml:7: the name FIRST-BOT is taken by data\/crawlers\/seo\.yaml:1$/],
  ],
  [
    "an unknown category",
    { crawlers: "- name: A\n  category: sea\n  examples: [A]\n" },
    [/^data\/crawlers\/seo\.yaml:2: category: Invalid option: expected one of "search-engine"/],
  ],
  [
    "an unknown purpose",
    { crawlers: entry("  examples: [Second]\n  purposes:\n    - training\n    - learning") },
    [/^data\/crawlers\/seo\.yaml:9: purposes: /],
  ],
  [
    "a key that nothing reads",
    { crawlers: entry("  examples: [Second]\n  patern: x") },
    [/^data\/crawlers\/seo\.yaml:7: there is no member "patern"\. Did you mean "pattern"\? There are name, /],
  ],
  [
    "a required key that is mistyped, only once",
    { crawlers: entry("  exampels:\n    - Second") },
    [/^data\/crawlers\/seo\.yaml:6: there is no member "exampels"\. Did you mean "examples"\?/],
  ],
  [
    "a mistyped category",
    { crawlers: "- name: A\n  category: search-engin\n  examples: [A]\n" },
    [/^data\/crawlers\/seo\.yaml:2: category: .* Did you mean "search-engine"\?$/],
  ],
  [
    "a key within the exceptions of a rule",
    { rules: rule("  pattern: bot\n  except:\n    - words: [robot]\n      reason: x\n      why: x") },
    [/^data\/rules\.yaml:6: except: there is no member "reason"\. There are words, why\.$/],
  ],
  ["an entry without an example", { crawlers: entry("  examples: []") }, [/seo\.yaml:6: examples: at least one real/]],
  ["a url without a scheme", { crawlers: entry("  examples: [Second]\n  url: example.com") }, [/seo\.yaml:7: url: /]],
  [
    "a home page that no example names",
    { crawlers: entry("  examples: [Second]\n  url: https://www.example.com/") },
    [/seo\.yaml:7: url: a home page/],
  ],
  [
    "a token of robots.txt with a version",
    { crawlers: entry("  examples: [Second]\n  robots: Second/1") },
    [/seo\.yaml:7: robots: /],
  ],
  [
    "groups of robots.txt without a source",
    { crawlers: entry("  examples: [Second]\n  robotsRules: { obeys: true }") },
    [/seo\.yaml:7: robotsRules\.url: /],
  ],
  [
    "groups of robots.txt of a crawler that obeys none",
    {
      crawlers: entry("  examples: [Second]\n  robotsRules: { obeys: false, star: false, url: 'https://a.example/b' }"),
    },
    [/seo\.yaml:7: robotsRules: a crawler to which robots\.txt does not apply has only obeys and url/],
  ],
  [
    "YAML that cannot be read",
    { crawlers: "- name: A\n  category: [seo\n- name: B\n" },
    [/^data\/crawlers\/seo\.yaml:\d: /],
  ],
  ["a file that is not a list", { crawlers: "name: A\n" }, [/^data\/crawlers\/seo\.yaml:1: the file must be a list/]],
  [
    "several mistakes at once, also in several files",
    {
      crawlers: "- name: A\n  category: sea\n  examples: [A]\n- name: B\n  category: seo\n  examples: []\n",
      rules: "- pattern: bot\n  examples: [bot]\n",
    },
    [/seo\.yaml:2: category/, /seo\.yaml:6: examples/, /rules\.yaml:1: name: /],
  ],
  [
    "a name and an operator that would begin a line of their own in a configuration file",
    {
      crawlers: entry(
        '  examples: [Second]\n- name: "A\\u2028B"\n  pattern: A\n  operator: "C\\nD"\n  category: ai\n  examples: [A]',
      ),
    },
    [
      /^data\/crawlers\/seo\.yaml:7: "A\\u\{2028\}B" has an invisible/,
      /^data\/crawlers\/seo\.yaml:7: "C\\u\{000a\}D" has an invisible/,
    ],
  ],
  [
    "a correction of a pattern that is gone",
    { corrections: "- pattern: SpareBot\n  why: x\n  category: ai\n- pattern: GoneBot\n  drop: true\n  why: noise\n" },
    [/^data\/upstream\.yaml:4: crawler-user-agents has no pattern GoneBot any more; remove the correction$/],
  ],
  [
    "two corrections of one pattern",
    { corrections: "- pattern: SpareBot\n  why: x\n- pattern: SpareBot\n  why: y\n" },
    [/^data\/upstream\.yaml:3: a second correction of one pattern$/],
  ],
  [
    "a host that is listed twice",
    { houses: "- { operator: A, hosts: [a.example] }\n- hosts: [a.example]\n" },
    [/^data\/houses\.yaml:2: the host a\.example is listed twice$/],
  ],
  [
    "an address in place of a host",
    { houses: "- { operator: A, hosts: ['https://a.example/'] }\n" },
    [/^data\/houses\.yaml:1: hosts: a host in small letters/],
  ],
  [
    "an operator of a library",
    { crawlers: "- name: A\n  category: library\n  operator: B\n  examples: [A]\n" },
    [/^data\/crawlers\/seo\.yaml:3: operator: a library has no operator/],
  ],
  [
    "an operator of the package's library",
    { corrections: "- pattern: SpareBot\n  category: library\n  operator: B\n  why: x\n" },
    [/^crawler-user-agents: SpareBot: a library has no operator/],
  ],
  [
    "a rule whose pattern matches everything",
    { rules: rule("  pattern: 'a?'") },
    [/^data\/rules\.yaml:1: the pattern matches the empty string/],
  ],
  [
    "an end of the string alone",
    { rules: rule("  pattern: 'bot|$'") },
    [/^data\/rules\.yaml:1: the pattern matches the empty string/],
  ],
  [
    "an exception without a reason",
    { rules: rule("  pattern: bot\n  except:\n    - words: [cubot]") },
    [/^data\/rules\.yaml:5: except\.why: /],
  ],
  [
    "a repeat without bound",
    { rules: rule("  pattern: 'x[a-z]+bot'") },
    [/^data\/rules\.yaml:1: a repeat without bound .* is allowed over digits and dots only/],
  ],
  [
    "a repeat without bound over a group",
    { rules: rule("  pattern: '^[a-z]+(?:-[a-z]+)*$'") },
    [/^data\/rules\.yaml:1: a repeat without bound .* must repeat one character, not a group/],
  ],
  [
    "a repeat without bound that a match can begin in",
    { rules: rule("  pattern: '[0-9]+bot'") },
    [/^data\/rules\.yaml:1: two repeats without bound can read the same text/],
  ],
  ["a rule that finds nothing", { rules: "- name: bot\n  pattern: bot\n" }, [/^data\/rules\.yaml:1: examples: /]],
  ["a rule that looks for nothing", { rules: rule("  place: whole") }, [/^data\/rules\.yaml:1: a rule has a pattern/]],
  [
    "exceptions of a rule that looks into shapes",
    { rules: rule("  pattern: bot\n  in: [program]\n  except: [{ words: [cubot], why: phones }]") },
    [/^data\/rules\.yaml:1: a rule that looks into shapes has no exceptions/],
  ],
  ["an unknown place", { rules: rule("  pattern: bot\n  place: nowhere") }, [/^data\/rules\.yaml:4: place: /]],
  [
    "a shape that nobody described",
    { rules: rule("  pattern: bot\n  in: [program, browser]") },
    [/^data\/rules\.yaml:1: in: no shape of data\/shapes\.yaml is called browser$/],
  ],
  [
    "a replacement that is no better than what it replaces",
    { corrections: "- pattern: SpareBot\n  use: 'Spare.*Bot'\n  why: x\n" },
    [/^data\/upstream\.yaml:2: use: a repeat without bound/],
  ],
];

describe("loadCatalogue", () => {
  for (const [what, parts, expected] of wrong)
    it(`refuses ${what}`, () => {
      const problems = problemsOf(parts);
      assert.equal(problems.length, expected.length, problems.join("\n"));
      expected.forEach((pattern, i) => {
        assert.match(problems[i]!, pattern);
      });
    });

  it("says what to do about patterns of the package that are not portable", () => {
    assert.throws(
      () => loadCatalogue({ ...source(), upstream: [spare, old] }),
      /^DataError: crawler-user-agents: Old\\w\+Fetcher: a repeat without bound .*use instead in data\/upstream\.yaml$/,
    );
  });

  it("allows repeats without bound over digits and dots, after ^, and within $", () => {
    for (const pattern of ["Bot/[0-9.]+; x", "^[a-z]+(?:-[a-z]+){0,9}/1", "bot$", "^bot [!-~]*$", "x[0-9]{2,};"])
      assert.deepEqual(
        problemsOf({ rules: `- name: x\n  pattern: '${pattern}'\n  examples: []` }).filter((problem) =>
          /repeat/.test(problem),
        ),
        [],
        pattern,
      );
  });

  it("joins the package's entries with ours, which win, and corrects them", () => {
    const { entries, rules, version } = loadCatalogue({
      ...source({
        corrections: `${corrections}- pattern: SpareBot\n  operator: Spare Ltd\n  category: ai\n  why: asked them\n`,
      }),
      upstream: [spare, old, { pattern: "First ?Bot", instances: ["First Bot/2", "FirstBot/3"] }],
    });
    assert.deepEqual(
      entries.map(({ name, category, operator, operatorDerived, instances }) => [
        ...[name, category, operator, operatorDerived],
        instances.length,
      ]),
      [
        ["FirstBot", "seo", undefined, undefined, 1],
        ["SpareBot", "ai", "Spare Ltd", undefined, 1],
        ["OldPageFetcher", "other", undefined, undefined, 1],
      ],
    );
    assert.deepEqual(entries[0]!.instances, ["FirstBot/3"], "only what our own pattern matches");
    assert.equal(entries[1]!.source, "crawler-user-agents: SpareBot");
    assert.deepEqual(rules[0], {
      ...{ name: "bot", pattern: "bot", category: "other", except: [], examples: ["bot"], people: [] },
      source: "data/rules.yaml:1",
    });
    assert.equal(version, "0.0.0");
  });

  it("takes the site of the contact address for the operator, and says so", () => {
    const entry = loadCatalogue(source()).entries.find(({ name }) => name === "SpareBot");
    assert.equal(entry?.operator, "spare.example");
    assert.equal(entry?.operatorDerived, true);
    for (const [more, maker] of [
      ["  category: library\n", undefined],
      ["  maker: Spare Ltd\n", "Spare Ltd"],
    ] as const) {
      const text = `- pattern: SpareBot\n${more}  why: anyone runs it\n`;
      const program = loadCatalogue(source({ corrections: text })).entries.find(({ name }) => name === "SpareBot");
      assert.deepEqual([program?.operator, program?.operatorDerived, program?.maker], [undefined, undefined, maker]);
    }
  });

  it("takes the operator of the longest listed host for a reviewed one, and none of hosts that publish for others", () => {
    const houses = "- { operator: Spare Ltd, hosts: [spare.example] }\n- hosts: [docs.spare.example, github.io]\n";
    for (const [url, operator, derived] of [
      ["https://www.spare.example/bot", "Spare Ltd", undefined],
      ["https://help.spare.example/bot", "Spare Ltd", undefined],
      ["https://a.docs.spare.example/bot", undefined, undefined],
      ["https://spare.github.io/", undefined, undefined],
      ["https://github.io.example/", "github.io.example", true],
      ["https://myspare.example/", "myspare.example", true],
      ["http://192.0.2.1/bot", undefined, undefined],
      ["http://[2001:db8::1]/bot", undefined, undefined],
    ] as const) {
      const { entries } = loadCatalogue({ ...source({ houses }), upstream: [{ ...spare, url }] });
      const entry = entries.find(({ name }) => name === "SpareBot");
      assert.deepEqual([entry?.url, entry?.operator, entry?.operatorDerived], [url, operator, derived]);
    }
  });

  it("takes the package's label seo for no category, so that only reviewed entries have it", () => {
    const categoryOf = (tags: readonly string[], text = ""): string | undefined =>
      loadCatalogue({ ...source({ corrections: text }), upstream: [{ ...spare, tags }] }).entries.find(
        ({ name }) => name === "SpareBot",
      )?.category;
    assert.equal(categoryOf(["seo"]), "other");
    assert.equal(categoryOf(["seo", "feed-reader"]), "feed");
    assert.equal(categoryOf(["monitoring"]), "monitor");
    assert.equal(categoryOf(["seo"], "- pattern: SpareBot\n  category: seo\n  why: an index of links\n"), "seo");
  });
});
