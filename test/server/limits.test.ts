/** Clients' addresses, rate limits and tokens: the parts that guards use, with a clock of the test. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withoutPort } from "../../src/address/address.ts";
import { createTakeOne, type Rate } from "../../src/cache/token-buckets.ts";
import { createAddressOf, createForwardedAddressOf } from "../../src/server/listen/client-address.ts";
import { createAuthorizer } from "../../src/server/tokens.ts";

describe("buckets", () => {
  it("say what is left, and when they are full or there is one more", () => {
    let now = 0;
    const takeOne = createTakeOne(() => now);
    const rate = { count: 3, windowMs: 60_000 };
    const rows: readonly [atMs: number, isAllowed: boolean, remaining: number, resetSeconds: number][] = [
      [0, true, 2, 20],
      [0, true, 1, 40],
      [0, true, 0, 60],
      [0, false, 0, 20],
      [15_000, false, 0, 5],
      [20_000, true, 0, 60],
      [70_000, true, 1, 30],
      // Never more than a window's.
      [10_000_000, true, 2, 20],
    ];
    for (const [atMs, isAllowed, remaining, resetSeconds] of rows) {
      now = atMs;
      const { resetSeconds: reset, ...allowance } = takeOne("a", rate);
      assert.deepEqual(allowance, { isAllowed, quota: 3, windowSeconds: 60, remaining });
      assert.ok(Math.abs(reset - resetSeconds) < 1e-6, `${atMs}: ${reset}`);
    }
  });

  it("are as many as there is room for; those that asked least recently make room", () => {
    let now = 0;
    const takeOne = createTakeOne(() => now, 3);
    const isNew = (key: string) => takeOne(key, { count: 1, windowMs: 1000 }).isAllowed;
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
      const takeOne = createTakeOne(() => now);
      const takeAll = (key: string, asked: Rate): number => {
        let taken = 0;
        while (takeOne(key, asked).isAllowed) taken++;
        return taken;
      };
      for (let times = 0; times < 8; times++) takeOne("a", { count: 10, windowMs: 60_000 });
      now = 6000;
      const { quota, windowSeconds } = takeOne("b", rate);
      assert.deepEqual([quota, windowSeconds], [rate.count, rate.windowMs / 1000]);
      assert.deepEqual([takeAll("a", rate), takeAll("b", rate)], [left, rate.count - 1]);
      now += Math.ceil(rate.windowMs / rate.count);
      assert.equal(takeAll("a", rate), 1, "fills at the new rate");
    });
  }
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
