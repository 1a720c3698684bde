/** The proof of linear time, on patterns whose cost is known. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parsePattern } from "../../src/pattern/parse.ts";
import { isLinear } from "../support/linear.ts";

const linear = [
  "bot",
  "(?:^|[^u])bot|spider",
  "x[0-9]+y",
  "x[0-9.]+; y",
  "^[a-z]+y",
  "^(?:a|b)*c",
  "^(?:ab|a)*c",
  "^[a-z]+(?:[-_. ][a-z]+)*(?:[/ ]v?[0-9][0-9.]*)?$",
  "^.*x",
  "x$",
  "x ?$",
  "/[0-9]+; *x",
  "(?:[^0-9][0-9]+)?[0-9]; *x",
];

const slow: readonly [pattern: string, why: string][] = [
  ["[0-9]+x", "a search begins anew at every digit"],
  ["x[a-z]+y", "a search begins anew at every x of the run"],
  ["x.*y", "as before"],
  [" $", "a search begins anew at every blank of the run"],
  ["x[0-9]+[0-9.]*y", "the border between two repeats can lie anywhere"],
  ["^.*x.*y", "as before"],
  ["^[a-z ]+$", "a blank belongs to the repeat or to the end"],
  ["^(?:a+)+x", "a round may read one a or more"],
  ["^(?:a|ab?)*x", "an a has two places"],
  ["^(?:a?b?)*x", "a round may be empty"],
  ["^(?:a{1,2})*x", "a round may read one a or two"],
];

describe("isLinear", () => {
  for (const pattern of linear)
    it(`accepts ${pattern}`, () => {
      assert.equal(isLinear(parsePattern(pattern)), true);
    });
  for (const [pattern, why] of slow)
    it(`refuses ${pattern}: ${why}`, () => {
      assert.equal(isLinear(parsePattern(pattern)), false);
    });
});
