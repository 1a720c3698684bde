/** The shortcuts never change an answer: they give that of the plain walk, on strings made to lead them astray. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readCatalogue } from "../../build/read-catalogue.ts";
import { createSieve } from "../../src/automaton/create-sieve.ts";
import { type Decision, decide } from "../../src/automaton/decide.ts";
import { isDisjoint } from "../../src/automaton/disjoint.ts";
import { createMatcher } from "../../src/automaton/run.ts";
import { commonBeginnings, createFastMatcher } from "../../src/automaton/shortcuts.ts";
import { decodeSieve, encodeSieve } from "../../src/automaton/sieve.ts";
import { decodeTable, encodeTable } from "../../src/automaton/tables.ts";
import { familiarTo } from "../../src/catalogue/familiar.ts";
import { detector } from "../../src/detect/default.ts";
import { familiar, opening, search, sieve } from "../../src/generated/decision.ts";
import { parsePattern } from "../../src/pattern/parse.ts";
import { print } from "../../src/pattern/print.ts";
import { isNever, matchesAnchorsOnly, type Tree } from "../../src/pattern/tree.ts";
import { isSmall, patterns, texts } from "../support/arbitrary.ts";
import { occurs } from "../support/naive.ts";
import { createRandom, createStrings } from "../support/random-strings.ts";

const [stem] = commonBeginnings;
const tables = [search, opening].map((text) => decodeTable(Buffer.from(text, "base64"))) as [
  ReturnType<typeof decodeTable>,
  ReturnType<typeof decodeTable>,
];
const plain = createMatcher(...tables);
const shortcuts = { sieve: decodeSieve(Buffer.from(sieve, "base64")), familiar: new RegExp(familiar) };
const fast = createFastMatcher(...tables, shortcuts);

function assertAlike(text: string): void {
  if (fast.test(text) !== plain.test(text)) assert.fail(JSON.stringify(text));
}

describe("with the shortcuts the answer is that of the plain walk", () => {
  const strings = detector.strings();
  const random = createRandom(4);

  it("on strings that have two pieces of others behind what they commonly begin with", () => {
    const piece = (): string => {
      const text = strings[random(strings.length)]!;
      const from = random(text.length);
      return text.slice(from, from + 1 + random(40));
    };
    for (let i = 0; i < 200_000; i++) assertAlike(commonBeginnings[i % 2]! + piece() + piece());
  });

  it("on random strings behind them", () => {
    const { entries, rules } = readCatalogue();
    const next = createStrings({ seed: 5, patterns: [...entries, ...rules].map(({ pattern }) => pattern) });
    for (let i = 0; i < 100_000; i++) assertAlike(commonBeginnings[i % 2]! + next());
  });

  it("wherever a string ends", () => {
    for (const text of strings.filter((each) => each.startsWith(stem)))
      for (let length = 0; length < text.length; length++) assertAlike(text.slice(0, length));
  });

  it("on a familiar string with something in it that is not", () => {
    const known =
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36";
    assert(shortcuts.familiar.test(known) && !fast.test(known));
    for (const item of ["bot", "Crawl", "://", "\u00e9", "\u{1f916}", "compatible; A", "\0", "\n", " "])
      for (let at = 0; at <= known.length; at++) assertAlike(known.slice(0, at) + item + known.slice(at));
    for (let at = 0; at < known.length; at++) assertAlike(known.slice(0, at) + known.slice(at + 1));
  });

  // Quadratic time would take minutes here, which no test has.
  it("in linear time, also where much is held back in vain", () => {
    for (const part of ["bo", "crawbo", "compatibl", "; ", "://ww", "Search/1.1"]) {
      const text = stem + part.repeat(600_000 / part.length);
      assertAlike(text);
      assertAlike(`${text}\u00e9`);
    }
  });
});

describe("a sieve", () => {
  const trees = patterns({ depth: 1 })
    .map((pattern) => parsePattern(pattern))
    .filter((tree) => isSmall(tree) && !matchesAnchorsOnly(tree) && !isNever(tree));

  it("lets nothing through that any patterns match", () => {
    fc.assert(
      fc.property(
        fc.array(trees, { minLength: 1, maxLength: 3 }),
        fc.array(texts, { maxLength: 5 }),
        fc.array(texts, { minLength: 30, maxLength: 30 }),
        (list, samples, strings) => {
          const made = decide(list);
          const made2 = createSieve(list, [samples]);
          const matcher = createFastMatcher(toTable(made.search), toTable(made.opening), {
            sieve: decodeSieve(encodeSieve(made2)),
            familiar: /^(?!)/,
          });
          for (const tail of strings)
            for (const begin of ["", ...commonBeginnings]) {
              const text = begin + tail;
              const expected = list.some((tree) => occurs(tree, text));
              assert.equal(matcher.test(text), expected, JSON.stringify(text));
              assert.equal(matcher.testBytes(Buffer.from(text, "latin1")), expected, JSON.stringify(text));
            }
        },
      ),
      { numRuns: 20, seed: 11 },
    );
  });
});

describe("the sieve of the catalogue", () => {
  // One awkward pattern is enough to have it hold back everything: no answer would change, only the time.
  it("holds next to nothing back of what browsers send", () => {
    const { pairs } = shortcuts.sieve;
    const browsers = readFileSync(
      new URL("../../node_modules/user-agents/dist/user-agents.json", import.meta.url),
      "utf8",
    );
    const texts = (JSON.parse(browsers) as { userAgent: string }[]).map(({ userAgent }) => userAgent);
    let held = 0;
    for (const text of texts) {
      let second = pairs[0]!;
      for (let i = text.length - 2; i >= stem.length - 3; i -= 2) {
        const first = pairs[(text.charCodeAt(i) << 7) | text.charCodeAt(i + 1)] ?? 0;
        if (((second >> 4) & first) !== 0) held++;
        second = first;
      }
    }
    assert(held < texts.length / 10, `${held} places of ${texts.length} strings`);
  });
});

describe("familiar strings", () => {
  const decisionOf = (...list: string[]): Decision => decide(list.map((pattern) => parsePattern(pattern)));
  const like = (text: string, decision: Decision): Tree => familiarTo([text], stem, decision);

  it("are like their examples but for the numbers", () => {
    const expression = new RegExp(`^(?:${print(like(`${stem}X1; A 10_2) B/3.4`, decisionOf("BOT")))})$`);
    for (const text of [`${stem}X1; A 10_2) B/3.4`, `${stem}X11; A 9) B/3.4.5`]) assert(expression.test(text), text);
    for (const text of [`${stem}X1; A 10_2) C/3.4`, `${stem}X1; A 10_2) B/3.4 `, "X1", ""])
      assert(!expression.test(text), text);
  });

  it("keep a number that is always the same", () => {
    const texts = [`${stem}A 1) B/5.0`, `${stem}A 2) B/5.0`];
    const expression = new RegExp(`^(?:${print(familiarTo(texts, stem, decisionOf("BOT")))})$`);
    assert(expression.test(`${stem}A 3) B/5.0`) && !expression.test(`${stem}A 3) B/6.0`));
  });

  it("are none that a crawler's string could be among", () => {
    for (const pattern of ["A 7", "B/3\\.4$", "^Mozilla/5\\.0 \\(X", "[(]"])
      assert(isNever(like(`${stem}X1; A 10_2) B/3.4`, decisionOf(pattern))), pattern);
    assert(!isNever(like(`${stem}X1; A 10_2) B/3.4`, decisionOf("A$", "^X", "B/3\\.4 "))));
  });

  it("are disjoint from what is accepted", () => {
    const { search: automaton } = decisionOf("AB[0-9]C");
    assert(isDisjoint(parsePattern("x+AB[a-z]C"), automaton));
    assert(!isDisjoint(parsePattern("x+AB.C"), automaton));
    assert(!isDisjoint(parsePattern("(?:AB1){1,2}C?y*"), automaton));
    assert.throws(() => isDisjoint(parsePattern("a$"), automaton), RangeError);
  });
});

function toTable(dfa: Decision["search"]): ReturnType<typeof decodeTable> {
  return decodeTable(encodeTable(dfa));
}
