/** The adapters in the frameworks themselves, over sockets: each gives requests their verdict, and refuses what the policy blocks. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import express from "express";
import createFastify from "fastify";
import { Hono } from "hono";
import { crawlers as forExpress } from "../../src/adapters/express.ts";
import { type FastifyOptions, crawlers as forFastify } from "../../src/adapters/fastify.ts";
import { crawlers as forHono } from "../../src/adapters/hono.ts";
import { crawlers as forWeb } from "../../src/adapters/web.ts";
import { check, type Verdict } from "../../src/index.ts";
import { exchangeBytes, parseAnswer } from "../contract/socket-client.ts";
import { ahrefs, firefox, gptbot, searchbot } from "../support/user-agents.ts";
import { type Ask, frameworks, toAsk, withServer } from "./applications.ts";

for (const [name, withApplication] of Object.entries(frameworks))
  describe(name, () => {
    it("has the verdict on the request", () =>
      withApplication({}, async (ask) => {
        if (name === "web-standard requests") assert.equal(await (await ask("/", gptbot)).text(), "content");
        else
          for (const useragent of [gptbot, firefox, ""])
            assert.deepEqual(await (await ask("/", useragent)).json(), JSON.parse(JSON.stringify(check(useragent))));
      }));

    it("refuses and limits by the policy, with a line of text, and never robots.txt", () => {
      const robots = "User-agent: GPTBot\nDisallow: /*?private";
      return withApplication({ block: "seo,disallowed", robots, limit: { ai: "1/h" } }, async (ask) => {
        for (const [path, useragent, status, text] of [
          ["/robots.txt?x", ahrefs, 200, /./],
          ["/", ahrefs, 403, /does not allow this kind of crawler/],
          ["/a?private", gptbot, 403, /does not allow this kind of crawler/],
          ["/a?b", gptbot, 200, /./],
          ["/a?b", gptbot, 429, /Too many/],
          ["/", searchbot, 200, /./],
          ["/", firefox, 200, /./],
          ["/", firefox, 200, /./],
        ] as const) {
          const response = await ask(path, useragent);
          assert.equal(response.status, status, `${path} ${useragent}`);
          assert.match(await response.text(), text);
          if (status === 200) continue;
          assert.match(response.headers.get("content-type")!, /^text\/plain; charset=utf-8$/i);
          assert.equal(Number(response.headers.get("retry-after")) > 3500, status === 429);
        }
      });
    });

    it("takes a request with several user agents for a crawler's if one of them is", () =>
      withApplication({ block: "ai" }, async (_, port) => {
        for (const [lines, status] of [
          [[firefox, gptbot], 403],
          [[gptbot, firefox], 403],
          [["", gptbot], 403],
          [[firefox, firefox], 200],
        ] as const) {
          const fields = lines.map(
            (useragent, index) => `${index === 0 ? "User-Agent" : "user-agent"}: ${useragent}\r\n`,
          );
          const request = `GET / HTTP/1.1\r\nHost: localhost\r\n${fields.join("")}Connection: close\r\n\r\n`;
          assert.equal(parseAnswer(await exchangeBytes(port, [request])).status, status, String(lines));
        }
      }));

    it("throws for options that would let everyone pass", () =>
      assert.rejects(async () => withApplication({ blocks: "ai" } as object, async () => {}), /Did you mean "block"/));
  });

const block = "ai:training";

describe("an own answer to refused requests", () => {
  const page = "https://example.com/crawlers";

  /** Of the paths, each has its own answer. */
  async function test(ask: Ask): Promise<void> {
    const told = async (path: string, userAgent = gptbot) => {
      const response = await ask(path, userAgent);
      return [response.status, response.headers.get("location") ?? (await response.text())];
    };
    assert.deepEqual(await told("/json"), [403, '{"crawler":"GPTBot"}']);
    assert.deepEqual(await told("/gone"), [404, "gone"]);
    assert.deepEqual(await told("/redirect"), [302, page]);
    assert.deepEqual(await told("/later"), [403, "later"]);
    assert.deepEqual(await told("/fails"), [500, "failed"]);
    for (const path of ["/json", "/gone", "/redirect", "/later", "/fails"])
      assert.deepEqual(await told(path, firefox), [200, "content"]);
  }

  const later = (): Promise<string> => new Promise((resolve) => setImmediate(resolve, "later"));

  it("is written as in Express", () => {
    const app = express();
    app.use(
      "/json",
      forExpress({ block, onBlock: ({ crawler }, response) => response.json({ crawler: crawler.name }) }),
    );
    app.use("/gone", forExpress({ block, onBlock: (_, response) => response.status(404).send("gone") }));
    app.use("/redirect", forExpress({ block, onBlock: (_, response) => response.redirect(page) }));
    app.use("/later", forExpress({ block, onBlock: async (_, response) => response.send(await later()) }));
    app.use("/fails", forExpress({ block, onBlock: async () => Promise.reject(new Error("failed")) }));
    app.use((_, response) => void response.send("content"));
    app.use((error: Error, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
      response.status(500).send(error.message);
    });
    return withServer(app, test);
  });

  it("is written as in Fastify", async () => {
    const app = createFastify();
    // Other plugins may delay what is sent; it must be sent once.
    let sent = 0;
    app.addHook("onSend", async (_request, _reply, payload) => {
      sent++;
      return (await later()) && payload;
    });
    app.setErrorHandler((error: Error, _, reply) => reply.code(500).send(error.message));
    const own: Readonly<Record<string, FastifyOptions["onBlock"]>> = {
      json: ({ crawler }) => ({ crawler: crawler.name }),
      gone: (_, reply) => void reply.code(404).send("gone"),
      redirect: (_, reply) => reply.redirect(page),
      later: async (_, reply) => reply.send(await later()),
      fails: async () => Promise.reject(new Error("failed")),
    };
    for (const [path, onBlock] of Object.entries(own))
      app.register(async (scope) => {
        scope.register(forFastify, { block, onBlock });
        scope.get(`/${path}`, async () => "content");
      });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    await test(toAsk(url)).finally(() => app.close());
    assert.equal(sent, 10);
  });

  it("is written as in Hono", () => {
    const app = new Hono();
    app.use("/json", forHono({ block, onBlock: (context) => context.json({ crawler: context.var.crawler().name }) }));
    app.use("/gone", forHono({ block, onBlock: (context) => context.text("gone", 404) }));
    app.use("/redirect", forHono({ block, onBlock: (context) => context.redirect(page) }));
    app.use("/later", forHono({ block, onBlock: async (context) => context.text(await later()) }));
    app.use("/fails", forHono({ block, onBlock: async () => Promise.reject(new Error("failed")) }));
    app.get("/*", (context) => context.text("content"));
    app.onError((error, context) => context.text(error.message, 500));
    return test(async (path, userAgent) => app.request(path, { headers: { "user-agent": userAgent } }));
  });

  it("is a Response for web-standard requests", async () => {
    const refuse = forWeb({
      block,
      onBlock: (request, { name }) => Response.json({ name, at: request.url }, { status: 410 }),
    });
    const refused = refuse(new Request("http://localhost/a?b", { headers: { "user-agent": gptbot } }))!;
    assert.deepEqual([refused.status, await refused.json()], [410, { name: "GPTBot", at: "http://localhost/a?b" }]);
  });

  it("can be a promise for web-standard requests, and must not be missing: the request would pass", async () => {
    const request = new Request("http://localhost/", { headers: { "user-agent": gptbot } });
    const answer = forWeb({ block, onBlock: async () => new Response(await later()) })(request);
    assert.equal(await (await answer)?.text(), "later");
    const silent = forWeb({ block, onBlock: () => undefined as unknown as Response });
    assert.throws(() => silent(request), /^TypeError: `onBlock` must return a Response/);
    const silentLater = forWeb({ block, onBlock: async () => undefined as unknown as Response });
    await assert.rejects(async () => silentLater(request), /^TypeError: `onBlock` must return a Response/);
  });
});

describe("Fastify's plugin", () => {
  const statusOf = async (app: ReturnType<typeof createFastify>, url: string, userAgent: string) =>
    (await app.inject({ url, headers: { "user-agent": userAgent } })).statusCode;

  it("adds to the policy of the context around it", async () => {
    const app = createFastify();
    app.register(forFastify, { block });
    app.get("/", async () => "content");
    app.register(async (shop) => {
      shop.register(forFastify, { block: "seo" });
      shop.get("/shop", async ({ crawler }) => crawler.name);
    });
    assert.deepEqual(
      await Promise.all([gptbot, ahrefs].flatMap((each) => ["/", "/shop"].map((url) => statusOf(app, url, each)))),
      [403, 403, 200, 403],
    );
    assert.equal((await app.inject({ url: "/shop", headers: { "user-agent": searchbot } })).body, "OAI-SearchBot");
  });

  it("says how to register it if it is called", async () => {
    const call = forFastify as unknown as (options: FastifyOptions) => Promise<void>;
    await assert.rejects(call({ block }), /app\.register\(crawlers, \{ block: "ai" \}\)/);
  });
});

describe("a request's verdict", () => {
  const distinct = (...verdicts: readonly Verdict[]): number => new Set(verdicts).size;

  it("is made once, also if two middlewares give it", async () => {
    const app = express();
    app.use(forExpress(), forExpress({ block: "seo" }));
    app.use((request, response) => void response.json(distinct(request.crawler, request.crawler)));
    await withServer(app, async (ask) => assert.equal(await (await ask("/", gptbot)).text(), "1"));
    const hono = new Hono();
    hono.use(forHono());
    hono.get("/", (context) => context.json(distinct(context.var.crawler(), context.var.crawler())));
    assert.equal(await (await hono.request("/")).text(), "1");
    const fastify = createFastify();
    fastify.register(forFastify, {});
    fastify.get("/", async (request) => String(distinct(request.crawler, request.crawler)));
    assert.equal((await fastify.inject("/")).body, "1");
  });
});

describe("below a path", () => {
  it("Fastify's plugin looks at the path as it was sent, whatever the application rewrites it to", async () => {
    const app = createFastify({ rewriteUrl: ({ url }) => (url === "/robots.txt" ? "/files/robots" : "/robots.txt") });
    app.register(forFastify, { block: "ai" });
    app.get("/*", async () => "content");
    const statusOf = async (url: string) => (await app.inject({ url, headers: { "user-agent": gptbot } })).statusCode;
    assert.deepEqual([await statusOf("/robots.txt"), await statusOf("/page")], [200, 403]);
  });

  it("Express's middleware looks at the whole path, so only the site's own robots.txt is let through", () => {
    const app = express();
    app.use("/shop", forExpress({ block: "ai" }));
    app.use((_, response) => void response.send("content"));
    return withServer(app, async (ask) => {
      assert.equal((await ask("/shop/robots.txt", gptbot)).status, 403);
      assert.equal((await ask("/robots.txt", gptbot)).status, 200);
    });
  });

  it("a request whose path is unknown is judged like any other", () => {
    const request = { headers: { "user-agent": gptbot } };
    let status = 0;
    const response = { statusCode: 0, setHeader() {}, end: () => (status = response.statusCode) };
    forExpress({ block: "ai" })(request, response, () => assert.fail("is let through"));
    assert.equal(status, 403);
  });
});
