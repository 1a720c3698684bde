/** What bodies may hold and how long they may take, over real sockets: limits of arrays, memory for bodies, deadlines, turns. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import type { IncomingRequest } from "../../src/http/context.ts";
import { Problem } from "../../src/http/problems.ts";
import { createHeldBodies } from "../../src/http/slots.ts";
import { type Listener, listen } from "../../src/server/listen/listen.ts";
import { createService } from "../../src/service.ts";
import { parseAnswer } from "../contract/socket-client.ts";
import { fakeTime } from "../support/fake-time.ts";
import { until } from "../support/until.ts";
import { get, post } from "./ask.ts";

const path = "/RestService/CheckMany";
const json = "application/json";
const ndjson = "application/x-ndjson";
const gzip = { "content-encoding": "gzip" };
const requestTimeoutMs = 600;

const told: string[] = [];
const addressOf = ({ headers }: Pick<IncomingRequest, "headers">) => headers.get("x-client") ?? undefined;
const service = createService({
  detector,
  guards: { addressOf },
  onVerdict: ({ useragent }) => void told.push(useragent),
  stallMs: requestTimeoutMs,
});
let listener: Listener;
/** One that waits longer than a test takes. */
let patient: Listener;
before(async () => {
  listener = await listen({ service, host: "127.0.0.1", port: 0, requestTimeoutMs });
  patient = await listen({ service, host: "127.0.0.1", port: 0 });
});
after(() => Promise.all([listener.close(100), patient.close(100)]));

type Headers = Readonly<Record<string, string>>;

/** A connection that has sent the head of a request, chunked if no length is given; what comes back is in `answer`. */
async function begin(
  type: string,
  headers: Headers = {},
  { port } = listener,
  to = path,
): Promise<Socket & { answer: string }> {
  const socket = Object.assign(connect(port, "127.0.0.1"), { answer: "" });
  await once(socket, "connect");
  socket
    .on("error", () => {})
    .on("data", (piece: Buffer) => {
      socket.answer += piece.toString("latin1");
    });
  const length = "content-length" in headers ? {} : { "transfer-encoding": "chunked" };
  const lines = Object.entries({ "content-type": type, ...length, ...headers });
  socket.write(
    `POST ${to} HTTP/1.1\r\nhost: a\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
  );
  return socket;
}

const chunk = (data: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(data as string);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
};
const lastChunk = "0\r\n\r\n";
const statusOf = ({ answer }: { answer: string }): string => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? "";
const isClosed = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once("close", resolve));

describe("an array of CheckMany is limited", () => {
  const fill = (count: number, item: string) => `[${Array(count).fill(item).join()}]`;
  const nested = (depth: number) => `{"useragent":"bot","a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  const mostBytes = 256 * 1024;
  const inString = JSON.stringify('[{"\\\\"'.repeat(100));
  for (const [what, body, status, detail] of [
    ["256 KiB", `["bot"]${" ".repeat(mostBytes - 7)}`, 200],
    ["a byte more", `["bot"]${" ".repeat(mostBytes - 6)}`, 413, /262,144 bytes/],
    ["one long item", `["${"x".repeat(mostBytes - 4)}"]`, 200],
    ["10,000 items", fill(10_000, '"bot"'), 200],
    ["10,001 items", fill(10_001, '"bot"'), 413, /10,000 items/],
    ["20,000 values and names", `[{"useragent":"bot","a":${fill(19_995, "1")}}]`, 200],
    ["20,001 values and names", `[{"useragent":"bot","a":${fill(19_996, "1")}}]`, 413, /20,000 values/],
    ["too many brackets alone", "[".repeat(15_900_000), 413, /262,144 bytes/],
    ["members alone", `[${'{"a":'.repeat(40_000)}`, 413, /nested at most 64 deep/],
    ["items nested 64 deep", fill(3, nested(63)), 200],
    ["items nested 65 deep", fill(3, nested(64)), 413, /nested at most 64 deep/],
    ["strings of brackets, quotation marks and backslashes", fill(3, inString), 200],
  ] as const) {
    it(`${what}: ${status}`, async () => {
      for (const [bytes, headers] of [
        [gzipSync(body, { level: 1 }), gzip],
        [Buffer.from(body), {}],
      ] as const) {
        const response = await post(service, path, bytes, headers as Record<string, string>);
        assert.equal(response.status, status);
        const answered = (await response.json()) as { type: string; detail: string } | unknown[];
        if (Array.isArray(answered)) assert.deepEqual(answered, (JSON.parse(body) as []).map(toVerdict));
        else {
          assert.equal(answered.type, "/docs#too-large");
          assert.match(answered.detail, detail as RegExp);
          assert.match(answered.detail, /Send smaller arrays, or lines \(application\/x-ndjson\)/);
        }
      }
    });
  }

  /** Many items are alike, and long. */
  const verdicts = new Map<string, Verdict>();
  const toVerdict = (item: string | { useragent: string }): Verdict => {
    const useragent = typeof item === "string" ? item : item.useragent;
    const verdict = verdicts.get(useragent) ?? detector.check(useragent);
    verdicts.set(useragent, verdict);
    return verdict;
  };

  it("is refused before the rest of it comes", async () => {
    const socket = await begin(json);
    socket.write(chunk(" ".repeat(mostBytes + 1)));
    await until(() => statusOf(socket) === "413", "it is not refused");
    assert.match(socket.answer, /\r\nconnection: close\r\n/i);
    socket.destroy();
  });

  it("with a wrong item is read to its end, so that the client reads why", async () => {
    const body = JSON.stringify([1, ...Array(600).fill("x".repeat(400))]);
    const response = await post(service, path, body);
    assert.equal(response.status, 422);
    assert.equal(response.headers.get("connection"), null);
    assert.match(((await response.json()) as { detail: string }).detail, /^Item 0 /);
  });

  it("ends no process that leaves compressed ones in the middle", async () => {
    const body = gzipSync(`[${" ".repeat(5_000_000)}]`);
    const answers = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const socket = await begin(json, { ...gzip, "x-client": "192.0.2.9" }, patient);
        socket.write(Buffer.concat([chunk(body), Buffer.from(lastChunk)]));
        await until(() => statusOf(socket) !== "", "it is not answered");
        socket.destroy();
        return statusOf(socket);
      }),
    );
    assert.deepEqual(
      answers.filter((status) => status !== "413" && status !== "503"),
      [],
    );
  });
});

describe("memory for unfinished bodies", () => {
  const request = (client: string) => ({ headers: new Headers({ "x-client": client }) }) as unknown as IncomingRequest;
  const holdOf = (mostBytes: number) =>
    createHeldBodies({ askerOf: (asked) => ({ client: addressOf(asked) as string }), stallMs: 1000, mostBytes });
  const isRefused = (error: unknown) =>
    error instanceof Problem && error.problem === "too-many-bodies" && error.headers["retry-after"] === "1";

  it("has a limit for all, and half of it for a client, however it grows", () => {
    const hold = holdOf(100);
    const first = hold(request("192.0.2.1"), 30);
    assert.throws(() => first.count(51), isRefused);
    first.count(50);
    assert.throws(() => hold(request("::ffff:192.0.2.1"), 1), isRefused);
    const second = hold(request("2001:db8:1:2::1"), 25);
    const third = hold(request("2001:db8:1:2:ffff::9"), 25);
    assert.throws(() => hold(request("192.0.2.3"), 1), isRefused);
    assert.throws(() => third.count(26), isRefused);
    second.release();
    second.release();
    second.count(100);
    third.count(50);
    assert.throws(() => hold(request("192.0.2.3"), 1), isRefused);
    first.count(30);
    hold(request("192.0.2.3"), 20).release();
    third.release();
    first.release();
    for (const client of ["192.0.2.1", "2001:db8:1:2::5"]) hold(request(client), 50);
    assert.throws(() => hold(request("192.0.2.4"), 1), isRefused);
  });

  /** Under Bun each counts as 2 MiB, under Node as 256 KiB. */
  const mostOfClient = "Bun" in globalThis ? 8 : 64;

  it(`is taken by ${mostOfClient} bodies of a client, and by twice as many in all, until they end`, async () => {
    for (const type of [json, ndjson, "text/plain"]) {
      const opened: (Socket & { answer: string })[] = [];
      const open = async (client: string) => {
        const socket = await begin(type, { "x-client": client }, patient);
        // A line that is answered, so that a body of lines that is read has an answer.
        socket.write(chunk(type === json ? "[" : '"bot"\n'));
        opened.push(socket);
        return socket;
      };
      const refused = () => opened.filter((socket) => statusOf(socket) === "503");
      const areRefused = (count: number) =>
        until(
          () => refused().length === count,
          () => `${type}: ${opened.map(statusOf)}`,
        );
      for (let count = 0; count <= mostOfClient; count++) await open("192.0.2.1");
      await areRefused(1);
      for (let count = 0; count < mostOfClient; count++) await open(`2001:db8:1:2::${count.toString(16)}`);
      await open("192.0.2.3");
      await areRefused(2);
      for (const { answer } of refused()) assert.match(answer, /\r\nretry-after: 1\r\n.*too-many-bodies/is);
      // Short ones of a known length, and Checks, need no more than that.
      const check = await fetch(`${listener.url}/RestService/Check`, {
        method: "POST",
        headers: { "content-type": json, "x-client": "192.0.2.3" },
        body: '{"useragent":"bot"}',
      });
      assert.equal(check.status, 200);
      for (const socket of opened) socket.destroy();
      await until(async () => {
        const again = await open("192.0.2.1");
        again.write(chunk(type === json ? '"bot"]' : '"bot"\n') + lastChunk);
        await until(() => statusOf(again) !== "", "no answer");
        again.destroy();
        return statusOf(again) === "200";
      }, "they are held for ever");
    }
  });

  it("counts what a compressed array becomes while it comes", async () => {
    const piece = gzipSync(`[${" ".repeat(250_000)}`);
    const headers = { ...gzip, "x-client": "192.0.2.5", "content-length": "2000" };
    const opened = await Promise.all(Array.from({ length: 70 }, () => begin(json, headers, patient)));
    for (const socket of opened) socket.write(piece);
    await until(() => opened.some((socket) => statusOf(socket) === "503"), "none is refused");
    for (const socket of opened) socket.destroy();
    await Promise.all(opened.map(isClosed));
  });

  it("counts a longer Check while it comes, until it ends or is late", async () => {
    const beginMany = (count: number, at: Listener) =>
      Promise.all(
        Array.from({ length: count }, () => begin(json, { "x-client": "192.0.2.1" }, at, "/RestService/Check")),
      );
    const late = await beginMany(50, listener);
    await until(() => late.every((socket) => statusOf(socket) === "408"), "not ended");
    const opened = await beginMany(300, patient);
    const refused = () => opened.filter((socket) => statusOf(socket) === "503");
    await until(() => refused().length === 300 - 256, "not counted");
    for (const socket of opened)
      if (statusOf(socket) === "") socket.write(Buffer.concat([chunk('{"useragent":"bot"}'), Buffer.from(lastChunk)]));
    await until(() => opened.every((socket) => statusOf(socket) !== ""), "not answered");
    assert.equal(refused().length, 300 - 256);
    for (const socket of opened) socket.destroy();
    const body = JSON.stringify({ useragent: "x".repeat(60_000) });
    const headers = { "content-type": json, "x-client": "192.0.2.1" };
    const { status } = await fetch(`${listener.url}/RestService/Check`, { method: "POST", headers, body });
    assert.equal(status, 200);
  });

  it("is held by an answer that the client does not read, but not for ever", async () => {
    const body = JSON.stringify(Array(10_000).fill("ä".repeat(11)));
    const ask = () => post(service, path, body, { "x-client": "192.0.2.8" });
    // However long a busy machine takes for the six, the first is not late.
    const time = fakeTime();
    try {
      const answers = await Promise.all(Array.from({ length: 6 }, ask));
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 200, 200, 503]);
      await time.pass(requestTimeoutMs - 1);
      assert.equal((await ask()).status, 503);
      await time.pass(1);
      assert.equal((await ask()).status, 200);
      const unread = answers.find(({ status }) => status === 200);
      await assert.rejects(unread?.text() as Promise<string>);
    } finally {
      time.restore();
    }
  });

  it("is free, and every verdict is told, when a client leaves in the middle of its answer", async () => {
    told.length = 0;
    const lines = gzipSync("leaving bot\n".repeat(100_000));
    for (let left = 0; left <= mostOfClient; left++) {
      const socket = await begin("text/plain", { ...gzip, accept: ndjson, "x-client": "192.0.2.7" }, patient);
      socket.write(Buffer.concat([chunk(lines), Buffer.from(lastChunk)]));
      await until(() => statusOf(socket) !== "", "it is not answered");
      assert.equal(statusOf(socket), "200", `after ${left}`);
      socket.destroy();
      await sleep(10);
    }
    await until(() => told.length >= mostOfClient, "nothing is told");
  });
});

describe("bodies that do not come", () => {
  /** Sends bytes one by one, until the connection is closed. */
  async function trickle(socket: Socket, bytes: Uint8Array): Promise<void> {
    const end = isClosed(socket);
    for (let at = 0; !socket.closed; at++) {
      socket.write(chunk(Buffer.of(bytes[at % bytes.length]!)));
      await Promise.race([sleep(40), end]);
    }
  }

  const noise = gzipSync(Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919) % 251)));
  it("408, compressed or not", async () => {
    const cases = [
      [json, {}, path, `["${"x".repeat(3000)}`],
      [json, gzip, path, noise],
      [ndjson, gzip, path, noise],
      ["text/plain", gzip, path, gzipSync("x".repeat(100_000))],
      [json, {}, "/RestService/Check", "{"],
    ] as const;
    await Promise.all(
      cases.map(async ([type, headers, to, bytes]) => {
        const start = performance.now();
        const socket = await begin(type, headers, listener, to);
        await trickle(socket, Buffer.from(bytes as string));
        assert.equal(statusOf(socket), "408", socket.answer);
        assert.match(socket.answer, /too-slow/);
        assert.ok(performance.now() - start > requestTimeoutMs / 2);
      }),
    );
  });

  it("a line: the last line of the answer says why; digits break off", async () => {
    const lines = await begin(ndjson);
    lines.write(chunk('"bot"\n"unfini'));
    const digits = await begin("text/plain");
    digits.write(chunk("bot\nunfini"));
    await Promise.all([isClosed(digits), until(() => lines.answer.includes(lastChunk), "it does not end")]);
    const [verdict, problem, ...rest] = Buffer.from(parseAnswer(Buffer.from(lines.answer, "latin1")).body)
      .toString()
      .split("\n");
    assert.equal((JSON.parse(verdict as string) as { useragent: string }).useragent, "bot");
    assert.equal((JSON.parse(problem as string) as { type: string }).type, "/docs#too-slow");
    assert.deepEqual(rest, [""]);
    assert.match(digits.answer, /\r\n1\n\r\n$/);
    lines.destroy();
  });

  it("but pauses between lines, and lines that come in pieces, are no reason", async () => {
    const send = async (type: string) => {
      const socket = await begin(type);
      socket.write(chunk('"b'));
      for (let sent = 0; sent < 3; sent++) {
        await sleep(requestTimeoutMs / 2);
        socket.write(chunk('ot"\n"b'));
      }
      socket.write(chunk('ot"\n'));
      await sleep(1.5 * requestTimeoutMs);
      socket.write(chunk('"bot"\n') + lastChunk);
      await until(
        () => socket.answer.endsWith(lastChunk),
        () => socket.answer,
      );
      const { body } = parseAnswer(Buffer.from(socket.answer, "latin1"));
      assert.equal(Buffer.from(body).toString().trimEnd().split("\n").length, 5);
      socket.destroy();
    };
    await Promise.all([send(ndjson), send("text/plain")]);
  });
});

describe("others are answered while an array", () => {
  /** Each decision takes more than a slice of work. */
  const slow = createService({
    detector: {
      ...detector,
      check(useragent) {
        for (const end = performance.now() + 11; performance.now() < end; );
        return detector.check(useragent);
      },
    },
  });
  for (const [what, asked, own, items] of [
    ["of 10,000 is read and answered", 3, service, Array.from({ length: 10_000 }, (_, at) => `${at} ${"ä".repeat(9)}`)],
    ["is decided", 10, slow, Array.from({ length: 20 }, (_, at) => `${at}`)],
  ] as const) {
    it(what, async () => {
      const ended: string[] = [];
      const array = post(own, path, JSON.stringify(items)).then(async (response) => {
        const verdicts = (await response.json()) as { useragent: string }[];
        assert.deepEqual(
          verdicts.map(({ useragent }) => useragent),
          items,
        );
        ended.push("array");
      });
      // Each needs a turn of its own: timers fire between pieces of other work.
      for (let left = asked; left > 0; left--) {
        await sleep(1);
        assert.equal((await get(own, "/healthz")).status, 200);
        ended.push("healthz");
      }
      await array;
      assert.deepEqual(ended, [...Array(asked).fill("healthz"), "array"]);
    });
  }
});
