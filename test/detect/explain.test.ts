/** What an explanation tells: every item with its place, what decides, and what held an occurrence back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createExplainer } from "../../src/detect/explain.ts";
import { rowsOf } from "../support/table.ts";

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
  alternatives: [0, 1, 2],
  nameIndex: ["\ta0FooBot", "[Bb][Oo][Tt][Ss]?", "^[A-Za-z]+\\/[.0-9]+[^!-~]*$", "\tw0Sonic"],
});

/** A line for each item: its name, its text and place, and what held it back. */
const linesOf = (useragent: string): string[] =>
  explain(useragent).map(({ name, start, end, text, decides, heldBackBy, namesOnly }) => {
    const why = heldBackBy?.map(({ start, end, text, why }) => `in ${text} ${start}-${end}, ${why}`);
    return [`${name} ${text} ${start}-${end}`, namesOnly && "only names", !decides && "held back", why]
      .filter(Boolean)
      .join(", ");
  });

for (const [what, useragent = "", ...expected] of rowsOf(`
  every item, in the order of precedence     | FooBot/1.2                | FooBot FooBot 0-6 | bot Bot 3-6 | bare product FooBot/1.2 0-10
  every place                                | Mozilla/5.0 (bots, a BOT) | bot bots 13-17 | bot BOT 21-24
  nothing                                    | Mozilla/5.0 (Windows NT 10.0)
  an occurrence within one of an exception   | a CUBOT X18               | bot BOT 4-7, held back, in CUBOT 2-7, a maker of phones
  one that reaches beyond the exception      | a cubots                  | bot bots 4-8
  one of an exception at the start           | cubots                    | bot bots 2-6, held back, in cubots 0-6, at the start
  an exception in another place              | cubot bot                 | bot bot 2-5, held back, in cubot 0-5, a maker of phones | bot bot 6-9
  an exception about the whole string        | FooBot/2                  | FooBot FooBot 0-6 | bot Bot 3-6 | bare product FooBot/2 0-8, held back, in FooBot/2 0-8, the second version is an app
  an entry that only names behind a letter   | a Panasonic bot           | bot bot 12-15
  an entry that only names                   | a Pana-Sonic bot          | bot bot 13-16 | Sonic Sonic 7-12, only names, held back
`))
  test(`${what} in ${useragent}`, () => assert.deepEqual(linesOf(useragent), expected));

test("an item has its facts, and nothing is told of an empty string", () => {
  assert.deepEqual(explain("xBots")[0], {
    ...{ kind: "rule", name: "bot", category: "other", pattern: "BOTS?" },
    ...{ start: 1, end: 5, text: "Bots", decides: true },
  });
  assert.equal(explain("a CUBOT X18")[0]?.heldBackBy?.[0]?.pattern, "CUBOT");
  assert.deepEqual(explain(""), []);
});

test("occurrences that end at one place are one: the longest", () => {
  const explainOne = createExplainer({
    items: [{ name: "X", category: "seo", pattern: "(?:foo)?bar" }],
    rules: [],
    alternatives: [0],
    nameIndex: ["(?:[Ff]oo)?bar"],
  });
  const places = explainOne("a foobar, bar").map(({ start, end }) => `${start}-${end}`);
  assert.deepEqual(places, ["2-8", "10-13"]);
});
