/**
 * What the service tells its host and takes from it: events, the record, failures, ids, limits, middleware, platforms.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Hono } from "hono";
import { detector } from "../../src/detect/default.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import { createService } from "../../src/service/create-service.ts";
import type { RequestEvent, ServiceOptions } from "../../src/service/options.ts";
import { check, get, post } from "./ask.ts";

/** A service that keeps what it tells. */
function observed(options: Partial<ServiceOptions> = {}) {
  const events: RequestEvent[] = [];
  const noted: Verdict[] = [];
  const service = createService({
    detector,
    onRequest: (event) => events.push(event),
    record: { note: (verdict) => noted.push(verdict) },
    ...options,
  });
  return { service, events, noted };
}

describe("the host", () => {
  test("is told each request once, with a route that can label a metric", async () => {
    const { service, events } = observed();
    await get(service, "/RestService/List/xml?limit=1", { "x-request-id": "mine" });
    await get(service, "/some/where?useragent=secret");
    await check(service, "Googlebot");
    await post(service, "/RestService/Check", "{}");
    assert.deepEqual(
      events.map(({ method, route, status, verdict }) => [method, route, status, verdict?.name]),
      [
        ["GET", "/RestService/List/xml", 200, undefined],
        ["GET", "*", 404, undefined],
        ["POST", "/RestService/Check/json", 200, "Googlebot"],
        ["POST", "/RestService/Check", 422, undefined],
      ],
    );
    assert.equal(events[0]?.requestId, "mine");
    assert.equal(new Set(events.map((event) => event.requestId)).size, 4);
    for (const { durationMs } of events) assert.ok(durationMs >= 0 && durationMs < 5000);
  });

  test("records what is evaluated, and nothing else", async () => {
    const { service, noted } = observed();
    await check(service, "Googlebot");
    await check(service, "Firefox", "xml");
    await post(service, "/RestService/Check", '{"useragent":1}');
    await get(service, "/RestService/RegExp?useragent=curl");
    await get(service, "/RestService/List?limit=1");
    assert.deepEqual(
      noted.map((verdict) => verdict.useragent),
      ["Googlebot", "Firefox"],
    );
  });

  test("learns of a failure of which the client learns nothing", async () => {
    const secret = new Error("secret path /etc/shadow");
    const broken = {
      ...detector,
      alternatives: [],
      check: () => {
        throw secret;
      },
    };
    const { service, events } = observed({ detector: broken });
    for (const response of [
      await check(service, "x"),
      await check(service, "x", "xml"),
      await get(service, "/RestService/List"),
    ]) {
      assert.equal(response.status, 500);
      assert.match(response.headers.get("content-type") as string, /^application\/problem\+(json|xml)$/);
      const text = await response.text();
      assert.ok(text.includes(response.headers.get("x-request-id") as string));
      assert.doesNotMatch(text, /secret|shadow|Error|\bat /);
    }
    assert.deepEqual(
      events.map(({ status, error }) => [status, error]),
      Array(3).fill([500, secret]),
    );
  });

  test("may name requests itself, and limit bodies", async () => {
    const { service } = observed({ requestId: () => "given", maxBodyBytes: 20 });
    assert.equal((await check(service, "x")).headers.get("x-request-id"), "given");
    assert.equal((await check(service, "xxxxxx")).status, 413);
  });

  test("may offer the expression in more flavors", async () => {
    const { service } = observed({ flavors: { posix: "(a|b)" } });
    assert.equal(await (await get(service, "/RestService/RegExp?flavor=posix")).text(), "(a|b)");
    const wrong = (await (await get(service, "/RestService/RegExp?flavor=toString")).json()) as { allowed: string[] };
    assert.deepEqual(wrong.allowed, ["portable", "posix"]);
    assert.equal((await get(service, "/RestService/RegExp?flavor=posix&useragent=x")).status, 400);
    assert.match(await (await get(service, "/openapi.json")).text(), /"enum":\["portable","posix"\]/);
  });
});

describe("middleware and routes from outside", () => {
  test("middleware runs around every route, Check included, and knows the client", async () => {
    const { service, events, noted } = observed({
      middleware: [
        async (context, next) => {
          if (context.env.client?.address === "192.0.2.1") return context.text("not you", 403);
          await next();
          context.header("x-seen", "yes");
          return undefined;
        },
      ],
    });
    const request = () =>
      new Request("http://localhost/RestService/Check", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"useragent":"x"}',
      });
    const refused = await service.fetch(request(), { address: "192.0.2.1" });
    assert.equal(refused.status, 403);
    assert.match(refused.headers.get("x-request-id") ?? "", /./);
    const served = await service.fetch(request(), { address: "192.0.2.2" });
    assert.equal(served.status, 200);
    assert.equal(served.headers.get("x-seen"), "yes");
    assert.equal((await get(service, "/nowhere")).headers.get("x-seen"), "yes");
    assert.deepEqual(
      events.map(({ status }) => status),
      [403, 200, 404],
    );
    assert.equal(noted.length, 1);
  });

  test("routes are served beside the service's own; their errors are problems, too", async () => {
    const { service } = observed({
      routes: (app) => {
        app.get("/metrics", () => Response.redirect("http://localhost/elsewhere"));
        app.get("/broken", () => Promise.reject(new Error("secret")));
      },
    });
    const immutable = await get(service, "/metrics");
    assert.equal(immutable.status, 302);
    assert.match(immutable.headers.get("x-request-id") ?? "", /./);
    const broken = await get(service, "/broken", { accept: "text/xml" });
    assert.equal(broken.status, 500);
    assert.equal(broken.headers.get("content-type"), "application/problem+xml");
    assert.equal((await get(service, "/healthz")).status, 200);
  });

  test("the handler can be mounted by another application", async () => {
    const outer = new Hono().mount("/bots", createService({ detector }).fetch);
    const response = await outer.request("/bots/RestService/RegExp");
    assert.equal(await response.text(), detector.expression);
    assert.equal((await outer.request("/bots/healthz")).status, 200);
  });
});

describe("a platform", () => {
  test("may bring a Response that reads its headers late", async () => {
    const late: ResponseInit[] = [];
    class LateResponse extends Response {
      constructor(body?: BodyInit | null, init: ResponseInit = {}) {
        super(body, init);
        late.push(init);
      }
    }
    const { service } = observed({ platform: { Response: LateResponse as typeof Response } });
    const [one, two] = await Promise.all([check(service, "one"), check(service, "two")]);
    const ids = late.map((init) => new Headers(init.headers).get("x-request-id"));
    assert.deepEqual(ids, [one.headers.get("x-request-id"), two.headers.get("x-request-id")]);
    assert.notEqual(ids[0], ids[1]);
  });

  test("may read whole bodies faster; it is asked only where the length is announced", async () => {
    let asked = 0;
    const readBody = (request: Request) => {
      asked++;
      return request.arrayBuffer();
    };
    const { service } = observed({ platform: { readBody } });
    const body = '{"useragent":"x"}';
    for (const length of [String(body.length), "5", "65537", "-1", "1e3", undefined]) {
      const response = await post(
        service,
        "/RestService/Check",
        body,
        length === undefined ? {} : { "content-length": length },
      );
      assert.equal(response.status, length === "65537" ? 413 : 200);
    }
    assert.equal(asked, 2);
    // A length that lies does not get a long body past the limit.
    const long = await post(service, "/RestService/Check", body.padEnd(70_000), { "content-length": "5" });
    assert.equal(long.status, 413);
  });

  test("is not kept waiting by an endless body", async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(10_000));
      },
    });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: endless, duplex: "half" };
    const response = await createService({ detector }).fetch(
      new Request("http://localhost/RestService/Check", init as RequestInit),
    );
    assert.equal(response.status, 413);
    assert.ok(pulled < 12, `${pulled} pieces were read`);
  });

  test("may fail to deliver a body, which is not the service's failure", async () => {
    const cut = new ReadableStream({ start: (controller) => controller.error(new Error("connection lost")) });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: cut, duplex: "half" };
    const response = await createService({ detector }).fetch(
      new Request("http://localhost/RestService/Check", init as RequestInit),
    );
    assert.equal(response.status, 400);
  });
});
