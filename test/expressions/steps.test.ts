/** What the proof accepts takes linear time indeed: counted in the steps of an engine that backtracks, on texts that repeat. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Expression, parseExpression } from "./parse-expression.ts";
import { refuteAll } from "./prove.ts";

const most = 100_000;

/** Steps of a search with the flag g for all matches. The order in which a repeat tries its ways does not matter for a proof. */
function countSteps(expression: Expression, text: string, isGreedy: boolean): number {
  let steps = 0;

  /** Tries `item` at a place, then `next`; the place where the whole match ends, or undefined. */
  function match(item: Expression, at: number, next: (at: number) => number | undefined): number | undefined {
    if (++steps > most) throw new RangeError("too many steps");
    switch (item.type) {
      case "set":
        return at < text.length && (item.text === "." || item.text.includes(text[at]!)) ? next(at + 1) : undefined;
      case "seq":
        return item.items.reduceRight<(at: number) => number | undefined>(
          (after, part) => (from) => match(part, from, after),
          next,
        )(at);
      case "alt":
        for (const part of item.items) {
          const end = match(part, at, next);
          if (end !== undefined) return end;
        }
        return undefined;
      case "repeat":
        return repeat(item, item.min, item.max, at, next);
      case "start":
        return at === 0 ? next(at) : undefined;
      case "assertion":
        if (item.ahead !== undefined) return match(item.ahead, at, (end) => end) === undefined ? undefined : next(at);
        return at === text.length ? next(at) : undefined;
    }
  }

  function repeat(
    item: Expression & { type: "repeat" },
    min: number,
    max: number,
    at: number,
    next: (at: number) => number | undefined,
  ): number | undefined {
    const more = (): number | undefined =>
      max === 0
        ? undefined
        : match(item.item, at, (end) =>
            min <= 0 && end === at ? undefined : repeat(item, min - 1, max - 1, end, next),
          );
    if (min > 0) return more();
    return isGreedy ? (more() ?? next(at)) : (next(at) ?? more());
  }

  try {
    for (let from = 0; from <= text.length; ) {
      const end = match(expression, from, (end) => end);
      from = end === undefined || end === from ? from + 1 : end;
    }
  } catch (error) {
    if (steps <= most) throw error;
  }
  return steps;
}

const { source } = fc.letrec<{ source: string }>((tie) => ({
  source: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 4, arbitrary: fc.constantFrom("a", "b", "[ab]", ".", "c") },
    { weight: 4, arbitrary: fc.array(tie("source"), { minLength: 2, maxLength: 4 }).map((parts) => parts.join("")) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(tie("source"), fc.constantFrom("*", "+", "?", "{1,2}", "{2,}"))
        .map(([item, times]) => `(?:${item})${times}`),
    },
    {
      weight: 2,
      arbitrary: fc.array(tie("source"), { minLength: 2, maxLength: 3 }).map((parts) => `(?:${parts.join("|")})`),
    },
    { weight: 1, arbitrary: tie("source").map((item) => `(?=${item})`) },
    { weight: 1, arbitrary: fc.constantFrom("^", "$") },
  ),
}));

const words = ["a", "b", "c", "aa", "ab", "ba", "bc", "aab", "abb", "abc", "abab"];
const texts = (times: number): string[] =>
  ["", "c", "a"].flatMap((first) =>
    words.flatMap((word) => ["", "c", "b"].map((last) => first + word.repeat(times) + last)),
  );

/** Why the steps are more than proportional to the length. Texts are compared by the worst, since some match and others do not. */
function isSlow(expression: Expression): string | undefined {
  for (const isGreedy of [true, false]) {
    const [once, twice] = [60, 120].map((times) =>
      Math.max(...texts(times).map((text) => countSteps(expression, text, isGreedy))),
    );
    if (twice! > 2.6 * once! + 200) return `${once} steps, then ${twice}`;
  }
  return undefined;
}

describe("expressions that are proved", () => {
  it("take linear steps", () => {
    let proved = 0;
    fc.assert(
      fc.property(fc.tuple(source, fc.constantFrom("", "^", "")), ([body, start]) => {
        const written = { source: `${start}${body}`, flags: "g" };
        if (refuteAll([written])[0] !== undefined) return;
        proved++;
        assert.equal(isSlow(parseExpression(written.source, "g")), undefined, written.source);
      }),
      { numRuns: 100 },
    );
    assert.ok(proved > 20, `${proved}`);
  });

  it("are told apart by the same counting from those that are not", () => {
    for (const slow of ["a+$", "a*b", "^a*[ab]*c", "a(?:.*c)?", "a(?=.*c)"])
      assert.notEqual(isSlow(parseExpression(slow, "g")), undefined, slow);
  });
});
