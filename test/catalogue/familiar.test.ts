/** The expression of familiar strings: like its examples but for the numbers, and never a crawler's. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Decision, decide } from "../../src/automaton/decide.ts";
import { isDisjoint } from "../../src/automaton/disjoint.ts";
import { familiarTo } from "../../src/catalogue/familiar.ts";
import { detector } from "../../src/detect/default.ts";
import { familiar } from "../../src/generated/decision.ts";
import { parsePattern } from "../../src/pattern/parse.ts";
import { print } from "../../src/pattern/print.ts";
import { isNever } from "../../src/pattern/tree.ts";

const decisionOf = (...list: string[]): Decision => decide(list.map((pattern) => parsePattern(pattern)));
const example = "Mozilla/5.0 (X1; A 10_2) B/3.4";

describe("familiar strings", () => {
  it("are like their examples but for the numbers", () => {
    const expression = new RegExp(`^(?:${print(familiarTo([example], decisionOf("BOT")))})$`);
    for (const text of [example, "Mozilla/5.0 (X11; A 9) B/3.4.5"]) assert(expression.test(text), text);
    for (const text of ["Mozilla/5.0 (X1; A 10_2) C/3.4", `${example} `, "X1", ""])
      assert(!expression.test(text), text);
  });

  it("keep a number that is always the same", () => {
    const texts = ["Mozilla/5.0 (A 1) B/5.0", "Mozilla/5.0 (A 2) B/5.0"];
    const expression = new RegExp(`^(?:${print(familiarTo(texts, decisionOf("BOT")))})$`);
    assert(expression.test("Mozilla/5.0 (A 3) B/5.0") && !expression.test("Mozilla/5.0 (A 3) B/6.0"));
  });

  it("are none that a crawler's string could be among", () => {
    for (const pattern of ["A 7", "B/3\\.4$", "^Mozilla/5\\.0 \\(X", "[(]"])
      assert(isNever(familiarTo([example], decisionOf(pattern))), pattern);
    assert(!isNever(familiarTo([example], decisionOf("A$", "^X", "B/3\\.4 "))));
  });

  it("are disjoint from what is accepted", () => {
    const { unanchored } = decisionOf("AB[0-9]C");
    assert(isDisjoint(parsePattern("x+AB[a-z]C"), unanchored));
    assert(!isDisjoint(parsePattern("x+AB.C"), unanchored));
    assert(!isDisjoint(parsePattern("(?:AB1){1,2}C?y*"), unanchored));
    assert.throws(() => isDisjoint(parsePattern("a$"), unanchored), RangeError);
  });

  it("are not familiar any more with something in them", () => {
    const known =
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36";
    assert(new RegExp(familiar).test(known) && !detector.isCrawler(known));
    const expression = new RegExp(detector.expression);
    const assertRight = (text: string): void =>
      assert.equal(detector.isCrawler(text), expression.test(text), JSON.stringify(text));
    for (const mark of ["bot", "Crawl", "://", "\u00e9", "\u{1f916}", "compatible; A", "\0", "\n", " "])
      for (let at = 0; at <= known.length; at++) assertRight(known.slice(0, at) + mark + known.slice(at));
    for (let at = 0; at < known.length; at++) assertRight(known.slice(0, at) + known.slice(at + 1));
  });
});
