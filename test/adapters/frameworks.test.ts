/** The adapters in the frameworks themselves, over sockets: each gives requests their verdict, and refuses what the policy blocks. */
import assert from "node:assert/strict";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import express from "express";
import createFastify from "fastify";
import { Hono } from "hono";
import { crawlers as forExpress } from "../../src/adapters/express.ts";
import { crawlers as forFastify } from "../../src/adapters/fastify.ts";
import type { GuardOptions } from "../../src/adapters/guard.ts";
import { crawlers as forHono } from "../../src/adapters/hono.ts";

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
    return test((path, userAgent) =>
      Promise.resolve(app.request(path, { headers: userAgent === "" ? {} : { "user-agent": userAgent } })),
    );
  },
};

async function withServer(listener: RequestListener, test: (ask: Ask) => Promise<void>): Promise<void> {
  const server: Server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await test(toAsk(`http://127.0.0.1:${port}`)).finally(() => server.close());
}

function toAsk(url: string): Ask {
  return (path, userAgent) => fetch(url + path, { headers: { "user-agent": userAgent } });
}

const person = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const gptbot = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const searchbot =
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)";
const ahrefs = "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)";

/** Who is answered what: path, user agent, status. */
const cases: readonly [options: GuardOptions, path: string, userAgent: string, status: number][] = [
  [{}, "/", gptbot, 200],
  [{ block: "ai:training,seo" }, "/", gptbot, 403],
  [{ block: "ai:training,seo" }, "/", ahrefs, 403],
  [{ block: "ai:training,seo" }, "/a?b=c", searchbot, 200],
  [{ block: "ai:training,seo" }, "/", person, 200],
  [{ block: "ai:training,seo" }, "/robots.txt", gptbot, 200],
  [{ block: "ai:training,seo" }, "/robots.txt?x", gptbot, 200],
  [{ block: "ai:training,seo" }, "/robots.txt/more", gptbot, 403],
  [{ block: "ai:training,seo", observe: true }, "/", gptbot, 200],
  [{ block: ["all"], allow: ["gptbot"] }, "/", gptbot, 200],
  [{ block: ["all"], allow: ["gptbot"] }, "/", ahrefs, 403],
  [{ block: "operator:openai" }, "/", searchbot, 403],
  [{ block: "name:OurOwnBot" }, "/", "OurOwnBot/1.0", 403],
];

for (const [name, withApplication] of Object.entries(frameworks)) {
  describe(name, () => {
    it("has the verdict on the request", () =>
      withApplication({}, async (ask) => {
        const verdict = (await (await ask("/", gptbot)).json()) as Readonly<Record<string, unknown>>;
        assert.deepEqual([verdict.crawler, verdict.name, verdict.useragent], [true, "GPTBot", gptbot]);
        assert.deepEqual(await (await ask("/", person)).json(), { useragent: person, crawler: false });
      }));

    for (const [options, path, userAgent, status] of cases)
      it(`answers ${status} to ${userAgent.slice(0, 90)} for ${path} with ${JSON.stringify(options)}`, () =>
        withApplication(options, async (ask) => {
          const response = await ask(path, userAgent);
          assert.equal(response.status, status);
          if (status === 403) assert.match(await response.text(), /not wanted/);
        }));

    it("refuses words that choose nothing", async () => {
      const start = async () =>
        withApplication({ block: "serch-engine" }, async (ask) => void (await ask("/", person)));
      await assert.rejects(start, /"serch-engine" is neither a category/);
    });
  });
}
