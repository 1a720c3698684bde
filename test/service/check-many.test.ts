/** CheckMany: lines and arrays as they are cut and read, over real sockets; damaged and deceitful gzip. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import { type Listener, listen } from "../../src/server/listen/listen.ts";
import { open, streamOf } from "./open.ts";

const { service, noted, told, ask, text } = open();
let listener: Listener;
before(async () => {
  listener = await listen({ service, host: "127.0.0.1", port: 0 });
});
after(() => listener.close());

const path = "/RestService/CheckMany";
const json = "application/json";
const ndjson = "application/x-ndjson";
const gzip = { "content-encoding": "gzip" };

/** Sends a body over a socket. */
const send = (type: string, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  fetch(listener.url + path, { method: "POST", headers: { "content-type": type, ...headers }, body: body as string });
const linesOf = (answer: string) =>
  answer
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("lines", () => {
  it("end with \\n or \\r\\n, the last one also without", async () => {
    const line = fc.string({ unit: fc.constantFrom("a", "ä", "🤖", "\r", " ", '"'), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.boolean(), async (lines, isEnded) => {
        const body = lines.join("\n") + (isEnded ? "\n" : "");
        const expected = body.split("\n");
        if (expected.at(-1) === "") expected.pop();
        const answer = await text(path, { "content-type": "text/plain", accept: ndjson }, body);
        assert.deepEqual(
          answer === "" ? [] : linesOf(answer).map(({ useragent }) => useragent),
          expected.map((text) => text.replace(/\r$/, "")),
        );
      }),
      { numRuns: 200 },
    );
  });

  it("that are invalid have a problem in their place; the others are recorded and counted", async () => {
    noted.length = told.length = 0;
    const strings = 'Send strings, or objects with a string `useragent`, such as {"useragent": "Mozilla/5.0 …"}.';
    const unparsed = "The line cannot be parsed as JSON in UTF-8.";
    const tooLarge = "/docs#too-large 413 A line, or an item of an array, may";
    const rows = [
      ['"bot ä"', "bot ä"],
      ['{"useragent":"x y"}\r', "x y"],
      ['{"useragent":5}', `/docs#no-useragent 422 ${strings}`],
      ["no json", `/docs#not-json 400 ${unparsed}`],
      // A mark is one at the beginning of all only.
      ['\ufeff"bot"', `/docs#not-json 400 ${unparsed}`],
      [`"${"z".repeat(70_000)}"`, `${tooLarge} have at most 65,536 bytes.`],
      [`{"useragent":"bot","a":[${"1,".repeat(20_000)}1]}`, `${tooLarge} have at most 20,000 values and member names.`],
      [`{"useragent":"bot","a":${"[".repeat(64)}${"]".repeat(64)}}`, `${tooLarge} be nested at most 64 levels deep.`],
      ['["a"]', `/docs#no-useragent 422 ${strings}`],
      [Buffer.of(0x22, 0xff, 0x22), `/docs#not-json 400 ${unparsed}`],
      ['"last bot"', "last bot"],
    ] as const;
    const body = Buffer.concat(rows.flatMap(([line]) => [Buffer.from(line as string), Buffer.from("\n")]));
    const answers = linesOf(await (await send(ndjson, body)).text());
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

  it("are answered in order: 10,000 of them, compressed or not", async () => {
    const lines = Array.from({ length: 10_000 }, (_, at) => (at % 7 === 0 ? `bot ${at}` : `nobody ${at % 1000}`));
    const body = Buffer.from(lines.join("\r\n"));
    const digits = lines.map((line) => (detector.check(line).crawler ? "1\n" : "0\n")).join("");
    for (const [bytes, headers] of [
      [body, {}],
      [gzipSync(body), gzip],
    ] as const) {
      assert.equal(await (await send("text/plain", bytes, headers)).text(), digits);
      const verdicts = linesOf(await (await send("text/plain", bytes, { ...headers, accept: ndjson })).text());
      assert.deepEqual(
        verdicts.map(({ useragent }) => useragent),
        lines,
      );
    }
  });
});

describe("an array", () => {
  /** The status for a body by JSON.parse. */
  const expected = (body: string): number => {
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return 400;
    }
    const isItem = (item: unknown) =>
      typeof (typeof item === "object" ? (item as Verdict)?.useragent : item) === "string";
    return Array.isArray(value) && value.every(isItem) ? 200 : 422;
  };
  const assertRead = async (body: string) => assert.equal((await ask(path, {}, body)).status, expected(body), body);

  it("is read where JSON.parse reads one, and nothing else is", async () => {
    const unit = fc.constantFrom(...'[]{},:" \\\n', '"a"', '{"useragent":"b"}', "\t\r", "null");
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, maxLength: 9 }), (inner) => assertRead(`[${inner}]`)),
      {
        numRuns: 2000,
      },
    );
    await fc.assert(fc.asyncProperty(fc.string({ unit, maxLength: 9 }), assertRead), { numRuns: 1000 });
  });

  it("has its strings and objects in order, whatever is in them", async () => {
    const useragent = fc.string({ unit: fc.constantFrom(...'[]{},:"\\ ä🤖\n'), maxLength: 8 });
    const item = fc.oneof(
      useragent,
      fc.record({ useragent, more: fc.jsonValue({ maxDepth: 3 }) }, { requiredKeys: ["useragent"] }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(item), fc.constantFrom("", " ", "\n\t"), async (items, space) => {
        const answers = await ask(path, {}, `${space}${JSON.stringify(items, null, space)}${space}`);
        assert.deepEqual(
          ((await answers.json()) as Verdict[]).map(({ useragent }) => useragent),
          items.map((item) => (typeof item === "string" ? item : item.useragent)),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("may come in pieces that cut a character", async () => {
    const bytes = Buffer.from('["bät"]');
    const cutAt = bytes.indexOf(0xc3) + 1;
    const answer = await ask(path, {}, streamOf([bytes.subarray(0, cutAt), bytes.subarray(cutAt)]));
    assert.deepEqual(await answer.json(), [detector.check("bät")]);
  });

  it("is answered all or nothing", async () => {
    noted.length = 0;
    const response = await send(json, JSON.stringify([...Array(600).fill("x".repeat(400)), 1]));
    assert.deepEqual([response.status, noted.length], [422, 0]);
    assert.match(((await response.json()) as { detail: string }).detail, /^Item 600 /);
  });
});

describe("a compressed body", () => {
  it("that is damaged gets a problem, whatever came before the damage", async () => {
    const whole = gzipSync(Array.from({ length: 5000 }, (_, at) => `"bot ${(at * 7919) % 5000}"\n`).join(""));
    for (const body of [whole.subarray(0, whole.length - 1000), Buffer.concat([whole, Buffer.from("no gzip")])])
      for (const type of [ndjson, "text/plain"]) {
        const response = await send(type, body, gzip);
        assert.equal(response.status, 400);
        assert.equal(((await response.json()) as { type: string }).type, "/docs#not-json");
      }
  });

  it("that becomes larger than a body may be is given up at that size", async () => {
    // Larger than what the runtime leaves uncollected for a while.
    const size = 256 * 1024 * 1024;
    const bomb = gzipSync(Buffer.alloc(size), { level: 1 });
    const before = process.memoryUsage().rss;
    for (const type of ["text/plain", ndjson, json]) assert.equal((await send(type, bomb, gzip)).status, 413);
    const grown = process.memoryUsage().rss - before;
    assert.ok(grown < size / 2, `${grown} bytes`);
  });
});
