/** The expression of familiar beginnings never hides what makes a crawler. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decide } from "../../src/compiler/automaton/decide.ts";
import { familiarTo } from "../../src/compiler/familiar.ts";
import { createMatcher } from "../../src/detect/automaton/matcher.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { familiar } from "../../src/generated/decision.ts";
import { finish } from "../../src/pattern/finish.ts";
import { parsePattern } from "../../src/pattern/parse.ts";
import { print } from "../../src/pattern/print.ts";
import { toTable } from "../support/automata.ts";
import { createRandom } from "../support/random-strings.ts";

const example = "Mozilla/5.0 (X1; A 10_2) B/3.4 like C/1";

describe("familiar beginnings", () => {
  const patterns =
    String.raw`BOT|^Mozilla/5\.0 .*Q$|B/3\.[0-9] l|9 like|C/1 x|X1; *A|^Mozilla/[0-9]$| l.*1$|[^9] x`.split("|");
  for (const some of [patterns, ...[...patterns, " $"].map((pattern) => [pattern])])
    it(`never change an answer of ${some.join(", ")}, whatever stands behind them or in them`, () => {
      const decision = finish(decide(some.map((pattern) => parsePattern(pattern))));
      const [unanchored, anchored] = [toTable(decision.unanchored), decision.anchored.map(toTable)];
      const plain = createMatcher(unanchored, anchored);
      const tree = familiarTo([example, "Mozilla/5.0 (A 1) B/5.0"], decision);
      const quick = createMatcher(unanchored, anchored, new RegExp(print(tree), "y"));
      const pieces = [...example.split(/(?<=[ /;])/), "bot", "Q", "9 ", "x", " ", "\u00e9", example];
      const random = createRandom(7);
      let accepted = 0;
      for (let i = 0; i < 5_000; i++) {
        const text =
          example.slice(0, random(example.length + 1)) +
          Array.from({ length: random(6) }, () => pieces[random(pieces.length)]).join("");
        assert.equal(quick.test(text), plain.test(text), JSON.stringify(text));
        if (plain.test(text)) accepted++;
      }
      assert(accepted > 0 && accepted < 5_000, `${accepted}`);
    });

  it("are as long as they can be", () => {
    const reach = (pattern: string): number =>
      new RegExp(print(familiarTo([example], finish(decide([parsePattern(pattern)])))), "y").exec(example)?.[0]
        .length ?? 0;
    assert.deepEqual(["BOT", "like C", "A 7"].map(reach), [example.length, 31, 17]);
  });

  it("of the catalogue never hide a crawler", () => {
    const known =
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36";
    assert.equal(new RegExp(familiar).exec(known)?.[0], known);
    assert(!detector.isCrawler(known));
    const expression = new RegExp(detector.expression);
    const assertRight = (text: string): void =>
      assert.equal(detector.isCrawler(text), expression.test(text), JSON.stringify(text));
    for (let at = 0; at <= known.length; at++) {
      for (const mark of ["bot", "Crawl", "://", "\u00e9", "\u{1f916}", "compatible; A", "\0", "\n", " "])
        assertRight(known.slice(0, at) + mark + known.slice(at));
      assertRight(known.slice(0, at) + known.slice(at + 1));
      assertRight(known.slice(0, at));
    }
  });
});
