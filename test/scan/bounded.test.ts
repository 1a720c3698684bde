/** What keeps memory bounded tells the truth: caches, the most frequent keys, intervals of time; and times are read right. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createByteCache } from "../../src/cache/byte-cache.ts";
import { intervalAt, mergeTimes, type TimeCounts, widenTimes } from "../../src/scan/count/times.ts";
import { addToTop, createTop, mergeTop, type Top, topOf } from "../../src/scan/count/top.ts";
import { readTime } from "../../src/scan/lines/time.ts";

describe("createByteCache", () => {
  it("gives what was made of the same bytes, however few places it has", () => {
    const made: string[] = [];
    const cache = createByteCache(
      (bytes, from, to) => {
        const text = Buffer.from(bytes.subarray(from, to)).toString("latin1");
        made.push(text);
        return text;
      },
      8,
      6,
    );
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 60 }), (texts) => {
        const all = Buffer.from(texts.join(""), "latin1");
        let from = 0;
        for (const expected of texts) {
          assert.equal(cache(all, from, from + expected.length), expected);
          from += expected.length;
        }
      }),
    );
    made.length = 0;
    const bytes = Buffer.from("xyzxyz");
    assert.equal(cache(bytes, 0, 3), cache(bytes, 3, 6));
    assert.deepEqual(made, ["xyz"]);
  });
});

describe("the most frequent keys", () => {
  const keys = fc.array(
    fc.nat({ max: 300 }).map((number) => String(Math.floor(number ** 2 / 300))),
    { maxLength: 3000, size: "max" },
  );
  const idOf = (key: string): string => key;
  const countAll = (some: readonly string[]): Top<string> => {
    const top = createTop<string>();
    for (const key of some) addToTop(top, key);
    return top;
  };

  it("are counted never too low, too high by the floor at most, and in few places", () => {
    fc.assert(
      fc.property(keys, keys, (first, second) => {
        const top = mergeTop(countAll(first), countAll(second), idOf);
        assert.ok(top.keys.length <= 48);
        const exact = new Map<string, number>();
        for (const key of [...first, ...second]) exact.set(key, (exact.get(key) ?? 0) + 1);
        for (const [key, count] of exact) {
          const counted = top.counts[top.keys.indexOf(key)];
          if (counted === undefined) assert.ok(count <= top.floor);
          else assert.ok(counted >= count && counted <= count + top.floor);
        }
        const counts = topOf(top, 10, idOf).map(([, count]) => count);
        assert.deepEqual(
          counts,
          counts.toSorted((a, b) => b - a),
        );
      }),
      { numRuns: 30 },
    );
  });

  it("are exact while they are few", () => {
    assert.deepEqual(topOf(countAll(["a", "b", "a"]), 10, idOf), [
      ["a", 2],
      ["b", 1],
    ]);
  });
});

describe("intervals", () => {
  const count = (seconds: readonly number[]): TimeCounts => {
    const times: TimeCounts = { seconds: 60, counts: new Map() };
    for (const at of seconds) intervalAt(times, at).requests++;
    return times;
  };
  const shape = (times: TimeCounts) => {
    widenTimes(times, 400);
    return [
      times.seconds,
      [...times.counts].map(([number, { requests }]) => [number, requests]).sort(([a = 0], [b = 0]) => a - b),
    ];
  };

  it("are few over any span, lose nothing, and are the same however the log was split", () => {
    for (const span of [3600, 86_400 * 3, 86_400 * 400, 86_400 * 365 * 40]) {
      const seconds = Array.from({ length: 6000 }, (_, index) => 1_000_000_000 + Math.floor((index * span) / 6000));
      const whole = shape(count(seconds));
      const halves = count(seconds.filter((_, index) => index % 2 === 0 || index < 500));
      mergeTimes(halves, count(seconds.filter((_, index) => index % 2 === 1 && index >= 500)));
      assert.deepEqual(shape(halves), whole);
      const counts = whole[1] as number[][];
      assert.ok(counts.length <= 400 && counts.length > 20);
      assert.equal(
        counts.reduce((sum, [, requests = 0]) => sum + requests, 0),
        6000,
      );
    }
  });
});

describe("readTime", () => {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["10/Oct/2000:13:55:36 -0700", "2000-10-10T20:55:36.000Z"],
    ["29/Feb/2024:23:59:59 +0000", "2024-02-29T23:59:59.000Z"],
    ["01/Jan/2026:00:00:00 +0530", "2025-12-31T18:30:00.000Z"],
    ["2026-03-01T00:00:00Z", "2026-03-01T00:00:00.000Z"],
    ["2026-03-01T10:00:00.123456+02:00", "2026-03-01T08:00:00.000Z"],
    ["2026-03-01 10:00:00,123", "2026-03-01T10:00:00.000Z"],
    ["2026-03-01\t10:00:00", "2026-03-01T10:00:00.000Z"],
    ["2026-03-01", "2026-03-01T00:00:00.000Z"],
    ["1772355600", "2026-03-01T09:00:00.000Z"],
    ["1772355600.25", "2026-03-01T09:00:00.000Z"],
    ["1772355600250", "2026-03-01T09:00:00.000Z"],
    ["1772355600250000000", "2026-03-01T09:00:00.000Z"],
    ["10/Foo/2000:13:55:36 -0700", undefined],
    ["2026-13-01T00:00:00Z", undefined],
    ["0001-01-01T00:00:00Z", undefined],
    ["02/Mar/2026:1x:00:00 +0000", undefined],
    ["02/Mar/2026:x1:00:00 +0000", undefined],
    ["2026-03-02T10:/0:00Z", undefined],
    ["-", undefined],
    ["", undefined],
    ["yesterday", undefined],
  ];
  for (const [text, expected] of rows) {
    it(`reads ${JSON.stringify(text)}`, () => {
      const bytes = Buffer.from(`[${text}]`);
      const seconds = readTime(bytes, 1, bytes.length - 1);
      assert.equal(Number.isNaN(seconds) ? undefined : new Date(seconds * 1000).toISOString(), expected);
    });
  }
});
