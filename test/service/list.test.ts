/** List and RegExp: validators, gzip, pieces, and recorded strings behind the catalogue's, as one list in JSON and XML. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { schemas } from "../../src/generated/json-schemas.ts";
import { UserAgentRecord } from "../../src/record/record.ts";
import type { RecordedString } from "../../src/record/store.ts";
import { createMemoryStore } from "../record/memory-store.ts";
import { rowsOf } from "../support/table.ts";
import { firefox } from "../support/user-agents.ts";
import { open } from "./open.ts";
import { readXml } from "./read-xml.ts";

const list = "/RestService/List";
const { ask, fieldsOf, statusOf } = open({ record: undefined });
const gzip = { "accept-encoding": "gzip" };

async function unzip(response: Response): Promise<string> {
  assert.equal(response.headers.get("content-encoding"), "gzip");
  return new Response(response.body!.pipeThrough(new DecompressionStream("gzip"))).text();
}

describe("gzip", () => {
  for (const path of [list, `${list}/xml`, `${list}?q=bot`, `${list}/xml?limit=2`])
    test(`of ${path} is the same list, with a validator of its own`, async () => {
      const plain = await ask(path);
      const whole = await plain.text();
      assert.equal(plain.headers.get("content-encoding"), null);
      for (const turn of ["first", "second"]) {
        const coded = await ask(path, gzip);
        assert.equal(coded.headers.get("vary"), plain.headers.get("vary"));
        assert.equal(coded.headers.get("etag"), plain.headers.get("etag")?.replace(/"$/, '-gzip"'));
        assert.equal(await unzip(coded), whole, turn);
      }
    });

  for (const [accept = "", coding] of rowsOf(`
    gzip, deflate, br, zstd | gzip
    * | gzip
    gzip;q=0.5, identity;q=0.1 | gzip
    gzip;q=0 | null
    br | null
    identity, gzip;q=0.5 | null
     | null
  `))
    test(`for Accept-Encoding: ${accept} is used: ${coding}`, async () =>
      assert.equal(
        `${await fieldsOf("content-encoding", list, { "accept-encoding": accept })}`.replace(/^$/, "null"),
        coding,
      ));

  test("makes the whole list at least five times smaller", async () => {
    const [plain, coded] = [await ask(list), await ask(list, gzip)];
    const [length, codedLength] = [(await plain.arrayBuffer()).byteLength, (await coded.arrayBuffer()).byteLength];
    assert.ok(codedLength * 5 < length, `${codedLength} of ${length}`);
  });
});

describe("validators", () => {
  for (const path of [list, `${list}/xml?q=bot`, "/RestService/RegExp", "/RestService/RegExp?flavor=portable"])
    test(`of ${path} are honored`, async () => {
      const [etag = ""] = await fieldsOf("etag", path);
      assert.match(etag!, /^"[!#-~]+"$/);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `"a,b" , W/${etag} ,"c"`, "*"]) {
        const response = await ask(path, { "if-none-match": known! });
        const { status, headers } = response;
        const told = [status, headers.get("etag"), headers.get("content-type"), await response.text()];
        assert.deepEqual(told, [304, etag, null, ""], known!);
      }
      for (const unknown of ['"other"', etag!.slice(1, -1), `"${etag}"`, ""])
        assert.equal(await statusOf(path, { "if-none-match": unknown }), 200, unknown);
    });

  test("differ between formats, codings, catalogues and expressions", async () => {
    const strings = () => detector.strings().slice(1);
    const changed = open({
      ...{ record: undefined, flavors: { portable: "x" } },
      detector: { ...detector, alternatives: [], strings },
    });
    const tags = new Set<unknown>();
    for (const path of [list, `${list}/xml`, "/RestService/RegExp"]) tags.add((await fieldsOf("etag", path))[0]);
    tags.add((await fieldsOf("etag", list, gzip))[0]);
    for (const path of [list, "/RestService/RegExp"]) tags.add((await changed.fieldsOf("etag", path))[0]);
    assert.equal(tags.size, 6);
  });
});

test("a long list that is filtered is sent in pieces, each made when the client wants it", async () => {
  let written = 0;
  const check = (useragent = "") => ({
    ...{ useragent, crawler: false as const },
    toJSON() {
      written++;
      return { useragent, crawler: false };
    },
  });
  const strings = () => Array.from({ length: 100_000 }, (_, at) => `Bot ${at}`);
  const own = open({ record: undefined, detector: { ...detector, alternatives: [], strings, check } });
  assert.equal(await own.statusOf(`${list}?q=bot`, { "if-none-match": "*" }), 304);
  // The validator is made of all of them.
  assert.equal(written, 100_000);
  const reader = (await own.ask(`${list}?q=bot`)).body!.getReader();
  for (let piece = 0; piece < 3; piece++) assert.ok((await reader.read()).value!.byteLength < 65_536);
  await reader.cancel();
  assert.ok(written < 103_000, `${written - 100_000} were written`);
});

describe("a service with a record", () => {
  const catalogue = detector.strings().length;
  let now = Date.UTC(2026, 0, 2);
  const record = new UserAgentRecord({ store: createMemoryStore(), clock: () => now });
  const { ask, text, json, fieldsOf, check } = open({ record });

  test("lists what Check was asked about, the last seen first", async () => {
    for (const useragent of ["First-bot/1", firefox, `Long-bot/${"x".repeat(3000)}`]) {
      await check({ useragent });
      await record.flush();
      now += 1000;
    }
    const { total, items } = await json(`${list}?source=evaluated`);
    assert.equal(total, 3);
    assert.deepEqual(
      items.map(({ crawler, source, count, cut }: RecordedString & { source: string }) => [
        crawler,
        source,
        count,
        cut,
      ]),
      [
        [true, "evaluated", 1, true],
        [false, "evaluated", 1, undefined],
        [true, "evaluated", 1, undefined],
      ],
    );
    const time = "2026-01-02T00:00:00.000Z";
    assert.deepEqual(items[2], {
      ...{ useragent: "First-bot/1", crawler: true, name: "First-bot", category: "other", source: "evaluated" },
      ...{ count: 1, firstSeen: time, lastSeen: time },
    });
  });

  /** A query, the number of all strings, and the first of those that are listed. */
  for (const [query, total, ...first] of [
    ["limit=0", catalogue + 3],
    [`offset=${catalogue - 1}&limit=2`, catalogue + 3, detector.strings().at(-1), `Long-bot/${"x".repeat(2039)}`],
    [`offset=${catalogue + 2}`, catalogue + 3, "First-bot/1"],
    [`offset=${catalogue + 3}`, catalogue + 3],
    ["source=catalogue&limit=0", catalogue],
    ["q=FIRST-bot", 1, "First-bot/1"],
    ["source=evaluated&crawler=false", 1, firefox],
  ] as const)
    test(`lists them behind the catalogue's strings, cut as one list: ${query}`, async () => {
      const found = await json(`${list}?${query}`);
      const listed = found.items.map(({ useragent }: RecordedString) => useragent);
      assert.deepEqual([found.total, ...listed], [total, ...first]);
    });

  test("has validators for the catalogue only", async () => {
    for (const query of ["", "?source=evaluated", "?limit=1"])
      assert.deepEqual(await fieldsOf("etag cache-control", list + query), [null, "no-store"]);
    const [etag] = await fieldsOf("etag", `${list}?source=catalogue`);
    assert.equal((await ask(`${list}?source=catalogue`, { "if-none-match": etag! })).status, 304);
  });

  test("writes the same in XML, and in gzip to those who want it", async () => {
    const plain = await text(`${list}?source=evaluated`);
    const xml = await text(`${list}/xml?source=evaluated`);
    assert.deepEqual(readXml(xml, schemas.List), JSON.parse(plain));
    assert.equal(await unzip(await ask(`${list}?source=evaluated`, gzip)), plain);
  });
});

test("a hundred thousand strings are read page by page, as the client takes them", async () => {
  const [pages, seen] = [400, { crawler: true, count: 1, firstSeen: 0, lastSeen: 0 }];
  let read = 0;
  let isEnded = false;
  async function* endless(): AsyncGenerator<readonly RecordedString[]> {
    try {
      for (; read < pages; read++)
        yield Array.from({ length: 250 }, (_, row) => ({ ...seen, useragent: `Bot/${read}.${row}` }));
    } finally {
      isEnded = true;
    }
  }
  const { ask, json } = open({ record: { note() {}, list: endless, count: async () => pages * 250 } });
  const reader = (await ask(`${list}/json?source=evaluated`)).body!.getReader();
  for (let piece = 0; piece < 5; piece++) await reader.read();
  assert.ok(read < 10, `${read} pages were read`);
  await reader.cancel();
  assert.equal(isEnded, true);
  read = 0;
  assert.equal((await json(`${list}?source=evaluated`)).items.length, pages * 250);
});

test("a record that cannot be read leaves the catalogue's strings, or is a problem that says so", async () => {
  const all = detector.strings().length;
  const fail = () => Promise.reject(new Error("gone"));
  const failing = { note() {}, list: () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }), count: fail };
  const { json, text, statusOf } = open({ record: failing });
  const listed = await json(`${list}?limit=5`);
  assert.deepEqual([listed.total, listed.items.length, listed.incomplete], [all, 5, true]);
  assert.equal(await statusOf(`${list}?source=evaluated`), 503);
  assert.match(await text(`${list}/xml?limit=0`), / incomplete="true"/);
  // It fails between its count and its first page.
  const late = open({ record: { ...failing, count: async () => 5 } });
  for (const query of ["source=evaluated", `offset=${all}`]) {
    const response = await late.ask(`${list}?${query}`);
    assert.deepEqual([response.status, (await response.json()).type], [503, "/docs#record-unavailable"]);
  }
});
