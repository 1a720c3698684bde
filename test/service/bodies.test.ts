/** What bodies may hold and how long they may take, over real sockets: limits of CheckMany, memory for bodies, deadlines, turns. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import type { IncomingRequest } from "../../src/http/context.ts";
import { Problem } from "../../src/http/problems.ts";
import { createSlots } from "../../src/http/slots.ts";
import { type Listener, listen } from "../../src/server/listen/listen.ts";
import { type Connection, chunk, begin as connect, lastChunk, toHead } from "../contract/socket-client.ts";
import { fakeTime } from "../support/fake-time.ts";
import { until } from "../support/until.ts";
import { open } from "./open.ts";

const path = "/RestService/CheckMany";
const json = "application/json";
const ndjson = "application/x-ndjson";
const gzip = { "content-encoding": "gzip" };
const stallMs = 600;

const addressOf = ({ headers }: Pick<IncomingRequest, "headers">) => headers.get("x-client") ?? undefined;
const { service, told, ask, json: read, statusOf } = open({ guards: { addressOf }, stallMs });
let listener: Listener;
/** One that waits longer than a test takes. */
let patient: Listener;
before(async () => {
  listener = await listen({ service, host: "127.0.0.1", port: 0, requestTimeoutMs: stallMs });
  patient = await listen({ service, host: "127.0.0.1", port: 0, requestTimeoutMs: 3_600_000 });
});
after(() => Promise.all([listener.close(100), patient.close(100)]));

type Headers = Readonly<Record<string, string>>;

/** A connection that has sent the head of a request, chunked if no length is given. */
function begin(type: string, headers: Headers = {}, { port } = listener, to = path) {
  const length = "content-length" in headers ? {} : { "transfer-encoding": "chunked" };
  const fields = Object.entries({ "content-type": type, ...length, ...headers });
  return connect(port, toHead(`POST ${to}`, ...fields.map(([name, value]) => `${name}: ${value}`)));
}
const whole = (body: string | Uint8Array) => Buffer.concat([chunk(body), Buffer.from(lastChunk)]);
const refusedOf = (all: readonly Connection[]) => all.filter((each) => each.status() === "503");
const leave = (all: readonly Connection[]) => {
  for (const { socket } of all) socket.destroy();
};

describe("a body of CheckMany is limited", () => {
  const fill = (count: number, item: string) => `[${Array(count).fill(item).join()}]`;
  const nested = (depth: number) => `{"useragent":"bot","a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  const maxBytes = 2 * 1024 * 1024;
  const inString = JSON.stringify('[{"\\\\"'.repeat(100));
  const advice = "Send it in parts, such as those that `split -l 5000` makes";
  for (const [what, type, body, ...details] of [
    ["2 MiB", json, `["bot"]${" ".repeat(maxBytes - 7)}`],
    ["a byte more", json, `["bot"]${" ".repeat(maxBytes - 6)}`, "2,097,152 bytes", advice],
    ["2 MiB of lines", "text/plain", `${"x".repeat(1023)}\n`.repeat(2048)],
    ["a byte more of lines", "text/plain", `${`${"x".repeat(1023)}\n`.repeat(2048)}x`, "2,097,152 bytes", advice],
    ["10,000 items", json, fill(10_000, '"bot"')],
    ["10,000 objects with evidence", json, fill(10_000, '{"useragent":"bot","ip":"192.0.2.1"}')],
    ["10,001 items", json, fill(10_001, '"bot"'), "10,000 user agents", advice],
    ["10,000 lines", "text/plain", "bot\n".repeat(10_000)],
    ["10,001 lines", "text/plain", "bot\n".repeat(10_001), "10,000 user agents", advice],
    ["10,001 lines of JSON", ndjson, '"bot"\n'.repeat(10_001), "10,000 user agents", advice],
    ["10,000 lines of JSON and many empty ones", ndjson, '"bot"\n\n\r\n'.repeat(10_000)],
    ["an item of 64 KiB", json, `["${"x".repeat(65_534)}"]`],
    ["an item of a byte more", json, `["bot","${"x".repeat(65_535)}"]`, "65,536 bytes"],
    ["an item of 20,000 values and names", json, `[{"useragent":"bot","a":${fill(19_995, "1")}}]`],
    ["an item of one more", json, `[{"useragent":"bot","a":${fill(19_997, "1")}}]`, "20,000 values"],
    ["too many brackets alone", json, "[".repeat(15_900_000), "2,097,152 bytes"],
    ["members alone", json, `[${'{"a":'.repeat(9000)}1${"}".repeat(9000)}]`, "nested at most 64 levels deep"],
    ["items nested 64 deep", json, fill(3, nested(63))],
    ["items nested 65 deep", json, fill(3, nested(64)), "nested at most 64 levels deep"],
    ["strings of brackets, quotation marks and backslashes", json, fill(3, inString)],
  ] as const)
    it(`${what}: ${details[0] ?? "accepted"}`, async () => {
      for (const [bytes, headers] of [
        [gzipSync(body, { level: 1 }), gzip],
        [Buffer.from(body), {}],
      ] as const) {
        const response = await ask(path, { ...headers, "content-type": type }, bytes);
        const answered = await response.text();
        assert.equal(response.status, details.length > 0 ? 413 : 200, answered.slice(0, 300));
        if (details.length > 0) {
          const { type, detail } = JSON.parse(answered);
          assert.equal(type, "/docs#too-large");
          for (const text of details) assert.ok(detail.includes(text), detail);
        } else if (type === json) assert.deepEqual(JSON.parse(answered), (JSON.parse(body) as []).map(toVerdict));
        else
          assert.equal(answered.trimEnd().split("\n").length, type === ndjson ? 10_000 : body.split("\n").length - 1);
      }
    });

  /** Many items are alike, and long. */
  const verdicts = new Map<string, Verdict>();
  const toVerdict = (item: string | { useragent: string }): Verdict => {
    const useragent = typeof item === "string" ? item : item.useragent;
    const verdict = verdicts.get(useragent) ?? detector.check(useragent);
    verdicts.set(useragent, verdict);
    return verdict;
  };

  it("is refused before the rest of it comes", async () => {
    for (const type of [json, "text/plain"]) {
      const connection = await begin(type);
      connection.socket.write(chunk(" ".repeat(maxBytes + 1)));
      await connection.answered();
      assert.match(connection.answer, /^HTTP\/1\.1 413[\s\S]*\r\nconnection: close\r\n/i);
      leave([connection]);
    }
  });

  it("ends no process that leaves compressed ones in the middle", async () => {
    const body = whole(gzipSync(`[${" ".repeat(5_000_000)}]`));
    const answers = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const connection = await begin(json, { ...gzip, "x-client": "192.0.2.9" }, patient);
        connection.socket.write(body);
        await connection.answered();
        leave([connection]);
        return connection.status();
      }),
    );
    for (const status of answers) assert.match(status, /^(?:413|503)$/);
  });
});

describe("memory for unfinished bodies", () => {
  it("has a limit for all, and half of it for a client", () => {
    const request = (client: string) =>
      ({ headers: new Headers({ "x-client": client }) }) as unknown as IncomingRequest;
    const clientOf = (asked: IncomingRequest) => ({ client: addressOf(asked) as string });
    const take = createSlots({ most: 100, clientOf, stallMs: 1000, full: ["too-many-bodies", "none left"] });
    const isRefused = (error: unknown) =>
      error instanceof Problem && error.problem === "too-many-bodies" && error.headers["retry-after"] === "1";
    const first = take(request("192.0.2.1"), 50);
    assert.throws(() => take(request("::ffff:192.0.2.1"), 1), isRefused);
    const second = take(request("2001:db8:1:2::1"), 25);
    assert.throws(() => take(request("2001:db8:1:2:ffff::9"), 26), isRefused);
    const third = take(request("2001:db8:1:2:ffff::9"), 25);
    assert.throws(() => take(request("192.0.2.3"), 1), isRefused);
    second.release();
    second.release();
    take(request("192.0.2.3"), 25);
    assert.throws(() => take(request("192.0.2.4"), 1), isRefused);
    third.release();
    first.release();
    take(request("192.0.2.1"), 50);
    take(request("192.0.2.3"), 25);
    assert.throws(() => take(request("192.0.2.3"), 1), isRefused);
  });

  it("gives a client at least one slot of those there are", () => {
    const request = { headers: new Headers() } as unknown as IncomingRequest;
    const clientOf = () => ({ client: "" });
    for (const [most, expected] of [
      [1, 1],
      [2, 1],
      [3, 1],
      [8, 4],
    ] as const) {
      const take = createSlots({ most, clientOf, stallMs: 1000, full: ["too-many-lists", "none left"] });
      let taken = 0;
      assert.throws(() => {
        for (; ; taken++) take(request, 1);
      }, Problem);
      assert.equal(taken, expected);
    }
  });

  it("is taken by 4 bodies of a client, and by 8 in all, until they end", async () => {
    for (const type of [json, ndjson, "text/plain"]) {
      const opened: Connection[] = [];
      const add = async (client: string) => {
        const connection = await begin(type, { "x-client": client }, patient);
        connection.socket.write(chunk(type === json ? "[" : '"bot"\n'));
        opened.push(connection);
        return connection;
      };
      const areRefused = (count: number) =>
        until(
          () => refusedOf(opened).length === count,
          () => `${type}: ${opened.map((each) => each.status())}`,
        );
      for (let count = 0; count <= 4; count++) await add("192.0.2.1");
      await areRefused(1);
      for (let count = 0; count < 4; count++) await add(`2001:db8:1:2::${count.toString(16)}`);
      await add("192.0.2.3");
      await areRefused(2);
      for (const { answer } of refusedOf(opened)) assert.match(answer, /\r\nretry-after: 1\r\n.*too-many-bodies/is);
      // Short Checks need no more than their head.
      const headers = { "content-type": json, "x-client": "192.0.2.3" };
      const asked = { method: "POST", headers, body: '{"useragent":"bot"}' };
      assert.equal((await fetch(`${patient.url}/RestService/Check`, asked)).status, 200);
      leave(opened);
      await until(async () => {
        const again = await add("192.0.2.1");
        again.socket.write(chunk(type === json ? '"bot"]' : '"bot"\n') + lastChunk);
        await again.answered();
        leave([again]);
        return again.status() === "200";
      }, "they are held for ever");
    }
  });

  it("counts a longer Check while it comes, until it ends or is late", async () => {
    const to = "/RestService/Check";
    const client = { "x-client": "192.0.2.1" };
    const beginMany = (length: number, at: Listener) =>
      Promise.all(Array.from({ length }, () => begin(json, client, at, to)));
    const late = await beginMany(50, listener);
    await until(() => late.every((each) => each.status() === "408"), "not ended");
    const opened = await beginMany(300, patient);
    await until(() => refusedOf(opened).length === 300 - 256, "not counted");
    for (const { socket, status } of opened) if (status() === "") socket.write(whole('{"useragent":"bot"}'));
    await until(() => opened.every((each) => each.status() !== ""), "not answered");
    assert.equal(refusedOf(opened).length, 300 - 256);
    leave(opened);
    const asked = { method: "POST", headers: { "content-type": json, ...client } };
    const body = JSON.stringify({ useragent: "x".repeat(60_000) });
    assert.equal((await fetch(patient.url + to, { ...asked, body })).status, 200);
  });

  it("is held by an answer that the client does not read, but not for ever", async () => {
    const send = () => ask(path, { "x-client": "192.0.2.8" }, JSON.stringify(Array(10_000).fill("ä".repeat(11))));
    // However long a busy machine takes for the five, the first is not late.
    using time = fakeTime();
    const answers = await Promise.all(Array.from({ length: 5 }, send));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 200, 503]);
    await time.pass(stallMs - 1);
    assert.equal((await send()).status, 503);
    await time.pass(1);
    assert.equal((await send()).status, 200);
    await assert.rejects(answers.find(({ status }) => status === 200)!.text());
  });

  it("is free, and every verdict is told, when a client leaves in the middle of its answer", async () => {
    told.length = 0;
    const body = whole(gzipSync("leaving bot\n".repeat(10_000)));
    for (let left = 0; left <= 5; left++) {
      const connection = await begin("text/plain", { ...gzip, accept: ndjson, "x-client": "192.0.2.7" }, patient);
      connection.socket.write(body);
      await connection.answered();
      assert.equal(connection.status(), "200", `after ${left}`);
      leave([connection]);
      await until(() => told.length === 10_000 * (left + 1), "not all is told");
    }
  });
});

describe("bodies that do not come", () => {
  const noise = gzipSync(Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919) % 251)));
  it("408, compressed or not", async () => {
    const late = async (type: string, headers: Headers, to: string, body: string | Uint8Array) => {
      const start = performance.now();
      const connection = await begin(type, headers, listener, to);
      const bytes = Buffer.from(body as string);
      for (let at = 0; !connection.socket.closed; at++) {
        connection.socket.write(chunk(bytes.subarray(at % bytes.length).subarray(0, 1)));
        await Promise.race([sleep(40), connection.closed()]);
      }
      assert.match(connection.answer, /^HTTP\/1\.1 408[\s\S]*too-slow/);
      assert.ok(performance.now() - start > stallMs / 2);
    };
    await Promise.all([
      late(json, {}, path, `["${"x".repeat(3000)}`),
      late(json, gzip, path, noise),
      late(ndjson, gzip, path, noise),
      late("text/plain", gzip, path, gzipSync("x".repeat(100_000))),
      late(json, {}, "/RestService/Check", "{"),
    ]);
  });

  it("408 for a body that is late as a whole, although line after line of it comes", async () => {
    const connection = await begin(ndjson);
    while (connection.status() === "") {
      connection.socket.write(chunk('"bot"\n'));
      await sleep(stallMs / 10);
    }
    assert.match(connection.answer, /^HTTP\/1\.1 408[\s\S]*too-slow/);
    leave([connection]);
  });
});

describe("others are answered while an array", () => {
  /** Each decision takes more than a slice of work. */
  const slow = open({
    detector: {
      ...detector,
      check(useragent) {
        for (const end = performance.now() + 11; performance.now() < end; );
        return detector.check(useragent);
      },
    },
  });
  for (const [what, asked, own, items] of [
    [
      "of 10,000 is read and answered",
      3,
      { json: read, statusOf },
      Array.from({ length: 10_000 }, (_, at) => `${at} ${"ä".repeat(9)}`),
    ],
    ["is decided", 10, slow, Array.from({ length: 20 }, (_, at) => `${at}`.padEnd(1200))],
  ] as const)
    it(what, async () => {
      const ended: string[] = [];
      const array = own.json(path, {}, items).then((verdicts: readonly Verdict[]) => {
        assert.deepEqual(
          verdicts.map(({ useragent }) => useragent),
          items,
        );
        ended.push("array");
      });
      // Each needs a turn of its own: timers fire between pieces of other work.
      for (let left = asked; left > 0; left--) {
        await sleep(1);
        assert.equal(await own.statusOf("/healthz"), 200);
        ended.push("healthz");
      }
      await array;
      assert.deepEqual(ended, [...Array(asked).fill("healthz"), "array"]);
    });
});
