/**
 * What the service tells its host and takes from it: events, the record, failures, ids, limits, routes, bodies.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Hono } from "hono";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import type { RequestEvent, ServiceOptions } from "../../src/service/options.ts";
import { createService as createOwn, createService } from "../../src/service.ts";
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
    for (const { durationMs } of events) assert.ok(durationMs >= 0);
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
    assert.ok(wrong.allowed.includes("portable") && wrong.allowed.includes("posix"));
    assert.equal((await get(service, "/RestService/RegExp?flavor=posix&useragent=x")).status, 400);
    assert.match(await (await get(service, "/openapi.json")).text(), /"enum":\["portable",[^\]]*"posix"/);
  });
});

describe("routes from outside", () => {
  const { service, events } = observed({
    routes: [
      { path: "/elsewhere", method: "GET", handler: () => ({ status: 302, headers: { location: "/x" }, body: null }) },
      { path: "/broken", method: "GET", handler: () => Promise.reject(new Error("secret")) },
      {
        path: "/readyz",
        method: "GET",
        handler: () => ({ status: 200, headers: {}, body: "mine" }),
        operation: () => ({
          ...{ operationId: "mine", tags: ["Mine"], summary: "My own readiness" },
          responses: { 200: { description: "Ready." } },
        }),
      },
      {
        path: "/pages/*",
        method: "GET",
        handler: ({ rest, request }) => ({ status: 200, headers: {}, body: `${rest} ${request.query}` }),
      },
    ],
  });

  test("are served beside the service's own; their errors are problems, too", async () => {
    const found = await get(service, "/elsewhere");
    assert.equal(found.status, 302);
    assert.match(found.headers.get("x-request-id") ?? "", /./);
    const broken = await get(service, "/broken", { accept: "text/xml" });
    assert.equal(broken.status, 500);
    assert.equal(broken.headers.get("content-type"), "application/problem+xml");
    assert.equal((await get(service, "/healthz")).status, 200);
    assert.equal((await post(service, "/elsewhere", "{}")).headers.get("allow"), "GET, HEAD, OPTIONS");
  });

  test("take precedence over own routes, and are described if they describe themselves", async () => {
    assert.equal(await (await get(service, "/readyz")).text(), "mine");
    const { paths } = (await (await get(service, "/openapi.json")).json()) as { paths: Record<string, object> };
    assert.deepEqual(paths["/readyz"], {
      get: {
        ...{ operationId: "mine", tags: ["Mine"], summary: "My own readiness" },
        responses: { 200: { description: "Ready." } },
      },
    });
    assert.equal("/elsewhere" in paths, false);
  });

  test("may take every path below theirs, as it was sent", async () => {
    for (const path of ["/pages/a%2Fb/c?d=e", "/pages/a%2Fb/c?d=e#f"])
      assert.equal(await (await get(service, path)).text(), "a%2Fb/c d=e", path);
    assert.equal((await get(service, "/pages")).status, 404);
    assert.equal(events.at(-2)?.route, "/pages/*");
  });

  test("the handler can be mounted by another application", async () => {
    const outer = new Hono().mount("/bots", createService({ detector }).fetch);
    const response = await outer.request("/bots/RestService/RegExp");
    assert.equal(await response.text(), detector.expression);
    assert.equal((await outer.request("/bots/healthz")).status, 200);
  });
});

describe("a service below a path", () => {
  const service = createService({ detector, basePath: "/bots", metrics: async () => ({ contentType: "", text: "" }) });

  test("tells its own addresses, whether the path before them is taken off or not", async () => {
    for (const prefix of ["", "/bots"]) {
      const wrong = (await (await get(service, `${prefix}/nowhere`)).json()) as { type: string };
      assert.equal(wrong.type, "/bots/docs#not-found");
      const document = (await (await get(service, `${prefix}/openapi.json`)).json()) as {
        servers: readonly { url: string }[];
      };
      assert.deepEqual(document.servers, [{ url: "http://localhost/bots" }]);
      assert.equal((await get(service, `${prefix}/healthz`)).status, 200);
    }
    assert.equal((await get(service, "/botshealthz")).status, 404);
  });

  test("describes tokens and figures where it has them", async () => {
    const guarded = createService({ detector, guards: { authorize: () => false } });
    interface Described {
      readonly security?: readonly object[];
      readonly paths: Readonly<Record<string, { readonly get?: { readonly security?: readonly object[] } }>>;
      readonly components: { readonly securitySchemes?: object };
    }
    const open = (await (await get(service, "/openapi.json")).json()) as Described;
    const asking = (await (await get(guarded, "/openapi.json")).json()) as Described;
    assert.equal(open.components.securitySchemes, undefined);
    assert.deepEqual(asking.components.securitySchemes, { bearer: { type: "http", scheme: "bearer" } });
    assert.ok("/metrics" in open.paths && !("/metrics" in asking.paths));
    assert.deepEqual([open.security, asking.security], [[], [{ bearer: [] }]]);
    assert.deepEqual(asking.paths["/healthz"]?.get?.security, []);
  });
});

describe("a body", () => {
  test("that is endless is refused while it comes, also where its length is not believed", async () => {
    for (const declared of [undefined, "x", "1e9", "-1"]) {
      let pulled = 0;
      const endless = new ReadableStream({
        pull(controller) {
          pulled++;
          controller.enqueue(new Uint8Array(10_000));
        },
      });
      const headers = { "content-type": "application/json", ...(declared && { "content-length": declared }) };
      const init = { method: "POST", headers, body: endless, duplex: "half" };
      const response = await createService({ detector }).fetch(
        new Request("http://localhost/RestService/Check", init as RequestInit),
      );
      assert.equal(response.status, 413);
      assert.ok(pulled < 12, `${pulled} pieces were read`);
    }
  });

  test("may fail to come, which is the client's failure, whatever it is declared as", async () => {
    for (const [path, type, coding, length] of [
      ["Check", "application/json", undefined],
      ["Check", "application/json", undefined, "10"],
      ["CheckMany", "application/json", undefined],
      ["CheckMany", "application/json", "gzip"],
      ["CheckMany", "text/plain", "gzip"],
    ] as const) {
      const cut = new ReadableStream({ start: (controller) => controller.error(new Error("connection lost")) });
      const headers = {
        "content-type": type,
        ...(coding && { "content-encoding": coding }),
        ...(length && { "content-length": length }),
      };
      const init = { method: "POST", headers, body: cut, duplex: "half" };
      const { service, events } = observed();
      const response = await service.fetch(new Request(`http://localhost/RestService/${path}`, init as RequestInit));
      const problem = (await response.json()) as { type: string; detail: string };
      assert.deepEqual(
        [response.status, response.headers.get("connection"), problem.type, problem.detail],
        [400, "close", "/docs#not-json", "The body ended early."],
        `${path} ${type} ${coding}`,
      );
      assert.equal(events[0]?.error, undefined);
    }
  });

  test("is read in pieces of any size, and no longer than it may be", async () => {
    for (const [length, declared, status] of [
      [20, undefined, 200],
      [21, undefined, 413],
      [20, "20", 200],
      [21, "21", 413],
      // A length that is none is not believed.
      [21, "x", 413],
      [20, "2x", 200],
    ] as const) {
      const text = '{"useragent":"é"}'.padEnd(length - 1);
      const pieces = [...new TextEncoder().encode(text)];
      const body = new ReadableStream({
        pull(controller) {
          const next = pieces.shift();
          if (next === undefined) controller.close();
          else controller.enqueue(Uint8Array.of(next));
        },
      });
      const headers = { "content-type": "application/json", ...(declared && { "content-length": declared }) };
      const { service } = observed({ maxBodyBytes: 20 });
      const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      const response = await service.fetch(new Request("http://localhost/RestService/Check", init));
      assert.equal(response.status, status, `${length} ${declared}`);
      if (status === 200) assert.deepEqual(await response.json(), detector.check("é"));
      else assert.equal(((await response.json()) as { detail: string }).detail, "A body may have at most 20 bytes.");
    }
  });
});

test("the package's createService refuses options that it would not read", () => {
  for (const [options, error] of [
    [{ basepath: "/bots" }, /createService\(\) has no option "basepath"\. Did you mean "basePath"\?/],
    [{ token: "x".repeat(20) }, /has no option "token"/],
    [{ guards: { tokens: ["x".repeat(20)] } }, /`guards` has no option "tokens"/],
    [{ basePath: "bots" }, /`basePath` must be a path such as \/bots/],
    [{ basePath: "/bots/" }, /`basePath` must be a path/],
    ["/bots", /createService\(\) takes an object/],
  ] as const)
    assert.throws(() => createOwn(options as object), error);
  createOwn({ basePath: "", guards: { corsOrigins: ["*"] } });
});
