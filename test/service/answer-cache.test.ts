/** What Check remembers of its answers: the ones that come again, and no more than fit. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createAnswerCache } from "../../src/service/check/answer-cache.ts";

const verdict = (useragent: string) => ({ useragent, crawler: false }) as const;

describe("the cache of answers", () => {
  test("finds what was kept lately", () => {
    const cache = createAnswerCache();
    const kept = cache.keep("a", verdict("a"), undefined);
    assert.equal(cache.find("a"), kept);
    assert.equal(cache.find("b"), undefined);
  });

  test("keeps what comes again through a flood of what does not, and not the flood", () => {
    const cache = createAnswerCache();
    cache.keep("again", verdict("again"), undefined);
    for (let number = 0; number < 10_000; number++) {
      if (number % 1000 === 0) assert.ok(cache.find("again"), `after ${number}`);
      cache.keep(String(number), verdict("x"), undefined);
    }
    const left = Array.from({ length: 10_000 }, (_, number) => cache.find(String(number))).filter(Boolean).length;
    assert.ok(left >= 2048 && left <= 4096, `${left} are left`);
  });

  test("does not keep long bodies", () => {
    const cache = createAnswerCache();
    cache.keep("x".repeat(1025), verdict("x"), undefined);
    cache.keep("x".repeat(1024), verdict("x"), undefined);
    assert.deepEqual(
      [1025, 1024].map((length) => cache.find("x".repeat(length)) !== undefined),
      [false, true],
    );
  });
});
