/** Occurrences by the definition: the longest from every place, whatever an engine would prefer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { longestOccurrences, symbolsOf } from "../../src/pattern/occurrences.ts";
import { parsePattern } from "../../src/pattern/parse.ts";

const cases: [pattern: string, text: string, occurrences: string[]][] = [
  ["bot|bots", "bots", ["bots"]],
  ["(?:a|ab)(?:c|bcd)?", "abcd", ["abcd"]],
  ["aa", "aaa", ["aa", "aa"]],
  ["a+", "baab", ["aa", "a"]],
  ["a{2,3}b", "aaaab", ["aaab", "aab"]],
  ["(?:a?b?)*c", "abac", ["abac", "bac", "ac", "c"]],
  ["^a", "aa", ["^a"]],
  ["a$", "aa ", ["a $"]],
  ["[^a]", "a\u00e9", ["\u00e9"]],
  ["x", "abc", []],
];

for (const [pattern, text, expected] of cases) {
  test(`${pattern} in ${JSON.stringify(text)}`, () => {
    const shown = ["^", ...text, "$"];
    const found = longestOccurrences(parsePattern(pattern), symbolsOf(text));
    assert.deepEqual(
      found.map(({ from, to }) => shown.slice(from, to).join("")),
      expected,
    );
  });
}
