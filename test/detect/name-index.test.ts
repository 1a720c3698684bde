/** The index of names finds what its definition says: the first item whose expression matches. However a string is made, few are run. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hardStrings } from "../../bench/match/hard-strings.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { nameIndex } from "../../src/detect/built-in/items.ts";
import { expressionOf, NameIndex, portableOf } from "../../src/detect/name-index.ts";
import { printExactMatch } from "../../src/pattern/exact-match.ts";
import { parsePattern } from "../../src/pattern/parse.ts";
import { keyOf } from "../../src/pattern/tree.ts";
import { createRandom } from "../support/random-strings.ts";
import { readCorpora } from "../support/remembered.ts";
import { howMany, someOf } from "../support/some-strings.ts";

const index = new NameIndex(nameIndex());
const expressions = nameIndex().map((line) => new RegExp(expressionOf(line)));
const strings = detector.strings();
const many = howMany(300, 30_000);

/** Parts of two strings, in either case, perhaps with a character beyond ASCII or a line feed. */
function createSpliced(seed: number): () => string {
  const random = createRandom(seed);
  const part = (): string => {
    const text = strings[random(strings.length)]!;
    return random(2) ? text.slice(0, random(text.length + 1)) : text.slice(random(text.length + 1));
  };
  return () => {
    const text = part() + part();
    const cased = [text, text, text.toUpperCase(), text.toLowerCase()][random(4)]!;
    return (random(5) ? cased : cased.replace(" ", "\u00e9")) + (random(10) ? "" : "\n");
  };
}

function assertDefined(text: string): void {
  const item = expressions.findIndex((expression) => expression.test(text));
  const match = expressions[item]?.exec(text);
  const expected = match ? { item, from: match.index, to: match.index + match[0].length } : undefined;
  assert.deepEqual(index.find(text), expected, JSON.stringify(text));
}

describe("the index of names", () => {
  it("finds the first item whose expression matches, and its first match, in the catalogue's strings and in corpora", () => {
    const corpora = readCorpora().flatMap((corpus) => corpus.strings);
    for (const text of [...someOf(strings, 300), ...someOf(corpora, 300)]) assertDefined(text);
  });

  it(`and in ${many.toLocaleString("en")} strings that are made of two`, () => {
    const next = createSpliced(3);
    for (let i = 0; i < many; i++) assertDefined(next());
  });

  it("and in strings of all literals, of their rare letters, and of either over and over", () => {
    for (const text of hardStrings(nameIndex()).values()) assertDefined(text);
  });
});

describe("the expression of a line in the portable subset", () => {
  for (const pattern of [
    "(?:^|[ ;(])Foo",
    "(?:^| )Foo|(?:^|[^A-Za-z])(?:bar|baz)",
    "(?:^|[^u])bot|x",
    "(?:^|[^.])bot|(?:^|[^^])bot|(?:^|[^\\[])bot",
    "(?:^|a?b)c|(?:a|^)d",
    "\\|\\(?<!e|[|(?<=!]\\(\\?<=f",
    "^a|b$",
  ])
    it(`has the tree of ${pattern}`, () => {
      const tree = parsePattern(pattern);
      const portable = portableOf(printExactMatch(tree));
      assert.equal(keyOf(parsePattern(portable, { printed: true })), keyOf(tree), portable);
    });

  it("is that of every line of the catalogue", () => {
    for (const line of nameIndex()) {
      const tree = parsePattern(portableOf(line), { printed: true });
      assert.equal(printExactMatch(tree), expressionOf(line));
    }
  });
});

describe("a string of any content", () => {
  /** Expressions that are run, of those that an engine is asked to match. */
  function countRuns(run: () => void): number {
    const { exec } = RegExp.prototype;
    let count = 0;
    RegExp.prototype.exec = function (text) {
      count++;
      return exec.call(this, text);
    };
    try {
      run();
    } finally {
      RegExp.prototype.exec = exec;
    }
    return count;
  }

  it("runs at most 650 expressions a kilobyte, and 60 for the string", () => {
    const literals = new Set(
      nameIndex().flatMap((line) =>
        line
          .split("\t")
          .slice(1)
          .filter((finder) => finder[0] !== "~"),
      ),
    );
    const repeated = [...literals].map((finder) => finder.slice(2).repeat(4_000 / (finder.length - 2)));
    for (const text of [...hardStrings(nameIndex()).values(), ...repeated]) {
      const runs = countRuns(() => index.find(text));
      assert.ok(runs <= 60 + (650 * text.length) / 1000, `${runs} in ${text.length}: ${text.slice(0, 60)}`);
    }
  });
});
