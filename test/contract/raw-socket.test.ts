/**
 * What only a socket can say: chunked, endless, cut and malformed requests, several on one connection, old HTTP.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { connect } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { detector } from "../../src/detect/built-in/detector.ts";
import { type Listener, listen } from "../../src/server/listen/listen.ts";
import { createService } from "../../src/service.ts";
import { exchangeBytes, parseAnswer, sendRequest } from "./socket-client.ts";

let listener: Listener;
before(async () => {
  const service = createService({ detector });
  // No connection ends because it is late: each ends as soon as its answer is sent.
  listener = await listen({ service, host: "127.0.0.1", port: 0, requestTimeoutMs: 3_600_000 });
});
after(() => listener.close(100));

const head = (path: string, ...lines: readonly string[]) =>
  [`POST ${path} HTTP/1.1`, "Host: localhost", "Content-Type: application/json", ...lines, "", ""].join("\r\n");
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const mebibyte = "x".repeat(1024 * 1024);

describe("over a socket", () => {
  // Whatever one client does, the next one is answered.
  afterEach(async () => {
    const { status } = await sendRequest(listener.port, "GET", "/healthz", {}, undefined);
    assert.equal(status, 200);
  });

  test("a chunked body is read whole", async () => {
    const sent = [
      head("/RestService/Check", "Transfer-Encoding: chunked", "Connection: close"),
      chunk('{"useragent":'),
      chunk('"x"}'),
      chunk(""),
    ];
    const { status, body } = parseAnswer(await exchangeBytes(listener.port, sent));
    assert.equal(status, 200);
    assert.equal(Buffer.from(body).toString(), '{"useragent":"x","crawler":false}');
  });

  test("an endless chunked body is refused while it is sent", async () => {
    let sentMebibytes = 0;
    function* endless() {
      yield head("/RestService/Check/xml", "Transfer-Encoding: chunked");
      for (; sentMebibytes < 256; sentMebibytes++) yield chunk(mebibyte);
    }
    const { status, headers } = parseAnswer(await exchangeBytes(listener.port, endless()));
    assert.equal(status, 413);
    assert.equal(headers.get("content-type"), "application/problem+xml");
    // What the systems at both ends hold in their buffers is sent all the same.
    assert.ok(sentMebibytes < 64, `${sentMebibytes} MiB were taken`);
  });

  for (const length of ["65537", "1000000", "99999999999"]) {
    test(`a body that is announced with ${length} bytes is refused before it comes`, async () => {
      const sent = [head("/RestService/Check", `Content-Length: ${length}`)];
      // A connection that waits for the body has no end that the client would wait for.
      const answer = await exchangeBytes(listener.port, sent, 3_600_000);
      assert.equal(parseAnswer(answer).status, 413);
    });
  }

  test("a body that ends early harms nobody", async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(listener.port, "127.0.0.1", () => {
        socket.write(`${head("/RestService/Check", "Content-Length: 100")}{"usera`, () =>
          setTimeout(() => socket.destroy(), 50),
        );
      });
      socket.on("close", () => resolve());
    });
  });

  for (const bytes of [
    "GARBAGE\r\n\r\n",
    "\0\0\0\0\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    `${head("/RestService/Check", "Content-Length: 5", "Content-Length: 6")}{}`,
    `${head("/RestService/Check", "Transfer-Encoding: chunked")}zz\r\n{}\r\n0\r\n\r\n`,
    head("/RestService/Check", "Content-Length: -1"),
    head("/RestService/Check", "Bad Header: x"),
    `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"x".repeat(100_000)}\r\n\r\n`,
  ]) {
    test(`${JSON.stringify(bytes.slice(0, 60))}… is not answered with success`, async () => {
      const answer = String(await exchangeBytes(listener.port, [bytes], 1_000).catch(() => ""));
      assert.doesNotMatch(answer, /^HTTP\/1\.1 (?:[23]|500)/);
    });
  }

  test("requests in a row on one connection are answered in order", async () => {
    const ask = (useragent: string, ...lines: string[]) => {
      const body = JSON.stringify({ useragent });
      return `${head("/RestService/Check/json", `Content-Length: ${body.length}`, ...lines)}${body}`;
    };
    const answers = String(
      await exchangeBytes(listener.port, [ask("one") + ask("two"), ask("three", "Connection: close")]),
    );
    assert.deepEqual(answers.match(/(?<="useragent":")\w+/g), ["one", "two", "three"]);
  });

  test("HTTP/1.0 without a Host is served", async () => {
    const asked = ["GET /RestService/List?limit=1&q=bot HTTP/1.0\r\n\r\n"];
    // The first list works all verdicts out, and the server closes the connection.
    const answer = String(await exchangeBytes(listener.port, asked, 30_000));
    assert.match(answer, /^HTTP\/1\.[01] 200 /);
    assert.match(answer, /"limit":1,"items":\[\{"useragent"/);
  });
});

test("a connection is used again after a body whose answer began first, however late", async () => {
  const requestTimeoutMs = 200;
  const quick = await listen({ service: createService({ detector }), host: "127.0.0.1", port: 0, requestTimeoutMs });
  const lines = "GPTBot\n".repeat(20_000);
  const socket = connect(quick.port, "127.0.0.1");
  let answer = "";
  socket.on("data", (bytes) => (answer += bytes)).on("close", () => (answer += "the connection was closed"));
  const until = async (part: string) => {
    while (!answer.includes(part)) {
      assert.doesNotMatch(answer, /was closed/);
      await sleep(10);
    }
  };
  const type = ["Content-Type: text/plain", "Accept: application/x-ndjson", "Transfer-Encoding: chunked"];
  try {
    socket.write(["POST /RestService/CheckMany HTTP/1.1", "Host: localhost", ...type, "", chunk(lines)].join("\r\n"));
    await until("GPTBot");
    socket.write(chunk("last\n") + chunk(""));
    await until("\r\n0\r\n\r\n");
    await sleep(3 * requestTimeoutMs);
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    await until('"status":"ok"');
  } finally {
    socket.destroy();
    await quick.close(100);
  }
});
