/** What is common to all requests and answers, and what the service tells its host and takes from it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Hono } from "hono";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Answer, Route } from "../../src/http/context.ts";
import { toEtag } from "../../src/http/representation.ts";
import { createService } from "../../src/service.ts";
import { rowsOf } from "../support/table.ts";
import { open, streamOf } from "./open.ts";

const check = "/RestService/Check";
const useragent = "Googlebot";

const at = (path: string, handler: Route["handler"]): Route => ({ path, method: "GET", handler });
const saying = (body: Answer["body"]) => (): Answer => ({ status: 200, headers: {}, body });
let ended = 0;
const piece = { value: new Uint8Array(10), done: false as const };
const endless: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: async () => piece, return: async () => ({ value: ended++, done: true }) }),
};
const operation = {
  ...{ operationId: "mine", tags: ["Mine"] as const, summary: "My own readiness" },
  responses: { 200: { description: "Ready." } },
};
const own = open({
  requestId: () => "given",
  routes: [
    { ...at("/readyz", saying("mine")), operation: () => operation },
    at("/bytes", saying(Uint8Array.of(1, 2, 3))),
    at("/stream", saying(endless)),
    at("/text", saying("é")),
    at("/empty", saying(null)),
    at("/below/known", saying("known")),
    at("/below/*", ({ rest, request }) => saying(`below ${rest} ${request.query}`)()),
    at("/broken", () => Promise.reject(new Error("secret"))),
    at("/moved", () => ({ status: 302, headers: { location: "/x" }, body: null })),
  ],
});

describe("a head", () => {
  /** The method, a header field, the status, what becomes of the connection, and what is said. */
  for (const [method = "", field = "", status, connection = "", detail] of rowsOf(`
    GET | | 200 | null
    GET | host: a.example | 200 | null
    GET | host: a.example, b.example | 400 | close | Send Host only once.
    GET | content-length: 65536 | 200 | null
    GET | content-length: 65537 | 413 | close | Do not send a body with this method.
    GET | transfer-encoding: chunked | 413 | close | Do not send a body with this method.
    DELETE | content-length: 65537 | 413 | close | Do not send a body with this method.
    DELETE | | 405 | null | Allowed methods: GET, HEAD, OPTIONS.
    POST | content-length: 65536 | 405 | null | Allowed methods: GET, HEAD, OPTIONS.
    POST | content-length: 65537 | 405 | close | Allowed methods: GET, HEAD, OPTIONS.
    POST | transfer-encoding: chunked | 405 | close | Allowed methods: GET, HEAD, OPTIONS.
  `))
    test(`${method} ${field} is answered ${status}, connection ${connection}`, async () => {
      const [name = "", value = ""] = field.split(": ");
      const response = await own.ask("/text", field === "" ? {} : { [name]: value }, undefined, method);
      assert.deepEqual([`${response.status}`, `${response.headers.get("connection")}`], [status, connection]);
      if (detail) assert.equal((await response.json()).detail, detail);
    });

  test("whose body is read leaves the connection open", async () => {
    const response = await own.ask(check, { "transfer-encoding": "chunked" }, { useragent });
    assert.deepEqual([response.status, response.headers.get("connection")], [200, null]);
  });

  test("alone, by HEAD, has the length, and ends a stream that is not sent", async () => {
    for (const [path, length, coding] of [
      ["/text", "2", null],
      ["/bytes", "3", null],
      ["/stream", null, "chunked"],
      ["/empty", null, null],
    ] as const) {
      const { status, headers, body } = await own.ask(path, {}, undefined, "HEAD");
      const told = [headers.get("content-length"), headers.get("transfer-encoding")];
      assert.deepEqual([status, body, ...told], [200, null, length, coding], path);
    }
    assert.equal(ended, 1);
    const reader = (await own.ask("/stream")).body!.getReader();
    await reader.read();
    await reader.cancel();
    assert.equal(ended, 2);
  });
});

describe("routes", () => {
  test("are found by the whole path first, then by its beginning, as it was sent; the first of a path answers", async () => {
    for (const [path = "", text] of rowsOf(`
      /below/known | known
      /below/other | below other
      /below/ | below
      /below/a%2Fb/c?d=e#f | below a%2Fb/c d=e
      /readyz | mine
      /readyz?x#y | mine
      /readyz#y | mine
    `))
      assert.equal((await own.text(path)).trim(), text, path);
    assert.equal(own.events.at(-4)?.route, "/below/*");
    assert.equal(await own.statusOf("/below"), 404);
  });

  test("of the host are served as the service's own, and described if they describe themselves", async () => {
    const names = "location x-request-id allow";
    assert.deepEqual(await own.fieldsOf(names, "/moved"), ["/x", "given", null]);
    assert.deepEqual(await own.fieldsOf(names, "/moved", {}, {}), [null, "given", "GET, HEAD, OPTIONS"]);
    const broken = await own.ask("/broken", { accept: "text/xml" });
    assert.deepEqual([broken.status, broken.headers.get("content-type")], [500, "application/problem+xml"]);
    const { paths } = await own.json("/openapi.json");
    assert.deepEqual([paths["/readyz"], "/moved" in paths], [{ get: operation }, false]);
  });

  test("are told to the host, below the base path, too", () => {
    const { paths } = createService({ detector, basePath: "/bots" });
    for (const path of [check, "/auth/*", "/healthz"])
      for (const one of [path, `/bots${path}`]) assert.equal(paths.filter((known) => known === one).length, 1, one);
    const { paths: all } = own.service;
    assert.deepEqual(
      [new Set(all).size, all.includes("/below/*"), all.includes("/metrics")],
      [all.length, true, false],
    );
  });

  test("can be mounted by another application", async () => {
    const outer = new Hono().mount("/bots", createService({ detector }).fetch);
    assert.equal(await (await outer.request("/bots/RestService/RegExp")).text(), detector.expression);
    assert.equal((await outer.request("/bots/healthz")).status, 200);
  });

  test("below a path tell their own addresses, whether that path is taken off or not", async () => {
    const bots = open({ basePath: "/bots" });
    for (const prefix of ["", "/bots"]) {
      assert.equal((await bots.json(`${prefix}/nowhere`)).type, "/bots/docs#not-found");
      assert.deepEqual((await bots.json(`${prefix}/openapi.json`)).servers, [{ url: "http://localhost/bots" }]);
      assert.equal(await bots.statusOf(`${prefix}/healthz`), 200);
    }
    assert.equal(await bots.statusOf("/botshealthz"), 404);
  });
});

describe("the host", () => {
  test("is told each request once, with a route that can label a metric, and how long it took", async () => {
    const { events, ask } = open();
    const start = performance.now();
    await ask("/RestService/List/xml?limit=1", { "x-request-id": "mine" });
    await ask("/some/where?useragent=secret");
    await ask(`${check}/json`, {}, { useragent });
    await ask(check, {}, {});
    const tookMs = performance.now() - start;
    assert.deepEqual(
      events.map(({ method, route, status, verdict }) => [method, route, status, verdict?.name]),
      [
        ["GET", "/RestService/List/xml", 200, undefined],
        ["GET", "*", 404, undefined],
        ["POST", `${check}/json`, 200, useragent],
        ["POST", check, 422, undefined],
      ],
    );
    assert.equal(events[0]?.requestId, "mine");
    assert.equal(new Set(events.map(({ requestId }) => requestId)).size, 4);
    const durations = events.map(({ durationMs }) => durationMs);
    const sum = durations.reduce((one, other) => one + other, 0);
    assert.ok(durations.every((ms) => ms >= 0) && sum <= tookMs, `${durations} of ${tookMs}`);
  });

  test("gets an answer, whatever it makes for headers", async () => {
    for (const [made, isKept] of [
      ["a:b", true],
      ["a\nb", false],
      ["\u00e9", false],
      ["", false],
      ["x".repeat(129), false],
      [undefined, false],
    ] as const) {
      const { ask } = open({ requestId: () => made as string });
      const { status, headers } = await ask("/healthz");
      assert.deepEqual([status, headers.get("x-request-id") === made], [200, isKept], made);
    }
    const failing = open({
      requestId() {
        throw new Error("no id");
      },
      routes: [at("/broken", () => ({ status: 200, headers: { x: "a\nb" }, body: "" }))],
    });
    assert.equal((await failing.ask("/healthz")).status, 200);
    assert.equal((await failing.ask("/broken")).status, 500);
  });

  test("records what is evaluated, and nothing else", async () => {
    const { noted, ask } = open();
    await ask(check, {}, { useragent });
    await ask(`${check}/xml`, {}, { useragent: "Firefox" });
    await ask(check, {}, { useragent: 1 });
    for (const path of ["/RestService/RegExp?useragent=curl", "/RestService/List?limit=1"]) await ask(path);
    assert.deepEqual(
      noted.map((verdict) => verdict.useragent),
      [useragent, "Firefox"],
    );
  });

  test("learns of a failure of which the client learns nothing", async () => {
    const secret = new Error("secret path /etc/shadow");
    const fail = () => {
      throw secret;
    };
    const { events, ask } = open({ detector: { ...detector, alternatives: [], check: fail } });
    for (const [path, body] of [
      [check, { useragent }],
      [`${check}/xml`, { useragent }],
      ["/RestService/List"],
    ] as const) {
      const answer = await ask(path, {}, body);
      const text = await answer.text();
      assert.equal(answer.status, 500);
      assert.match(answer.headers.get("content-type")!, /^application\/problem\+(json|xml)$/);
      assert.ok(text.includes(answer.headers.get("x-request-id")!));
      assert.doesNotMatch(text, /secret|shadow|Error|\bat /);
    }
    const found = events.map(({ status, error }) => [status, error]);
    assert.deepEqual(found, Array(3).fill([500, secret]));
  });

  test("may offer the expression in more flavors", async () => {
    const { text, json, statusOf } = open({ flavors: { posix: "(a|b)" } });
    assert.equal(await text("/RestService/RegExp?flavor=posix"), "(a|b)");
    const { allowed } = await json("/RestService/RegExp?flavor=toString");
    assert.ok(allowed.includes("portable") && allowed.includes("posix"));
    assert.equal(await statusOf("/RestService/RegExp?flavor=posix&useragent=x"), 400);
    assert.match(await text("/openapi.json"), /"enum":\["portable",[^\]]*"posix"/);
  });

  test("gives readiness and figures, which the description has then, as it has tokens", async () => {
    let readiness = { ready: true, reasons: [] as string[], warnings: ["one"] };
    const figures = { contentType: "text/plain; version=0.0.4; charset=utf-8", text: "figures 1\n" };
    const { ask, text, json, fieldsOf } = open({ readiness: () => readiness, metrics: async () => figures });
    for (const status of [200, 503]) {
      const answer = await ask("/readyz");
      assert.deepEqual([answer.status, await answer.json()], [status, readiness]);
      readiness = { ready: false, reasons: ["stopping"], warnings: [] };
    }
    assert.equal(await text("/metrics"), figures.text);
    assert.deepEqual(await fieldsOf("content-type cache-control", "/metrics"), [figures.contentType, "no-store"]);
    assert.deepEqual(await fieldsOf("cache-control", "/readyz"), ["no-store"]);
    assert.equal(await own.statusOf("/metrics"), 404);
    const [unguarded, guarded] = [
      await json("/openapi.json"),
      await open({ guards: { authorize: () => false } }).json("/openapi.json"),
    ];
    assert.deepEqual([unguarded.components.securitySchemes, unguarded.security], [undefined, []]);
    assert.deepEqual(guarded.components.securitySchemes, { bearer: { type: "http", scheme: "bearer" } });
    assert.deepEqual([guarded.security, guarded.paths["/healthz"].get.security], [[{ bearer: [] }], []]);
    assert.ok("/metrics" in unguarded.paths && !("/metrics" in guarded.paths));
  });

  test("names requests itself, or they are of one beginning and a number that grows", async () => {
    assert.deepEqual(await own.fieldsOf("x-request-id", "/healthz"), ["given"]);
    const { fieldsOf } = open();
    const ids: string[] = [];
    for (let count = 0; count < 40; count++) ids.push((await fieldsOf("x-request-id", "/healthz"))[0]!);
    const [prefix = "-"] = /^[0-9a-f]{8}-[0-9a-f]{4}-/.exec(ids[0]!) ?? [];
    assert.deepEqual(
      ids,
      ids.map((_, at) => `${prefix}${(at + 1).toString(36)}`),
    );
    const [other] = await open().fieldsOf("x-request-id", "/healthz");
    assert.ok(!other!.startsWith(prefix));
  });
});

describe("a body", () => {
  test("that is endless is refused while it comes, also where its length is not believed", async () => {
    for (const declared of [undefined, "x", "1e9", "-1"]) {
      let pulled = 0;
      function* pieces() {
        for (; ; pulled++) yield new Uint8Array(10_000);
      }
      const headers = declared === undefined ? {} : { "content-length": declared };
      assert.equal(await own.statusOf(check, headers, streamOf(pieces())), 413);
      assert.ok(pulled < 12, `${pulled} pieces were read`);
    }
  });

  /** The path, what the body is declared as, its coding and its length. */
  for (const [path, type = "", coding, length] of rowsOf(`
    Check | application/json
    Check | application/json | | 10
    CheckMany | application/json
    CheckMany | application/json | gzip
    CheckMany | text/plain | gzip
  `))
    test(`may fail to come, which is the client's failure: ${path} ${type} ${coding} ${length}`, async () => {
      const { ask, events } = open();
      const cut = new ReadableStream({ start: (controller) => controller.error(new Error("connection lost")) });
      const coded = { ...(coding && { "content-encoding": coding }), ...(length && { "content-length": length }) };
      const response = await ask(`/RestService/${path}`, { "content-type": type, ...coded }, cut);
      const { type: problem, detail } = await response.json();
      assert.deepEqual([response.status, response.headers.get("connection")], [400, "close"]);
      assert.deepEqual([problem, detail, events[0]?.error], ["/docs#not-json", "The body ended early.", undefined]);
    });

  // A length that is none is not believed.
  for (const [length, declared, status] of rowsOf(`
    20 | | 200
    21 | | 413
    20 | 20 | 200
    21 | 21 | 413
    21 | x | 413
    20 | 2x | 200
  `))
    test(`is read in pieces, and no longer than it may be: ${length} bytes, said to be ${declared}`, async () => {
      const { ask } = open({ maxBodyBytes: 20 });
      const bytes = [...new TextEncoder().encode('{"useragent":"é"}'.padEnd(Number(length) - 1))];
      const headers = declared ? { "content-length": declared } : {};
      const response = await ask(check, headers, streamOf(bytes.map((byte) => Uint8Array.of(byte))));
      const answer = await response.json();
      assert.equal(response.status, Number(status));
      if (status === "200") assert.deepEqual(answer, detector.check("é"));
      else assert.equal(answer.detail, "A body may have at most 20 bytes.");
    });
});

test("validators of different texts differ, and fit into a header", () => {
  const texts = Array.from({ length: 20_000 }, (_, number) => `${number % 2 === 0 ? "é" : ""}${number}`);
  const validators = texts.map(toEtag);
  assert.equal(new Set(validators).size, texts.length);
  for (const validator of validators) assert.match(validator, /^"[\da-f]{1,14}"$/);
  assert.deepEqual(texts.map(toEtag), validators);
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
    assert.throws(() => createService(options as object), error);
  createService({ basePath: "", guards: { corsOrigins: ["*"] } });
});
