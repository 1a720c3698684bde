/**
 * Addresses that people mistype: browsers get a page for every problem, other spellings of a page are redirected, programs notice nothing.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Listener, listen } from "../../src/server/listen/listen.ts";
import { createService } from "../../src/service.ts";
import { sendRequest } from "../contract/socket-client.ts";
import { mark, testGolden } from "../support/golden.ts";

const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const html = "text/html; charset=utf-8";

let limited = false;
let isHanging = false;
const guards = {
  authorize: (authorization: string | null) => authorization !== "Bearer wrong",
  limit: () => ({ isAllowed: !limited, quota: 1, windowSeconds: 1, remaining: 0, resetSeconds: 7 }),
};
const readTraffic = (): Promise<never> =>
  isHanging ? new Promise(() => {}) : Promise.reject(new Error("the record is <gone>"));
const record = {
  note() {},
  async *list() {},
  traffic: { sums: readTraffic, sightings: readTraffic, hoursOf: readTraffic, news: readTraffic },
};
const mayRead = (authorization: string | null) => {
  if (authorization === "Bearer fail") throw new Error("the mind is <gone>");
  return true;
};

let listener: Listener;
let mounted: Listener;

before(async () => {
  listener = await listen({ service: createService({ guards, record, mayRead }), host: "127.0.0.1", port: 0 });
  mounted = await listen({ service: createService({ basePath: "/bots" }), host: "127.0.0.1", port: 0 });
});
after(() => Promise.all([listener.close(100), mounted.close(100)]));

async function ask(path: string, headers: Readonly<Record<string, string>>, method = "GET", body?: string) {
  const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
  const { port } = path.startsWith("/bots") ? mounted : listener;
  const answer = await sendRequest(port, method, path, headers, bytes);
  return { ...answer, type: answer.headers.get("content-type"), text: new TextDecoder().decode(answer.body) };
}

testGolden("pages/addresses.txt", async (input) => {
  const [path = "", ...lines] = input.split("\n");
  const headers = { accept, ...Object.fromEntries(lines.map((line) => line.split(/: ?(.*)/).slice(0, 2))) };
  const answer = await ask(path, headers);
  const location = answer.headers.get("location");
  if (location !== null) {
    const target = await ask(location, { accept });
    assert.ok(target.status === 200 || location === "/traffic", String(target.status));
    return mark("|", `${answer.status} to ${location}`);
  }
  if (answer.type !== html) return mark("|", `${answer.status} ${answer.type}`);
  assert.ok(
    answer.text.includes(
      `<form action="${path.startsWith("/bots") ? "/bots" : ""}/crawlers" method="get" role="search"`,
    ),
  );
  assert.doesNotMatch(answer.text, /<gone>|<script>/);
  assert.match(answer.headers.get("content-security-policy") ?? "", /^default-src 'none'; script-src 'self'/);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  assert.ok(answer.headers.get("x-request-id"));
  const head = await ask(path, headers, "HEAD");
  assert.deepEqual([head.status, head.type, head.body.byteLength], [answer.status, html, 0]);
  assert.equal(head.headers.get("content-length"), String(answer.body.byteLength));
  return mark("|", `${answer.status} ${html}: ${/<h1>(.*?)<\/h1>/s.exec(answer.text)?.[1]}`);
});

describe("a browser", () => {
  it("keeps the headers of the problem: what is allowed, when to come back, what the answer varies with", async () => {
    const refused = await ask("/RestService/Check", { accept });
    assert.deepEqual([refused.headers.get("allow"), refused.headers.get("vary")], ["POST, OPTIONS", "Accept"]);
    limited = true;
    const late = await ask("/crawlers", { accept });
    limited = false;
    assert.deepEqual([late.status, late.type, late.headers.get("retry-after")], [429, html, "7"]);
  });

  it("gets pages of the catalogue without the record, which fails or takes too long", async () => {
    for (isHanging of [false, true]) {
      const answers = await Promise.all(["/crawlers", "/crawlers/gptbot"].map((path) => ask(path, { accept })));
      for (const { status } of answers) assert.equal(status, 200);
    }
    isHanging = false;
  });

  it("gets a page for a form that is refused", async () => {
    const headers = { accept, "content-type": "application/x-www-form-urlencoded" };
    const answer = await ask("/sign-in", headers, "POST", `token=${"x".repeat(5000)}`);
    assert.deepEqual([answer.status, answer.type], [413, html]);
  });
});

it("a program gets problems of the operations that it posts to, whatever it accepts", async () => {
  const answer = await ask("/RestService/Check", { accept, "content-type": "application/json" }, "POST", "{");
  assert.deepEqual([answer.status, answer.type], [400, "application/problem+xml"]);
});

it("no page shows a Host that a shell would read as more than a name", async () => {
  for (const host of ["a$(id)'b", "a`id`", "a;id", "a&b", "a!b", "a{b}"])
    for (const path of ["/docs", "/", "/expression", "/openapi.json"]) {
      const { status, text } = await ask(path, { accept, host });
      assert.deepEqual(
        [status, text.includes(host) || text.includes(encodeURI(host))],
        [200, false],
        `${path} ${host}`,
      );
    }
});

it("another spelling is not redirected where a body was sent", async () => {
  assert.equal((await ask("/Traffic", {}, "POST", "x")).status, 404);
});
