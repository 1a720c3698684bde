/** Addresses that people mistype: browsers get a page for every problem, other spellings of a page are redirected, programs notice nothing. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Listener, listen } from "../../src/server/listen/listen.ts";
import { createService } from "../../src/service.ts";
import { sendRequest } from "../contract/socket-client.ts";
import { toRows } from "../support/rows.ts";

const browsers = {
  Firefox: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  Chrome:
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
  Safari: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
};
const accept = browsers.Firefox;
const json = "application/problem+json";
const xml = "application/problem+xml";
const html = "text/html; charset=utf-8";

let limited = false;
let isHanging = false;
const guards = {
  authorize: (authorization: string | null) => authorization !== "Bearer wrong",
  limit: () => ({ isAllowed: !limited, quota: 1, windowSeconds: 1, remaining: 0, resetSeconds: 7 }),
};
const record = {
  note() {},
  async *list() {},
  traffic: (): Promise<never> =>
    isHanging ? new Promise(() => {}) : Promise.reject(new Error("the record is <gone>")),
  newCrawlers: async () => [],
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
  const answer = await sendRequest(listener.port, method, path, headers, bytes);
  return { ...answer, type: answer.headers.get("content-type"), text: new TextDecoder().decode(answer.body) };
}

describe("a browser", () => {
  const cases = toRows(`
    /nowhere                     | 404 | <h1>There is no resource at this address
    /RestService/Lisst           | 404 | <h1>There is no resource at this address
    /RestService/Check           | 405 | <h1>This address does not support this method
    /RestService/Check/json      | 405 | <h1>This address does not support this method
    /RestService/List/xml?limit=%3Cb%3E | 400 | parameter is <code>limit</code>
    /RestService/List?limt=5     | 400 | <h1>A query parameter is not valid
    /RestService/List            | 401 | <h1>A token is needed | Bearer wrong
    /traffic                     | 503 | <h1>The record cannot be read
    /traffic                     | 500 | <h1>The service failed | Bearer fail
    /metrics/                    | 404 | <h1>There is no resource at this address
    /x/../metrics                | 404 | <h1>There is no resource at this address
    /%2e/metrics                 | 404 | <h1>There is no resource at this address
    //evil.example/              | 404 | <h1>There is no resource at this address
    /crawlers/no-such-name       | 404 | <h1><bdi>no-such-name
    /crawlers/%3Cscript%3Ealert(1)%3C%2fscript%3E | 404 | <h1><bdi>&lt;script&gt;
    /crawlers/%FF                | 404 | <h1><bdi>unnamed
  `);
  for (const [path = "", code, says = "", authorization] of cases) {
    it(`gets a page of status ${code} for ${path}`, async () => {
      const [status, headers] = [Number(code), { accept, ...(authorization && { authorization }) }];
      const answer = await ask(path, headers);
      assert.deepEqual([answer.status, answer.type], [status, html]);
      assert.ok(answer.text.includes(says), answer.text);
      assert.match(answer.text, /<form action="\/crawlers" method="get" role="search"/);
      assert.doesNotMatch(answer.text, /<gone>|<script>/);
      assert.match(answer.headers.get("content-security-policy") ?? "", /^default-src 'none'; script-src 'self'/);
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      assert.ok(answer.headers.get("x-request-id"));
      const head = await ask(path, headers, "HEAD");
      assert.deepEqual([head.status, head.type, head.body.byteLength], [status, html, 0]);
      assert.equal(head.headers.get("content-length"), String(answer.body.byteLength));
    });
  }

  it("keeps the headers of the problem: what is allowed, when to come back, what the answer varies with", async () => {
    const refused = await ask("/RestService/Check", { accept });
    assert.deepEqual([refused.headers.get("allow"), refused.headers.get("vary")], ["POST, OPTIONS", "Accept"]);
    limited = true;
    const late = await ask("/crawlers", { accept });
    limited = false;
    assert.deepEqual([late.status, late.type, late.headers.get("retry-after")], [429, html, "7"]);
  });

  for (const [name, accept] of Object.entries(browsers)) {
    it(`is known by what ${name} accepts`, async () => assert.equal((await ask("/nowhere", { accept })).type, html));
  }

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

describe("a program", () => {
  it("gets JSON or XML by what it accepts", async () => {
    for (const [type, accept = ""] of toRows(`
      json |
      json | */*
      json | application/json
      json | application/json, text/html;q=0.9
      json | application/problem+json, text/html;q=0.9
      json | text/html;q=0
      xml  | text/html;q=0.5, application/problem+xml
      xml  | text/*
    `)) {
      const answer = await ask("/nowhere", { accept });
      assert.deepEqual([answer.status, answer.type], [404, type === "json" ? json : xml], accept);
    }
  });

  it("gets problems of the operations that it posts to, whatever it accepts", async () => {
    const answer = await ask("/RestService/Check", { accept, "content-type": "application/json" }, "POST", "{");
    assert.deepEqual([answer.status, answer.type], [400, xml]);
  });
});

describe("another spelling", () => {
  for (const [path = "", to = ""] of toRows(`
    /traffic/                  | /traffic
    /Traffic                   | /traffic
    /DOCS/                     | /docs
    /crawlers/                 | /crawlers
    /crawlers/GPTBot           | /crawlers/gptbot
    /Crawlers/gptbot/          | /crawlers/gptbot
    /crawlers/Google%20Favicon | /crawlers/google-favicon
    /crawlers/Google-Extended  | /crawlers/google-extended
    /Crawlers?q=%0d%0aX:1      | /crawlers?q=%0d%0aX:1
  `))
    it(`${path} is redirected to ${to}, for everyone`, async () => {
      for (const headers of [{ accept }, { authorization: "Bearer wrong" }]) {
        const answer = await ask(path, headers);
        assert.deepEqual([answer.status, answer.headers.get("location")], [308, to]);
      }
      const target = await ask(to, { accept });
      assert.ok(target.status === 200 || to === "/traffic", String(target.status));
    });

  const none = String.raw`//traffic //evil.example/traffic/ /\evil.example/ /traffic// /%74raffic /traffic/x /crawlers/..%2fgptbot
    /x/../traffic /crawlers//gptbot /metrics/ /Healthz`;
  for (const path of none.split(/\s+/))
    it(`${path} is none`, async () => assert.equal((await ask(path, { accept })).status, 404));
  for (const path of ["/RestService/check", "/restservice/List", "/RestService/List/", "/AUTH"])
    it(`${path} of a program is none`, async () => assert.equal((await ask(path, {})).type, json));

  it("is not redirected where a body was sent", async () => {
    assert.equal((await ask("/Traffic", {}, "POST", "x")).status, 404);
  });

  it("is redirected below the path that the service is mounted at", async () => {
    for (const [path, to] of [
      ["/bots/Traffic?period=week", "/bots/traffic?period=week"],
      ["/bots/crawlers/GPTBot", "/bots/crawlers/gptbot"],
    ] as const) {
      const { status, headers } = await sendRequest(mounted.port, "GET", path, {}, undefined);
      assert.deepEqual([status, headers.get("location")], [308, to]);
    }
    const { status, body } = await sendRequest(mounted.port, "GET", "/bots/nowhere", { accept }, undefined);
    assert.equal(status, 404);
    assert.match(new TextDecoder().decode(body), /action="\/bots\/crawlers"/);
  });
});
