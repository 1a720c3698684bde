/** What an import costs a page, in the bundlers that people use, and that pages and workers answer with what runtimes have. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createContext, runInContext } from "node:vm";
import { bundlers } from "../../bench/size/bundlers.ts";
import { pages } from "../../bench/size/pages.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { encodeCatalogue } from "../../src/detect/file/catalogue-file.ts";
import type { Detector } from "../../src/detect/verdict.ts";
import { escapeLiteral } from "../../src/pattern/parse.ts";
import { readDocument } from "../support/document.ts";

const strings = [
  ...detector.strings().slice(0, 500),
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0",
  "",
  "x",
];

const compiled = encodeCatalogue(detector.catalogue);

describe("a page", () => {
  for (const { code, maxBytes } of pages) {
    if (maxBytes === undefined) continue;
    for (const [name, bundle] of Object.entries(bundlers))
      it(`with ${code} is at most ${maxBytes / 1000} kB compressed with ${name}`, async () => {
        const { gzipBytes } = await bundle(code);
        assert.ok(gzipBytes > 20 && gzipBytes <= maxBytes, `${gzipBytes} bytes`);
      });
  }

  /** What documents say of sizes, in kB; as measured, give or take what a change of a few entries makes. */
  const written: readonly [document: string, figure: RegExp, code: string][] = [
    ["README.md", /\d+ to (\d+) kB/, pages[0]!.code],
    ["README.md", /(\d+) kB: name, operator, purposes/, 'import { check } from "whocrawls"'],
    ["README.md", /`isCrawler` takes (\d+) kB/, pages[0]!.code],
    ["README.md", /it takes (\d+) kB/, pages[1]!.code],
    ["docs/library.md", /`isCrawler` adds (\d+) kB/, pages[0]!.code],
    ["docs/library.md", /`whocrawls\/expression` (\d+) kB/, pages[1]!.code],
    ["docs/library.md", /`check` (\d+) kB/, 'import { check } from "whocrawls"'],
    ["docs/middleware.md", /gzip \| (\d+) kB/, 'import { crawlers } from "whocrawls/web"'],
    ["docs/middleware.md", /instead: (\d+) kB/, pages[0]!.code],
    ...pages.map(({ code }): [string, RegExp, string] => [
      "docs/measurements/matching.md",
      new RegExp(`${escapeLiteral(code)}\` \\| [\\d.]* ?k?B? ?\\| ([\\d.]+) kB`),
      code,
    ]),
  ];
  for (const [document, figure, code] of written)
    it(`with ${code} has the size that ${document} says: ${figure.source.slice(0, 40)}`, async () => {
      const said = Number(figure.exec(readDocument(document))?.[1]);
      const measured = (await bundlers.esbuild!(code)).gzipBytes / 1000;
      assert.ok(
        Math.abs(said - measured) <= Math.max(0.6, measured * 0.03),
        `${said} kB, measured ${measured.toFixed(1)}`,
      );
    });

  for (const from of ["whocrawls", "whocrawls/expression"])
    it(`that imports isCrawler from ${from} answers with nothing but the language`, async () => {
      const { code } = await bundlers.esbuild!(`import { isCrawler } from "${from}"`);
      const context = createContext({});
      runInContext(code, context);
      const { answer } = context as { answer: (useragent?: string) => boolean };
      assert.equal(answer(undefined), true);
      for (const text of strings) assert.equal(answer(text), detector.isCrawler(text), text);
    });

  it("that imports loadDetector answers by a compiled catalogue with nothing but the language", async () => {
    const { code } = await bundlers.esbuild!('import { loadDetector } from "whocrawls"');
    const context = createContext({});
    runInContext(code, context);
    const { answer } = context as { answer: (bytes: Uint8Array) => Detector };
    const loaded = answer(compiled);
    for (const text of strings) assert.equal(loaded.isCrawler(text), detector.isCrawler(text), text);
    assert.equal(JSON.stringify(loaded.check("GPTBot/1.0")), JSON.stringify(detector.check("GPTBot/1.0")));
  });
});

/** As in runtimes that have no `bytes()`, and for the requests of @hono/node-server. */
class OlderRequest extends Request {}
Object.defineProperty(OlderRequest.prototype, "bytes", { value: undefined });

describe("a worker that imports createService", () => {
  /** The web's standards, without Node's modules and globals. */
  const worker = createContext({
    ...{ Request: OlderRequest, Response, Headers, URL, URLSearchParams, AbortController, AbortSignal },
    ...{ ReadableStream, TransformStream, CompressionStream, DecompressionStream },
    // A runtime has one Uint8Array, whose instances TextEncoder makes.
    ...{ TextEncoder, TextDecoder, Uint8Array },
    ...{ crypto, performance, queueMicrotask, setTimeout, clearTimeout },
  });
  const asks: readonly [path: string, body?: string, type?: string, length?: string][] = [
    ["/RestService/Check", '{"useragent":"GPTBot"}', "application/json", "22"],
    ["/RestService/Check/xml", '{"useragent":"GPTBot"}', "application/json"],
    ["/RestService/CheckMany", '["GPTBot"]', "application/json", "10"],
    ["/RestService/CheckMany", "GPTBot\n", "text/plain"],
    ...["/RestService/List?q=gptbot", "/", "/crawlers/gptbot", "/traffic"].map((path): [string] => [path]),
  ];

  it("answers", async () => {
    const { code } = await bundlers.esbuild!('import { createService } from "whocrawls/service"');
    runInContext(code, worker);
    const { answer } = worker as { answer: () => { fetch(request: Request): Promise<Response> } };
    const service = answer();
    for (const [path, body, type = "", length = ""] of asks) {
      const headers = { "content-type": type, ...(length && { "content-length": length }) };
      const request = new OlderRequest(
        `http://localhost${path}`,
        body === undefined ? {} : { method: "POST", headers, body },
      );
      const response = await service.fetch(request);
      assert.deepEqual([response.status, (await response.text()) !== ""], [200, true], path);
    }
  });
});
