/**
 * Rows about Check: verdicts, bodies, how bodies are declared.
 */

import { firefox, googlebot } from "../support/user-agents.ts";
import {
  accepting,
  ask,
  type Case,
  check,
  declared,
  declaring,
  json,
  problemJson,
  problemXml,
  sending,
  xml,
} from "./case.ts";

const limit = 65_536;

export const verdicts: readonly Case[] = [
  {
    ...check,
    status: 200,
    type: json,
    answers: { vary: "Accept" },
    json: { useragent: googlebot, crawler: true, name: "Googlebot", operator: "Google", category: "search-engine" },
  },
  { ...sending(ask(firefox)), status: 200, type: json, text: `{"useragent":"${firefox}","crawler":false}` },
  {
    ...sending(ask("")),
    status: 200,
    type: json,
    json: { useragent: "", crawler: true, category: "other", pattern: "^-?$", match: "" },
  },
  {
    ...check,
    path: "/RestService/Check/json",
    status: 200,
    type: json,
    answers: { vary: null },
    json: { crawler: true },
  },
  {
    ...check,
    path: "/RestService/Check/xml",
    status: 200,
    type: xml,
    answers: { vary: null },
    text: /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<check><useragent>Mozilla\/5\.0 .*<\/useragent><crawler>true<\/crawler><name>Googlebot<\/name>.*<\/check>$/,
  },
  { ...accepting("application/xml"), path: "/RestService/Check/json", status: 200, type: json },
  { ...accepting("image/png"), path: "/RestService/Check/xml", status: 200, type: xml },
  { ...check, path: "/RestService/Check?format=xml", status: 200, type: json },
];

export const bodies: readonly Case[] = [
  ...[" ", '{"useragent":"x"', "useragent=x", "{'useragent':'x'}", '{"useragent":"x"} {}', '{"useragent":"\u0001"}'],
  ...['{"useragent":"\\ud80"}', "NaN", '{"useragent":"x",}', "\ufeff"],
  // Invalid UTF-8: a wild byte, an encoded surrogate, an overlong form, a cut character, UTF-16.
  ...[
    [0xed, 0xa0, 0x80],
    [0xc0, 0xaf],
    [0xf0, 0x9f, 0x98],
  ].map((bytes) => Uint8Array.from([0x22, ...bytes, 0x22])),
  Uint8Array.from([...ask("x")].flatMap((character) => [character.charCodeAt(0), 0])),
]
  .map((body): Case => ({ ...sending(body), status: 400, type: problemJson, problem: "not-json" }))
  .concat(
    [
      ...["null", "0", "true", '"useragent"', "[]", '[{"useragent":"x"}]', '{"useragent":null}', '{"useragent":1}'],
      ...[
        '{"useragent":["x"]}',
        '{"useragent":{"useragent":"x"}}',
        '{"UserAgent":"x"}',
        '{"__proto__":{"useragent":"x"}}',
      ],
      ...['{"useragent":"x","useragent":1}', `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`],
    ].map((body): Case => ({ ...sending(body), status: 422, type: problemJson, problem: "no-useragent" })),
    [
      {
        ...sending('{"useragent":1,"useragent":"x"}'),
        about: "the last of equal names counts",
        status: 200,
        type: json,
        json: { useragent: "x" },
      },
      {
        ...sending('{"useragent":"x","__proto__":{"crawler":true},"more":[1]}'),
        status: 200,
        type: json,
        text: '{"useragent":"x","crawler":false}',
      },
      {
        ...sending('{"useragent":"\\ud800|\\udc00\\ud83d"}'),
        about: "lone surrogates",
        status: 200,
        type: json,
        text: /"\\ud800\|\\udc00\\ud83d"/,
      },
      {
        ...sending('{"useragent":"\\u0000\\u001f\u007f\u2028\u{1f600}"}'),
        about: "controls",
        status: 200,
        type: json,
        json: { useragent: "\0\u001f\u007f\u2028\u{1f600}" },
      },
      {
        ...sending(`\ufeff${ask("x")}`),
        about: "a byte order mark",
        status: 200,
        type: json,
        json: { useragent: "x" },
      },
      { ...sending(ask("x").padEnd(limit)), about: "as long as may be", status: 200, type: json },
      {
        ...sending(ask("x").padEnd(10 * limit)),
        path: "/RestService/Check/xml",
        about: "ten times too long",
        status: 413,
        type: problemXml,
        problem: "too-large",
      },
      { ...sending(""), path: "/RestService/Check/xml", status: 400, type: problemXml, problem: "not-json" },
    ],
  );

export const declarations: readonly Case[] = [
  ...["application/json;charset=utf-8", 'application/json ; Charset="UTF-8"', "APPLICATION/JSON; v=1; charset=utf8"],
]
  .map((type): Case => ({ ...declaring(type), status: 200, type: json }))
  .concat(
    [
      ...["application/x-www-form-urlencoded", "application/jsonp", "application/problem+json", "application", ""],
      ...[
        "application/json;charset=latin1",
        "application/json; charset=utf-16",
        "application/json; charset=utf-8; charset=latin1",
      ],
    ].map(
      (type): Case => ({
        ...declaring(type),
        status: 415,
        type: problemJson,
        problem: "not-declared-json",
        answers: { "accept-post": json },
      }),
    ),
    [
      {
        ...declaring("application/json, text/plain"),
        about: "two types",
        status: 400,
        type: problemJson,
        problem: "bad-header",
      },
      {
        ...check,
        headers: {},
        body: new TextEncoder().encode(ask("x")),
        about: "no type at all",
        status: 415,
        type: problemJson,
        problem: "not-declared-json",
      },
      {
        ...check,
        headers: { ...declared, "content-encoding": "gzip" },
        body: Uint8Array.from([0x1f, 0x8b, 8, 0]),
        status: 415,
        type: problemJson,
        problem: "not-declared-json",
      },
      {
        ...check,
        headers: { "content-type": "text/plain", accept: "text/xml" },
        status: 415,
        type: problemXml,
        problem: "not-declared-json",
      },
    ],
  );

export const ids: readonly Case[] = [
  ...["a", "A.b_c-9", "x".repeat(128)].map(
    (id): Case => ({
      ...check,
      headers: { ...declared, "x-request-id": id },
      status: 200,
      type: json,
      answers: { "x-request-id": id },
    }),
  ),
  ...["", "a b", "x".repeat(129), "é", "<script>"].map(
    (id): Case => ({
      ...check,
      headers: { ...declared, "x-request-id": id },
      status: 200,
      type: json,
      answers: { "x-request-id": /^[0-9a-f-]{13}-[0-9a-z]+$/ },
    }),
  ),
  {
    method: "GET",
    path: "/nowhere",
    headers: { "x-request-id": "mine" },
    status: 404,
    type: problemJson,
    answers: { "x-request-id": "mine" },
  },
];
