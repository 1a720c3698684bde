/** What an import costs a page, in the bundlers that people use, and that the page then answers. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createContext, runInContext } from "node:vm";
import { bundlers } from "../../bench/size/bundlers.ts";
import { pages } from "../../bench/size/pages.ts";
import { detector } from "../../src/detect/built-in/detector.ts";

const strings = [
  ...detector.strings().slice(0, 500),
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0",
  "",
  "x",
];

describe("a page", () => {
  for (const { code, mostBytes } of pages) {
    if (mostBytes === undefined) continue;
    for (const [name, bundle] of Object.entries(bundlers))
      it(`with ${code} is at most ${mostBytes / 1000} kB compressed with ${name}`, async () => {
        const { gzipBytes } = await bundle(code);
        assert.ok(gzipBytes > 20 && gzipBytes <= mostBytes, `${gzipBytes} bytes`);
      });
  }

  for (const from of ["whocrawls", "whocrawls/expression"])
    it(`that imports isCrawler from ${from} answers with nothing but the language`, async () => {
      const { code } = await bundlers.esbuild!(`import { isCrawler } from "${from}"`);
      const context = createContext({});
      runInContext(code, context);
      const { answer } = context as { answer: (useragent?: string) => boolean };
      assert.equal(answer(undefined), true);
      for (const text of strings) assert.equal(answer(text), detector.isCrawler(text), text);
    });
});
