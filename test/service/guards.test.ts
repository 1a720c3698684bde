/** Tokens, limits, pages of other origins, HSTS: what stands before every route. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createRateLimiter, type Rate } from "../../src/cache/token-buckets.ts";
import type { GuardOptions } from "../../src/http/guards.ts";
import { createAuthorizer } from "../../src/server/tokens.ts";
import { open } from "./open.ts";

const createRateLimit = (rate: Rate, nowMs: () => number) => {
  const takeOne = createRateLimiter(nowMs);
  return (address: string) => takeOne(address, rate);
};
const once = () => createRateLimit({ count: 1, windowMs: 60_000 }, () => 0);
const regExp = "/RestService/RegExp";
const googlebot = { useragent: "Googlebot" };

describe("tokens", () => {
  const { ask } = open({ guards: { authorize: createAuthorizer(["first-token-of-mine", "second-token-of-mine"]) } });

  test("are asked for, and told of to those who show none", async () => {
    assert.equal((await ask(regExp, { authorization: "Bearer first-token-of-mine" })).status, 200);
    for (const headers of [{}, { authorization: "Bearer first-token-of-mineX" }]) {
      const refused = await ask(regExp, headers);
      const told = ["www-authenticate", "content-type"].map((name) => refused.headers.get(name));
      assert.deepEqual([refused.status, ...told], [401, "Bearer", "application/problem+json"]);
      const { detail } = (await refused.json()) as { detail: string };
      assert.equal(detail, "Send one of the operator's tokens: Authorization: Bearer …");
    }
  });

  test("are not asked for by health and documents, and by everything else", async () => {
    for (const path of ["/healthz", "/readyz", "/docs", "/openapi.json"])
      assert.equal((await ask(path)).status, 200, path);
    for (const path of ["/metrics", "/nothing", "/RestService/List/xml", "/healthz/", "/docs/x"])
      assert.equal((await ask(path)).status, 401, path);
    assert.equal((await ask("/RestService/Check/xml", {}, googlebot)).status, 401);
  });
});

describe("limits", () => {
  test("answer 429 with what is left and when to come again", async () => {
    let now = 0;
    const { ask } = open({ guards: { limit: createRateLimit({ count: 2, windowMs: 1000 }, () => now) } });
    const check = (path = "/RestService/Check") => ask(path, {}, googlebot);
    const first = await check();
    const told = ["ratelimit-policy", "ratelimit"].map((name) => first.headers.get(name));
    assert.deepEqual(told, ['"client";q=2;w=1', '"client";r=1;t=1']);
    assert.equal((await check()).status, 200);
    const refused = await check("/RestService/Check/xml");
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
    assert.match(await refused.text(), /2 requests are allowed in 1 s/);
    assert.equal((await ask("/healthz")).status, 200);
    now = 600;
    assert.deepEqual([(await check()).status, (await check()).status], [200, 429]);
  });

  test("of the host are asked about the client's address, and about all of those that have none as one", async () => {
    const allowance = { isAllowed: true, quota: 9, windowSeconds: 60, remaining: 4, resetSeconds: 1.2 };
    const asked: string[] = [];
    const limit = (address: string) => {
      asked.push(address);
      return allowance;
    };
    const request = () => new Request(`http://localhost${regExp}`);
    for (const [guards, address] of [
      [{ limit }, "192.0.2.1"],
      [{ limit }, undefined],
      [{ limit, addressOf: ({ clientAddress }) => `of ${clientAddress}` }, "192.0.2.1"],
      [{ limit, addressOf: () => undefined }, "192.0.2.1"],
    ] as const satisfies readonly (readonly [GuardOptions, string | undefined])[])
      await open({ guards }).service.fetch(request(), { address });
    assert.deepEqual(asked, ["192.0.2.1", "unknown", "of 192.0.2.1", "unknown"]);
    for (const [more, status, left, after, detail] of [
      [{}, 200, "r=4;t=2", null, ""],
      [{ isAllowed: false, remaining: 0, resetSeconds: 0 }, 429, "r=0;t=0", "1", "in 60 s; try again in 1 s."],
      [{ isAllowed: false, remaining: 0, resetSeconds: 49.5 }, 429, "r=0;t=50", "50", "in 60 s; try again in 50 s."],
    ] as const) {
      const answer = await open({ guards: { limit: () => ({ ...allowance, ...more }) } }).ask(regExp);
      const told = ["ratelimit", "retry-after"].map((name) => answer.headers.get(name));
      assert.deepEqual([answer.status, ...told], [status, `"client";${left}`, after]);
      assert.ok((await answer.text()).includes(detail));
    }
  });

  test("count guesses of tokens, and metrics; not probes, and not a proxy's questions, whose 429 is a verdict", async () => {
    const metrics = async () => ({ contentType: "text/plain", text: "" });
    const statuses = async (guards: GuardOptions, ...paths: readonly string[]) => {
      const own = open({ metrics, guards });
      const found = [];
      for (const path of paths)
        found.push((await own.ask(path, { "x-crawler-policy": "block=ai", authorization: "Bearer x" })).status);
      return found;
    };
    const authorize = createAuthorizer(["the-token-of-mine-1"]);
    assert.deepEqual(await statuses({ authorize, limit: once() }, regExp, regExp), [401, 429]);
    assert.deepEqual(await statuses({ authorize }, "/metrics"), [401]);
    const probes = ["/healthz", "/readyz", "/healthz", "/readyz"];
    const found = await statuses({ limit: once() }, ...probes, "/metrics", "/metrics", "/healthz");
    assert.deepEqual(found, [200, 200, 200, 200, 200, 429, 200]);
    const asked = ["/auth", "/auth?block=all", "/auth/robots.txt", "/auth/page"];
    assert.deepEqual(await statuses({ limit: once() }, regExp, ...asked), [200, 204, 403, 200, 200]);
    // A token that the proxy's configuration misspells turns no visitor away with 429.
    assert.deepEqual(await statuses({ authorize, limit: once() }, "/auth", "/auth", "/auth"), [401, 401, 401]);
  });

  test("and tokens answer in the format of the path, and are counted on the route they met", async () => {
    const { ask, events } = open({ guards: { authorize: () => false, limit: once() } });
    for (const status of [401, 429]) {
      const response = await ask("/RestService/Check/xml", {}, googlebot);
      const told = ["vary", "content-type"].map((name) => response.headers.get(name));
      assert.deepEqual([response.status, ...told], [status, null, "application/problem+xml"]);
    }
    assert.deepEqual(
      events.map(({ route, status }) => [route, status]),
      [401, 429].map((status) => ["/RestService/Check/xml", status]),
    );
  });
});

describe("pages of other origins", () => {
  const origin = "https://a.example";
  const asked = { "access-control-request-method": "POST" };

  test("have their preflights counted, and none answered that a proxy asks about in a client's place", async () => {
    const { ask } = open({ guards: { corsOrigins: ["*"], authorize: () => false, limit: once() } });
    const send = async (path: string) =>
      (await ask(path, { origin, ...asked, "user-agent": "GPTBot" }, undefined, "OPTIONS")).status;
    // /auth/ would let the request of a crawler through that the policy refuses.
    assert.deepEqual([await send("/auth/page"), await send("/metrics"), await send("/metrics")], [401, 204, 429]);
  });

  test("get everything a browser must know of a preflight, and other OPTIONS what the address takes", async () => {
    const send = async (method: string, headers: Readonly<Record<string, string>>, guards: GuardOptions) => {
      const { status, headers: answered } = await open({ guards }).ask(
        "/RestService/Check",
        headers,
        undefined,
        method,
      );
      const names = [...answered.keys()].filter((name) => /^(?:access|allow|vary)/.test(name));
      return [status, Object.fromEntries(names.map((name) => [name, answered.get(name)]))];
    };
    const exposed = "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Lossy, X-Request-Id";
    const readable = { "access-control-expose-headers": exposed };
    const preflight = {
      ...readable,
      "access-control-allow-methods": "GET, HEAD, POST, OPTIONS",
      "access-control-allow-headers": "Accept, Authorization, Content-Type, If-None-Match, X-Request-Id",
      "access-control-max-age": "7200",
    };
    const allowed = { ...readable, "access-control-allow-origin": origin };
    const some = { corsOrigins: ["https://z.example", origin], authorize: () => false };
    const unguarded = { corsOrigins: ["https://z.example", origin] };
    const all = { corsOrigins: ["*"] };
    const vary = { vary: "Origin" };
    const takes = { allow: "POST, OPTIONS" };
    for (const [method, headers, guards, status, answered] of [
      ["OPTIONS", { origin, ...asked }, some, 204, { ...preflight, ...allowed, ...vary }],
      ["OPTIONS", { origin }, unguarded, 204, { ...takes, ...allowed, ...vary }],
      ["OPTIONS", asked, unguarded, 204, { ...takes, ...vary }],
      ["OPTIONS", { origin: "https://b.example", ...asked }, unguarded, 204, { ...takes, ...vary }],
      ["OPTIONS", { origin, ...asked }, all, 204, { ...preflight, "access-control-allow-origin": "*" }],
      ["PUT", { origin }, unguarded, 405, { ...takes, ...allowed, vary: "Accept, Origin" }],
    ] as const)
      assert.deepEqual(await send(method, headers, guards), [status, answered]);
  });

  test("may read answers where their origin is listed, and see no headers that were meant for another page before", async () => {
    const { ask } = open({ guards: { corsOrigins: [origin, "https://b.example"] } });
    for (const [from, isListed] of [
      [origin, true],
      ["https://c.example", false],
      ["https://b.example", true],
      [undefined, false],
      [origin, true],
    ] as const) {
      const { headers } = await ask("/RestService/Check/json", from === undefined ? {} : { origin: from }, googlebot);
      assert.equal(headers.get("access-control-allow-origin"), isListed ? from : null);
      assert.equal(headers.get("access-control-expose-headers") === null, !isListed);
      assert.deepEqual([headers.get("vary"), headers.get("x-content-type-options")], ["Origin", "nosniff"]);
    }
    assert.equal((await open().ask("/healthz", { origin })).headers.get("vary"), null);
  });

  test("add to what an answer varies by", async () => {
    const { ask } = open({ guards: { corsOrigins: [origin] } });
    assert.equal((await ask("/RestService/List", { origin })).headers.get("vary"), "Accept, Accept-Encoding, Origin");
    const hidden = open({ mayRead: () => false, record: { note() {}, async *list() {} } });
    const list = await hidden.ask("/RestService/List/json");
    assert.equal(list.headers.get("vary"), "Authorization, Accept-Encoding");
  });
});

test("HSTS is there only when asked for; other headers always", async () => {
  const secure = await open({ guards: { hstsSeconds: 3600 } }).ask("/docs");
  assert.equal(secure.headers.get("strict-transport-security"), "max-age=3600");
  assert.match(secure.headers.get("content-security-policy") as string, /frame-ancestors 'none'/);
  for (const path of ["/docs", "/RestService/List", "/nothing", regExp]) {
    const { headers } = await open().ask(path);
    const names = ["strict-transport-security", "x-content-type-options", "referrer-policy"];
    assert.deepEqual(
      names.map((name) => headers.get(name)),
      [null, "nosniff", "no-referrer"],
    );
  }
});
