/**
 * What only a socket can say, against a service in this process: paths that are not what they seem, bodies that are endless, cut or
 * not read, heads that mean two things, several requests in one write, lists that clients do not read. After each test others are answered.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Answer } from "../../src/http/context.ts";
import { UserAgentRecord } from "../../src/record/record.ts";
import { createSqliteStore } from "../../src/record/sqlite-store.ts";
import type { RecordedString, RecordQuery } from "../../src/record/store.ts";
import { type Listener, listen } from "../../src/server/listen/listen.ts";
import type { RequestEvent } from "../../src/service/options.ts";
import { createService } from "../../src/service.ts";
import { fakeTime } from "../support/fake-time.ts";
import { rowsOf } from "../support/table.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { begin, chunk, exchangeBytes, lastChunk, parseAnswer, sendRequest, toHead } from "./socket-client.ts";

const events: RequestEvent[] = [];
let pagesRead = 0;
let listsEnded = 0;

/** Twenty megabytes of recorded strings, which compress to no less than two thirds, made as they are asked for. */
async function* manyRows(): AsyncGenerator<readonly RecordedString[]> {
  const seen = { crawler: true, count: 1, firstSeen: 0, lastSeen: 0 };
  try {
    for (let page = 0; page < 100; page++) {
      pagesRead++;
      yield Array.from({ length: 100 }, (_, row) => {
        return { ...seen, useragent: `Bot/${page}.${row} ${randomBytes(480).toString("base64url")}` };
      });
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  } finally {
    listsEnded++;
  }
}

const follows: AbortSignal[] = [];

/** Says something, and the rest when the client has gone. */
function follow(signal: AbortSignal): Answer {
  follows.push(signal);
  async function* body(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode("begin\n");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }
  return { status: 200, headers: {}, body: body() };
}

const maxLists = 8;
/** All clients of these tests are one. */
const maxListsOfClient = 4;
let listener: Listener;
before(async () => {
  const service = createService({
    detector,
    record: { note() {}, list: () => manyRows(), count: async () => 10_000 },
    metrics: async () => ({ contentType: "text/plain", text: "figures" }),
    routes: [
      { path: "/", method: "GET", handler: () => ({ status: 200, headers: {}, body: "front" }) },
      { path: "/follow", method: "GET", handler: ({ request }) => follow(request.signal) },
    ],
    onRequest: (event) => events.push(event),
    guards: { authorize: (authorization) => authorization !== "Bearer wrong" },
    maxLists,
    stallMs: 500,
  });
  // No connection ends because it is late: each ends as soon as its answer is sent.
  listener = await listen({ service, host: "127.0.0.1", port: 0, requestTimeoutMs: 3_600_000 });
});
after(() => listener.close(100));
afterEach(async () => assert.equal((await sendRequest(listener.port, "GET", "/healthz", {}, undefined)).status, 200));

const close = "Connection: close";
const get = (target: string, ...lines: readonly string[]) => toHead(`GET ${target}`, ...lines);
const post = (path: string, ...lines: readonly string[]) => toHead(`POST ${path}`, ...lines);
const send = async (bytes: string) => {
  const { status, headers, body } = parseAnswer(await exchangeBytes(listener.port, [bytes]));
  return { status, headers, type: headers.get("content-type"), text: new TextDecoder().decode(body) };
};
const statusesOf = (answers: string) => answers.match(/(?<=HTTP\/1\.1 )\d+/g)?.join(" ");
const json = "Content-Type: application/json";
const chunked = "Transfer-Encoding: chunked";

describe("paths", () => {
  for (const target of [
    ...["/x/../metrics", "/%2e/metrics", "/./metrics", "/.\\metrics", "/x\\%2e%2e\\metrics", "/x/%2e%2e/metrics"],
    ...["//metrics", "/metrics/", "/metrics/.", "/%6detrics", "/metrics;a", "/metrics%00", "/METRICS"],
    ...["/healthz/../readyz", "/RestService/./List", "/RestService/Check/../RegExp"],
  ])
    test(`${target} is no route`, async () => {
      const { status, type, text } = await send(get(target, close));
      assert.deepEqual([status, type, events.at(-1)?.route], [404, "application/problem+json", "*"], text);
    });

  for (const [target = "", isRead] of rowsOf(`
    /auth/robots.txt | yes
    /auth/robots.txt?a=/../b | yes
    /auth/robots.txt#/page | no
    /auth/page/../robots.txt | no
    /auth/page/%2e%2e/robots.txt | no
    /auth/page\\..\\robots.txt | no
    /auth/./robots.txt | no
    /auth/robots.txt/../page | no
    /auth//robots.txt | no
  `))
    test(`${target} is robots.txt, which every crawler may read: ${isRead}`, async () => {
      const bytes = get(target, "User-Agent: GPTBot", "X-Crawler-Policy: block=ai", close);
      assert.equal((await send(bytes)).status === 200, isRead === "yes");
    });

  for (const [target = "", text] of rowsOf(`
    /metrics | figures
    /metrics?x=/../y | figures
    http://localhost/metrics | figures
    http://localhost | front
  `))
    test(`${target} is one`, async () => assert.equal((await send(get(target, close))).text, text));
});

for (const host of ["a b", '"><script>', "[", "x:99999999"])
  test(`a Host that is no host's name is no failure: ${host}`, async () => {
    const { status, text } = await send(get("/openapi.json", close).replace("Host: localhost", `Host: ${host}`));
    assert.deepEqual([status, text.includes("<script>")], [200, false]);
  });

describe("a path is answered the same whatever Host is", () => {
  for (const [host, head] of [
    ...["a@b", "a b", "a/b", "[::1", ""].map((host) => [host, `HTTP/1.1\r\nHost: ${host}`] as const),
    ["none", "HTTP/1.0"] as const,
  ])
    test(host, async () => {
      for (const [target, expected] of [
        ["/auth/x", 200],
        ["/auth/x?/robots.txt", 200],
        ["/healthz", 200],
        ["/openapi.json", 200],
        ["/nowhere?x", 404],
        ["/x/../metrics", 404],
        ["/auth/../metrics", 200],
      ] as const) {
        const headers = "User-Agent: x\r\nX-Crawler-Policy: observe";
        const { status, text } = await send(`GET ${target} ${head}\r\n${headers}\r\n${close}\r\n\r\n`);
        assert.deepEqual([status, text.includes("http://null")], [expected, false], target);
      }
      const blocked = `User-Agent: GPTBot\r\nX-Crawler-Policy: block=ai\r\n${close}`;
      for (const target of ["/auth/robots.txt/../page", "/auth/page/../robots.txt"])
        assert.equal((await send(`GET ${target} ${head}\r\n${blocked}\r\n\r\n`)).status, 403, target);
    });
});

test("what the host makes for a header and no header can hold fails no other request", async () => {
  const broken = {
    path: "/broken",
    method: "GET",
    handler: () => ({ status: 200, headers: { x: "a\nb" }, body: "" }),
  } as const;
  const own = createService({ detector, requestId: () => "a\nb", routes: [broken] });
  const { port, close } = await listen({ service: own, host: "127.0.0.1", port: 0 });
  try {
    for (const [path, status] of [
      ["/healthz", 200],
      ["/broken", 500],
      ["/healthz", 200],
    ] as const) {
      const answer = await sendRequest(port, "GET", path, {}, undefined);
      assert.deepEqual([answer.status, answer.headers.has("x-request-id")], [status, true]);
    }
  } finally {
    await close(100);
  }
});

const body = '{"useragent":"x"}';
for (const [what, bytes, expected] of [
  ["two hosts", get("/healthz", "Host: other"), [400, "json", ""]],
  [
    "two types of a body",
    post("/RestService/Check", json, "Content-Type: text/plain", "Content-Length: 17", close) + body,
    [400, "json", "bad-header"],
  ],
  ["65,537 bytes to come", post("/RestService/Check", json, "Content-Length: 65537"), [413, "json", "65,536 bytes"]],
  ["2 MB to come", post("/RestService/Check/xml", json, "Content-Length: 2000000"), [413, "xml", "65,536 bytes"]],
  ["100 GB to come", post("/RestService/Check", json, "Content-Length: 99999999999"), [413, "json", "65,536 bytes"]],
] as const)
  test(`a head is refused by itself: ${what}`, async () => {
    const before = events.length;
    // A connection that waits for the body has no end that the client would wait for.
    const { status, type, text } = await send(bytes);
    assert.deepEqual([status, type], [expected[0], `application/problem+${expected[1]}`]);
    assert.ok(text.includes(expected[2]), text);
    assert.deepEqual([events.length - before, events.at(-1)?.status], [1, status]);
  });

for (const bytes of [
  "GARBAGE\r\n\r\n",
  "\0\0\0\0\r\n\r\n",
  Buffer.from(`\x16\x03\x01${"\0\xff".repeat(500)}\r\n\r\n`, "latin1"),
  "GET / HTTP/9.9\r\n\r\n",
  `${post("/RestService/Check", json, "Content-Length: 5", "Content-Length: 6")}{}`,
  `${post("/RestService/Check", json, chunked)}zz\r\n{}\r\n0\r\n\r\n`,
  post("/RestService/Check", json, "Content-Length: -1"),
  post("/RestService/Check", json, "Bad Header: x"),
  get("/", `X-Long: ${"x".repeat(100_000)}`),
])
  test(`${JSON.stringify(String(bytes).slice(0, 60))}… is not answered with success`, async () => {
    const answer = String(await exchangeBytes(listener.port, [bytes]).catch(() => ""));
    // A runtime may close the connection instead.
    assert.match(answer, /^(?:$|HTTP\/1\.1 (?:4|505))/);
    assert.equal(statusesOf(String(await exchangeBytes(listener.port, [get("/healthz", close)]))), "200");
  });

/** Writes without end until the connection closes; resolves to what was taken, in MiB, and what came back. */
async function pour(head: string): Promise<{ mebibytes: number; answer: string; isClosed: boolean }> {
  const connection = await begin(listener.port, head);
  const { socket } = connection;
  const piece = chunk("x".repeat(65_536));
  let written = 0;
  while (!socket.closed && written < 512) {
    if (socket.writableLength < 1_000_000 && socket.writable) {
      socket.write(piece);
      written += 1 / 16;
      await new Promise((resolve) => setImmediate(resolve));
    } else {
      // Not by turns of the event loop: those would keep a processor busy until the service closes the connection.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  const isClosed = socket.closed;
  socket.destroy();
  return { mebibytes: written, answer: connection.answer, isClosed };
}

describe("a body", () => {
  for (const [head, status] of [
    [get("/healthz", chunked), 413],
    [get("/RestService/List", chunked), 413],
    [post("/nowhere", chunked), 404],
    [post("/healthz", chunked), 405],
    [post("/auth", chunked), 204],
    [post("/RestService/Check", chunked), 415],
    [post("/RestService/Check", chunked, json), 413],
    [post("/RestService/Check", chunked, json, "Authorization: Bearer wrong"), 401],
    [post("/RestService/Check", chunked, json, "Accept: image/png"), 406],
    [post("/RestService/CheckMany", chunked, json), 413],
    [post("/RestService/CheckMany", chunked, "Content-Type: text/plain"), 413],
  ] as const)
    test(`without end ends the connection: ${head.split("\r\n")[0]} ${status}`, async () => {
      const { mebibytes, answer, isClosed } = await pour(head);
      // Nearly all of that is in the buffers of both systems.
      assert.ok(isClosed && mebibytes < 32, `${mebibytes} MiB were taken`);
      assert.equal(events.at(-1)?.status, status);
      assert.match(answer, new RegExp(`^(?:HTTP/1\\.1 ${status} |$)`));
    });

  test("in chunks is read whole", async () => {
    const pieces = [chunk('{"useragent":'), chunk('"x"}'), lastChunk];
    const sent = [post("/RestService/Check", json, chunked, close), ...pieces];
    const answer = parseAnswer(await exchangeBytes(listener.port, sent));
    assert.equal(Buffer.from(answer.body).toString(), '{"useragent":"x","crawler":false}');
  });

  test("that ends early harms nobody", async () => {
    const { socket, closed } = await begin(listener.port);
    socket.write(`${post("/RestService/Check", json, "Content-Length: 100")}{"usera`, () => {
      setTimeout(() => socket.destroy(), 50);
    });
    await closed();
    const answer = String(await exchangeBytes(listener.port, [get("/healthz", close)]));
    assert.equal(statusesOf(answer), "200");
    assert.ok(events.every(({ status }) => status < 500));
  });

  test("that is short is taken where it is not read, and the connection used again", async () => {
    const sent = [`${post("/nowhere", "Content-Length: 5")}12345`, get("/healthz", close)];
    assert.equal(statusesOf(String(await exchangeBytes(listener.port, sent))), "404 200");
  });
});

/** Asks and reads nothing. */
async function stall(head: string) {
  const { socket } = await begin(listener.port);
  socket.pause();
  socket.write(head);
  return socket;
}

test("a client that waits for its response is not idle", async () => {
  const slow = Promise.withResolvers<void>();
  const handler = () => slow.promise.then((): Answer => ({ status: 200, headers: {}, body: "slow" }));
  const own = createService({ detector, routes: [{ path: "/slow", method: "GET", handler }] });
  const { port, close } = await listen({
    service: own,
    host: "127.0.0.1",
    port: 0,
    keepAliveMs: 1000,
    requestTimeoutMs: 1000,
  });
  const waiting = await begin(port, get("/slow"));
  // Runtimes look for idle connections from time to time, and find one that is younger than the other a round later.
  for (let round = 0; round < 2; round++) {
    const idle = await begin(port, get("/healthz"));
    await idle.closed();
  }
  slow.resolve();
  await waiting.answered();
  assert.match(waiting.answer, /^HTTP\/1\.1 200 [\s\S]*slow$/);
  // Nor does the time of the response last for what follows it.
  await waiting.closed();
  await close();
});

describe("lists that clients do not read", () => {
  for (const coding of ["identity", "gzip"])
    test(`are made only as far as the systems keep them, and only so many at once (${coding})`, async () => {
      pagesRead = 0;
      listsEnded = 0;
      const list = get("/RestService/List/json?source=evaluated", `Accept-Encoding: ${coding}`);
      const before = events.length;
      using time = fakeTime();
      const sockets = await Promise.all(Array.from({ length: 40 }, () => stall(list)));
      await until(() => time.pass(0).then(() => events.length === before + 40), "not all are answered");
      const statuses = events.slice(before).map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, maxListsOfClient);
      assert.equal(statuses.filter((status) => status === 503).length, 40 - maxListsOfClient);
      const refused = await send(list.replace("HTTP/1.1", "HTTP/1.0"));
      assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
      assert.match(refused.text, /too-many-lists/);
      // After a while without a taker they end, and their places are free.
      await until(() => time.pass(100).then(() => listsEnded >= maxListsOfClient), "they do not end");
      if (coding === "identity") assert.ok(pagesRead < 100 * maxListsOfClient, `${pagesRead} pages were read`);
      const later = send(get("/RestService/List/json?source=evaluated&limit=1", close));
      assert.equal((await time.passUntil(later)).status, 200);
      for (const socket of sockets) socket.destroy();
    });

  test("leave their slots at once when clients have gone before their lists begin", async () => {
    const begun: (() => void)[] = [];
    let isHeld = true;
    const count = () => new Promise<number>((resolve) => (isHeld ? begun.push(() => resolve(1)) : resolve(1)));
    const service = createService({
      detector,
      record: { note() {}, list: () => manyRows(), count },
      stallMs: 3_600_000,
    });
    const own = await listen({ service, host: "127.0.0.1", port: 0 });
    const list = "/RestService/List/json?source=evaluated";
    for (let client = 0; client < maxListsOfClient; client++) {
      const { socket, closed } = await begin(own.port, get(list));
      await until(() => begun.length === 1, "it does not begin");
      socket.resetAndDestroy();
      await closed();
      // The service learns it before the list begins: it comes before this request.
      assert.equal((await sendRequest(own.port, "GET", "/healthz", {}, undefined)).status, 200);
      begun.pop()!();
    }
    isHeld = false;
    const isAnswered = async () =>
      (await sendRequest(own.port, "GET", `${list}&limit=1`, {}, undefined)).status === 200;
    await until(isAnswered, "the slots are kept");
    await own.close(100);
  });

  test("and one whose client goes away ends at once", async () => {
    listsEnded = 0;
    pagesRead = 0;
    // Not because it is not read for too long.
    using time = fakeTime();
    const socket = await stall(get("/RestService/List/xml?source=evaluated", "Accept-Encoding: gzip"));
    await until(() => time.pass(0).then(() => pagesRead > 0), "it does not begin");
    socket.destroy();
    await until(() => time.pass(0).then(() => listsEnded >= 1), "it does not end");
  });
});

test("a list whose record fails midway breaks off: what was written arrives, no end does, and the failure is reported", async () => {
  const folder = temporary();
  const record = new UserAgentRecord({ store: createSqliteStore(join(folder, "record.sqlite")), clock: Date.now });
  // 16 MB: more than the systems keep for a client that does not read.
  for (let row = 0; row < 8000; row++) {
    record.note({ useragent: `Bot/${row} ${"x".repeat(2000)}`, crawler: false });
    if (row % 1000 === 999) await record.flush();
  }
  const reported: string[] = [];
  let lastRead = "";
  async function* list(query: RecordQuery) {
    for await (const page of record.list(query)) {
      lastRead = page.at(-1)?.useragent ?? "";
      yield page;
    }
  }
  const service = createService({ detector, record: { note() {}, count: () => record.count(), list } });
  const onError = (what: string, error: unknown) => reported.push(`${what}: ${error}`);
  const own = await listen({ service, host: "127.0.0.1", port: 0, onError });
  try {
    const path = "/RestService/List/json?source=evaluated";
    const whole = await (await fetch(`http://127.0.0.1:${own.port}${path}`)).text();
    const connection = await begin(own.port);
    const { socket } = connection;
    socket.pause();
    socket.write(get(path, close));
    lastRead = "";
    for (let before = "none"; before !== lastRead || before === ""; ) {
      before = lastRead;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    renameSync(join(folder, "record.sqlite"), join(folder, "gone"));
    // The client has not read everything when the record fails.
    const readSlowly = () => {
      socket.pause();
      setTimeout(() => socket.resume(), reported.length === 0 ? 20 : 200);
    };
    socket.on("data", () => reported.length === 0 && readSlowly()).resume();
    const answer = await connection.closed();
    const received = answer.slice(answer.indexOf("\r\n\r\n") + 4).replace(/[\da-f]+\r\n([^\r]*)\r\n/g, "$1");
    assert.ok(whole.startsWith(received), "it is not the beginning of the list");
    // The rows of a piece that was not complete are missing. Searching for 2,000 times x would take seconds.
    const written = whole.indexOf(lastRead.slice(0, 20)) - 32_768;
    assert.ok(written > 0 && received.length > written, `${received.length} of ${written} characters arrived`);
    assert.ok(received.length < whole.length - 1_000_000, "it did not break off");
    const id = /x-request-id: (\S+)/i.exec(answer)?.[1];
    assert.deepEqual(reported, [`the response to request ${id} broke off: Problem: record-unavailable`]);
  } finally {
    await own.close(100);
    await record.close(100);
  }
});

test("whoever waits for a client is told that it has gone", async () => {
  const { socket } = await begin(listener.port, get("/follow"));
  await until(() => follows.length === 1 && socket.bytesRead > 0, "it does not begin");
  assert.equal(follows[0]?.aborted, false);
  socket.destroy();
  await until(() => follows[0]?.aborted, "it is not told");
});

test("HTTP/1.0 without a Host is served", async () => {
  const asked = ["GET /RestService/List?limit=1&q=bot HTTP/1.0\r\n\r\n"];
  // The first list works all verdicts out, and the server closes the connection.
  const answer = String(await exchangeBytes(listener.port, asked));
  assert.match(answer, /^HTTP\/1\.[01] 200 [\s\S]*"limit":1,"items":\[\{"useragent"/);
});

describe("several requests in one write are answered in order, where none needs waiting:", () => {
  const record = new UserAgentRecord({ store: createSqliteStore(join(temporary(), "record.sqlite")), clock: Date.now });
  const ports: Record<string, number> = {};
  const opened: Listener[] = [];
  before(async () => {
    await record.flush();
    for (const [name, options] of Object.entries({ "without a record": {}, "with a record": { record } })) {
      const service = createService({ detector, ...options });
      await service.prepare();
      const listener = await listen({ service, host: "127.0.0.1", port: 0 });
      opened.push(listener);
      ports[name] = listener.port;
    }
  });
  after(async () => {
    for (const { close } of opened) await close(100);
    await record.close();
  });

  const ask = (useragent: string) => {
    const body = JSON.stringify({ useragent });
    return `${post("/RestService/Check", json, `Content-Length: ${body.length}`)}${body}`;
  };
  const total = get("/RestService/List?limit=0&source=catalogue");
  const first = "/RestService/List?limit=1";
  const isBun = "Bun" in globalThis;
  for (const [what, where, requests, statuses, content] of [
    ["the first list", "without a record", get(first), "200 200", '"limit":1,"items":[{"user'],
    ["a list in gzip", "without a record", get(first, "Accept-Encoding: gzip"), "200 200", "gzip"],
    ["the expression", "without a record", get("/RestService/RegExp"), "200 200", detector.expression],
    ["the catalogue's total", "with a record", total, "200 200", '"items":[]'],
    ["Checks", "with a record", ask("One-bot/1") + ask("Two-bot/1"), "200 200 200", "Two-bot"],
    // Bun closes a connection as soon as a request arrives while another one waits (oven-sh/bun#38128). SECURITY.md says so.
    ["a list", "with a record", get(first), isBun ? undefined : "200 200", ""],
  ] as const)
    test(`${what} ${where}`, async () => {
      // No time passes: on a busy machine, the second Check would come after the first one's slice of work, and wait.
      using _ = what === "Checks" ? fakeTime() : undefined;
      const answers = String(await exchangeBytes(ports[where] as number, [requests + get("/healthz", close)]));
      assert.equal(statusesOf(answers), statuses);
      assert.ok(answers.includes(content), answers.slice(0, 500));
    });
});
