/** The proof of linear time for JavaScript's expressions, on expressions whose cost is known. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findExpressions } from "./find-expressions.ts";
import { refuteAll } from "./prove.ts";

const linear: readonly RegExp[] = [
  /bot|spider/,
  /x[0-9]+y/,
  /^[a-z]+y/,
  /^(?:ab|a)*c/,
  /^.*x/s,
  // A match is certain behind the first blank: no search begins within the run.
  /\s+/g,
  /\s+x?/g,
  /#.*/,
  /[^ -~]+/g,
  /(?:ab)+/g,
  /"[^"]*"/,
  /"[^"]*?"/,
  /\bx\d*/,
  /x(?=\d*y)/,
  /x(?!\d*y)z/i,
  /(?<![\w.])\d{1,3}\/\d{1,2}/,
  /^(?:a{1,3}b){2,}$/,
  /^[\w-]+(?:\.[\w-]+)*$/,
  /^\p{L}+\d+$/u,
  /(?<year>\d{4})-(?<month>\d\d)/,
  /^(?:\\.|[^\\])*$/s,
  /^a*(?:,b*)*$/,
];

const slow: readonly [expression: RegExp, why: RegExp][] = [
  [/\s*\r?\n\s+/g, /begins anew/],
  [/\s+$/, /begins anew/],
  [/[0-9]+x/, /begins anew/],
  [/x[a-z]+y/, /begins anew/],
  [/x[A-Z]+y/i, /begins anew/],
  [/x.*y/, /begins anew/],
  [/"(?:[^"\\]|\\.)*"/, /begins anew/],
  // A match is certain, but what is tried before it reads on to the end, from each match anew.
  [/a(?:.*b)?/g, /begins anew/],
  [/a(?=.*b)/g, /begins anew/],
  [/a(?!.*b)/g, /begins anew/],
  [/(?:a*b|a)*/, /begins anew|same text/],
  [/^(?:a*b|a)*/, /same text/],
  [/^x[0-9]+[0-9.]*y/, /same text/],
  [/^a*a*b/, /same text/],
  [/^\w*\d*$/, /same text/],
  [/^\s*[^a]*b/, /same text/],
  [/^.*\u212a*k*x/iu, /same text/],
  [/^(?:a+)+x/, /two ways/],
  [/^(?:a*)*x/, /two ways/],
  [/^(?:a|a)*x/, /two ways/],
  [/^(?:a|ab?b?)*x/, /two ways|same text/],
  [/^(?:a?b?){2,}x/, /two ways|same text/],
  [/^(?:a|\w)*x/, /two ways/],
  [/^(?:[a-z]{1,2})*x/, /two ways/],
  [/(?<=a+)b/, /lookbehind/],
  [/^(a+)\1$/, /back reference/],
];

describe("the proof", () => {
  const reasons = refuteAll([...linear, ...slow.map(([expression]) => expression)]);
  linear.forEach((expression, at) => {
    it(`accepts ${expression}`, () => assert.equal(reasons[at], undefined));
  });
  slow.forEach(([expression, why], at) => {
    it(`refuses ${expression}`, () => assert.match(reasons[linear.length + at] ?? "", why));
  });
});

describe("expressions are found", () => {
  it("as literals, in calls, and from constants", () => {
    const code = `
      // /comment/ and "/string/"
      const part = "b+", literal = /d/i;
      const half: number = (4 as number) / 2 / 1;
      text.replace(/a[/]+/gu, "").split(/,/);
      new RegExp("c\\\\d"); RegExp(\`^\${part}c\`, "y"); new RegExp(String.raw\`\\s\` + part); new RegExp(literal, "g");
      new RegExp(unknown); new RegExp("e", flags);`;
    assert.deepEqual(
      findExpressions(code).map(({ source, flags }) => `${source} ${flags}`.trim()),
      ["d i", "a[/]+ gu", ",", "c\\d", "^b+c y", "\\sb+", "d g", "undefined", "undefined"],
    );
  });
});
