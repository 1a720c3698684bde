/** The tables as a file: what is written is read again, and nothing else is. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Dfa, determinise } from "../../src/automaton/dfa.ts";
import { minimise } from "../../src/automaton/minimise.ts";
import { toNfa } from "../../src/automaton/nfa.ts";
import { createMatcher, find, step } from "../../src/automaton/run.ts";
import { decodeTable, encodeTable } from "../../src/automaton/tables.ts";
import { parsePattern } from "../../src/pattern/parse.ts";
import { matchesAnchorsOnly } from "../../src/pattern/tree.ts";
import { isSmall, patterns, texts } from "../support/arbitrary.ts";
import { decisionOf, outputOf } from "../support/automata.ts";

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
          const matcher = createMatcher(decodeTable(encodeTable(decision)));
          const identification = minimise(determinise(toNfa(list)));
          const table = decodeTable(encodeTable(identification));
          for (const text of strings) {
            assert.equal(matcher.test(text), outputOf(decision, text) !== 0, JSON.stringify(text));
            assert.equal(find(table, text).output, outputOf(identification, text), JSON.stringify(text));
          }
        },
      ),
      { numRuns: 80, seed: 8 },
    );
  });

  it("say where a match ends", () => {
    const table = decodeTable(
      encodeTable(minimise(determinise(toNfa(["bot", "a", "x$"].map((p) => parsePattern(p)))))),
    );
    assert.deepEqual(find(table, "a robot, a bot"), { output: 1, end: 7 });
    assert.deepEqual(find(table, "--a-a"), { output: 2, end: 3 });
    assert.deepEqual(find(table, "-x \n"), { output: 3, end: 4 });
    assert.deepEqual(find(table, "-x y"), { output: 0, end: 0 });
  });

  it("put the accepting states first", () => {
    const table = decodeTable(encodeTable(decisionOf(parsePattern("ab|c$|^x{3}$"))));
    assert.equal(table.firstSilent, 1, "reading stops at the first match: one state says that there was one");
    assert(table.firstSilentAtEnd > 1 && table.firstSilentAtEnd < table.stateCount);
    for (let c = 0; c < table.classCount; c++) assert.equal(step(table.rows, table.rowCount, table.chains, 0, c), 0);
  });

  it("write the same bytes each time", () => {
    const bytes = (): Uint8Array => encodeTable(decisionOf(parsePattern("(?:^|[^u])bot|spider|x$")));
    assert.deepEqual(bytes(), bytes());
  });

  it("refuse bytes that are cut off, damaged or foreign", () => {
    const bytes = encodeTable(decisionOf(parsePattern("(?:^|[^u])bot|spider|x$")));
    for (let length = 0; length < bytes.length; length++)
      assert.throws(() => decodeTable(bytes.subarray(0, length)), RangeError, `${length} bytes`);
    for (let at = 0; at < bytes.length; at++)
      for (const flip of [1, 0x80]) {
        const damaged = bytes.slice();
        damaged[at]! ^= flip;
        assert.throws(() => decodeTable(damaged), RangeError, `byte ${at} ^ ${flip}`);
      }
    assert.throws(() => decodeTable(Uint8Array.of(...bytes, 0)), RangeError);
    assert.throws(() => decodeTable(new Uint8Array(64)), /does not begin with WCA1/);
  });

  it("refuse what does not fit", () => {
    const { classOf } = decisionOf(parsePattern("a"));
    const dfa = (stateCount: number, endOutput: number): Dfa => ({
      classOf,
      classCount: 2,
      next: new Int32Array(2 * stateCount),
      stateCount,
      initial: 0,
      output: new Int32Array(stateCount),
      endOutput: new Int32Array(stateCount).fill(endOutput),
    });
    assert.throws(() => encodeTable(dfa(65_536, 0)), /65536 states do not fit/);
    assert.throws(() => encodeTable(dfa(1, 65_536)), /output does not fit/);
    assert.throws(() => encodeTable(dfa(2, 0)), /never reached/);
  });
});
