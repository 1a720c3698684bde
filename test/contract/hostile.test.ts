/**
 * What a hostile client sends over a socket, against a service in this process: paths that are not what they seem, bodies
 * that no handler reads, heads that mean two things, several requests in one write, lists that clients do not read.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Answer } from "../../src/http/context.ts";
import { createRecord } from "../../src/record/record.ts";
import { createSqliteStore } from "../../src/record/sqlite-store.ts";
import type { RecordedString } from "../../src/record/store.ts";
import { type Listener, listen } from "../../src/server/listen/listen.ts";
import type { RequestEvent } from "../../src/service/options.ts";
import { createService } from "../../src/service.ts";
import { temporaryFolder } from "../record/temporary.ts";
import { until } from "../support/until.ts";
import { exchangeBytes, parseAnswer } from "./socket-client.ts";

const events: RequestEvent[] = [];
/** Compresses to no less than two thirds. */
const longString = () => randomBytes(480).toString("base64url");
let pagesRead = 0;
let listsEnded = 0;

/** Twenty megabytes of recorded strings, made as they are asked for. */
async function* manyRows(): AsyncGenerator<readonly RecordedString[]> {
  try {
    for (let page = 0; page < 100; page++) {
      pagesRead++;
      yield Array.from({ length: 100 }, (_, row) => ({
        useragent: `Bot/${page}.${row} ${longString()}`,
        crawler: true,
        count: 1,
        firstSeen: 0,
        lastSeen: 0,
      }));
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

const maxLists = 4;
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
  listener = await listen({ service, host: "127.0.0.1", port: 0, requestTimeoutMs: 5000 });
});
after(() => listener.close(100));

const get = (target: string, ...lines: readonly string[]) =>
  [`GET ${target} HTTP/1.1`, "Host: localhost", ...lines, "", ""].join("\r\n");
const send = async (bytes: string) => parseAnswer(await exchangeBytes(listener.port, [bytes], 5000));
const text = (body: Uint8Array) => new TextDecoder().decode(body);

describe("paths", () => {
  for (const target of [
    "/x/../metrics",
    "/%2e/metrics",
    "/./metrics",
    "/.\\metrics",
    "/x\\%2e%2e\\metrics",
    "/x/%2e%2e/metrics",
    "//metrics",
    "/metrics/",
    "/metrics/.",
    "/%6detrics",
    "/metrics;a",
    "/metrics%00",
    "/METRICS",
    "/healthz/../readyz",
    "/RestService/./List",
    "/RestService/Check/../RegExp",
  ]) {
    test(`${target} is no route`, async () => {
      const { status, headers, body } = await send(get(target, "Connection: close"));
      assert.equal(status, 404, text(body));
      assert.equal(headers.get("content-type"), "application/problem+json");
      assert.equal(events.at(-1)?.route, "*");
    });
  }

  for (const [target, isLetThrough] of [
    ["/auth/robots.txt", true],
    ["/auth/robots.txt?a=/../b", true],
    ["/auth/robots.txt#/page", false],
    ["/auth/page/../robots.txt", false],
    ["/auth/page/%2e%2e/robots.txt", false],
    ["/auth/page\\..\\robots.txt", false],
    ["/auth/./robots.txt", false],
    ["/auth/robots.txt/../page", false],
    ["/auth//robots.txt", false],
  ] as const) {
    test(`${target} ${isLetThrough ? "is" : "is not"} robots.txt, which every crawler may read`, async () => {
      const bytes = get(target, "User-Agent: GPTBot", "X-Crawler-Policy: block=ai", "Connection: close");
      assert.equal((await send(bytes)).status === 200, isLetThrough);
    });
  }

  for (const target of ["/metrics", "/metrics?x=/../y", "http://localhost/metrics"]) {
    test(`${target} is one`, async () => {
      assert.equal(text((await send(get(target, "Connection: close"))).body), "figures");
    });
  }
});

test("a whole address without a path is the front page's", async () => {
  assert.equal(text((await send(get("http://localhost", "Connection: close"))).body), "front");
});

for (const host of ["a b", '"><script>', "[", "x:99999999"]) {
  test(`a Host that is no host's name is no failure: ${host}`, async () => {
    const head = get("/openapi.json", "Connection: close").replace("Host: localhost", `Host: ${host}`);
    const { status, body } = await send(head);
    assert.equal(status, 200);
    assert.ok(!text(body).includes("<script>"));
  });
}

describe("heads that mean two things are refused", () => {
  test("two hosts", async () => {
    const { status, headers } = await send(get("/healthz", "Host: other"));
    assert.equal(status, 400);
    assert.equal(headers.get("content-type"), "application/problem+json");
  });

  test("two types of content", async () => {
    const head = ["POST /RestService/Check HTTP/1.1", "Host: a", "Content-Type: application/json"];
    const twice = [...head, "Content-Type: text/plain", "Content-Length: 17", "Connection: close", "", ""].join("\r\n");
    const { status, body } = await send(`${twice}{"useragent":"x"}`);
    assert.equal(status, 400);
    assert.match(text(body), /bad-header/);
  });
});

/** Writes without end until the connection closes; resolves to what was taken, in MiB, and what came back. */
async function pour(head: string): Promise<{ mebibytes: number; answer: string; isClosed: boolean }> {
  const socket = connect(listener.port, "127.0.0.1");
  let answer = "";
  let isClosed = false;
  socket.on("data", (chunk) => {
    answer += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
  });
  socket.write(head);
  const chunk = Buffer.from(`10000\r\n${"x".repeat(65_536)}\r\n`);
  let written = 0;
  for (const deadline = Date.now() + 5000; !isClosed && written < 512 && Date.now() < deadline; ) {
    if (socket.writableLength < 1_000_000 && socket.writable) {
      socket.write(chunk);
      written += 1 / 16;
      await new Promise((resolve) => setImmediate(resolve));
    } else {
      // Not by turns of the event loop: those would keep a processor busy until the service closes the connection.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  socket.destroy();
  return { mebibytes: written, answer, isClosed };
}

describe("a body without end ends the connection, where it is not read:", () => {
  const post = (path: string, ...lines: readonly string[]) =>
    [`POST ${path} HTTP/1.1`, "Host: localhost", "Transfer-Encoding: chunked", ...lines, "", ""].join("\r\n");
  const json = "Content-Type: application/json";
  for (const [head, status] of [
    [get("/healthz", "Transfer-Encoding: chunked"), 413],
    [get("/RestService/List", "Transfer-Encoding: chunked"), 413],
    [post("/nowhere"), 404],
    [post("/healthz"), 405],
    [post("/auth"), 204],
    [post("/RestService/Check"), 415],
    [post("/RestService/Check", json, "Authorization: Bearer wrong"), 401],
    [post("/RestService/Check", json, "Accept: image/png"), 406],
  ] as const) {
    test(`${head.split("\r\n")[0]} ${status}`, async () => {
      const { mebibytes, answer, isClosed } = await pour(head);
      assert.ok(isClosed, `${mebibytes} MiB were taken`);
      // Nearly all of that is in the buffers of both systems.
      assert.ok(mebibytes < 32, `${mebibytes} MiB were taken`);
      assert.equal(events.at(-1)?.status, status);
      assert.match(answer, new RegExp(`^(?:HTTP/1\\.1 ${status} |$)`));
    });
  }

  test("one that is announced with more than a mebibyte is refused as any other", async () => {
    const before = events.length;
    const head = ["POST /RestService/Check/xml HTTP/1.1", "Host: a", json, "Content-Length: 2000000", "", ""];
    const { status, headers, body } = await send(head.join("\r\n"));
    assert.equal(status, 413);
    assert.equal(headers.get("content-type"), "application/problem+xml");
    assert.match(text(body), /65,536 bytes/);
    assert.deepEqual([events.length - before, events.at(-1)?.status], [1, 413]);
  });

  test("a short one is taken, and the connection used again", async () => {
    const head = ["POST /nowhere HTTP/1.1", "Host: a", "Content-Length: 5", "", "12345"].join("\r\n");
    const answers = String(await exchangeBytes(listener.port, [head, get("/healthz", "Connection: close")]));
    assert.deepEqual(answers.match(/(?<=HTTP\/1\.1 )\d+/g), ["404", "200"]);
  });
});

/** Asks and reads nothing. */
async function stall(head: string): Promise<Socket> {
  const socket = connect(listener.port, "127.0.0.1");
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  socket.pause();
  socket.write(head);
  return socket;
}

describe("lists that clients do not read", () => {
  for (const coding of ["identity", "gzip"]) {
    test(`are made only as far as the systems keep them, and only so many at once (${coding})`, async () => {
      pagesRead = 0;
      listsEnded = 0;
      const list = get("/RestService/List/json?source=evaluated", `Accept-Encoding: ${coding}`);
      const before = events.length;
      const sockets = await Promise.all(Array.from({ length: 40 }, () => stall(list)));
      await until(() => events.length === before + 40, "not all are answered");
      const statuses = events.slice(before).map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, maxLists);
      assert.equal(statuses.filter((status) => status === 503).length, 40 - maxLists);
      const refused = await send(list.replace("HTTP/1.1", "HTTP/1.0"));
      assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
      assert.match(text(refused.body), /too-many-lists/);
      // After a while without a taker they end, and their places are free.
      await until(() => listsEnded >= maxLists, "they do not end");
      if (coding === "identity") assert.ok(pagesRead < 100 * maxLists, `${pagesRead} pages were read`);
      const { status } = await send(get("/RestService/List/json?source=evaluated&limit=1", "Connection: close"));
      assert.equal(status, 200);
      for (const socket of sockets) socket.destroy();
    });
  }

  test("and one whose client goes away ends at once", async () => {
    listsEnded = 0;
    pagesRead = 0;
    const socket = await stall(get("/RestService/List/xml?source=evaluated", "Accept-Encoding: gzip"));
    await until(() => pagesRead > 0, "it does not begin");
    socket.destroy();
    await until(() => listsEnded >= 1, "it does not end");
  });
});

test("whoever waits for a client is told that it has gone", async () => {
  const socket = await stall(get("/follow"));
  socket.resume();
  await until(() => follows.length === 1 && socket.bytesRead > 0, "it does not begin");
  assert.equal(follows[0]?.aborted, false);
  socket.destroy();
  await until(() => follows[0]?.aborted, "it is not told");
});

describe("two requests in one write are both answered, where the first needs no waiting:", () => {
  const folder = temporaryFolder();
  const record = createRecord({ store: createSqliteStore(join(folder, "record.sqlite")), clock: Date.now });
  let recording: Listener;
  before(async () => {
    const service = createService({ detector, record });
    recording = await listen({ service, host: "127.0.0.1", port: 0 });
    await record.flush();
    // The list is made with its first request, which waits for it.
    await service.fetch(new Request("http://127.0.0.1/RestService/List?limit=0&source=catalogue"));
  });
  after(async () => {
    await recording.close(100);
    await record.close();
    rmSync(folder, { recursive: true });
  });

  const body = '{"useragent":"Twice-bot/1"}';
  const json = ["Content-Type: application/json", `Content-Length: ${body.length}`];
  for (const [what, first, answer] of [
    ["the catalogue's total", get("/RestService/List?limit=0&source=catalogue"), /"items":\[\]/],
    ["Check", get("/RestService/Check", ...json).replace("GET", "POST") + body, /Twice-bot/],
  ] as const) {
    test(what, async () => {
      const answers = String(await exchangeBytes(recording.port, [first + get("/healthz", "Connection: close")]));
      assert.deepEqual(answers.match(/(?<=HTTP\/1\.1 )\d+/g), ["200", "200"]);
      assert.match(answers, answer);
    });
  }
});
