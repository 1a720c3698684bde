/** Tokens, limits, pages of other origins, HSTS: what stands before every route. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTakeOne, type Rate } from "../../src/cache/token-buckets.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { GuardOptions } from "../../src/http/guards.ts";
import { createAuthorizer } from "../../src/server/tokens.ts";
import type { RequestEvent } from "../../src/service/options.ts";
import { createService } from "../../src/service.ts";
import { check, get } from "./ask.ts";

const withGuards = (guards: GuardOptions) => createService({ detector, guards });

const createRateLimit = (rate: Rate, nowMs: () => number) => {
  const takeOne = createTakeOne(nowMs);
  return (address: string) => takeOne(address, rate);
};

describe("tokens", () => {
  const service = withGuards({ authorize: createAuthorizer(["first-token-of-mine", "second-token-of-mine"]) });

  for (const [authorization, status] of [
    ["Bearer first-token-of-mine", 200],
    ["Bearer first-token-of-mineX", 401],
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

  test("are told of to those who show none", async () => {
    const { detail } = (await (await get(service, "/RestService/RegExp")).json()) as { detail: string };
    assert.equal(detail, "Show one of the operator's tokens: Authorization: Bearer …");
  });

  test("are not asked for by health and documents, and by everything else", async () => {
    for (const path of ["/healthz", "/readyz", "/docs", "/openapi.json"]) {
      assert.equal((await get(service, path)).status, 200, path);
    }
    for (const path of ["/metrics", "/nothing", "/RestService/List/xml", "/healthz/", "/docs/x"]) {
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
});

describe("a limit of the host's", () => {
  const allowance = { isAllowed: true, quota: 9, windowSeconds: 60, remaining: 4, resetSeconds: 1.2 };
  const ask = (guards: GuardOptions, address?: string) =>
    withGuards(guards).fetch(new Request("http://localhost/RestService/RegExp"), { address });

  test("is asked about the client's address, and about all of those that have none as one", async () => {
    const asked: string[] = [];
    const limit = (address: string) => {
      asked.push(address);
      return allowance;
    };
    await ask({ limit }, "192.0.2.1");
    await ask({ limit });
    await ask({ limit, addressOf: ({ clientAddress }) => `of ${clientAddress}` }, "192.0.2.1");
    await ask({ limit, addressOf: () => undefined }, "192.0.2.1");
    assert.deepEqual(asked, ["192.0.2.1", "unknown", "of 192.0.2.1", "unknown"]);
  });

  test("tells the client what is left", async () => {
    const asking = (more: object) => ask({ limit: () => ({ ...allowance, ...more }) });
    const { status, headers } = await asking({});
    assert.deepEqual([status, headers.get("ratelimit")], [200, '"client";r=4;t=2']);
    const refused = await asking({ isAllowed: false, remaining: 0, resetSeconds: 0 });
    assert.equal(refused.headers.get("ratelimit"), '"client";r=0;t=0');
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
    const { detail } = (await refused.json()) as { detail: string };
    assert.equal(detail, "9 requests are allowed in 60 s; try again in 1 s.");
  });
});

describe("guards together", () => {
  test("count before they look at a token, so that guessing is limited, too", async () => {
    const service = withGuards({
      authorize: createAuthorizer(["the-token-of-mine-1"]),
      limit: createRateLimit({ count: 2, windowMs: 60_000 }, () => 0),
    });
    const statuses = [];
    for (let guess = 0; guess < 3; guess++) {
      const { status } = await get(service, "/RestService/RegExp", { authorization: `Bearer guess-number-${guess}` });
      statuses.push(status);
    }
    assert.deepEqual(statuses, [401, 401, 429]);
  });

  test("do not count the questions of a proxy, whose 429 is a verdict", async () => {
    const service = withGuards({ limit: createRateLimit({ count: 1, windowMs: 60_000 }, () => 0) });
    const statuses = [];
    for (const path of ["/RestService/RegExp", "/auth", "/auth?block=all", "/auth/robots.txt", "/auth/page"])
      statuses.push((await get(service, path, { "x-crawler-policy": "block=ai" })).status);
    assert.deepEqual(statuses, [200, 204, 403, 200, 200]);
  });

  test("answer in the format of the path, and are counted on the route they met", async () => {
    const events: RequestEvent[] = [];
    const service = createService({
      detector,
      guards: { authorize: () => false, limit: createRateLimit({ count: 1, windowMs: 1000 }, () => 0) },
      onRequest: (event) => events.push(event),
    });
    for (const status of [401, 429]) {
      const response = await check(service, "Googlebot", "xml");
      assert.deepEqual([response.status, response.headers.get("vary")], [status, null]);
      assert.equal(response.headers.get("content-type"), "application/problem+xml");
    }
    assert.deepEqual(
      events.map(({ route, status }) => [route, status]),
      [401, 429].map((status) => ["/RestService/Check/xml", status]),
    );
  });

  test("do not count probes; metrics are counted and need a token like other paths", async () => {
    const metrics = async () => ({ contentType: "text/plain", text: "" });
    const limit = createRateLimit({ count: 1, windowMs: 60_000 }, () => 0);
    const limited = createService({ detector, metrics, guards: { limit } });
    for (let asked = 0; asked < 3; asked++) {
      for (const path of ["/healthz", "/readyz"]) {
        const { status, headers } = await get(limited, path);
        assert.deepEqual([status, headers.get("ratelimit")], [200, null], path);
      }
    }
    assert.equal((await get(limited, "/metrics")).status, 200);
    assert.equal((await get(limited, "/metrics")).status, 429);
    const guarded = createService({ detector, metrics, guards: { authorize: () => false } });
    assert.equal((await get(guarded, "/metrics")).status, 401);
  });

  test("add to what an answer varies by", async () => {
    const service = withGuards({ corsOrigins: ["https://a.example"] });
    const { headers } = await get(service, "/RestService/List", { origin: "https://a.example" });
    assert.equal(headers.get("vary"), "Accept, Accept-Encoding, Origin");
    const hidden = createService({ detector, mayRead: () => false, record: { note() {}, async *list() {} } });
    const list = await get(hidden, "/RestService/List/json");
    assert.equal(list.headers.get("vary"), "Authorization, Accept-Encoding");
  });
});

describe("a limit", () => {
  test("says in whole seconds when to come again, rounded up", async () => {
    let now = 0;
    const service = withGuards({ limit: createRateLimit({ count: 1, windowMs: 60_000 }, () => now) });
    await get(service, "/RestService/RegExp");
    now = 10_500;
    const { headers } = await get(service, "/RestService/RegExp");
    assert.equal(headers.get("retry-after"), "50");
  });
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

  test("have their preflights counted, and none answered that a proxy asks about in a client's place", async () => {
    const limit = createRateLimit({ count: 1, windowMs: 1000 }, () => 0);
    const own = withGuards({ corsOrigins: ["*"], authorize: () => false, limit });
    const send = async (path: string) => {
      const headers = { origin: "https://a.example", "access-control-request-method": "POST", "user-agent": "GPTBot" };
      return (await own.fetch(new Request(`http://localhost${path}`, { method: "OPTIONS", headers }))).status;
    };
    // /auth/ would let the request of a crawler through that the policy refuses.
    assert.deepEqual([await send("/auth/page"), await send("/metrics"), await send("/metrics")], [401, 204, 429]);
  });

  test("get everything a browser must know of a preflight, and other OPTIONS what the address takes", async () => {
    const origin = "https://a.example";
    const send = async (method: string, headers: Readonly<Record<string, string>>, guards: GuardOptions) => {
      const request = new Request("http://localhost/RestService/Check", { method, headers });
      const { status, headers: answered } = await withGuards(guards).fetch(request);
      const names = [...answered.keys()].filter((name) => /^(?:access|allow|vary)/.test(name));
      return [status, Object.fromEntries(names.map((name) => [name, answered.get(name)]))];
    };
    const asked = { "access-control-request-method": "POST" };
    const readable = {
      "access-control-expose-headers": "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
    };
    const preflight = {
      ...readable,
      "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
      "access-control-allow-headers": "Accept, Authorization, Content-Type, If-None-Match, X-Request-Id",
      "access-control-max-age": "7200",
    };
    const allowed = { ...readable, "access-control-allow-origin": origin };
    const some = { corsOrigins: ["https://z.example", origin] };
    const vary = { vary: "Origin" };
    assert.deepEqual(await send("OPTIONS", { origin, ...asked }, some), [204, { ...preflight, ...allowed, ...vary }]);
    assert.deepEqual(await send("OPTIONS", { origin }, some), [204, { allow: "POST, OPTIONS", ...allowed, ...vary }]);
    assert.deepEqual(await send("OPTIONS", asked, some), [204, { allow: "POST, OPTIONS", ...vary }]);
    const refused = { origin: "https://b.example", ...asked };
    assert.deepEqual(await send("OPTIONS", refused, some), [204, { allow: "POST, OPTIONS", ...vary }]);
    assert.deepEqual(await send("OPTIONS", { origin, ...asked }, { corsOrigins: ["*"] }), [
      204,
      { ...preflight, "access-control-allow-origin": "*" },
    ]);
    const wrongMethod = { allow: "POST, OPTIONS", ...allowed, vary: "Accept, Origin" };
    assert.deepEqual(await send("PUT", { origin, ...asked }, some), [405, wrongMethod]);
  });

  test("see no headers that were meant for another page before", async () => {
    const own = withGuards({ corsOrigins: ["https://a.example", "https://b.example"] });
    for (const origin of [
      "https://a.example",
      "https://c.example",
      "https://b.example",
      undefined,
      "https://a.example",
    ]) {
      const request = new Request("http://localhost/RestService/Check/json", {
        method: "POST",
        headers: { "content-type": "application/json", ...(origin !== undefined && { origin }) },
        body: '{"useragent":"x"}',
      });
      const { headers } = await own.fetch(request);
      const isListed = origin !== undefined && !origin.includes("c.example");
      assert.equal(headers.get("access-control-allow-origin"), isListed ? origin : null);
      assert.equal(headers.get("access-control-expose-headers") === null, !isListed);
      assert.equal(headers.get("vary"), "Origin");
      assert.equal(headers.get("x-content-type-options"), "nosniff");
    }
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
