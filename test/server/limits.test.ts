/** Clients' addresses, rate limits and tokens: the parts that guards use, with a clock of the test. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withoutPort } from "../../src/address/address.ts";
import { createBuckets, createTakeOne, type Lease } from "../../src/cache/token-buckets.ts";
import { createAddressOf, createForwardedAddressOf } from "../../src/server/listen/client-address.ts";
import { createClientLimit, createSharedLimit } from "../../src/server/rate-limit.ts";
import { createAuthorizer } from "../../src/server/tokens.ts";

describe("buckets", () => {
  it("say what was taken, what is left, and when they are full or there is one more", () => {
    let now = 0;
    const { take } = createBuckets(() => now);
    const rate = { count: 10, windowMs: 60_000 };
    const rows: readonly [atMs: number, wanted: number, taken: number, remaining: number, resetSeconds: number][] = [
      [0, 1, 1, 9, 6],
      [0, 4, 4, 5, 30],
      [0, 100, 5, 0, 60],
      [0, 1, 0, 0, 6],
      [4500, 1, 0, 0, 1.5],
      [6000, 1, 1, 0, 60],
      [24_000, 1, 1, 2, 48],
      // Never more than a window's.
      [10_000_000, 11, 10, 0, 60],
    ];
    for (const [atMs, wanted, taken, remaining, resetSeconds] of rows) {
      now = atMs;
      const lease = take("a", rate, wanted);
      const { resetSeconds: reset, ...allowance } = lease.allowance;
      assert.deepEqual(
        [lease.taken, allowance],
        [taken, { isAllowed: taken > 0, quota: 10, windowSeconds: 60, remaining }],
      );
      assert.ok(Math.abs(reset - resetSeconds) < 1e-6, `${atMs}: ${reset}`);
    }
  });

  it("are as many as there is room for; those that asked least recently make room", () => {
    let now = 0;
    const { take } = createBuckets(() => now, 3);
    const isNew = (key: string) => take(key, { count: 1, windowMs: 1000 }, 1).taken === 1;
    assert.deepEqual(["a", "b", "c"].map(isNew), [true, true, true]);
    now = 1;
    // It was asked again and is not the next to leave.
    assert.equal(isNew("a"), false);
    assert.equal(isNew("d"), true);
    assert.deepEqual(["a", "c", "d"].map(isNew), [false, false, false]);
    assert.equal(isNew("b"), true);
    now = 1500;
    assert.equal(isNew("d"), true);
    now = 1501;
    assert.equal(isNew("e"), true);
    assert.equal(isNew("d"), false);
  });
});

describe("buckets whose rate changes", () => {
  for (const [rate, left] of [
    [{ count: 10, windowMs: 60_000 }, 3],
    [{ count: 12, windowMs: 60_000 }, 5],
    [{ count: 8, windowMs: 1000 }, 1],
    [{ count: 7, windowMs: 60_000 }, 0],
    [{ count: 2, windowMs: 60_000 }, 0],
  ] as const) {
    it(`keep what was used: ${rate.count} in ${rate.windowMs} ms leave ${left}`, () => {
      let now = 0;
      const { take } = createBuckets(() => now);
      take("a", { count: 10, windowMs: 60_000 }, 8);
      now = 6000;
      const { taken, allowance } = take("a", rate, 100);
      assert.deepEqual([taken, allowance.quota, allowance.windowSeconds], [left, rate.count, rate.windowMs / 1000]);
      assert.equal(take("b", rate, 100).taken, rate.count);
      now += Math.ceil(rate.windowMs / rate.count);
      assert.equal(take("a", rate, 100).taken, 1, "fills at the new rate");
    });
  }
});

describe("the limit of one process", () => {
  it("has one bucket for each client, whatever its address of a network", async () => {
    const limit = createClientLimit(
      { count: 2, windowMs: 1000 },
      createTakeOne(() => 0),
    );
    assert.equal((await limit("2001:db8::1")).remaining, 1);
    assert.equal((await limit("2001:db8::2")).remaining, 0);
    assert.equal((await limit("2001:db8:0:1::2")).remaining, 1);
    assert.equal((await limit("2001:db8::3")).isAllowed, false);
  });
});

describe("the limit of one worker", () => {
  const rate = { count: 100, windowMs: 1000 };

  /** Answers questions with `leases`, one after the other, and notes them. */
  function scripted(leases: readonly (Lease | Error)[], count = 100, most?: number) {
    const asked: [key: string, most: number][] = [];
    const clock = { now: 0 };
    const takeOne = createSharedLimit(
      async (key, askedRate, wanted) => {
        assert.deepEqual(askedRate, { ...rate, count });
        const lease = leases[asked.push([key, wanted]) - 1] as Lease | Error;
        if (lease instanceof Error) throw lease;
        return lease;
      },
      () => clock.now,
      most,
    );
    return { asked, clock, limit: (key: string) => takeOne(key, { ...rate, count }) };
  }
  const lease = (taken: number, remaining: number, resetSeconds: number): Lease => ({
    taken,
    allowance: { isAllowed: taken > 0, quota: 100, windowSeconds: 1, remaining, resetSeconds },
  });

  it("asks for a fiftieth at once, and again when that is used or too old", async () => {
    const { asked, clock, limit } = scripted([lease(2, 98, 0.02), lease(2, 96, 0.04), lease(2, 94, 0.06)]);
    assert.deepEqual(await limit("192.0.2.1"), lease(2, 99, 0.02).allowance);
    assert.deepEqual(await limit("192.0.2.1"), lease(2, 98, 0.02).allowance);
    assert.equal((await limit("192.0.2.1")).remaining, 97);
    clock.now = 999;
    assert.equal((await limit("192.0.2.1")).remaining, 96);
    assert.equal(asked.length, 2);
    // A window later nothing of that counts; a new question is asked, and what was left is not lost.
    assert.equal((await limit("192.0.2.1")).remaining, 95);
    assert.deepEqual(asked, Array(3).fill(["192.0.2.1", 2]));
  });

  it("asks again when a window has passed", async () => {
    const { asked, clock, limit } = scripted([lease(2, 98, 0.02), lease(2, 98, 0.02)]);
    await limit("a");
    clock.now = 1000;
    await limit("a");
    assert.equal(asked.length, 2);
  });

  it("refuses until a new request is allowed, without a question", async () => {
    const { asked, clock, limit } = scripted([lease(0, 0, 0.4), lease(1, 0, 1)]);
    assert.deepEqual(await limit("a"), lease(0, 0, 0.4).allowance);
    clock.now = 100;
    assert.deepEqual(await limit("a"), lease(0, 0, 0.3).allowance);
    clock.now = 399;
    assert.equal((await limit("a")).isAllowed, false);
    assert.equal(asked.length, 1);
    clock.now = 400;
    assert.equal((await limit("a")).isAllowed, true);
    assert.equal(asked.length, 2);
  });

  it("asks for one where a fiftieth is less", async () => {
    const { asked, limit } = scripted([lease(1, 0, 1), lease(1, 0, 1)], 49);
    await limit("a");
    await limit("a");
    assert.deepEqual(asked, [
      ["a", 1],
      ["a", 1],
    ]);
  });

  it("keeps what two questions at once were given", async () => {
    const { asked, limit } = scripted([lease(2, 98, 0.02), lease(2, 96, 0.04)]);
    await Promise.all([limit("a"), limit("a")]);
    assert.deepEqual([(await limit("a")).remaining, (await limit("a")).remaining], [97, 96]);
    assert.equal(asked.length, 2);
  });

  it("forgets all where there are too many", async () => {
    const { asked, limit } = scripted(Array(5).fill(lease(5, 50, 0.5)), 100, 2);
    for (const client of ["a", "b", "a", "b"]) await limit(client);
    assert.equal(asked.length, 2);
    await limit("c");
    await limit("c");
    assert.equal(asked.length, 3);
    await limit("a");
    assert.equal(asked.length, 4);
  });

  it("lets through where nobody answers", async () => {
    const { limit } = scripted([new Error("no answer")]);
    assert.deepEqual(await limit("a"), {
      isAllowed: true,
      quota: 100,
      windowSeconds: 1,
      remaining: 0,
      resetSeconds: 0,
    });
  });
});

describe("addresses behind proxies", () => {
  const peer = "10.0.0.1";
  for (const [hops, forwarded, expected] of [
    [0, "192.0.2.1", undefined],
    [1, "203.0.113.9, 192.0.2.1", "192.0.2.1"],
    [2, "6.6.6.6,  203.0.113.9 , 192.0.2.1", "203.0.113.9"],
    [3, "192.0.2.2, 192.0.2.1", "192.0.2.2"],
    [1, "192.0.2.1:4711", "192.0.2.1"],
    [1, "[2001:db8::1]:4711", "2001:db8::1"],
    [1, "[2001:db8::1]", "2001:db8::1"],
    [1, "not an address", undefined],
    [1, "", undefined],
    [1, undefined, undefined],
    // Only the end is read, where the trusted ones have written.
    [1, `${"6.6.6.6, ".repeat(10_000)}192.0.2.1`, "192.0.2.1"],
    [32, `203.0.113.9, ${" ".repeat(2040)}192.0.2.1`, "192.0.2.1"],
  ] as const) {
    it(`${hops} hops, ${forwarded?.slice(-60)}: ${expected}`, () => {
      const headers = new Headers(forwarded === undefined ? {} : { "x-forwarded-for": forwarded });
      assert.equal(createForwardedAddressOf(hops)?.({ headers }), expected);
      assert.equal(createAddressOf(hops)({ headers, clientAddress: peer }), expected ?? peer);
    });
  }

  it("lose their ports only where that is all they have", () => {
    for (const [text, address] of [
      ["192.0.2.123:65535", "192.0.2.123"],
      ["x192.0.2.1:80", "x192.0.2.1:80"],
      ["192.0.2.1:80x", "192.0.2.1:80x"],
      ["192.0.2.1:", "192.0.2.1:"],
      ["192.0.2:80", "192.0.2:80"],
      ["2001:db8::1:80", "2001:db8::1:80"],
      ["x[::1]:80", "x[::1]:80"],
      ["[::1]x", "[::1]x"],
      ["[::1]:", "[::1]:"],
      ["[::1]:443", "::1"],
    ]) {
      assert.equal(withoutPort(text as string), address);
    }
  });
});

describe("tokens", () => {
  const isKnown = createAuthorizer(["first-token-of-mine", "second-token-of-mine", "x"]);
  for (const [authorization, expected] of [
    ["Bearer first-token-of-mine", true],
    ["bearer  second-token-of-mine  ", true],
    ["Bearer first-token-of-mineX", false],
    ["Bearer first-token-of-min", false],
    ["Bearer first-token-of-minf", false],
    ["Bearer xx", false],
    ["Bearer first-token-of-minefirst-token-of-mine", false],
    ["Bearer first-token-of-mine x", false],
    ["Bearer", false],
    ["Bearer ", false],
    ["x Bearer first-token-of-mine", false],
    ["Bearerfirst-token-of-mine", false],
    ["first-token-of-mine", false],
    ["", false],
    [null, false],
  ] as const) {
    it(`${authorization} is ${expected}`, () => assert.equal(isKnown(authorization), expected));
  }

  it("are none where none is given", () => assert.equal(createAuthorizer([])("Bearer x"), false));

  it("given twice are as good", () => assert.equal(createAuthorizer(["x", "x"])("Bearer x"), true));
});
