/** The tables as a file: what was written can be read, and other bytes are rejected. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Dfa } from "../../../src/compiler/automaton/dfa.ts";
import { encodeTable } from "../../../src/compiler/automaton/encode-table.ts";
import { accepts, acceptsBytes } from "../../../src/detect/automaton/run.ts";
import { acceptsByRows, decodeTable, readRows } from "../../../src/detect/automaton/tables.ts";
import { detector } from "../../../src/detect/built-in/detector.ts";
import { fromBytesText, toBytesText } from "../../../src/detect/text.ts";
import { parsePattern } from "../../../src/pattern/parse.ts";
import { matchesAnchorsOnly } from "../../../src/pattern/tree.ts";
import { isSmall, patterns, texts } from "../../support/arbitrary.ts";
import { decisionOf, isAccepted, toTable } from "../../support/automata.ts";
import { someOf } from "../../support/some-strings.ts";

const trees = patterns({ depth: 1 })
  .map((pattern) => parsePattern(pattern))
  .filter((tree) => isSmall(tree) && !matchesAnchorsOnly(tree));

describe("encodeTable and decodeTable", () => {
  it("keep every transition and output", () => {
    fc.assert(
      fc.property(
        fc.array(trees, { minLength: 1, maxLength: 3 }),
        fc.array(texts, { minLength: 20 }),
        (list, strings) => {
          const decision = decisionOf(...list);
          const deciding = toTable(decision);
          for (const text of strings) {
            const expected = isAccepted(decision, text);
            assert.equal(accepts(deciding, text), expected, JSON.stringify(text));
            const bytes = Uint8Array.from({ length: text.length }, (_, i) => Math.min(text.charCodeAt(i), 0xe9));
            assert.equal(acceptsBytes(deciding, bytes, 0, bytes.length), expected, JSON.stringify(text));
          }
        },
      ),
      { numRuns: 80, seed: 8 },
    );
  });

  it("accept by rows what the table accepts", () => {
    const texts = [detector.catalogue.deciding.unanchored, ...detector.catalogue.deciding.anchored];
    for (const text of texts) {
      const bytes = fromBytesText(text);
      const [rows, table] = [readRows(bytes), decodeTable(bytes)];
      for (const text of someOf(detector.strings(), 200)) assert.equal(acceptsByRows(rows, text), accepts(table, text));
    }
  });

  it("refuse foreign bytes", () => {
    assert.throws(() => decodeTable(new Uint8Array(64)), /does not begin with WCA5/);
  });

  it("survive as text, which needs no escapes in any quotes", () => {
    const bytes = Uint8Array.from({ length: 1024 }, (_, i) => i);
    const text = toBytesText(bytes);
    assert.match(text, /^[ -~]+$/);
    assert.doesNotMatch(text, /["'`\\$]/);
    assert.deepEqual(fromBytesText(text), bytes);
  });

  it("refuse what does not fit", () => {
    const { classOf } = decisionOf(parsePattern("a"));
    const dfa = (stateCount: number): Dfa => ({
      classOf,
      classCount: 2,
      next: new Int32Array(2 * stateCount),
      stateCount,
      initial: 0,
      inner: 0,
      accepts: new Uint8Array(stateCount),
    });
    assert.throws(() => encodeTable(dfa(65_536)), /65536 states do not fit/);
    assert.throws(() => encodeTable(dfa(2)), /never reached/);
  });
});
