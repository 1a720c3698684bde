/**
 * Rows about what problems say to a person: the sentences that a client's developer reads first.
 */
import { gzipSync } from "node:zlib";
import type { ProblemName } from "../../src/http/problems.ts";
import { googlebot } from "../support/user-agents.ts";
import {
  accepting,
  ask,
  type Case,
  check,
  declared,
  declaring,
  json,
  many,
  ndjson,
  plain,
  problemJson,
  sending,
} from "./case.ts";

type Request = Pick<Case, "method" | "path" | "headers" | "body" | "about" | "answers" | "json">;

const notJson = "The body cannot be parsed as JSON in UTF-8.";
const noGzip = "The body is no gzip, or ends in the middle of it.";
const strings = 'Send strings, or objects with one, such as {"useragent": "Mozilla/5.0 …"}.';

const get = (path: string): Request => ({ method: "GET", path });
const coded = (coding: string, body: string | Uint8Array): Request => ({
  ...check,
  headers: { ...declared, "content-encoding": coding },
  body,
});

const rows: readonly (readonly [Request, status: number, problem: ProblemName, detail: string])[] = [
  [sending(""), 400, "not-json", 'The body is empty; send {"useragent": "…"}.'],
  [sending("{"), 400, "not-json", notJson],
  [sending(Uint8Array.of(0xff)), 400, "not-json", notJson],
  [coded("identity", "{"), 400, "not-json", notJson],
  [
    { ...coded("br", "{"), answers: { "accept-encoding": "identity" } },
    415,
    "not-declared-json",
    "Send the body without Content-Encoding.",
  ],
  [sending("{}"), 422, "no-useragent", 'Send an object with a string, such as {"useragent": "Mozilla/5.0 …"}.'],
  [declaring("text/plain"), 415, "not-declared-json", "Send the body with Content-Type: application/json, in UTF-8."],
  [declaring(`${json}, ${json}`), 400, "bad-header", "Give Content-Type only once."],
  [
    { ...sending(" ".repeat(65_537)), about: "too long", answers: { connection: "close" } },
    413,
    "too-large",
    "A body may have at most 65,536 bytes.",
  ],
  [accepting("image/png"), 406, "not-acceptable", "The answer is there as application/json and as application/xml."],
  [{ ...check, method: "PUT" }, 405, "method-not-allowed", "It takes POST, OPTIONS."],
  [{ ...get("/healthz"), method: "PUT" }, 405, "method-not-allowed", "It takes GET, HEAD, OPTIONS."],
  [get("/nowhere"), 404, "not-found", "See /docs for what there is."],

  [
    many("text/plain", "x", { accept: "image/png" }),
    406,
    "not-acceptable",
    `The answer is there as text/plain and as ${ndjson}.`,
  ],
  [many(ndjson, '"x"', { accept: "text/plain" }), 406, "not-acceptable", `The answer is there as ${ndjson}.`],
  [many(`text/plain, ${ndjson}`, "x"), 400, "bad-header", "Give Content-Type only once."],
  [
    { ...many("text/html", "x"), answers: { "accept-post": `${ndjson}, text/plain, ${json}` } },
    415,
    "type-not-taken",
    `Send the body with Content-Type: ${ndjson}, text/plain, ${json}, in UTF-8.`,
  ],
  [many(json, "[]", { "content-encoding": "br" }), 415, "type-not-taken", "Send the body as it is, or in gzip."],
  [many("text/plain", "x", { "content-encoding": "gzip" }), 400, "not-json", noGzip],
  [many(json, gzipSync("[]").subarray(0, 9), { "content-encoding": "gzip" }), 400, "not-json", noGzip],
  [many(json, "["), 400, "not-json", notJson],
  [many(json, Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d)), 400, "not-json", notJson],
  [many(json, "{}"), 422, "no-useragent", `Send an array. ${strings}`],
  [many(json, '["x", 1, 2]'), 422, "no-useragent", `Item 1 of the array has no user agent. ${strings}`],
  [
    { ...many(json, JSON.stringify(Array(10_001).fill(""))), about: "10,001 items" },
    413,
    "too-large",
    `An array may have at most 10,000 items. Send smaller arrays, or lines (${ndjson}), which have no such limit.`,
  ],

  ...["-1", "", "1x", "x1", "1.0", "9999999999", "%00"].map(
    (limit) =>
      [
        { ...get(`/RestService/List?limit=${limit}`), json: { parameter: "limit", allowed: undefined } },
        400,
        "bad-parameter",
        "`limit` is a whole number from 0 to 999999999.",
      ] as const,
  ),
  [
    { ...get("/RestService/List?offset=1&offset=2"), json: { parameter: "offset" } },
    400,
    "bad-parameter",
    "Give `offset` only once.",
  ],
  [
    { ...get("/RestService/List?crawler=TRUE"), json: { parameter: "crawler", allowed: ["true", "false"] } },
    400,
    "bad-parameter",
    "`crawler` is true or false.",
  ],
  [
    { ...get("/RestService/List?source=all"), json: { parameter: "source", allowed: ["catalogue", "evaluated"] } },
    400,
    "bad-parameter",
    "`source` is one of catalogue, evaluated.",
  ],
  [
    { ...get("/RestService/RegExp?flavor=compact&useragent=x"), json: { parameter: "flavor", allowed: ["portable"] } },
    400,
    "bad-parameter",
    "The alternatives of a `useragent` are written in the flavor portable only.",
  ],
  ...["5001", "00500", "500x", "x500", "-1", ""].map(
    (wait) =>
      [
        { ...get(`/auth?wait=${wait}`), json: { parameter: "wait" } },
        429,
        "wrong-policy",
        "`wait` is a whole number from 0 to 5000.",
      ] as const,
  ),
];

export const details: readonly Case[] = rows.map(([request, status, problem, detail]) => ({
  ...request,
  status,
  type: problemJson,
  problem,
  detail,
}));

const lines = { status: 200, type: plain, text: "1\n" } as const;
const refusedType = { status: 415, type: problemJson, problem: "type-not-taken" } as const;

/** How bodies may be declared, in letters of either case, with spaces and other parameters. */
export const spellings: readonly Case[] = [
  ...[
    "application/json\t;\tcharset=utf-8",
    'application/json; charset = "utf-8" ; v=2',
    "application/json; xcharset=latin1",
    "application/json;",
  ].map((type): Case => ({ ...declaring(type), status: 200, type: json })),
  ...[
    "xapplication/json",
    "application/json v",
    "text/x; y=application/json",
    "application/json; v=1; charset=latin1",
    "application/json;charset=utf-88",
    "application/json;charset=xutf-8",
    "application/json;charset=",
    "application/json; charset = latin1",
    "application/json;\tcharset\t=\tlatin1",
  ].map((type): Case => ({ ...declaring(type), status: 415, type: problemJson, problem: "not-declared-json" })),
  { ...coded("identity", ask("x")), status: 200, type: json },
  ...[
    'TEXT/PLAIN ; CHARSET="UTF-8"',
    "text/plain;charset=utf8",
    "text/plain; xcharset=utf-16",
    "text/plain; format=flowed; charset=utf-8",
  ].map((type): Case => ({ ...many(type, googlebot), ...lines })),
  ...["text/plain; v=1; charset=utf-16", "text/plain;charset=utf-8x", "text/plain;charset=xutf-8", "xtext/plain"].map(
    (type): Case => ({ ...many(type, googlebot), ...refusedType }),
  ),
  { ...many("", new TextEncoder().encode(googlebot)), headers: {}, about: "no type at all", ...refusedType },
  { ...many("text/plain", googlebot, { accept: "" }), ...lines, answers: { "cache-control": "no-store" } },
  { ...many("text/plain", googlebot, { accept: `${ndjson};q=0.5, text/*` }), ...lines },
  { ...many("text/plain", googlebot, { "content-encoding": "identity" }), ...lines },
  { ...many("text/plain", gzipSync(googlebot), { "content-encoding": "GZIP " }), ...lines },
  { ...many("text/plain", gzipSync(googlebot), { "content-encoding": "X-Gzip" }), ...lines },
  {
    ...many(json, "[]", { accept: "application/xml" }),
    status: 200,
    type: "application/xml; charset=utf-8",
    answers: { vary: "Accept" },
    text: '<?xml version="1.0" encoding="UTF-8"?>\n<checks></checks>',
  },
  {
    ...many(json, JSON.stringify(Array(10_000).fill(""))),
    about: "10,000 items",
    status: 200,
    type: json,
    answers: { vary: "Accept" },
  },
];
