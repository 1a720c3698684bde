/** Tokens, limits, pages of other origins, HSTS: what stands before every route. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { detector } from "../../src/detect/default.ts";
import { createAddressOf } from "../../src/host/client-address.ts";
import { createRateLimit, toClient } from "../../src/host/rate-limit.ts";
import { createAuthorizer } from "../../src/host/tokens.ts";
import type { GuardOptions } from "../../src/service/guards.ts";
import { createService } from "../../src/service.ts";
import { check, get } from "./ask.ts";

const withGuards = (guards: GuardOptions) => createService({ detector, guards });

describe("tokens", () => {
  const service = withGuards({ authorize: createAuthorizer(["first-token-of-mine", "second-token-of-mine"]) });

  for (const [authorization, status] of [
    ["Bearer first-token-of-mine", 200],
    ["bearer  second-token-of-mine", 200],
    ["Bearer first-token-of-mineX", 401],
    ["Bearer first-token-of-min", 401],
    ["Bearer ", 401],
    ["Basic first-token-of-mine", 401],
    ["first-token-of-mine", 401],
  ] as const) {
    test(`${authorization} is ${status}`, async () => {
      const response = await get(service, "/RestService/RegExp", { authorization });
      assert.equal(response.status, status);
      if (status === 401) {
        assert.equal(response.headers.get("www-authenticate"), "Bearer");
        assert.equal(response.headers.get("content-type"), "application/problem+json");
      }
    });
  }

  test("are not asked for by health and documents, and by everything else", async () => {
    for (const path of ["/healthz", "/readyz", "/docs", "/openapi.json", "/whocrawls.xsd", "/problem.xsd"]) {
      assert.equal((await get(service, path)).status, 200, path);
    }
    for (const path of ["/metrics", "/nothing", "/RestService/List/xml", "/healthz/", "/docs/"]) {
      assert.equal((await get(service, path)).status, 401, path);
    }
    assert.equal((await check(service, "Googlebot", "xml")).status, 401);
  });
});

describe("limits", () => {
  test("answer 429 with what is left and when to come again", async () => {
    let now = 0;
    const service = withGuards({ limit: createRateLimit({ count: 2, windowMs: 1000 }, () => now) });
    const first = await check(service, "Googlebot");
    assert.equal(first.headers.get("ratelimit-policy"), '"client";q=2;w=1');
    assert.equal(first.headers.get("ratelimit"), '"client";r=1;t=1');
    assert.equal((await check(service, "Googlebot")).status, 200);
    const refused = await check(service, "Googlebot", "xml");
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "1");
    assert.match(await refused.text(), /2 requests are allowed in 1 s/);
    assert.equal((await get(service, "/healthz")).status, 200);
    now = 600;
    assert.equal((await check(service, "Googlebot")).status, 200);
    assert.equal((await check(service, "Googlebot")).status, 429);
  });

  test("are each client's own, in bounded memory", () => {
    const limit = createRateLimit({ count: 1, windowMs: 1000 }, () => 0, 100);
    assert.equal(limit("192.0.2.1").isAllowed, true);
    assert.equal(limit("192.0.2.2").isAllowed, true);
    assert.equal(limit("192.0.2.1").isAllowed, false);
    // A flood of addresses pushes out the ones before it, not the memory's bound.
    for (let number = 0; number < 1000; number++) limit(`10.0.${number >> 8}.${number & 255}`);
    assert.equal(limit("192.0.2.1").isAllowed, true);
  });

  for (const [address, client] of [
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::9", "2001:db8:1:2"],
    ["2001:0db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["unknown", "unknown"],
  ] as const) {
    test(`${address} is ${client}`, () => assert.equal(toClient(address), client));
  }
});

describe("addresses behind proxies", () => {
  for (const [hops, forwarded, expected] of [
    [0, "192.0.2.1", "10.0.0.1"],
    [1, "203.0.113.9, 192.0.2.1", "192.0.2.1"],
    [2, "6.6.6.6, 203.0.113.9, 192.0.2.1", "203.0.113.9"],
    [3, "192.0.2.1", "192.0.2.1"],
    [1, "192.0.2.1:4711", "192.0.2.1"],
    [1, "[2001:db8::1]:4711", "2001:db8::1"],
    [1, "not an address", "10.0.0.1"],
    [1, undefined, "10.0.0.1"],
  ] as const) {
    test(`${hops} hops, ${forwarded}: ${expected}`, () => {
      const headers = new Headers(forwarded === undefined ? {} : { "x-forwarded-for": forwarded });
      assert.equal(createAddressOf(hops)({ headers, clientAddress: "10.0.0.1" }), expected);
    });
  }
});

describe("pages of other origins", () => {
  const service = withGuards({ corsOrigins: ["https://a.example"], authorize: () => false });

  test("get a preflight, without a token", async () => {
    const headers = { origin: "https://a.example", "access-control-request-method": "POST" };
    const response = await service.fetch(
      new Request("http://localhost/RestService/Check", { method: "OPTIONS", headers }),
    );
    assert.equal(response.status, 204);
    assert.equal(response.headers.get("access-control-allow-origin"), "https://a.example");
    assert.match(response.headers.get("access-control-allow-headers") as string, /Content-Type/);
  });

  test("may read answers where their origin is listed", async () => {
    const allowed = await get(service, "/RestService/List", { origin: "https://a.example" });
    assert.equal(allowed.headers.get("access-control-allow-origin"), "https://a.example");
    assert.match(allowed.headers.get("vary") as string, /\bOrigin\b/);
    const other = await get(service, "/RestService/List", { origin: "https://b.example" });
    assert.equal(other.headers.get("access-control-allow-origin"), null);
    assert.match(other.headers.get("vary") as string, /\bOrigin\b/);
    assert.equal((await get(withGuards({}), "/healthz", { origin: "https://a.example" })).headers.get("vary"), null);
  });
});

test("HSTS is there only when asked for; other headers always", async () => {
  const secure = await get(withGuards({ hstsSeconds: 3600 }), "/docs");
  assert.equal(secure.headers.get("strict-transport-security"), "max-age=3600");
  assert.match(secure.headers.get("content-security-policy") as string, /frame-ancestors 'none'/);
  for (const path of ["/docs", "/RestService/List", "/nothing", "/RestService/RegExp"]) {
    const { headers } = await get(withGuards({}), path);
    assert.equal(headers.get("strict-transport-security"), null);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
  }
});
