/** The adapters in the frameworks themselves, over sockets: each gives requests their verdict, and refuses what the policy blocks. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import express from "express";
import createFastify from "fastify";
import { Hono } from "hono";
import { crawlers as forExpress } from "../../src/adapters/express.ts";
import { type FastifyOptions, crawlers as forFastify } from "../../src/adapters/fastify.ts";
import type { GuardOptions } from "../../src/adapters/guard.ts";
import { crawlers as forHono } from "../../src/adapters/hono.ts";
import { crawlers as forWeb, type WebOptions } from "../../src/adapters/web.ts";
import { check, type Verdict } from "../../src/index.ts";
import { acme, createOwnDetector } from "../support/own-detector.ts";
import { ahrefs, firefox, gptbot, searchbot } from "../support/user-agents.ts";

/** Asks a path of an application that answers with the verdict it was given. */
type Ask = (path: string, userAgent: string) => Promise<Response>;
type WithApplication = (options: GuardOptions, test: (ask: Ask) => Promise<void>) => Promise<void>;

const frameworks: Readonly<Record<string, WithApplication>> = {
  Express: (options, test) => {
    const app = express();
    app.use("/", forExpress(options));
    app.get("/{*path}", (request, response) => void response.json(request.crawler));
    return withServer(app, test);
  },
  Fastify: async (options, test) => {
    const app = createFastify();
    app.register(forFastify, options);
    app.get("/*", async (request) => request.crawler);
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    await test(toAsk(url)).finally(() => app.close());
  },
  Hono: (options, test) => {
    const app = new Hono();
    app.use(forHono(options));
    app.get("/*", (context) => context.json(context.var.crawler()));
    return withFetch(app.fetch, test);
  },
  "node:http": (options, test) => {
    const middleware = forExpress(options);
    return withServer((request: IncomingMessage & { crawler?: Verdict }, response) => {
      middleware(request, response, () => response.end(JSON.stringify(request.crawler)));
    }, test);
  },
  "web-standard requests": (options, test) => {
    const refuse = forWeb(options as WebOptions);
    return withFetch((request) => refuse(request) ?? Response.json(check(request.headers.get("user-agent"))), test);
  },
};

function withFetch(fetch: (request: Request) => Response | Promise<Response>, test: (ask: Ask) => Promise<void>) {
  return test(async (path, userAgent) =>
    fetch(new Request(`http://localhost${path}`, { headers: userAgent === "" ? {} : { "user-agent": userAgent } })),
  );
}

async function withServer(listener: RequestListener, test: (ask: Ask) => Promise<void>): Promise<void> {
  const server: Server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await test(toAsk(`http://127.0.0.1:${port}`)).finally(() => server.close());
}

function toAsk(url: string): Ask {
  return (path, userAgent) => fetch(url + path, { headers: { "user-agent": userAgent }, redirect: "manual" });
}

const robots = `User-agent: *
Disallow: /private
Disallow: /*?sort=

User-agent: GPTBot
Disallow: /articles/
`;

/** Path, user agent, and the expected status. */
const cases: readonly [options: GuardOptions, path: string, userAgent: string, status: number][] = [
  [{}, "/", gptbot, 200],
  [{ block: "ai:training,seo" }, "/", gptbot, 403],
  [{ block: "ai:training,seo" }, "/", ahrefs, 403],
  [{ block: "ai:training,seo" }, "/a?b=c", searchbot, 200],
  [{ block: "ai:training,seo" }, "/", firefox, 200],
  [{ block: "ai:training,seo" }, "/robots.txt", gptbot, 200],
  [{ block: "ai:training,seo" }, "/robots.txt?x", gptbot, 200],
  [{ block: "ai:training,seo" }, "/robots.txt/more", gptbot, 403],
  [{ block: "ai:training,seo", observe: true }, "/", gptbot, 200],
  [{ block: ["all"], allow: ["gptbot"] }, "/", gptbot, 200],
  [{ block: ["all"], allow: ["gptbot"] }, "/", ahrefs, 403],
  [{ block: "operator:openai" }, "/", searchbot, 403],
  [{ block: "name:OurOwnBot" }, "/", "OurOwnBot/1.0", 403],
  [{ block: "all" }, "/", "", 403],
  [{ block: "all", allow: "missing" }, "/", "", 200],
  [{ block: "all", allow: "missing" }, "/", "-", 200],
  [{ block: "all", allow: "missing" }, "/", gptbot, 403],
  [{ block: "Missing" }, "/", "", 403],
  [{ block: "missing" }, "/", "AnyBot/1.0", 200],
  [{ block: "missing" }, "/", firefox, 200],
  [{ block: "disallowed", robots }, "/articles/1", gptbot, 403],
  [{ block: "disallowed", robots }, "/private", gptbot, 200],
  [{ block: "disallowed", robots }, "/private", ahrefs, 403],
  [{ block: "disallowed", robots }, "/list?a=b&sort=up", ahrefs, 200],
  [{ block: "disallowed", robots }, "/list?sort=up", ahrefs, 403],
  [{ block: "disallowed", robots }, "/private", firefox, 200],
  [{ block: "disallowed", robots, allow: "ahrefsbot" }, "/private", ahrefs, 200],
  [{ block: ["seo", "Disallowed"], robots }, "/", ahrefs, 403],
  [{ block: "disallowed", robots: "User-agent: *\nDisallow: /" }, "/robots.txt?x", gptbot, 200],
];

/** Compiles only if the types know words and rates. */
export const typed: readonly GuardOptions[] = [
  { limit: { ai: "30/m", "operator:OpenAI": "10/s", GPTBot: "1/h", AnyBot: "2/h" }, limitBy: "operator" },
  // @ts-expect-error: a rate is a number per second, minute or hour.
  { limit: { ai: "30 per minute" } },
  // @ts-expect-error: a misspelt option.
  { limits: { ai: "30/m" } },
];

const wrong: readonly [options: unknown, error: RegExp][] = [
  ...["ai", null, ["ai"], new Map([["block", "ai"]]), 1].map((options): [unknown, RegExp] => [options, /an object/]),
  [{ blocks: "ai" }, /no option "blocks"\. Did you mean "block"\?/],
  [{ block: "ai", alow: "GPTBot" }, /no option "alow"\. Did you mean "allow"\?/],
  [{ block: "ai", onblock: () => {} }, /no option "onblock"\. Did you mean "onBlock"\?/],
  [{ block: "ai", observe: "false" }, /`observe` must be/],
  [{ block: "ai", onBlock: 404 }, /`onBlock` must be/],
  [{ block: "serch-engine" }, /"serch-engine" selects no crawler .* Did you mean "search-engine"\?/],
  [{ block: "misssing" }, /Did you mean "missing"\?/],
  [{ block: "missing", allow: "missing" }, /none would be refused/],
  [{ block: "operator:OpenAl" }, /Did you mean "operator:OpenAI"\?/],
  [{ block: "seo:training" }, /"seo:training" selects no crawler/],
  [{ block: "spoofed" }, /`block` cannot name "spoofed": this middleware has no `verifier`\. Add one .*createVerifier/],
  [{ block: "ai", allow: "verified" }, /`allow` cannot name "verified"/],
  [{ block: "disallowed" }, /`block` cannot name "disallowed": this middleware has no `robots`/],
  [{ block: "disalowed", robots }, /Did you mean "disallowed"\?/],
  [{ block: "ai", robots }, /`robots` needs the word "disallowed"/],
  [{ block: "all", allow: "disallowed", robots }, /`allow` cannot name "disallowed"/],
  [{ block: "disallowed", robots: "robots.txt" }, /`robots` must be the text/],
  [{ block: "disallowed", robots: "<!doctype html>" }, /`robots`, line 1: the text is a web page/],
  [{ block: "disallowed", robots: `User-agent: *\n${"#".repeat(500 * 1024)}` }, /`robots` is larger than 500 KiB/],
  [
    { block: "disallowed", robots: `User-agent: *\n${"Disallow: *a\n".repeat(1001)}` },
    /`robots`, line 1: more than 1000 rules/,
  ],
  [{ block: "" }, /`block` has an empty word/],
  [{ block: null }, /`block` must be a string/],
  [{ block: undefined }, /`block` is undefined/],
  [{ onBlock: () => {} }, /`onBlock` needs `block`/],
  [{ block: "ai", allow: "all" }, /none would be refused/],
  [{ detector: Promise.resolve() }, /`detector` must be a detector/],
  [{ detector: createOwnDetector(), block: "GPTBot" }, /"GPTBot" selects no crawler of the catalogue/],
  [{ limit: undefined }, /`limit` is undefined/],
  [{ limit: "ai:30/m" }, /`limit` must be an object/],
  [{ limit: {} }, /`limit` must be an object/],
  [{ limit: { ai: 30 } }, /`limit` must be an object/],
  [{ limit: { ai: "30/min" } }, /`limit` needs a rate/],
  [{ limit: { GTPBot: "30/m" } }, /Did you mean "GPTBot"\?/],
  [{ limit: { verified: "30/m" } }, /separate counts/],
  [
    { limit: { ai: "30/m" }, limitBy: "operators" },
    /`limitBy` must be "name" or "operator"\. Did you mean "operator"\?/,
  ],
  [{ limitBy: "operator" }, /`limitBy` needs `limit`/],
  [{ allow: "GPTBot" }, /`allow` makes exceptions from `block`/],
];

for (const [name, withApplication] of Object.entries(frameworks)) {
  describe(name, () => {
    it("has the verdict on the request", () =>
      withApplication({}, async (ask) => {
        const verdict = (await (await ask("/", gptbot)).json()) as Readonly<Record<string, unknown>>;
        assert.deepEqual([verdict.crawler, verdict.name, verdict.useragent], [true, "GPTBot", gptbot]);
        assert.deepEqual(await (await ask("/", firefox)).json(), { useragent: firefox, crawler: false });
      }));

    for (const [options, path, userAgent, status] of cases)
      it(`answers ${status} to ${userAgent.slice(0, 90)} for ${path} with ${JSON.stringify(options)}`, () =>
        withApplication(options, async (ask) => {
          const response = await ask(path, userAgent);
          assert.equal(response.status, status);
          if (status !== 403) return;
          assert.match(response.headers.get("content-type")!, /^text\/plain; charset=utf-8$/i);
          assert.match(await response.text(), /not wanted/);
        }));

    it("limits each crawler, neither people nor robots.txt, and after what it refuses", () =>
      withApplication({ block: "seo", limit: { ai: "2/h", GPTBot: "1/h", all: "3/h" } }, async (ask) => {
        const statuses = async (path: string, userAgent: string, times: number) =>
          Promise.all(Array.from({ length: times }, async () => (await ask(path, userAgent)).status));
        assert.deepEqual(await statuses("/robots.txt", gptbot, 5), Array(5).fill(200));
        assert.deepEqual((await statuses("/", gptbot, 3)).sort(), [200, 429, 429]);
        assert.deepEqual((await statuses("/", searchbot, 4)).sort(), [200, 200, 429, 429]);
        assert.deepEqual(await statuses("/", ahrefs, 5), Array(5).fill(403));
        assert.deepEqual(await statuses("/", firefox, 9), Array(9).fill(200));
        const { headers } = await ask("/", gptbot);
        assert.match(headers.get("content-type")!, /^text\/plain; charset=utf-8$/i);
        assert.ok(Number(headers.get("retry-after")) > 3500, `${headers.get("retry-after")}`);
      }));

    it("limits all crawlers of an operator together, and none with `observe`", async () => {
      const last = async (options: GuardOptions) => {
        let status = 0;
        await withApplication(options, async (ask) => {
          for (const userAgent of [gptbot, searchbot]) status = (await ask("/", userAgent)).status;
        });
        return status;
      };
      const limit = { ai: "1/h" } as const;
      assert.equal(await last({ limit }), 200);
      assert.equal(await last({ limit, limitBy: "operator" }), 429);
      assert.equal(await last({ limit, limitBy: "operator", observe: true }), 200);
    });

    it("decides with the detector that it is given", () =>
      withApplication({ detector: createOwnDetector(), block: "acme monitor" }, async (ask) => {
        const statuses = [acme, gptbot, "FooBot/1.0"].map(async (useragent) => (await ask("/", useragent)).status);
        assert.deepEqual(await Promise.all(statuses), [403, 200, 200]);
      }));

    it("throws for options that would let everyone pass", async () => {
      for (const [options, error] of wrong) {
        // Fastify itself takes null for no options.
        if (name === "Fastify" && options === null) continue;
        const start = async () =>
          withApplication(options as GuardOptions, async (ask) => void (await ask("/", firefox)));
        await assert.rejects(start, error, JSON.stringify(options));
      }
    });
  });
}

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
    return withFetch(app.fetch, test);
  });

  it("is a Response for web-standard requests", async () => {
    const refuse = forWeb({
      block,
      onBlock: (request, { name }) => Response.json({ name, at: request.url }, { status: 410 }),
    });
    await withFetch(
      (request) => refuse(request) ?? new Response("content"),
      async (ask) => {
        const response = await ask("/a?b", gptbot);
        assert.deepEqual(
          [response.status, await response.json()],
          [410, { name: "GPTBot", at: "http://localhost/a?b" }],
        );
        assert.equal(await (await ask("/", firefox)).text(), "content");
      },
    );
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

it("prepares for requests when it is made, so that no request waits for the catalogue's tables", () => {
  const own = createOwnDetector();
  let verdicts = 0;
  const check: typeof own.check = (useragent) => {
    verdicts++;
    return own.check(useragent);
  };
  const refuse = forWeb({ detector: { ...own, check } });
  assert.equal(verdicts, 1);
  assert.equal(refuse(new Request("http://localhost/")), undefined);
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
