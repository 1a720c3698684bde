/** The cache: bounded in number and in time. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { createBoundedCache } from "../../src/cache/bounded-cache.ts";

it("keeps at most its limit, and what was asked for longer than the rest", () => {
  const cache = createBoundedCache<string, number>(10, () => 0);
  for (let key = 0; key < 1000; key++) {
    cache.set(`${key}`, key, 1);
    assert.equal(cache.get("0"), 0);
    assert.ok(cache.size <= 10);
  }
  assert.deepEqual([cache.get("999"), cache.get("900")], [999, undefined]);
});

it("returns no value that has expired, and drops them all at the next access", () => {
  let now = 0;
  const cache = createBoundedCache<string, number>(100, () => now);
  for (let key = 0; key < 80; key++) cache.set(`${key}`, key, 10 + key);
  now = 20;
  assert.deepEqual([cache.get("10"), cache.get("60"), cache.size], [undefined, 60, 80]);
  now = 90;
  assert.equal(cache.get("79"), undefined);
  assert.equal(cache.size, 0);
  cache.set("0", 0, 1);
  now = 1000;
  cache.set("1", 1, 1);
  assert.equal(cache.size, 1);
});

it("keeps values without an end of time, and at least half of the limit", () => {
  const cache = createBoundedCache<string | null, number>(100);
  cache.set(null, -1);
  for (let key = 0; key < 1000; key++) cache.set(`${key}`, key);
  const left = Array.from({ length: 1000 }, (_, key) => cache.get(`${key}`)).filter((value) => value !== undefined);
  assert.ok(left.length >= 50 && left.length <= 100, `${left.length} are left`);
  assert.deepEqual([left.at(-1), cache.get(null)], [999, undefined]);
});

it("does not return an older value in place of one that has expired", () => {
  let now = 0;
  const cache = createBoundedCache<string, number>(2, () => now);
  cache.set("a", 1, 100);
  cache.set("b", 2, 100);
  cache.set("a", 3, 10);
  now = 20;
  assert.equal(cache.get("a"), undefined);
});
