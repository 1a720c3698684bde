/** The items of an array are what a parser of the whole would read. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Problem } from "../../src/http/problems.ts";
import { parseItems } from "../../src/service/many/parse-items.ts";

const read = (body: string, maxItemBytes = 1000): unknown => [...parseItems(Buffer.from(body), maxItemBytes)];

/** The values of an array; else the problem, which for JSON that is no array is `no-useragent`. */
function outcome(run: () => unknown): unknown {
  try {
    const value = run();
    return Array.isArray(value) ? value : "no-useragent";
  } catch (error) {
    return error instanceof Problem ? error.problem : "not-json";
  }
}

describe("the items of an array", () => {
  it("are found however the array is written", () => {
    const space = fc.constantFrom(0, 1, "\t", "\r\n");
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 })), space, (items, space) => {
        const body = ` ${JSON.stringify(items, undefined, space)}\n `;
        assert.deepEqual(read(body, 100_000), JSON.parse(body));
      }),
    );
  });

  it("are JSON if a parser takes the whole for JSON, and else the body is not JSON", () => {
    const token = fc.constantFrom("[", "]", "{", "}", ",", ":", '"', "\\", '"a"', "1", "null", " ", "\n", "[]", "{}");
    const nearly = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(""));
    const inArray = nearly.map((text) => `[${text}]`);
    fc.assert(
      fc.property(fc.oneof(nearly, inArray), (body) => {
        const expected = outcome(() => JSON.parse(body));
        assert.deepEqual(
          outcome(() => read(body)),
          expected,
        );
      }),
      { numRuns: 3000 },
    );
  });

  it("may follow a byte order mark at the beginning, and nowhere else", () => {
    assert.deepEqual(read('\ufeff["a"]'), ["a"]);
    for (const body of ['[\ufeff"a"]', '["a"]\ufeff', '\ufeff\ufeff["a"]', ' \ufeff["a"]'])
      assert.equal(
        outcome(() => read(body)),
        "not-json",
        JSON.stringify(body),
      );
  });

  it("have a limit of bytes, beyond which they are not parsed", () => {
    for (const item of [
      `"${"x".repeat(18)}"`,
      `[${"1,".repeat(8)}1 ]`,
      `{"a":${"[".repeat(15)}`,
      `1${" ".repeat(19)}`,
    ]) {
      assert.equal(item.length, 20);
      const body = item.startsWith("{") ? `${item}${"]".repeat(15)}}` : item;
      assert.equal((read(`[1,  ${body},2]`, body.length) as unknown[]).length, 3);
      assert.equal(
        outcome(() => read(`[1,  ${body},2]`, body.length - 1)),
        "too-large",
      );
    }
    assert.equal(
      outcome(() => read(`"${"x".repeat(18)}"`, 19)),
      "too-large",
    );
  });
});
