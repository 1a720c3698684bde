/** What an explanation tells: every item with its place, what decides, and what held an occurrence back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createExplainer } from "../../src/detect/explain.ts";

const explain = createExplainer({
  items: [
    { name: "FooBot", category: "seo", pattern: "FooBot" },
    { category: "other", pattern: "BOTS?" },
    { category: "library", pattern: "^[A-Z]+/[0-9.]+$" },
    { name: "Sonic", category: "seo", pattern: "sonic" },
  ],
  rules: [
    {
      name: "bot",
      except: [
        { pattern: "CUBOT", why: "a maker of phones", expression: "[Cc][Uu][Bb][Oo][Tt]" },
        { pattern: "^CUBOTS", why: "at the start", expression: "^[Cc][Uu][Bb][Oo][Tt][Ss]" },
      ],
    },
    {
      name: "bare product",
      except: [
        {
          pattern: "^FOOBOT/2$",
          why: "the second version is an app",
          expression: "^[Ff][Oo][Oo][Bb][Oo][Tt]\\/2[^!-~]*$",
        },
      ],
    },
  ],
  namesOnly: [3],
  nameIndex: ["\ta0FooBot", "[Bb][Oo][Tt][Ss]?", "^[A-Za-z]+\\/[.0-9]+[^!-~]*$", "\tw0Sonic"],
});

const brief = (useragent: string): string[] =>
  explain(useragent).map(({ name, start, end, decides }) => `${name} ${start}-${end}${decides ? "" : " held back"}`);

test("every item that occurs is told, in the order of precedence, with its place", () => {
  assert.deepEqual(brief("FooBot/1.2"), ["FooBot 0-6", "bot 3-6", "bare product 0-10"]);
  assert.deepEqual(brief("Mozilla/5.0 (bots, a BOT)"), ["bot 13-17", "bot 21-24"]);
  assert.deepEqual(explain("xBots")[0], {
    kind: "rule",
    name: "bot",
    category: "other",
    pattern: "BOTS?",
    start: 1,
    end: 5,
    text: "Bots",
    decides: true,
  });
});

test("nothing is told where nothing occurs", () => {
  assert.deepEqual(explain("Mozilla/5.0 (Windows NT 10.0)"), []);
  assert.deepEqual(explain(""), []);
});

test("an occurrence within one of an exception is held back, and the exception says why", () => {
  assert.deepEqual(explain("a CUBOT X18")[0]?.heldBackBy, [
    { pattern: "CUBOT", start: 2, end: 7, text: "CUBOT", why: "a maker of phones" },
  ]);
});

test("an occurrence that reaches beyond the exception decides", () => {
  assert.deepEqual(brief("a cubots"), ["bot 4-8"]);
  assert.deepEqual(brief("cubots"), ["bot 2-6 held back"]);
});

test("an exception in one place says nothing about another place", () => {
  assert.deepEqual(brief("cubot bot"), ["bot 2-5 held back", "bot 6-9"]);
});

test("an exception may be about the whole string", () => {
  assert.deepEqual(brief("FooBot/2"), ["FooBot 0-6", "bot 3-6", "bare product 0-8 held back"]);
});

test("an entry that does not decide only names, and not behind a letter", () => {
  assert.deepEqual(brief("a Panasonic bot"), ["bot 12-15"]);
  assert.deepEqual(explain("a Pana-Sonic bot"), [
    {
      kind: "rule",
      name: "bot",
      category: "other",
      pattern: "BOTS?",
      start: 13,
      end: 16,
      text: "bot",
      decides: true,
    },
    {
      kind: "entry",
      name: "Sonic",
      category: "seo",
      pattern: "sonic",
      start: 7,
      end: 12,
      text: "Sonic",
      decides: false,
      namesOnly: true,
    },
  ]);
});

test("occurrences that end at one place are one: the longest", () => {
  const explainOne = createExplainer({
    items: [{ name: "X", category: "seo", pattern: "(?:foo)?bar" }],
    rules: [],
    namesOnly: [],
    nameIndex: ["(?:[Ff]oo)?bar"],
  });
  assert.deepEqual(
    explainOne("a foobar, bar").map(({ start, end }) => [start, end]),
    [
      [2, 8],
      [10, 13],
    ],
  );
});
