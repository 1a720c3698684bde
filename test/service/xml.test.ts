/** XML answers say what JSON answers say, to a client that knows the schemas of /openapi.json. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { CrawlerFacts } from "../../src/detect/facts.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import { schemas } from "../../src/generated/json-schemas.ts";
import { verdictWriters } from "../../src/service/describe/verdict-writers.ts";
import { open } from "./open.ts";
import { readXml } from "./read-xml.ts";

const { text, json } = open({ record: undefined });

const nasty = [
  "",
  " ",
  "  leading and trailing \t",
  "tab\tline\nreturn\rboth\r\nend\r",
  "<check>&amp;&lt;&#13;&#x0;&unknown;</check>",
  "]]>",
  "<![CDATA[ x ]]> <!-- -- --> <?pi ?> <!DOCTYPE a>",
  "\"quotes\" and 'quotes' and `quotes`",
  Array.from({ length: 0xa1 }, (_, code) => String.fromCharCode(code)).join(""),
  "\u0085 \u2028 \u2029 \ufeff \u200b \u202e",
  "\ufffe \uffff \ufffd \ufdd0 \u{1ffff} \u{10ffff}",
  "\ud800 \udfff \udc00\ud800 x\ud83d",
  "\u{1f600} é ß 中文 א",
  "true",
  "1e3",
  "007",
  "__proto__",
  ...["Googlebot", "FooBot/1.2", "Go-http-client/1.1", "curl/8.1"].map((name) => `${name} <&> \u0001\r\n "x"`),
  detector.strings()[0] as string,
];

/** What XML 1.0 cannot carry is replaced, in a copy of a JSON answer. */
function toCarriable(value: unknown): unknown {
  if (typeof value === "string") {
    // The Char production of XML 1.0, §2.2.
    return value.replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
  }
  if (Array.isArray(value)) return value.map(toCarriable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toCarriable(member)]));
}

const everyFact: Required<CrawlerFacts> = {
  ...{ operator: "x", operatorDerived: true, maker: "x" },
  ...{ category: "ai", purposes: ["search", "training"], url: "x" },
};

describe("XML", () => {
  for (const useragent of nasty)
    test(`of a Check of ${JSON.stringify(useragent).slice(0, 60)} equals the JSON`, async () => {
      const verdict = await json("/RestService/Check/json", {}, { useragent });
      assert.equal(verdict.useragent, useragent);
      const xml = await text("/RestService/Check/xml", {}, { useragent });
      assert.deepEqual(readXml(xml, schemas.Verdict), toCarriable(verdict));
    });

  const own = open({ record: undefined, detector: { ...detector, alternatives: [], strings: () => nasty } });
  for (const [query, ask] of [
    ["", { text, json }],
    ["?limit=3&offset=2", { text, json }],
    ["?limit=0", { text, json }],
    ["?q=", own],
  ] as const)
    test(`of the List${query} equals the JSON`, async () => {
      const xml = await ask.text(`/RestService/List/xml${query}`);
      assert.deepEqual(readXml(xml, schemas.List), toCarriable(await ask.json(`/RestService/List/json${query}`)));
    });

  test("has every member that a verdict and an item of a list may have, and no other", () => {
    const time = "2026-01-02T00:00:00.000Z";
    const url = "https://x.example/";
    const signal = { id: "no-sec-fetch", because: "x" } as const;
    const verdict: Verdict = {
      useragent: "x",
      crawler: true,
      name: "x",
      ...everyFact,
      pattern: "x",
      match: "x",
      verification: {
        ...{ status: "unverifiable", method: "dns", reason: "x", asOf: time, unproven: true },
        agent: { url, operator: "x" },
      },
      network: { kind: "hosting", provider: "x", source: url, asOf: time },
      crawlerAddress: { operator: "x", crawlers: ["x", "y"], source: url, asOf: time },
      signals: [signal, signal],
    };
    const more = { source: "evaluated", count: 1, firstSeen: time, lastSeen: time, cut: true } as const;
    const item = { ...verdict, ...more };
    const list = { version: "x", total: 1, offset: 0, limit: 1, incomplete: true, dropped: 7 } as const;
    assert.deepEqual(Object.keys(verdict), Object.keys(schemas.Verdict.properties ?? {}));
    assert.deepEqual(Object.keys(item), Object.keys(schemas.ListItem.properties ?? {}));
    assert.deepEqual([...Object.keys(list), "items"], Object.keys(schemas.List.properties));
    assert.deepEqual(readXml(verdictWriters.xml.writeVerdict(verdict), schemas.Verdict), verdict);
    const { head, writeItem, tail } = verdictWriters.xml.list(list);
    const xml = head + writeItem(item) + tail;
    assert.deepEqual(readXml(xml, schemas.List), { ...list, items: [item] });
    for (const unknown of [xml.replace("<name>", "<more/><name>"), xml.replace(" offset", " more='1' offset")])
      assert.throws(() => readXml(unknown, schemas.List), assert.AssertionError);
  });

  for (const [path, body] of [
    ["/nowhere", undefined],
    ["/RestService/List?category=%3C", undefined],
    ["/RestService/RegExp?flavor=x", undefined],
    ["/RestService/Check", "{"],
    ["/RestService/Check", "{}"],
  ] as const)
    test(`of the problem of ${path} ${body} equals the JSON`, async () => {
      const xml = await text(path, { accept: "application/xml" }, body);
      assert.deepEqual(readXml(xml, schemas.Problem), await json(path, { accept: "application/json" }, body));
    });
});
