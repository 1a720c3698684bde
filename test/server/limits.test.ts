/** Clients' addresses, rate limits and tokens: the parts that guards use, with a clock of the test. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withoutPort } from "../../src/address/address.ts";
import { createRateLimiter, type Rate } from "../../src/cache/token-buckets.ts";
import { createForwarded } from "../../src/server/listen/client-address.ts";
import { createAuthorizer } from "../../src/server/tokens.ts";
import { rowsOf } from "../support/table.ts";

describe("buckets", () => {
  it("say what is left, and when they are full or there is one more", () => {
    let now = 0;
    const takeOne = createRateLimiter(() => now);
    // Never more than a window's.
    for (const [atMs, isAllowed, remaining, resetSeconds] of rowsOf(`
      0 | true | 2 | 20
      0 | true | 1 | 40
      0 | true | 0 | 60
      0 | false | 0 | 20
      15000 | false | 0 | 5
      20000 | true | 0 | 60
      70000 | true | 1 | 30
      10000000 | true | 2 | 20
    `)) {
      now = Number(atMs);
      const { resetSeconds: reset, ...allowance } = takeOne("a", { count: 3, windowMs: 60_000 });
      const expected = { isAllowed: isAllowed === "true", quota: 3, windowSeconds: 60, remaining: Number(remaining) };
      assert.deepEqual(allowance, expected);
      assert.ok(Math.abs(reset - Number(resetSeconds)) < 1e-6, `${atMs}: ${reset}`);
    }
  });

  it("are as many as there is room for; those that asked least recently make room", () => {
    let now = 0;
    const takeOne = createRateLimiter(() => now, 3);
    // `a` was asked again at 1 and is not the next to leave.
    for (const [atMs, keys = "", areNew] of rowsOf(`
      0 | a b c | true true true
      1 | a d | false true
      1 | a c d | false false false
      1 | b | true
      1500 | d | true
      1501 | e d | true false
    `)) {
      now = Number(atMs);
      const found = keys.split(" ").map((key) => takeOne(key, { count: 1, windowMs: 1000 }).isAllowed);
      assert.equal(found.join(" "), areNew, keys);
    }
  });

  for (const [count, windowMs, left] of rowsOf(`
    10 | 60000 | 3
    12 | 60000 | 5
    8 | 1000 | 1
    7 | 60000 | 0
    2 | 60000 | 0
  `).map((row) => row.map(Number) as [number, number, number]))
    it(`keep what was used when the rate changes: ${count} in ${windowMs} ms leave ${left}`, () => {
      const rate = { count, windowMs };
      let now = 0;
      const takeOne = createRateLimiter(() => now);
      const takeAll = (key: string, asked: Rate): number => {
        let taken = 0;
        while (takeOne(key, asked).isAllowed) taken++;
        return taken;
      };
      for (let times = 0; times < 8; times++) takeOne("a", { count: 10, windowMs: 60_000 });
      now = 6000;
      const { quota, windowSeconds } = takeOne("b", rate);
      assert.deepEqual([quota, windowSeconds], [count, windowMs / 1000]);
      assert.deepEqual([takeAll("a", rate), takeAll("b", rate)], [left, count - 1]);
      now += Math.ceil(windowMs / count);
      assert.equal(takeAll("a", rate), 1, "fills at the new rate");
    });
});

describe("addresses behind proxies", () => {
  // Only the end is read, where the trusted ones have written.
  for (const [hops, forwarded, expected] of rowsOf(`
    0 | 192.0.2.1 |
    1 | 203.0.113.9, 192.0.2.1 | 192.0.2.1
    2 | 6.6.6.6,  203.0.113.9 , 192.0.2.1 | 203.0.113.9
    3 | 192.0.2.2, 192.0.2.1 | 192.0.2.2
    1 | 192.0.2.1:4711 | 192.0.2.1
    1 | [2001:db8::1]:4711 | 2001:db8::1
    1 | [2001:db8::1] | 2001:db8::1
    1 | not an address |
    1 | |
    1 | none |
    1 | ${"6.6.6.6, ".repeat(10_000)}192.0.2.1 | 192.0.2.1
    32 | 203.0.113.9, ${" ".repeat(2040)}192.0.2.1 | 192.0.2.1
  `))
    it(`${hops} hops, ${forwarded?.slice(-60)}: ${expected}`, () => {
      const headers = new Headers(forwarded === "none" ? {} : { "x-forwarded-for": forwarded! });
      assert.equal(createForwarded(Number(hops))?.addressOf({ headers }) ?? "", expected);
    });

  // What the client has sent stands left of what the trusted ones have added.
  for (const [hops, proto = "", host = "", ownHost = "", expected = "", expectedHost = ""] of rowsOf(`
    0 | https | a.example | own | |
    1 | https | a.example | own | https://a.example | a.example
    1 | https, http | evil.example, a.example | own | http://a.example | a.example
    1 | http, HTTPS | | own | https://own |
    1 | https | , | own | https://own |
    2 | https, http | a.example, b.example | own | https://a.example | a.example
    2 | https | a.example | own | https://a.example | a.example
    2 | http, https, http | evil.example, a.example, b.example | own | https://a.example | a.example
    1 | https, | a.example | own | http://a.example | a.example
    1 | | | own | |
    1 | https | | a$(id)'b | |
    1 | http | a$(id)'b | own | | a$(id)'b
  `))
    it(`${hops} hops, ${proto}, ${host}: the client asked for ${expected || "what the request says"}`, () => {
      const headers = new Headers({ host: ownHost, "x-forwarded-proto": proto, "x-forwarded-host": host });
      assert.equal(createForwarded(Number(hops))?.originOf({ headers }) ?? "", expected);
      assert.equal(createForwarded(Number(hops))?.hostOf({ headers }) ?? "", expectedHost);
    });

  for (const [text = "", address] of rowsOf(`
    192.0.2.123:65535 | 192.0.2.123
    x192.0.2.1:80 | x192.0.2.1:80
    192.0.2.1:80x | 192.0.2.1:80x
    192.0.2.1: | 192.0.2.1:
    192.0.2:80 | 192.0.2:80
    2001:db8::1:80 | 2001:db8::1:80
    x[::1]:80 | x[::1]:80
    [::1]x | [::1]x
    [::1]: | [::1]:
    [::1]:443 | ::1
  `))
    it(`lose their ports only where that is all they have: ${text}`, () => assert.equal(withoutPort(text), address));
});

describe("tokens", () => {
  const isKnown = createAuthorizer(["first-token-of-mine", "second-token-of-mine", "x"]);
  for (const known of ["Bearer first-token-of-mine", "bearer  second-token-of-mine  "])
    it(`${known} is known`, () => assert.equal(isKnown(known), true));
  for (const unknown of [
    ...["Bearer first-token-of-mineX", "Bearer first-token-of-min", "Bearer first-token-of-minf", "Bearer xx"],
    ...["Bearer first-token-of-minefirst-token-of-mine", "Bearer first-token-of-mine x", "Bearer", "Bearer "],
    ...["x Bearer first-token-of-mine", "Bearerfirst-token-of-mine", "first-token-of-mine", "", null],
  ])
    it(`${unknown} is not`, () => assert.equal(isKnown(unknown), false));

  it("are none where none is given, and as good where one is given twice", () => {
    assert.equal(createAuthorizer([])("Bearer x"), false);
    assert.equal(createAuthorizer(["x", "x"])("Bearer x"), true);
  });
});
