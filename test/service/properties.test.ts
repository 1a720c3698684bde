/**
 * What holds for every input: strings survive the round trip, no body and no header makes the service fail, the quick
 * check agrees with the schema, the expression agrees with Check, and List with a naive filter.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { XMLParser } from "fast-xml-parser";
import { z } from "zod";
import { detector } from "../../src/detect/built-in/detector.ts";
import { categories } from "../../src/detect/categories.ts";
import { schemas } from "../../src/generated/json-schemas.ts";
import { isCheckRequest } from "../../src/service/check/check-request.ts";
import { open } from "./open.ts";

const { ask, json } = open({ record: undefined });
const check = (useragent: string, format = "json") => ask(`/RestService/Check/${format}`, {}, { useragent });
const strings = detector.strings();

/** Any UTF-16, lone surrogates and controls included. */
const anyString = fc
  .array(fc.integer({ max: 0xffff, min: 0 }), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units));
/** Pieces of known user agents in any order, which meet patterns often. */
const pieces = fc
  .array(fc.tuple(fc.constantFrom(...strings), fc.nat(80), fc.nat(30)), { minLength: 1, maxLength: 4 })
  .map((cuts) => cuts.map(([text, start, length]) => text.slice(start, start + length)).join(""));
const useragents = fc.oneof(anyString, pieces, fc.string({ unit: "binary" }), fc.constantFrom(...strings));

test("any string survives the round trip, in JSON and in XML", async () => {
  const parser = new XMLParser({ trimValues: false, parseTagValue: false, htmlEntities: true });
  await fc.assert(
    fc.asyncProperty(useragents, async (useragent) => {
      const json = await check(useragent);
      assert.equal(json.status, 200);
      const bytes = new Uint8Array(await json.arrayBuffer());
      const verdict = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
      assert.deepEqual(verdict, JSON.parse(JSON.stringify(detector.check(useragent))));
      assert.equal(verdict.useragent, useragent);
      const xml = parser.parse(await (await check(useragent, "xml")).text()).check;
      assert.equal(xml.useragent, useragent.replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd"));
      assert.equal(xml.crawler, String(verdict.crawler));
    }),
    { numRuns: 250 },
  );
});

test("whatever is sent, the service answers with a verdict or names the client's mistake", async () => {
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)),
    fc.json(),
    fc.jsonValue().map((useragent) => JSON.stringify({ useragent })),
    fc.constantFrom("[".repeat(65_000), '{"a":'.repeat(13_000), `{"useragent":"${"\\".repeat(999)}"}`),
  );
  const headerText = fc.oneof(
    fc.stringMatching(/^[ -~]{0,60}$/),
    fc
      .array(
        fc.constantFrom(
          ...["application/json", "text/xml", "*/*", ";q=", "0", "0.5", ",", ";", " ", '"', "=", "charset=utf-8"],
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join("")),
  );
  const paths = fc.constantFrom("/RestService/Check", "/RestService/Check/json", "/RestService/Check/xml");
  await fc.assert(
    fc.asyncProperty(
      paths,
      bodies,
      fc.oneof(fc.constant("application/json"), headerText),
      headerText,
      async (path, body, type, accept) => {
        const response = await ask(path, { "content-type": type, accept }, body);
        assert.ok([200, 400, 406, 413, 415, 422].includes(response.status), String(response.status));
        const answer = await response.text();
        if (response.headers.get("content-type")?.endsWith("json")) JSON.parse(answer);
        else assert.match(answer, /^<\?xml .*\?>\n<(check|problem)[ >].*<\/\1>$/);
      },
    ),
    { numRuns: 500 },
  );
});

test("a query string never makes List or RegExp fail", async () => {
  const names = fc.constantFrom("limit", "offset", "q", "category", "crawler", "useragent", "flavor", "constructor");
  const query = fc.array(fc.tuple(names, fc.oneof(fc.webQueryParameters(), fc.stringMatching(/^[ -~]{0,9}$/))), {
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom("List/json", "List/xml", "RegExp"), query, async (path, pairs) => {
      const response = await ask(`/RestService/${path}?${pairs.map((pair) => pair.join("=")).join("&")}`);
      assert.ok([200, 204, 400].includes(response.status), String(response.status));
      await response.arrayBuffer();
    }),
    { numRuns: 100 },
  );
});

test("the quick check of a body agrees with its schema", () => {
  const schema = z.fromJSONSchema(schemas.CheckRequest as Parameters<typeof z.fromJSONSchema>[0]);
  const values = fc.oneof(
    fc.jsonValue(),
    fc.record({ useragent: fc.jsonValue() }),
    fc.dictionary(fc.constantFrom("useragent", "__proto__", "x"), fc.jsonValue()),
  );
  fc.assert(
    fc.property(values, (value) => {
      const parsed: unknown = JSON.parse(JSON.stringify(value));
      assert.equal(isCheckRequest(parsed), schema.safeParse(parsed).success);
    }),
    { numRuns: 500 },
  );
});

test("the expression agrees with Check, and its alternatives with it", async () => {
  const expression = await (await ask("/RestService/RegExp")).text();
  const flavors = ["", "u", "v"].map((flags) => new RegExp(expression, flags));
  await fc.assert(
    fc.asyncProperty(useragents, async (useragent) => {
      const { crawler } = (await (await check(useragent)).json()) as { crawler: boolean };
      for (const flavor of flavors) assert.equal(flavor.test(useragent), crawler);
      // A query can carry only strings that are well-formed.
      if (!useragent.isWellFormed()) return;
      const response = await ask(`/RestService/RegExp?useragent=${encodeURIComponent(useragent)}`);
      assert.equal(response.status, crawler ? 200 : 204);
      if (crawler) for (const line of (await response.text()).split("\n")) assert.match(useragent, new RegExp(line));
    }),
    { numRuns: 250 },
  );
});

test("List agrees with a naive filter", async () => {
  const all = strings.map((useragent) => detector.check(useragent));
  const filters = fc.record(
    {
      q: fc.constantFrom("bot", "BOT", "+http", "Mozilla", "é", "%", "&", " ", ""),
      category: fc.constantFrom(...categories),
      crawler: fc.boolean(),
      limit: fc.nat(4000),
      offset: fc.nat(4000),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(filters, async ({ q, category, crawler, limit, offset = 0, ...rest }) => {
      const query = new URLSearchParams(
        Object.entries({ q, category, crawler, limit, offset, ...rest })
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => [name, String(value)]),
      );
      const list = await json(`/RestService/List?${query}`);
      const found = all.filter(
        (verdict) =>
          (q === undefined || verdict.useragent.toLowerCase().includes(q.toLowerCase())) &&
          (category === undefined || verdict.category === category) &&
          (crawler === undefined || verdict.crawler === crawler),
      );
      assert.equal(list.total, found.length);
      const shown = found.slice(offset, limit === undefined ? undefined : offset + limit);
      assert.deepEqual(
        list.items,
        shown.map((verdict) => ({ ...JSON.parse(JSON.stringify(verdict)), source: "catalogue" })),
      );
    }),
    { numRuns: 30 },
  );
});
