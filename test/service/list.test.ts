/**
 * List and RegExp through caches: validators, gzip, and lists that are sent in pieces.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createService } from "../../src/service.ts";
import { get } from "./ask.ts";

const service = createService({ detector });
const gzip = { "accept-encoding": "gzip" };

async function unzip(response: Response): Promise<string> {
  assert.equal(response.headers.get("content-encoding"), "gzip");
  const compressed = response.body as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(compressed.pipeThrough(new DecompressionStream("gzip"))).text();
}

describe("gzip", () => {
  for (const path of [
    "/RestService/List",
    "/RestService/List/xml",
    "/RestService/List?q=bot",
    "/RestService/List/xml?limit=2",
  ]) {
    test(`of ${path} is the same list, with a validator of its own`, async () => {
      const plain = await get(service, path);
      const text = await plain.text();
      assert.equal(plain.headers.get("content-encoding"), null);
      for (const turn of ["first", "second"]) {
        const coded = await get(service, path, gzip);
        assert.equal(coded.headers.get("vary"), plain.headers.get("vary"));
        assert.equal(coded.headers.get("etag"), plain.headers.get("etag")?.replace(/"$/, '-gzip"'));
        assert.equal(await unzip(coded), text, turn);
      }
    });
  }

  for (const [accept, coding] of [
    ["gzip, deflate, br, zstd", "gzip"],
    ["*", "gzip"],
    ["gzip;q=0.5, identity;q=0.1", "gzip"],
    ["gzip;q=0", null],
    ["br", null],
    ["identity, gzip;q=0.5", null],
    ["", null],
  ] as const) {
    test(`for Accept-Encoding: ${accept} is ${coding ?? "not used"}`, async () => {
      const response = await get(service, "/RestService/List", { "accept-encoding": accept });
      assert.equal(response.headers.get("content-encoding"), coding);
    });
  }

  test("makes the whole list at least five times smaller", async () => {
    const plain = await (await get(service, "/RestService/List")).arrayBuffer();
    const coded = await (await get(service, "/RestService/List", gzip)).arrayBuffer();
    assert.ok(coded.byteLength * 5 < plain.byteLength, `${coded.byteLength} of ${plain.byteLength}`);
  });
});

describe("validators", () => {
  for (const path of [
    "/RestService/List",
    "/RestService/List/xml?q=bot",
    "/RestService/RegExp",
    "/RestService/RegExp?flavor=portable",
  ]) {
    test(`of ${path} are honored`, async () => {
      const etag = (await get(service, path)).headers.get("etag") as string;
      assert.match(etag, /^"[!#-~]+"$/);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `"a,b" , W/${etag} ,"c"`, "*"]) {
        const response = await get(service, path, { "if-none-match": known });
        assert.equal(response.status, 304, known);
        assert.equal(response.headers.get("etag"), etag);
        assert.equal(response.headers.get("content-type"), null);
        assert.equal(await response.text(), "");
      }
      for (const unknown of ['"other"', etag.slice(1, -1), `"${etag}"`, ""]) {
        assert.equal((await get(service, path, { "if-none-match": unknown })).status, 200, unknown);
      }
    });
  }

  test("differ between formats, codings, catalogues and expressions", async () => {
    const changed = createService({
      detector: { ...detector, alternatives: [], strings: () => detector.strings().slice(1) },
      flavors: { portable: "x" },
    });
    const answers = await Promise.all([
      get(service, "/RestService/List"),
      get(service, "/RestService/List/xml"),
      get(service, "/RestService/List", gzip),
      get(service, "/RestService/RegExp"),
      get(changed, "/RestService/List"),
      get(changed, "/RestService/RegExp"),
    ]);
    assert.equal(new Set(answers.map((answer) => answer.headers.get("etag"))).size, answers.length);
  });
});

test("a long list that is filtered is sent in pieces, each made when the client wants it", async () => {
  let written = 0;
  const own = createService({
    detector: {
      ...detector,
      alternatives: [],
      strings: () => Array.from({ length: 100_000 }, (_, index) => `Bot ${index}`),
      check: (useragent) => ({
        useragent: useragent ?? "",
        crawler: false,
        toJSON() {
          written++;
          return { useragent, crawler: false };
        },
      }),
    },
  });
  const path = "/RestService/List?q=bot";
  assert.equal((await get(own, path, { "if-none-match": "*" })).status, 304);
  // The validator is made of all of them.
  assert.equal(written, 100_000);
  const reader = ((await get(own, path)).body as ReadableStream<Uint8Array>).getReader();
  for (let piece = 0; piece < 3; piece++) assert.ok(((await reader.read()).value as Uint8Array).byteLength < 65_536);
  await reader.cancel();
  assert.ok(written < 103_000, `${written - 100_000} were written`);
});
