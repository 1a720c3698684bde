/** CheckMany over real sockets: lines however they are cut, streams, slow and leaving clients, damaged and deceitful gzip. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { detector } from "../../src/detect/built-in/detector.ts";
import { FetchRequest } from "../../src/http/fetch.ts";
import { type Listener, listen } from "../../src/server/listen/listen.ts";
import { createLineCutter } from "../../src/service/many/line-cutter.ts";
import { answerLines, objectsToVerdicts } from "../../src/service/many/many-lines.ts";
import { chunk, begin as connect, lastChunk, parseAnswer, toHead } from "../contract/socket-client.ts";
import { open, streamOf } from "./open.ts";

const { service, noted, told, ask } = open();
let listener: Listener;
before(async () => {
  listener = await listen({ service, host: "127.0.0.1", port: 0 });
});
after(() => listener.close());

const path = "/RestService/CheckMany";
const ndjson = "application/x-ndjson";
const gzip = "Content-Encoding: gzip";
const asJson = (useragent: string) => JSON.parse(JSON.stringify(detector.check(useragent)));

/** Opens a connection and sends the head of a chunked request. */
const begin = (type: string, { port } = listener, ...lines: readonly string[]) =>
  connect(
    port,
    toHead(`POST ${path}`, "Connection: close", `Content-Type: ${type}`, "Transfer-Encoding: chunked", ...lines),
  );

/** Sends the pieces as chunks, and reads what is answered at the same time. */
async function exchange(type: string, pieces: Iterable<string | Uint8Array>, ...lines: readonly string[]) {
  const { socket, closed } = await begin(type, listener, ...lines);
  for (const piece of pieces)
    if (!socket.write(chunk(piece)) && !socket.destroyed)
      await Promise.race([once(socket, "drain"), once(socket, "close")]);
  socket.write(lastChunk);
  return closed();
}

const textOf = (answer: string): string => Buffer.from(parseAnswer(Buffer.from(answer, "latin1")).body).toString();
const linesOf = (answer: string) =>
  textOf(answer)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

it("lines are the same however their bytes are cut, and of long ones the beginning is kept", () => {
  const short = fc.string({ unit: fc.constantFrom("a", "ä", "🤖", "\r", " "), maxLength: 12 });
  const long = fc.tuple(fc.constantFrom(1023, 1024, 1025, 2999, 3000, 3001), fc.constantFrom("", "\r"));
  const line = fc.oneof(
    { weight: 3, arbitrary: short },
    long.map(([length, end]) => "0123456789".repeat(301).slice(0, length) + end),
  );
  const sizes = fc.array(fc.oneof(fc.nat({ max: 9 }), fc.constantFrom(700, 1024, 1025)), { maxLength: 40 });
  const limits = fc.constantFrom(3, 20, 1023, 1024, 3000, 10_000);
  fc.assert(
    fc.property(fc.array(line), sizes, limits, fc.boolean(), (lines, sizes, limit, isEnded) => {
      const bytes = Buffer.from(lines.join("\n") + (isEnded ? "\n" : ""));
      const found: string[] = [];
      const cutter = createLineCutter(limit, (piece, from, to, isTooLong) => {
        found.push(`${isTooLong} ${Buffer.from(piece.subarray(from, to)).toString("latin1")}`);
      });
      let from = 0;
      for (const size of sizes) {
        cutter.push(bytes.subarray(from, from + size));
        from += size;
      }
      cutter.push(bytes.subarray(from));
      cutter.end();
      const expected = bytes.toString("latin1").split("\n");
      if (expected.at(-1) === "") expected.pop();
      const plain = expected.map((text) => text.replace(/\r$/, ""));
      assert.deepEqual(
        found,
        plain.map((text) => `${text.length > limit} ${text.slice(0, limit)}`),
      );
    }),
    { numRuns: 500 },
  );
});

describe("CheckMany", () => {
  it("takes arrays with characters that come in two pieces", async () => {
    const bytes = Buffer.from('["bät"]');
    const cutAt = bytes.indexOf(0xc3) + 1;
    const answer = await ask(path, {}, streamOf([bytes.subarray(0, cutAt), bytes.subarray(cutAt)]));
    assert.deepEqual(await answer.json(), [detector.check("bät")]);
  });

  it("answers a line before the next one comes", async () => {
    const { socket, closed } = await begin(ndjson);
    for (const useragent of ["Googlebot/2.1", "nobody 🤖", "FooBot/1.0"]) {
      socket.write(chunk(`${JSON.stringify(useragent)}\n`));
      let answer = "";
      while (!answer.includes("}\n")) answer += String((await once(socket, "data"))[0]);
      assert.deepEqual(JSON.parse(/\{.*\}/.exec(answer)?.[0] ?? ""), asJson(useragent));
    }
    socket.end(lastChunk);
    await closed();
  });

  it("puts a problem in the place of each bad line, and records and counts the others", async () => {
    noted.length = told.length = 0;
    const strings = 'Send strings, or objects with a string `useragent`, such as {"useragent": "Mozilla/5.0 …"}.';
    const unparsed = "The line cannot be parsed as JSON in UTF-8.";
    const rows = [
      ['"bot ä"', "bot ä"],
      ['{"useragent":"x y"}\r', "x y"],
      ['{"useragent":5}', `/docs#no-useragent 422 ${strings}`],
      ["no json", `/docs#not-json 400 ${unparsed}`],
      // A mark is one at the beginning of all only.
      ['\ufeff"bot"', `/docs#not-json 400 ${unparsed}`],
      [`"${"z".repeat(70_000)}"`, "/docs#too-large 413 A line may have at most 65,536 bytes."],
      ['["a"]', `/docs#no-useragent 422 ${strings}`],
      [Buffer.of(0x22, 0xff, 0x22), `/docs#not-json 400 ${unparsed}`],
      ['"last bot"', "last bot"],
    ] as const;
    const bytes = Buffer.concat(rows.flatMap(([line]) => [Buffer.from(line as string), Buffer.from("\n")])).subarray(
      0,
      -1,
    );
    // Cut in the middle of a character.
    const cut = bytes.indexOf(0xc3) + 1;
    const answers = linesOf(await exchange(ndjson, [bytes.subarray(0, cut), bytes.subarray(cut)]));
    assert.deepEqual(
      answers.map(({ useragent, type, status, detail }) => useragent ?? `${type} ${status} ${detail}`),
      rows.map(([, expected]) => expected),
    );
    for (const verdicts of [noted, told])
      assert.deepEqual(
        verdicts,
        ["bot ä", "x y", "last bot"].map((useragent) => detector.check(useragent)),
      );
  });

  it("answers 100,000 lines in order", async () => {
    const lines = Array.from({ length: 100_000 }, (_, at) => (at % 7 === 0 ? `bot ${at}` : `nobody ${at % 1000}`));
    const body = Buffer.from(lines.join("\r\n"));
    const pieces = Array.from({ length: Math.ceil(body.length / 50_001) }, (_, at) =>
      body.subarray(at * 50_001, (at + 1) * 50_001),
    );
    const expected = lines.map((line) => (detector.check(line).crawler ? "1\n" : "0\n")).join("");
    assert.ok(textOf(await exchange("text/plain", pieces)) === expected);
    assert.ok(textOf(await exchange("text/plain", [gzipSync(body)], gzip)) === expected);
  });

  it("reads no further than its answers are taken", async () => {
    const { socket } = await begin(ndjson);
    socket.pause();
    const piece = chunk('"Googlebot/2.1"\n'.repeat(10_000));
    let sent = 0;
    const deadline = Date.now() + 10_000;
    for (let isTaken = true; isTaken && Date.now() < deadline; sent += piece.length)
      if (!socket.write(piece))
        isTaken = await Promise.race([once(socket, "drain").then(() => true), sleep(700).then(() => false)]);
    // What both systems' sockets hold, and no more; the answers are ten times as long as the lines.
    assert.ok(sent < 16_000_000, `${sent} bytes were taken`);
    socket.destroy();
  });

  for (const [type, ending] of [
    [ndjson, "a problem with advice"],
    ["text/plain", "no last chunk"],
  ] as const)
    it(`takes the whole body of a client that reads afterwards, and ends its answers of ${type} with ${ending}`, async () => {
      let count = 0;
      const record = { note: () => void count++ };
      const own = await listen({ service: open({ record, stallMs: 300 }).service, host: "127.0.0.1", port: 0 });
      const { socket, closed } = await begin(type, own);
      socket.pause();
      // Of digits, two bytes answer one.
      const lines = type === ndjson ? '"Googlebot/2.1"\n'.repeat(20_000) : "\n".repeat(1_000_000);
      for (let sent = 0; sent < 40; sent++) if (!socket.write(chunk(lines))) await once(socket, "drain");
      socket.write(lastChunk);
      socket.resume();
      const answer = await closed();
      await own.close();
      if (type === "text/plain") return assert.ok(!answer.endsWith(lastChunk));
      const answers = textOf(answer).trimEnd().split("\n");
      const { status, detail } = JSON.parse(answers.pop()!);
      assert.equal(status, 413);
      assert.match(detail, /Read the responses while you send/);
      assert.deepEqual([...new Set(answers)], [JSON.stringify(detector.check("Googlebot/2.1"))]);
      assert.equal(answers.length, count);
      assert.ok(count < 800_000);
    });

  it("answers others meanwhile, also where a short body becomes millions of lines", async () => {
    const ended: string[] = [];
    const lines = gzipSync(Buffer.alloc(10_000_000, "\n"));
    const many = exchange(ndjson, [lines], gzip).then(() => ended.push("lines"));
    for (let asked = 0; asked < 5; asked++) {
      const { status } = await fetch(`${listener.url}/healthz`, { headers: { connection: "close" } });
      ended.push(`healthz ${status}`);
    }
    await many;
    assert.deepEqual(ended, [...Array(5).fill("healthz 200"), "lines"]);
  });

  it("reads no further when the client has left, also where nothing is answered", async () => {
    const leaving = new AbortController();
    let given = 0;
    async function* empty(): AsyncGenerator<Uint8Array> {
      for (; ; given++) {
        if (given === 100) leaving.abort();
        yield new Uint8Array(20_000).fill(10);
      }
    }
    const { signal } = leaving;
    const request = new FetchRequest(new Request("http://localhost/", { method: "POST", signal }), "/");
    const answers = objectsToVerdicts(detector, { verifier: undefined, networks: undefined }, "", 1000);
    const own = {
      request,
      pieces: empty(),
      isCoded: false,
      lookupClient: { client: "" },
      maxLineBytes: 1000,
      unreadMs: 1000,
    };
    const body = { ...own, count() {}, onVerdict() {} };
    await assert.rejects(async () => {
      for await (const answer of answerLines(body, answers)) assert.fail(`${answer}`);
    });
    assert.ok(given >= 100 && given < 1000, `${given} pieces were read`);
  });

  it("goes on when a client leaves midway", async () => {
    noted.length = 0;
    const { socket } = await begin("text/plain");
    socket.write(chunk("leaving bot\n".repeat(1000)));
    await once(socket, "data");
    socket.destroy();
    await sleep(50);
    assert.equal(noted.filter(({ useragent }) => useragent === "leaving bot").length, 1000);
    assert.equal(textOf(await exchange("text/plain", ["bot\n"])), "1\n");
  });

  it("says that gzip was cut where it can, and breaks off where it cannot", async () => {
    const whole = gzipSync(Array.from({ length: 5000 }, (_, at) => `"bot ${(at * 7919) % 5000}"\n`).join(""));
    const cut = whole.subarray(0, whole.length - 1000);
    assert.equal(linesOf(await exchange(ndjson, [cut], gzip)).at(-1).type, "/docs#not-json");
    assert.ok(!(await exchange("text/plain", [cut], gzip)).endsWith(lastChunk));
  });

  it("answers what it has read before the damage", async () => {
    for (const rest of [gzipSync("x\n"), Buffer.from("no gzip")]) {
      const answer = await exchange("text/plain", [Buffer.concat([gzipSync("bot\n"), rest])], gzip);
      // Bun reads a second member, and looks at everything that has come before it answers. An answer that is complete when its head is
      // sent comes without chunks.
      assert.match(answer, /^HTTP\/1\.1 (?:200[\s\S]*\r\n\r\n(?:\w+\r\n)?1\n|400)/);
    }
  });

  it("holds no more of a gzip bomb than a line", async () => {
    // Larger than what the runtime leaves uncollected for a while.
    const size = 128 * 1024 * 1024;
    const bomb = gzipSync(Buffer.alloc(size), { level: 1 });
    const before = process.memoryUsage().rss;
    assert.equal(textOf(await exchange("text/plain", [bomb], gzip)), "-\n");
    const grown = process.memoryUsage().rss - before;
    assert.ok(grown < size, `${grown} bytes`);
    assert.equal(parseAnswer(Buffer.from(await exchange("application/json", [bomb], gzip), "latin1")).status, 413);
  });
});
