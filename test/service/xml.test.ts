/**
 * XML answers say what JSON answers say, in the eyes of an independent parser, and are valid against the schemas that
 * the service ships.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { XMLParser } from "fast-xml-parser";
import { validateXML } from "xmllint-wasm";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createService } from "../../src/service/create-service.ts";
import { check, get, post } from "./ask.ts";

const service = createService({ detector });

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

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: true,
  htmlEntities: true,
});

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

/** Gives a parsed element the types that the JSON has. */
function toVerdict(element: Record<string, unknown>): Record<string, unknown> {
  const { crawler, operatorDerived, purposes, ...rest } = element;
  const verdict: Record<string, unknown> = { ...rest, crawler: crawler === "true" };
  if (operatorDerived !== undefined) verdict.operatorDerived = operatorDerived === "true";
  if (purposes !== undefined)
    verdict.purposes = purposes === "" ? [] : [(purposes as { purpose: unknown }).purpose].flat();
  return verdict;
}

async function assertValid(documents: readonly string[], xsd: "/whocrawls.xsd" | "/problem.xsd"): Promise<void> {
  const xml = documents.map((contents, index) => ({ fileName: `answer-${index}.xml`, contents }));
  const schema = { fileName: "schema.xsd", contents: await (await get(service, xsd)).text() };
  const { valid, errors } = await validateXML({ xml, schema: [schema], maxMemoryPages: 4096 });
  assert.deepEqual(errors, []);
  assert.ok(valid);
}

describe("XML", () => {
  const documents: string[] = [];
  for (const useragent of nasty) {
    test(`of a Check of ${JSON.stringify(useragent).slice(0, 60)} equals the JSON`, async () => {
      const json = await (await check(service, useragent)).json();
      assert.equal((json as { useragent: string }).useragent, useragent);
      const xml = await (await check(service, useragent, "xml")).text();
      documents.push(xml);
      assert.deepEqual(toVerdict(parser.parse(xml).check), toCarriable(json));
    });
  }

  test("of Check is valid against whocrawls.xsd", () => assertValid(documents, "/whocrawls.xsd"));

  test("that is wrong is found out by whocrawls.xsd", async () => {
    const wrong = documents.map((document) => document.replace(/<crawler>\w+</, "<crawler>maybe<"));
    await assert.rejects(assertValid(wrong.slice(0, 1), "/whocrawls.xsd"), /maybe/);
  });

  describe("that other programs might write", () => {
    const prolog = '<?xml version="1.0" encoding="UTF-8"?>';
    const named = "<useragent>x</useragent><crawler>true</crawler>";
    const of = (...members: readonly string[]) => `<check>${named}${members.join("")}</check>`;
    const time = "2026-01-02T00:00:00.000Z";
    const place = [
      ...["<kind>hosting</kind>", "<provider>x</provider>", "<source>https://x.example/</source>"],
      `<asOf>${time}</asOf>`,
    ];
    const network = (...members: readonly string[]) => of(`<network>${members.join("")}</network>`);
    const verification = (...members: readonly string[]) => of(`<verification>${members.join("")}</verification>`);
    const signals = (...members: readonly string[]) => `<signals><signal>${members.join("")}</signal></signals>`;
    const signal = ["<id>no-sec-fetch</id>", "<because>x</because>"];
    const claim = ["<status>verified</status>", "<method>dns</method>", "<reason>x</reason>"];
    const list = (attributes: string, ...items: readonly string[]) => `<list ${attributes}>${items.join("")}</list>`;
    const head = 'version="x" offset="0"';
    const item = (...members: readonly string[]) => list(head, `<item>${named}${members.join("")}</item>`);
    const valid = [
      of(),
      of(
        ...["<name>x</name>", "<operator>x</operator>", "<operatorDerived>true</operatorDerived>"],
        ...["<category>ai</category>", "<purposes><purpose>search</purpose><purpose>agent</purpose></purposes>"],
        ...["<url>x</url>", "<pattern>x</pattern>", "<match>x</match>"],
        `<verification>${claim.join("")}<asOf>${time}</asOf></verification>`,
      ),
      of("<category>other</category>", "<purposes/>"),
      verification(...claim),
      verification(...claim, "<agent><url>https://x.example/</url></agent>"),
      verification(...claim, "<agent><url>https://x.example/</url><name>x</name></agent>"),
      network(...place),
      of(`<verification>${claim.join("")}</verification><network>${place.join("")}</network>`),
      of(signals(...signal)),
      of(
        `<network>${place.join("")}</network>`,
        signals(...signal).replace("</signals>", `<signal>${signal.join("")}</signal></signals>`),
      ),
      "<checks></checks>",
      `<checks>${of()}${of()}</checks>`,
      list(head),
      list(`${head} total="1" limit="0" incomplete="true"`),
      item("<source>catalogue</source>"),
      item(
        ...["<source>evaluated</source>", "<count>1</count>"],
        ...[`<firstSeen>${time}</firstSeen>`, `<lastSeen>${time}</lastSeen>`, "<cut>true</cut>"],
      ),
    ];
    const wrong = [
      verification(...claim, "<agent><name>x</name></agent>"),
      network("<kind>cloud</kind>", ...place.slice(1)),
      network(...place.slice(0, 3), "<asOf>now</asOf>"),
      ...place.map((_, missing) => network(...place.filter((_, index) => index !== missing))),
      of(`<network>${place.join("")}</network><verification>${claim.join("")}</verification>`),
      of(signals(...signal), `<network>${place.join("")}</network>`),
      of(signals("<id>x</id>", signal[1] as string)),
      of(signals(signal[0] as string)),
      of(signals(signal[1] as string)),
      "<check/>",
      "<check><useragent>x</useragent></check>",
      "<check><crawler>true</crawler></check>",
      "<check><crawler>true</crawler><useragent>x</useragent></check>",
      of("<more/>"),
      of("<name>x</name><name>x</name>"),
      of("<operator>x</operator><name>x</name>"),
      of("<operatorDerived>x</operatorDerived>"),
      of("<category>x</category>"),
      of("<category/>"),
      of("<purposes><purpose>x</purpose></purposes>"),
      of("<purposes><other>search</other></purposes>"),
      verification(),
      verification("<status>x</status>", ...claim.slice(1)),
      verification(...claim, "<asOf>now</asOf>"),
      ...claim.map((_, missing) => verification(...claim.filter((_, index) => index !== missing))),
      verification(claim[0] as string, "<method>x</method>", claim[2] as string),
      `<checks>${item("<source>catalogue</source>")}</checks>`,
      list('version="x"'),
      list('offset="0"'),
      list(`${head} total="x"`),
      list(`${head} limit="-1"`),
      list(`${head} incomplete="x"`),
      list(`${head} more="x"`),
      list(head, of()),
      item(),
      item("<source>x</source>"),
      item("<source>evaluated</source>", "<count>-1</count>"),
      item("<source>evaluated</source>", "<firstSeen>now</firstSeen>"),
      item("<source>evaluated</source>", "<cut>x</cut>"),
    ];
    const problem = (...members: readonly string[]) =>
      `<problem xmlns="urn:ietf:rfc:7807">${members.join("")}</problem>`;
    const facts = ["<type>x</type>", "<title>x</title>", "<status>400</status>", "<detail>x</detail>"];
    const validProblems = [
      problem(...facts),
      problem(...facts, "<parameter>x</parameter>", "<allowed><i>x</i><i>y</i></allowed>"),
    ];
    const wrongProblems = [
      `<problem>${facts.join("")}</problem>`,
      ...facts.map((_, missing) => problem(...facts.filter((_, index) => index !== missing))),
      problem(...facts.slice(0, 2), "<status>x</status>", facts[3] as string),
      problem(...facts, "<allowed><item>x</item></allowed>"),
      problem(...facts, "<more/>"),
    ];
    for (const [xsd, right, bad] of [
      ["/whocrawls.xsd", valid, wrong],
      ["/problem.xsd", validProblems, wrongProblems],
    ] as const) {
      test(`is valid against ${xsd} only where it is right`, async () => {
        const xml = [...right, ...bad].map((contents, index) => ({
          fileName: `${index}.xml`,
          contents: prolog + contents,
        }));
        const schema = { fileName: "schema.xsd", contents: await (await get(service, xsd)).text() };
        const { errors } = await validateXML({ xml, schema: [schema] });
        const refused = new Set(errors.map(({ loc }) => loc?.fileName));
        for (const [index, { fileName, contents }] of xml.entries())
          assert.equal(refused.has(fileName), index >= right.length, contents);
      });
    }
  });

  test("of the whole List equals the JSON and is valid", async () => {
    const json = (await (await get(service, "/RestService/List/json")).json()) as {
      version: string;
      total: number;
      items: unknown[];
    };
    const xml = await (await get(service, "/RestService/List/xml")).text();
    const { version, total, offset, item } = parser.parse(xml).list;
    assert.deepEqual(
      { version, total: Number(total), offset: Number(offset) },
      { version: json.version, total: json.total, offset: 0 },
    );
    assert.equal(json.items.length, detector.strings().length);
    assert.deepEqual(item.map(toVerdict), toCarriable(json.items));
    const part = await (await get(service, "/RestService/List/xml?limit=3&offset=2")).text();
    const none = await (await get(service, "/RestService/List/xml?limit=0")).text();
    await assertValid([xml, part, none], "/whocrawls.xsd");
  });

  test("of a list whose strings are nasty equals the JSON and is valid", async () => {
    const own = createService({ detector: { ...detector, alternatives: [], strings: () => nasty } });
    const json = (await (await get(own, "/RestService/List/json")).json()) as { items: unknown[] };
    const xml = await (await get(own, "/RestService/List/xml")).text();
    assert.deepEqual(parser.parse(xml).list.item.map(toVerdict), toCarriable(json.items));
    await assertValid([xml], "/whocrawls.xsd");
  });

  test("of problems equals the JSON and is valid against problem.xsd", async () => {
    const accept = (format: string) => ({ accept: `application/${format}` });
    const requests = [
      (format: string) => get(service, "/nowhere", accept(format)),
      (format: string) => get(service, "/RestService/List?category=%3C", accept(format)),
      (format: string) => get(service, "/RestService/RegExp?flavor=x", accept(format)),
      (format: string) => post(service, "/RestService/Check", "{", accept(format)),
      (format: string) => post(service, "/RestService/Check", "{}", accept(format)),
    ];
    const documents = await Promise.all(
      requests.map(async (request) => {
        const json = (await (await request("json")).json()) as Record<string, unknown>;
        const xml = await (await request("xml")).text();
        const { xmlns, allowed, status, ...rest } = parser.parse(xml).problem;
        assert.equal(xmlns, "urn:ietf:rfc:7807");
        const parsed = {
          ...rest,
          status: Number(status),
          ...(allowed === undefined ? {} : { allowed: [allowed.i].flat() }),
        };
        assert.deepEqual(parsed, json);
        return xml;
      }),
    );
    await assertValid(documents, "/problem.xsd");
  });
});
