/**
 * Rows about CheckMany: lines and arrays, and what they are declared as.
 */
import { gzipSync } from "node:zlib";
import { firefox, googlebot } from "../support/user-agents.ts";
import { ask, type Case, json, many, ndjson, plain, problemJson, problemXml, xml } from "./case.ts";

const refused = { type: problemJson } as const;
const verdict =
  /^\{"useragent":"Mozilla\/5\.0 \(compatible; Googlebot[^\n]*"crawler":true,"name":"Googlebot"[^\n]*\}\n$/;

export const manyUserAgents: readonly Case[] = [
  {
    ...many("text/plain", `${googlebot}\n${firefox}\n`),
    status: 200,
    type: plain,
    answers: { vary: "Accept" },
    text: "1\n0\n",
  },
  { ...many("text/plain;charset=UTF-8", `${firefox}\r\n\r\ncurl/8.5`), status: 200, type: plain, text: "0\n1\n1\n" },
  { ...many("text/plain", ""), status: 200, type: plain, text: "" },
  { ...many("text/plain", googlebot, { accept: ndjson }), status: 200, type: ndjson, text: verdict },
  {
    ...many("text/plain", googlebot, { accept: `text/plain;q=0.5, ${ndjson}` }),
    status: 200,
    type: ndjson,
    text: verdict,
  },
  {
    ...many("text/plain", gzipSync(`${googlebot}\nx`), { "content-encoding": "gzip" }),
    status: 200,
    type: plain,
    text: "1\n0\n",
  },
  {
    ...many("text/plain", `x\n${"y".repeat(65_537)}\nbot`),
    about: "a long line",
    status: 200,
    type: plain,
    text: "0\n-\n1\n",
  },
  ...[
    many("text/plain", gzipSync("x\n").subarray(0, 12), { "content-encoding": "gzip" }),
    many(ndjson, '"x"\n', { "content-encoding": "gzip" }),
  ].map((request): Case => ({ ...request, about: "no gzip", ...refused, status: 400, problem: "not-json" })),
  { ...many("text/plain", `\ufeff${googlebot}\n\ufeffx`), about: "a mark", status: 200, type: plain, text: "1\n0\n" },
  { ...many("text/plain", "\ufeff"), about: "a mark alone", status: 200, type: plain, text: "1\n" },
  { ...many(ndjson, `\ufeff${ask(googlebot)}\n`), about: "a mark", status: 200, type: ndjson, text: verdict },
  { ...many(ndjson, ask(googlebot)), status: 200, type: ndjson, text: verdict },
  { ...many(ndjson, JSON.stringify(googlebot)), status: 200, type: ndjson, text: verdict },
  { ...many(ndjson, `\n${ask(googlebot)}\r\n\n`), status: 200, type: ndjson, text: verdict },
  { ...many(json, "[]"), status: 200, type: json, text: "[]" },
  {
    ...many(json, JSON.stringify([firefox])),
    status: 200,
    type: json,
    text: `[{"useragent":"${firefox}","crawler":false}]`,
  },
  {
    ...many(json, gzipSync(`[${ask(googlebot)}]`), { "content-encoding": "x-gzip" }),
    status: 200,
    type: json,
    text: /"name":"Googlebot"/,
  },
  {
    ...many(json, JSON.stringify(["<", { useragent: "bot" }]), { accept: "text/xml" }),
    status: 200,
    type: xml,
    text: /^<\?xml .*\?>\n<checks><check><useragent>&lt;<\/useragent><crawler>false<\/crawler><\/check><check><useragent>bot<\/useragent><crawler>true.*<\/check><\/checks>$/,
  },
  {
    ...many(json, '\ufeff["<"]'),
    about: "a mark",
    status: 200,
    type: json,
    text: '[{"useragent":"<","crawler":false}]',
  },
  ...["", "[1", "nul", "\u0000", '["x"]\ufeff'].map(
    (body): Case => ({ ...many(json, body), ...refused, status: 400, problem: "not-json" }),
  ),
  {
    ...many(json, "[]", { "content-encoding": "gzip" }),
    about: "no gzip",
    ...refused,
    status: 400,
    problem: "not-json",
  },
  ...['"bot"', "null", "[null]", "[1]", '[{"ua":"x"}]', '[["x"]]'].map(
    (body): Case => ({ ...many(json, body), ...refused, status: 422, problem: "no-useragent" }),
  ),
  ...["application/x-www-form-urlencoded", "", "text/plain; charset=utf-16"].map(
    (type): Case => ({ ...many(type, "x"), ...refused, status: 415, problem: "type-not-taken" }),
  ),
  {
    ...many("text/plain", "x", { "content-encoding": "br" }),
    ...refused,
    status: 415,
    problem: "type-not-taken",
    answers: { "accept-encoding": "gzip, identity" },
  },
  { ...many(ndjson, '"x"', { accept: "application/xml" }), status: 406, type: problemXml, problem: "not-acceptable" },
  { ...many(json, "[]", { accept: "image/png" }), ...refused, status: 406, problem: "not-acceptable" },
  { method: "GET", path: "/RestService/CheckMany", ...refused, status: 405, problem: "method-not-allowed" },
];
