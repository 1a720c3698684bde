/** Common to all requests and answers: rejected heads, HEAD, unread bodies, common headers, ids. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toEtag } from "../../src/http/representation.ts";
import { createService } from "../../src/service.ts";
import { check, get } from "./ask.ts";

async function* endless(): AsyncGenerator<Uint8Array> {
  try {
    for (;;) yield new Uint8Array(10);
  } finally {
    ended++;
  }
}
let ended = 0;
const bytes = { method: "GET", handler: () => ({ status: 200, headers: {}, body: Uint8Array.of(1, 2, 3) }) } as const;
const service = createService({
  detector,
  requestId: () => "given",
  routes: [
    { ...bytes, path: "/bytes" },
    { ...bytes, path: "/stream", handler: () => ({ status: 200, headers: {}, body: endless() }) },
    { ...bytes, path: "/text", handler: () => ({ status: 200, headers: {}, body: "é" }) },
    { ...bytes, path: "/empty", handler: () => ({ status: 200, headers: {}, body: null }) },
    { ...bytes, path: "/healthz", handler: () => ({ status: 200, headers: {}, body: "mine" }) },
    { ...bytes, path: "/below/*", handler: ({ rest }) => ({ status: 200, headers: {}, body: `below ${rest}` }) },
    { ...bytes, path: "/below/known", handler: () => ({ status: 200, headers: {}, body: "known" }) },
  ],
});

const send = (method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  service.fetch(new Request(`http://localhost${path}`, { method, headers }));

describe("a head", () => {
  const long = { "content-length": "65537" };
  const unknown = { "transfer-encoding": "chunked" };
  const noBody = "Send no body with this method.";
  const once = "Give Host only once.";
  const cases: readonly (readonly [
    method: string,
    headers: Readonly<Record<string, string>>,
    status: number,
    connection: string | null,
    detail?: string,
  ])[] = [
    ["GET", {}, 200, null],
    ["GET", { host: "a.example" }, 200, null],
    ["GET", { host: "a.example, b.example" }, 400, "close", once],
    ["GET", { "content-length": "65536" }, 200, null],
    ["GET", long, 413, "close", noBody],
    ["GET", unknown, 413, "close", noBody],
    ["DELETE", long, 413, "close", noBody],
    ["DELETE", {}, 405, null, "It takes GET, HEAD, OPTIONS."],
    ["POST", { "content-length": "65536" }, 405, null, "It takes GET, HEAD, OPTIONS."],
    ["POST", long, 405, "close", "It takes GET, HEAD, OPTIONS."],
    ["POST", unknown, 405, "close", "It takes GET, HEAD, OPTIONS."],
  ];
  for (const [method, headers, status, connection, detail] of cases) {
    test(`${method} ${JSON.stringify(headers)} is answered ${status}, connection ${connection}`, async () => {
      const response = await send(method, "/text", headers);
      assert.deepEqual([response.status, response.headers.get("connection")], [status, connection]);
      if (detail !== undefined) assert.equal(((await response.json()) as { detail: string }).detail, detail);
    });
  }

  test("whose body is read leaves the connection open", async () => {
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    const request = new Request("http://localhost/RestService/Check", {
      method: "POST",
      headers,
      body: '{"useragent":"x"}',
    });
    const response = await service.fetch(request);
    assert.deepEqual([response.status, response.headers.get("connection")], [200, null]);
  });
});

describe("HEAD", () => {
  for (const [path, name, value] of [
    ["/text", "content-length", "2"],
    ["/bytes", "content-length", "3"],
    ["/stream", "transfer-encoding", "chunked"],
    ["/empty", "content-length", null],
  ] as const) {
    test(`of ${path} says ${name}: ${value}`, async () => {
      const { status, headers, body } = await send("HEAD", path);
      assert.deepEqual([status, headers.get(name), body], [200, value, null]);
      const other = name === "content-length" ? "transfer-encoding" : "content-length";
      assert.equal(headers.get(other), null);
    });
  }

  test("ends a stream that it does not send", async () => {
    ended = 0;
    await (await send("HEAD", "/stream")).text();
    const reader = ((await send("GET", "/stream")).body as ReadableStream).getReader();
    await reader.read();
    await reader.cancel();
    assert.equal(ended, 1);
  });
});

describe("routes", () => {
  test("are found by the whole path first, then by its beginning; the first of a path answers", async () => {
    for (const [path, text] of [
      ["/below/known", "known"],
      ["/below/other", "below other"],
      ["/below/", "below "],
      ["/healthz", "mine"],
      ["/healthz?x#y", "mine"],
      ["/healthz#y", "mine"],
    ] as const)
      assert.equal(await (await send("GET", path)).text(), text, path);
    assert.equal((await send("GET", "/below")).status, 404);
  });

  test("are told to the host, below the base path, too", () => {
    const { paths } = createService({ detector, basePath: "/bots" });
    for (const path of ["/RestService/Check", "/auth/*", "/healthz"])
      for (const one of [path, `/bots${path}`]) assert.equal(paths.filter((known) => known === one).length, 1, one);
    assert.equal(new Set(service.paths).size, service.paths.length);
    assert.ok(service.paths.includes("/below/*"));
    assert.ok(!service.paths.includes("/metrics"));
  });
});

test("ids of requests are of one beginning and a number that grows", async () => {
  const own = createService({ detector });
  const ids = [];
  for (let count = 0; count < 40; count++) ids.push((await get(own, "/healthz")).headers.get("x-request-id") as string);
  const [prefix] = /^[0-9a-f]{8}-[0-9a-f]{4}-/.exec(ids[0] as string) ?? [];
  assert.deepEqual(
    ids,
    Array.from({ length: 40 }, (_, count) => `${prefix}${(count + 1).toString(36)}`),
  );
  const other = (await get(createService({ detector }), "/healthz")).headers.get("x-request-id");
  assert.ok(!other?.startsWith(prefix as string));
});

describe("what the host adds", () => {
  test("is shown by /readyz and /metrics", async () => {
    let readiness = { ready: true, reasons: [] as string[], warnings: ["one"] };
    const text = "figures 1\n";
    const own = createService({
      detector,
      readiness: () => readiness,
      metrics: async () => ({ contentType: "text/plain; version=0.0.4; charset=utf-8", text }),
    });
    const ready = await get(own, "/readyz");
    assert.deepEqual([ready.status, await ready.json()], [200, readiness]);
    readiness = { ready: false, reasons: ["stopping"], warnings: [] };
    const stopping = await get(own, "/readyz");
    assert.deepEqual([stopping.status, await stopping.json()], [503, readiness]);
    const figures = await get(own, "/metrics");
    assert.equal(figures.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    assert.equal(await figures.text(), text);
    for (const { headers } of [ready, stopping, figures]) assert.equal(headers.get("cache-control"), "no-store");
    assert.equal((await get(service, "/metrics")).status, 404);
  });

  test("is told how long each request took", async () => {
    const durations: number[] = [];
    const own = createService({ detector, onRequest: ({ durationMs }) => durations.push(durationMs) });
    const start = performance.now();
    for (let count = 0; count < 3; count++) await check(own, "x");
    const tookMs = performance.now() - start;
    assert.equal(durations.length, 3);
    const sum = durations.reduce((one, other) => one + other, 0);
    assert.ok(durations.every((ms) => ms >= 0) && sum <= tookMs, `${durations} of ${tookMs}`);
  });
});

describe("validators", () => {
  test("are the first 16 digits of SHA-256, zeros too", async () => {
    for (const text of ["", "abc", "é", ...Array.from({ length: 50 }, (_, number) => String(number))])
      assert.equal(await toEtag(text), `"${createHash("sha256").update(text).digest("hex").slice(0, 16)}"`);
  });
});
