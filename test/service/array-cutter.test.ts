/** Arrays of JSON are cut as a parser of the whole would read them, however their bytes come. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { CutError, createArrayCutter } from "../../src/service/many/array-cutter.ts";

/** What the body says, as check-many reads it: each item parsed for itself. Throws what the cutter or the parser throws. */
function read(body: string, sizes: readonly number[], maxItemBytes = 1000): unknown {
  const bytes = Buffer.from(body);
  const items: unknown[] = [];
  const parse = (from: Uint8Array) => JSON.parse(Buffer.from(from).toString());
  const cutter = createArrayCutter(maxItemBytes, (piece, from, to) => items.push(parse(piece.subarray(from, to))));
  let at = 0;
  for (const size of sizes) {
    cutter.push(bytes.subarray(at, at + size));
    at += size;
  }
  cutter.push(bytes.subarray(at));
  const other = cutter.end();
  return other === undefined ? items : parse(other);
}

function outcome(run: () => unknown): unknown {
  try {
    return { value: run() };
  } catch (error) {
    assert.ok(error instanceof SyntaxError || (error as CutError).reason === "not-json", String(error));
    return "no JSON";
  }
}

const sizes = fc.array(fc.nat({ max: 9 }));

describe("the cutter of arrays", () => {
  it("finds the items of any array, written in any way", () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(fc.array(value), sizes, fc.constantFrom(0, 1, "\t", "\r\n"), (items, sizes, space) => {
        const body = ` ${JSON.stringify(items, undefined, space)}\n `;
        assert.deepEqual(read(body, sizes, 100_000), JSON.parse(body));
      }),
    );
  });

  it("takes for JSON what a parser takes, and nothing else", () => {
    const token = fc.constantFrom("[", "]", "{", "}", ",", ":", '"', "\\", '"a"', "1", "null", " ", "\n", "[]", "{}");
    const nearly = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(""));
    const inArray = nearly.map((text) => `[${text}]`);
    fc.assert(
      fc.property(fc.oneof(nearly, inArray), sizes, (body, sizes) => {
        assert.deepEqual(
          outcome(() => read(body, sizes)),
          outcome(() => JSON.parse(body)),
        );
      }),
      { numRuns: 3000 },
    );
  });

  it("takes a byte order mark at the beginning, and nowhere else", () => {
    for (const sizes of [[], [1, 1, 1, 1]]) {
      assert.deepEqual(read('\ufeff["a"]', sizes), ["a"]);
      assert.deepEqual(
        outcome(() => read('[\ufeff"a"]', sizes)),
        "no JSON",
      );
      assert.deepEqual(
        outcome(() => read('["a"]\ufeff', sizes)),
        "no JSON",
      );
    }
  });

  for (const sizes of [[], [3, 5], Array(40).fill(1)]) {
    it(`refuses an item that is too long before it is complete, in pieces of ${sizes}`, () => {
      const isTooLong = (error: unknown) => error instanceof CutError && error.reason === "item-too-long";
      for (const item of [
        `"${"x".repeat(18)}"`,
        `[${"1,".repeat(8)}1 ]`,
        `{"a":${"[".repeat(15)}`,
        `1${" ".repeat(19)}`,
      ]) {
        assert.equal(item.length, 20);
        if (!item.startsWith("{")) assert.equal((read(`[1,  ${item},2]`, sizes, 20) as unknown[]).length, 3);
        assert.throws(() => read(`[1,  ${item}`, sizes, 19), isTooLong, item);
      }
      // No array at all.
      assert.throws(() => read(`"${"x".repeat(18)}"`, sizes, 19), isTooLong);
    });
  }
});
