/** List with a record: both sources in order, cut and filtered as one list, streamed, in JSON and XML. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { schemas } from "../../src/generated/json-schemas.ts";
import { createRecord } from "../../src/record/record.ts";
import type { RecordedString } from "../../src/record/store.ts";
import { createService } from "../../src/service.ts";
import { createMemoryStore } from "../record/memory-store.ts";
import { check, get } from "./ask.ts";
import { readXml } from "./read-xml.ts";

interface Listed {
  readonly total: number;
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

const catalogue = detector.strings().length;

async function list(service: ReturnType<typeof createService>, query: string): Promise<Listed> {
  return (await (await get(service, `/RestService/List?${query}`)).json()) as Listed;
}

describe("a service with a record", () => {
  let now = Date.UTC(2026, 0, 2);
  const record = createRecord({ store: createMemoryStore(), clock: () => now });
  const service = createService({ detector, record });

  test("lists what Check was asked about, the last seen first", async () => {
    for (const useragent of ["First-bot/1", "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0"]) {
      await check(service, useragent);
      await record.flush();
      now += 1000;
    }
    await check(service, `Long-bot/${"x".repeat(3000)}`);
    const { total, items } = await list(service, "source=evaluated");
    assert.equal(total, 3);
    assert.deepEqual(
      items.map(({ crawler, source, count, cut }) => [crawler, source, count, cut]),
      [
        [true, "evaluated", 1, true],
        [false, "evaluated", 1, undefined],
        [true, "evaluated", 1, undefined],
      ],
    );
    assert.deepEqual(items[2], {
      useragent: "First-bot/1",
      crawler: true,
      name: "First-bot",
      category: "other",
      source: "evaluated",
      count: 1,
      firstSeen: "2026-01-02T00:00:00.000Z",
      lastSeen: "2026-01-02T00:00:00.000Z",
    });
  });

  test("lists them behind the catalogue's strings, cut as one list", async () => {
    assert.equal((await list(service, "limit=0")).total, catalogue + 3);
    const { items } = await list(service, `offset=${catalogue - 1}&limit=3`);
    assert.deepEqual(
      items.map(({ source }) => source),
      ["catalogue", "evaluated", "evaluated"],
    );
    assert.equal((await list(service, `offset=${catalogue + 2}`)).items[0]?.useragent, "First-bot/1");
    assert.equal((await list(service, `offset=${catalogue + 3}`)).items.length, 0);
    assert.equal((await list(service, "source=catalogue&limit=0")).total, catalogue);
    assert.equal((await list(service, "q=FIRST-bot")).total, 1);
    assert.equal((await list(service, "source=evaluated&crawler=false")).total, 1);
  });

  test("has validators for the catalogue only", async () => {
    for (const query of ["", "?source=evaluated", "?limit=1"]) {
      const { headers } = await get(service, `/RestService/List${query}`);
      assert.deepEqual([headers.get("etag"), headers.get("cache-control")], [null, "no-store"]);
    }
    const etag = (await get(service, "/RestService/List?source=catalogue")).headers.get("etag") as string;
    const known = await get(service, "/RestService/List?source=catalogue", { "if-none-match": etag });
    assert.equal(known.status, 304);
  });

  test("writes the same in XML", async () => {
    const xml = await (await get(service, "/RestService/List/xml?source=evaluated")).text();
    assert.deepEqual(readXml(xml, schemas.List), await list(service, "source=evaluated"));
  });

  test("sends gzip to those who want it", async () => {
    const response = await get(service, "/RestService/List?source=evaluated", { "accept-encoding": "gzip" });
    assert.equal(response.headers.get("content-encoding"), "gzip");
    const compressed = response.body as ReadableStream<Uint8Array<ArrayBuffer>>;
    const text = await new Response(compressed.pipeThrough(new DecompressionStream("gzip"))).text();
    assert.equal((JSON.parse(text) as Listed).items.length, 3);
  });
});

test("a hundred thousand strings are read page by page, as the client takes them", async () => {
  const pages = 400;
  let read = 0;
  let isEnded = false;
  async function* endless(): AsyncGenerator<readonly RecordedString[]> {
    try {
      for (; read < pages; read++) {
        yield Array.from({ length: 250 }, (_, row) => ({
          useragent: `Bot/${read}.${row}`,
          crawler: true,
          count: 1,
          firstSeen: 0,
          lastSeen: 0,
        }));
      }
    } finally {
      isEnded = true;
    }
  }
  const record = { note() {}, list: endless, count: async () => pages * 250 };
  const service = createService({ detector, record });
  const response = await get(service, "/RestService/List/json?source=evaluated");
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  for (let piece = 0; piece < 5; piece++) await reader.read();
  assert.ok(read < 10, `${read} pages were read`);
  await reader.cancel();
  assert.equal(isEnded, true);

  read = 0;
  const { items } = await list(service, "source=evaluated");
  assert.equal(items.length, pages * 250);
});

test("a record that cannot be read leaves the catalogue's strings", async () => {
  const fail = async (): Promise<never> => {
    throw new Error("gone");
  };
  const record = { note() {}, list: () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }), count: fail };
  const service = createService({ detector, record });
  const listed = (await list(service, "limit=5")) as Listed & { incomplete?: true };
  assert.deepEqual([listed.total, listed.items.length, listed.incomplete], [catalogue, 5, true]);
  assert.equal((await get(service, "/RestService/List?source=evaluated")).status, 503);
  assert.match(await (await get(service, "/RestService/List/xml?limit=0")).text(), / incomplete="true"/);
});

test("a record that fails between its count and its first page is a problem that says so", async () => {
  const fail = async (): Promise<never> => {
    throw new Error("gone");
  };
  const list = () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) });
  const service = createService({ detector, record: { note() {}, list, count: async () => 5 } });
  for (const query of ["source=evaluated", `offset=${catalogue}`]) {
    const response = await get(service, `/RestService/List?${query}`);
    assert.equal(response.status, 503);
    assert.equal(((await response.json()) as { type: string }).type, "/docs#record-unavailable");
  }
});
