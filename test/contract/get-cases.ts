/**
 * Rows about methods and addresses, List and RegExp.
 */

import { firefox, googlebot } from "../support/user-agents.ts";
import { type Case, json, plain, problemJson, problemXml, xml } from "./case.ts";

const get = "GET, HEAD, OPTIONS";
const post = "POST, OPTIONS";
const checkPaths = ["/RestService/Check", "/RestService/Check/json", "/RestService/Check/xml"];
const listPaths = ["/RestService/List", "/RestService/List/json", "/RestService/List/xml"];
const getPaths = [...listPaths, "/RestService/RegExp", "/", "/docs", "/openapi.json", "/healthz"];
const wrong = (path: string) => (path.endsWith("/xml") ? problemXml : problemJson);

export const methods: readonly Case[] = [
  ...checkPaths.map((path): Case => ({ method: "OPTIONS", path, status: 204, type: null, answers: { allow: post } })),
  ...getPaths.map((path): Case => ({ method: "OPTIONS", path, status: 204, type: null, answers: { allow: get } })),
  ...checkPaths.flatMap((path) =>
    ["GET", "PUT", "DELETE", "PATCH"].map(
      (method): Case => ({
        method,
        path,
        status: 405,
        type: wrong(path),
        problem: "method-not-allowed",
        answers: { allow: post },
      }),
    ),
  ),
  ...getPaths.flatMap((path) =>
    ["POST", "DELETE", "PROPFIND"].map(
      (method): Case => ({
        method,
        path,
        status: 405,
        type: wrong(path),
        problem: "method-not-allowed",
        answers: { allow: get },
      }),
    ),
  ),
  { method: "HEAD", path: "/RestService/Check", status: 405, type: problemJson, answers: { allow: post } },
  {
    method: "HEAD",
    path: "/RestService/List",
    status: 200,
    type: json,
    answers: { "content-length": /^\d{5,}$/, etag: /-json"$/ },
  },
  {
    method: "HEAD",
    path: "/RestService/List/xml?limit=1",
    status: 200,
    type: xml,
    answers: { "content-length": /^\d{3,4}$/ },
  },
  {
    method: "HEAD",
    path: "/RestService/RegExp",
    status: 200,
    type: plain,
    answers: { "content-length": /^\d{4,}$/, etag: /^"/ },
  },
  { method: "HEAD", path: "/nowhere", status: 404, type: problemJson },
];

export const addresses: readonly Case[] = [
  ...[
    "/RestService",
    "/RestService/",
    "/RestService/Check/",
    "/RestService/Check/xml/",
    "/RestService/check",
    "/restservice/List",
  ],
  ...[
    "/RestService/List/JSON",
    "/RestService/List/yaml",
    "//RestService/List",
    "/RestService/RegExp/json",
    "/RestService/Ch%65ck",
    "/%",
  ],
]
  .map(
    (path): Case => ({
      method: "GET",
      path,
      status: 404,
      type: problemJson,
      problem: "not-found",
      answers: { vary: "Accept" },
    }),
  )
  .concat([
    {
      method: "POST",
      path: "/nowhere",
      headers: { accept: "application/xml" },
      status: 404,
      type: problemXml,
      problem: "not-found",
    },
    { method: "GET", path: "/", status: 200, type: "text/html; charset=utf-8" },
    { method: "GET", path: "/healthz", status: 200, type: json, text: '{"status":"ok"}' },
    {
      method: "GET",
      path: "/readyz",
      status: 200,
      type: json,
      answers: { "cache-control": "no-store" },
      // Warnings are about the policies of other cases.
      text: /^\{"ready":true,"reasons":\[\],"warnings":\[.*\]\}$/,
    },
    {
      method: "GET",
      path: "/auth",
      headers: { "user-agent": googlebot },
      status: 204,
      type: null,
      answers: { "x-crawler": "true", "x-crawler-name": "Googlebot", "x-crawler-purposes": "search" },
    },
    {
      method: "GET",
      path: "/auth",
      headers: { "user-agent": firefox },
      status: 204,
      type: null,
      answers: { "x-crawler": "false", "x-crawler-name": "" },
    },
    {
      method: "GET",
      path: "/auth?block=search-engine",
      headers: { "user-agent": googlebot },
      status: 403,
      type: null,
      answers: { "x-crawler": "true" },
    },
    { method: "GET", path: "/auth?block=nobody", status: 429, type: problemJson, problem: "wrong-policy" },
    {
      method: "GET",
      path: "/docs",
      status: 200,
      type: "text/html; charset=utf-8",
      answers: { "content-security-policy": /default-src 'none'/ },
      text: /^<!doctype html>/,
    },
    { method: "GET", path: "/openapi.json", status: 200, type: json, json: { openapi: "3.1.0" } },
  ]);

const list = (query: string) => ({ method: "GET", path: `/RestService/List${query}` });
const badQuery = (query: string, parameter: string): Case => ({
  ...list(query),
  status: 400,
  type: problemJson,
  problem: "bad-parameter",
  json: { parameter },
});

export const lists: readonly Case[] = [
  {
    ...list(""),
    status: 200,
    type: json,
    answers: { vary: "Accept, Accept-Encoding", etag: /^"[0-9a-f]+-json"$/, "cache-control": "no-cache" },
    json: { offset: 0 },
  },
  { ...list("/json"), status: 200, type: json, answers: { vary: "Accept-Encoding" } },
  {
    ...list("/xml"),
    status: 200,
    type: xml,
    text: /^<\?xml [^>]*\?>\n<list version="[^"]+" total="\d{4,}" offset="0"><item><useragent>/,
  },
  { ...list("/xml?limit=0&q=zzzz-nowhere"), status: 200, type: xml, text: /total="0" offset="0" limit="0"><\/list>$/ },
  { ...list("?limit=0&offset=999999999"), status: 200, type: json, json: { offset: 999_999_999, limit: 0, items: [] } },
  { ...list("?_=1&limit=1"), status: 200, type: json, json: { limit: 1 } },
  { ...list("?limit=999999999&q=zzzz-nowhere"), status: 200, type: json, json: { limit: 999_999_999, items: [] } },
  { ...list("?source=evaluated"), status: 200, type: json, json: { total: 0, items: [] } },
  { ...list("/xml?source=evaluated"), status: 200, type: xml, text: /total="0" offset="0"><\/list>$/ },
  ...["", "/json", "/xml"].map(
    (suffix): Case => ({
      ...list(suffix),
      headers: { "if-none-match": "*" },
      status: 304,
      type: null,
      answers: { etag: /^"/, vary: /Accept-Encoding$/, "cache-control": "no-cache" },
    }),
  ),
  badQuery("?limit=-1", "limit"),
  badQuery("?limit=", "limit"),
  badQuery("?limit=1.0", "limit"),
  badQuery("?limit=9999999999", "limit"),
  badQuery("?limit=%00", "limit"),
  badQuery("?offset=x", "offset"),
  badQuery("?offset=1&offset=2", "offset"),
  badQuery("?crawler=yes", "crawler"),
  badQuery("?category=Search", "category"),
  { ...badQuery("?limt=5", "limt"), detail: 'There is no parameter "limt". Did you mean "limit"?' },
  {
    ...list("/xml?crawler=1"),
    status: 400,
    type: problemXml,
    problem: "bad-parameter",
    text: /<parameter>crawler<\/parameter>/,
  },
];

/** Ranges has a test of its own; these are the kinds of answers. */
export const ranges: readonly Case[] = [
  { method: "GET", path: "/ranges?crawler=GPTBot", status: 200, type: plain, answers: { etag: /^"[0-9a-f]+"$/ } },
  { method: "GET", path: "/ranges?crawler=GPTBot", headers: { "if-none-match": "*" }, status: 304, type: null },
  { method: "GET", path: "/ranges?ip=66.249.66.1", status: 200, type: json, json: { ip: "66.249.66.1" } },
  {
    method: "GET",
    path: "/ranges",
    headers: { accept: "image/png" },
    status: 406,
    type: problemJson,
    problem: "not-acceptable",
  },
  { method: "GET", path: "/ranges?operator=Nobody", status: 400, type: problemJson, problem: "bad-parameter" },
  { method: "OPTIONS", path: "/ranges", status: 204, type: null, answers: { allow: get } },
];

const ua = encodeURIComponent;
export const expressions: readonly Case[] = [
  {
    method: "GET",
    path: "/RestService/RegExp",
    status: 200,
    type: plain,
    answers: { etag: /^"[0-9a-f]+"$/, vary: null },
    text: /[^\n]$/,
  },
  {
    method: "GET",
    path: "/RestService/RegExp",
    headers: { "if-none-match": 'W/"other", *' },
    about: "a star in a list means nothing",
    status: 200,
    type: plain,
  },
  { method: "GET", path: "/RestService/RegExp", headers: { "if-none-match": " * " }, status: 304, type: null },
  { method: "GET", path: "/RestService/RegExp?flavor=portable", status: 200, type: plain },
  {
    method: "GET",
    path: "/RestService/RegExp?flavor=klingon",
    status: 400,
    type: problemJson,
    problem: "bad-parameter",
    json: { parameter: "flavor", allowed: ["portable", "compact", "posix", "rust", "split"] },
  },
  { method: "GET", path: "/RestService/RegExp?flavor=portable&_=17", status: 200, type: plain },
  {
    method: "GET",
    path: "/RestService/RegExp?flavour=re2",
    status: 400,
    type: problemJson,
    problem: "bad-parameter",
    json: { parameter: "flavour" },
    detail: 'There is no parameter "flavour". Did you mean "flavor"?',
  },
  {
    method: "GET",
    path: `/RestService/RegExp?useragent=${ua(googlebot)}`,
    status: 200,
    type: plain,
    text: /\[Bb\]ot/,
  },
  { method: "GET", path: `/RestService/RegExp?useragent=${ua(firefox)}`, status: 204, type: null },
  {
    method: "GET",
    path: "/RestService/RegExp?useragent=",
    status: 200,
    type: plain,
    text: /^\^-\?\[\\t-\\r \]\*\$$/,
  },
  {
    method: "GET",
    path: "/RestService/RegExp?useragent=a&useragent=b",
    status: 400,
    type: problemJson,
    problem: "bad-parameter",
    json: { parameter: "useragent" },
  },
];
