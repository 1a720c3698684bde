/** CheckMany over real sockets: lines however they are cut, streams, slow and leaving clients, damaged and deceitful gzip. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import { FetchRequest } from "../../src/http/fetch.ts";
import { type Listener, listen } from "../../src/server/listen/listen.ts";
import { createLineCutter } from "../../src/service/many/line-cutter.ts";
import { answerLines, objectsToVerdicts } from "../../src/service/many/many-lines.ts";
import { createService } from "../../src/service.ts";
import { parseAnswer } from "../contract/socket-client.ts";

const recorded: Verdict[] = [];
const counted: Verdict[] = [];
const service = createService({
  detector,
  record: { note: (verdict) => void recorded.push(verdict) },
  onVerdict: (verdict) => counted.push(verdict),
});

let listener: Listener;
before(async () => {
  listener = await listen({ service, host: "127.0.0.1", port: 0 });
});
after(() => listener.close());

const ndjson = "application/x-ndjson";

/** Opens a connection and sends the head of a chunked request. */
async function begin(type: string, headers = "", port = listener.port): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => {});
  socket.write(
    `POST /RestService/CheckMany HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n${headers}\r\n`,
  );
  return socket;
}

const chunk = (data: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(data as string);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
};
const lastChunk = "0\r\n\r\n";

/** Everything until the server closes. */
async function readAll(socket: Socket): Promise<Buffer> {
  const pieces: Buffer[] = [];
  socket.on("data", (piece) => pieces.push(piece));
  // Not `once`, which takes the error for its own that comes before a connection breaks off.
  await new Promise((resolve) => socket.on("close", resolve));
  return Buffer.concat(pieces);
}

/** Sends the pieces as chunks, and reads what is answered at the same time. */
async function exchange(type: string, pieces: Iterable<string | Uint8Array>, headers = ""): Promise<Buffer> {
  const socket = await begin(type, headers);
  const answer = readAll(socket);
  for (const piece of pieces) {
    if (!socket.write(chunk(piece)) && !socket.destroyed)
      await Promise.race([once(socket, "drain"), once(socket, "close")]);
  }
  socket.write(lastChunk);
  return answer;
}

const textOf = (answer: Buffer): string => Buffer.from(parseAnswer(answer).body).toString();

describe("lines", () => {
  it("are the same however their bytes are cut", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "ä", "🤖", "\r", " "), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat({ max: 9 })), fc.boolean(), (lines, sizes, isEnded) => {
        const bytes = Buffer.from(lines.join("\n") + (isEnded ? "\n" : ""));
        const found: string[] = [];
        const cutter = createLineCutter(20, (piece, from, to, isTooLong) => {
          found.push(isTooLong ? "-" : Buffer.from(piece.subarray(from, to)).toString());
        });
        let from = 0;
        for (const size of sizes) {
          cutter.push(bytes.subarray(from, from + size));
          from += size;
        }
        cutter.push(bytes.subarray(from));
        cutter.end();
        const expected = bytes.toString().split("\n");
        if (expected.at(-1) === "") expected.pop();
        const plain = expected.map((text) => text.replace(/\r$/, ""));
        assert.deepEqual(
          found,
          plain.map((text) => (Buffer.byteLength(text) > 20 ? "-" : text)),
        );
      }),
    );
  });
});

describe("a line cutter", () => {
  const cut = (maxLineBytes: number, pieces: readonly string[]): [line: string, isTooLong: boolean][] => {
    const found: [line: string, isTooLong: boolean][] = [];
    const cutter = createLineCutter(maxLineBytes, (bytes, from, to, isTooLong) => {
      found.push([Buffer.from(bytes.subarray(from, to)).toString(), isTooLong]);
    });
    for (const piece of pieces) cutter.push(Buffer.from(piece));
    cutter.end();
    return found;
  };
  const long = Array.from({ length: 3000 }, (_, index) => String(index % 10)).join("");
  const inPieces = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

  for (const size of [1, 700, 1024, 1025, 10_000]) {
    it(`keeps lines of up to the limit, in pieces of ${size}, and of longer ones the beginning`, () => {
      for (const limit of [1023, 1024, 2999, 3000, 3001, 10_000]) {
        const pieces = inPieces(`${long}\r\n${long}\nx\n${long}`, size);
        const kept: [string, boolean] = [long.slice(0, limit), limit < 3000];
        assert.deepEqual(cut(limit, pieces), [kept, kept, ["x", false], kept], String(limit));
      }
    });
  }

  it("takes a carriage return that ends a line of the limit's length for no part of it", () => {
    for (const pieces of [["abc\r\nabcd\r\n"], ["abc", "\r", "\nabc", "d\r", "\n"]])
      assert.deepEqual(cut(3, pieces), [
        ["abc", false],
        ["abc", true],
      ]);
    assert.deepEqual(cut(3, ["\r\n\r", "\r"]), [
      ["", false],
      ["\r", false],
    ]);
  });
});

describe("CheckMany", () => {
  it("takes arrays with characters that come in two pieces", async () => {
    const bytes = Buffer.from('["bät"]');
    const cutAt = bytes.indexOf(0xc3) + 1;
    const body = new ReadableStream({
      start(controller) {
        for (const piece of [bytes.subarray(0, cutAt), bytes.subarray(cutAt)])
          controller.enqueue(new Uint8Array(piece));
        controller.close();
      },
    });
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    const answer = await service.fetch(new Request("http://localhost/RestService/CheckMany", init));
    assert.deepEqual(await answer.json(), [detector.check("bät")]);
  });

  it("ignores a byte order mark at the beginning, and only there", async () => {
    const answers = textOf(await exchange(ndjson, ['\ufeff"bot"\n\ufeff"bot"\n'])).split("\n");
    assert.deepEqual(JSON.parse(answers[0] as string), JSON.parse(JSON.stringify(detector.check("bot"))));
    assert.match(answers[1] as string, /not-json/);
  });

  it("answers a line before the next one comes", async () => {
    const socket = await begin(ndjson);
    for (const useragent of ["Googlebot/2.1", "nobody 🤖", "FooBot/1.0"]) {
      socket.write(chunk(`${JSON.stringify(useragent)}\n`));
      let answer = "";
      while (!answer.includes("}\n")) answer += String((await once(socket, "data"))[0]);
      const [json = ""] = /\{.*\}/.exec(answer) ?? [];
      assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify(detector.check(useragent))));
    }
    socket.end(lastChunk);
    await once(socket, "close");
  });

  it("puts a problem in the place of each bad line, and records and counts the others", async () => {
    recorded.length = 0;
    counted.length = 0;
    const bytes = Buffer.concat([
      Buffer.from('"bot ä"\n{"useragent":"x y"}\r\n{"useragent":5}\nno json\n"'),
      Buffer.from([0xff]),
      Buffer.from(`"\n"${"z".repeat(70_000)}"\n["a"]\n"last bot"`),
    ]);
    // Cut in the middle of a character.
    const cut = bytes.indexOf(0xc3) + 1;
    const text = textOf(await exchange(ndjson, [bytes.subarray(0, cut), bytes.subarray(cut)]));
    const answers = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { useragent?: string; type?: string; status?: number; detail?: string });
    assert.deepEqual(
      answers.flatMap(({ detail }) => detail ?? []),
      [
        'Send strings, or objects with one, such as {"useragent": "Mozilla/5.0 …"}.',
        "The line cannot be parsed as JSON in UTF-8.",
        "The line cannot be parsed as JSON in UTF-8.",
        "A line may have at most 65,536 bytes.",
        'Send strings, or objects with one, such as {"useragent": "Mozilla/5.0 …"}.',
      ],
    );
    assert.deepEqual(
      answers.map(({ useragent, type, status }) => useragent ?? `${type} ${status}`),
      [
        "bot ä",
        "x y",
        "/docs#no-useragent 422",
        "/docs#not-json 400",
        "/docs#not-json 400",
        "/docs#too-large 413",
        "/docs#no-useragent 422",
        "last bot",
      ],
    );
    for (const verdicts of [recorded, counted]) {
      assert.deepEqual(
        verdicts,
        ["bot ä", "x y", "last bot"].map((useragent) => detector.check(useragent)),
      );
    }
  });

  it("answers 100,000 lines in order", async () => {
    const lines = Array.from({ length: 100_000 }, (_, index) =>
      index % 7 === 0 ? `bot ${index}` : `nobody ${index % 1000}`,
    );
    const body = Buffer.from(lines.join("\r\n"));
    const pieces = Array.from({ length: Math.ceil(body.length / 50_001) }, (_, index) =>
      body.subarray(index * 50_001, (index + 1) * 50_001),
    );
    const expected = lines.map((line) => (detector.check(line).crawler ? "1\n" : "0\n")).join("");
    assert.ok(textOf(await exchange("text/plain", pieces)) === expected);
    assert.ok(textOf(await exchange("text/plain", [gzipSync(body)], "content-encoding: gzip\r\n")) === expected);
  });

  it("reads no further than its answers are taken", async () => {
    const socket = await begin(ndjson);
    socket.pause();
    const piece = chunk('"Googlebot/2.1"\n'.repeat(10_000));
    let sent = 0;
    const deadline = Date.now() + 10_000;
    for (let isTaken = true; isTaken && Date.now() < deadline; sent += piece.length) {
      if (!socket.write(piece))
        isTaken = await Promise.race([once(socket, "drain").then(() => true), wait(700).then(() => false)]);
    }
    // What both systems' sockets hold, and no more; the answers are ten times as long as the lines.
    assert.ok(sent < 16_000_000, `${sent} bytes were taken`);
    socket.destroy();
  });

  for (const [type, ending] of [
    [ndjson, "a problem with advice"],
    ["text/plain", "no last chunk"],
  ] as const)
    it(`takes the whole body of a client that reads afterwards, and ends its answers of ${type} with ${ending}`, async () => {
      let noted = 0;
      const record = {
        note() {
          noted++;
        },
      };
      const own = await listen({
        service: createService({ detector, record, stallMs: 300 }),
        host: "127.0.0.1",
        port: 0,
      });
      const socket = await begin(type, "", own.port);
      socket.pause();
      // Of digits, two bytes answer one.
      const lines = type === ndjson ? '"Googlebot/2.1"\n'.repeat(20_000) : "\n".repeat(1_000_000);
      for (let sent = 0; sent < 40; sent++) if (!socket.write(chunk(lines))) await once(socket, "drain");
      socket.write(lastChunk);
      const received = readAll(socket);
      socket.resume();
      const answer = await received;
      await own.close();
      if (type === "text/plain") return assert.ok(!answer.toString("latin1").endsWith(lastChunk));
      const answers = textOf(answer).trimEnd().split("\n");
      const { status, detail } = JSON.parse(answers.pop()!) as { status: number; detail: string };
      assert.equal(status, 413);
      assert.match(detail, /Read the answers while you send/);
      assert.deepEqual([...new Set(answers)], [JSON.stringify(detector.check("Googlebot/2.1"))]);
      assert.equal(answers.length, noted);
      assert.ok(noted < 800_000);
    });

  it("answers others meanwhile, also where a short body becomes millions of lines", async () => {
    const ended: string[] = [];
    const lines = gzipSync(Buffer.alloc(10_000_000, "\n"));
    const many = exchange(ndjson, [lines], "content-encoding: gzip\r\n").then(() => ended.push("lines"));
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
    const own = { request, pieces: empty(), isCoded: false, asker: { client: "" }, maxLineBytes: 1000, unreadMs: 1000 };
    const body = { ...own, count() {}, onVerdict() {} };
    await assert.rejects(async () => {
      for await (const answer of answerLines(body, answers)) assert.fail(`${answer}`);
    });
    assert.ok(given >= 100 && given < 1000, `${given} pieces were read`);
  });

  it("goes on when a client leaves midway", async () => {
    const socket = await begin("text/plain");
    socket.write(chunk("leaving bot\n".repeat(1000)));
    await once(socket, "data");
    socket.destroy();
    await wait(50);
    assert.equal(recorded.filter(({ useragent }) => useragent === "leaving bot").length, 1000);
    assert.equal(textOf(await exchange("text/plain", ["bot\n"])), "1\n");
  });

  it("says that gzip was cut where it can, and breaks off where it cannot", async () => {
    const whole = gzipSync(Array.from({ length: 5000 }, (_, index) => `"bot ${(index * 7919) % 5000}"\n`).join(""));
    const cut = whole.subarray(0, whole.length - 1000);
    const lines = textOf(await exchange(ndjson, [cut], "content-encoding: gzip\r\n"))
      .trimEnd()
      .split("\n");
    assert.equal((JSON.parse(lines.at(-1) as string) as { type: string }).type, "/docs#not-json");
    const digits = await exchange("text/plain", [cut], "content-encoding: gzip\r\n");
    assert.ok(!digits.toString("latin1").endsWith(lastChunk));
  });

  it("answers what it has read before the damage", async () => {
    for (const rest of [gzipSync("x\n"), Buffer.from("no gzip")]) {
      const answer = await exchange(
        "text/plain",
        [Buffer.concat([gzipSync("bot\n"), rest])],
        "content-encoding: gzip\r\n",
      );
      // Bun reads a second member, and looks at everything that has come before it answers. An answer that is complete when its head is
      // sent comes without chunks.
      assert.match(answer.toString("latin1"), /^HTTP\/1\.1 (?:200[\s\S]*\r\n\r\n(?:\w+\r\n)?1\n|400)/);
    }
  });

  it("holds no more of a gzip bomb than a line", async () => {
    // Larger than what the runtime leaves uncollected for a while.
    const size = 128 * 1024 * 1024;
    const bomb = gzipSync(Buffer.alloc(size), { level: 1 });
    const before = process.memoryUsage().rss;
    assert.equal(textOf(await exchange("text/plain", [bomb], "content-encoding: gzip\r\n")), "-\n");
    const grown = process.memoryUsage().rss - before;
    assert.ok(grown < size, `${grown} bytes`);
    const answer = await exchange("application/json", [bomb], "content-encoding: gzip\r\n");
    assert.equal(parseAnswer(answer).status, 413);
  });
});

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
