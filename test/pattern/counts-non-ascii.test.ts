/** A pattern that counts characters beyond ASCII is found: no other one matches a string and not the same in another encoding. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { countsNonAscii } from "../../src/pattern/counts-non-ascii.ts";
import { parsePattern } from "../../src/pattern/parse.ts";
import { toRegExp } from "../../src/pattern/print.ts";
import { matchesAnchorsOnly } from "../../src/pattern/tree.ts";
import { patterns, texts } from "../support/arbitrary.ts";

it("no pattern that is accepted distinguishes one such character from several", () => {
  let accepted = 0;
  fc.assert(
    fc.property(patterns(), fc.array(texts, { minLength: 20, maxLength: 20 }), (pattern, strings) => {
      const tree = parsePattern(pattern);
      if (matchesAnchorsOnly(tree) || countsNonAscii(tree)) return;
      accepted++;
      const expression = toRegExp(tree);
      for (const text of strings)
        for (const bytes of ["éé", "ééé"])
          assert.equal(expression.test(text.replaceAll("é", bytes)), expression.test(text), `${pattern} ${text}`);
    }),
    { numRuns: 700, seed: 3 },
  );
  assert.ok(accepted > 100, `${accepted}`);
});

it("usual patterns are accepted, and those that count are not", () => {
  for (const pattern of [
    "Foo",
    "Foo.*Bar",
    "(?:^|[^a-z])Foo",
    "Foo[^/]",
    "Foo[^a-z]$",
    "^v[^a]+w|xy",
    "^Foo.*$",
    ".{0,9}x",
  ])
    assert.equal(countsNonAscii(parsePattern(pattern)), false, pattern);
  for (const pattern of ["Foo.Bar", "x[^a]{2}y", "Foo.+.+Bar", "Foo.{1,3}Bar", "^.Foo", "Foo.+[^b]x"])
    assert.equal(countsNonAscii(parsePattern(pattern)), true, pattern);
});
