/** The same application in each framework, over sockets: behind the middleware, it answers with the verdict that it was given. */
import { createServer, get, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import express from "express";
import createFastify from "fastify";
import { type Context, Hono } from "hono";
import { crawlers as forExpress } from "../../src/adapters/express.ts";
import { crawlers as forFastify } from "../../src/adapters/fastify.ts";
import type { GuardOptions, RequestVerifier } from "../../src/adapters/guard.ts";
import { crawlers as forHono } from "../../src/adapters/hono.ts";
import { crawlers as forWeb } from "../../src/adapters/web.ts";
import type { Verdict } from "../../src/index.ts";

type Headers = Readonly<Record<string, string>>;
export type Ask = (path: string, useragent: string, headers?: Headers) => Promise<Response>;
/** Starts the application for a test; behind a proxy, the address is the last one of X-Forwarded-For. */
type WithApplication = (
  options: GuardOptions,
  test: (ask: Ask, port: number) => Promise<void>,
  isBehindProxy?: boolean,
) => Promise<void>;

export const frameworks: Readonly<Record<string, WithApplication>> = {
  Express: (options, test, isBehindProxy = true) => {
    const app = express();
    app.set("trust proxy", isBehindProxy ? 1 : false);
    app.use(forExpress(options));
    app.get("/{*path}", (request, response) => void response.json(request.crawler));
    return withServer(app, test);
  },
  Fastify: async (options, test, isBehindProxy = true) => {
    // What it trusts must not matter.
    const app = createFastify({ trustProxy: true });
    app.register(forFastify, {});
    app.register(async (inner) => {
      const proxies = isBehindProxy && options.verifier && !("addressOf" in options) ? { proxies: 1 } : {};
      inner.register(forFastify, { ...proxies, ...options });
      inner.get("/*", async (request) => request.crawler);
    });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    await test(toAsk(url), Number(new URL(url).port)).finally(() => app.close());
  },
  Hono: (options, test, isBehindProxy = true) => {
    const app = new Hono<{ Bindings: { incoming: IncomingMessage } }>();
    const addressOf = ({ env }: Context) => addressIn(env.incoming, isBehindProxy);
    app.use(forHono({ ...(options.verifier && { addressOf }), ...options }));
    app.get("/*", (context) => context.json(context.var.crawler()));
    const listener = toListener((request, incoming) => app.fetch(request, { incoming }));
    return withServer(listener, test);
  },
  "node:http": (options, test, isBehindProxy = true) => {
    const addressOf = ({ headers }: { headers: object }) => lastOf((headers as Headers)["x-forwarded-for"]);
    const middleware = forExpress({ ...(isBehindProxy && options.verifier && { addressOf }), ...options });
    return withServer((request: IncomingMessage & { crawler?: Verdict }, response) => {
      middleware(request, response, (error) => {
        response.statusCode = error === undefined ? 200 : 500;
        response.end(JSON.stringify(error === undefined ? request.crawler : {}));
      });
    }, test);
  },
  "web-standard requests": (options, test, isBehindProxy = true) => {
    const addressOf = (_: Request, incoming: IncomingMessage) => addressIn(incoming, isBehindProxy);
    const given = { ...(options.verifier && { addressOf }), ...options };
    const refuse = forWeb(given as { verifier: RequestVerifier; addressOf: typeof addressOf });
    const pass = () => new Response("content");
    const listener = toListener(async (request, incoming) => (await refuse(request, incoming)) ?? pass());
    return withServer(listener, test);
  },
};

const addressIn = ({ headers, socket }: IncomingMessage, isBehindProxy: boolean): string | undefined =>
  isBehindProxy ? lastOf(headers["x-forwarded-for"]) : socket.remoteAddress;
const lastOf = (list: unknown): string | undefined => String(list).split(",").at(-1)?.trim();

/** As servers for web-standard applications do on Node: they join the lines of a field. */
function toListener(
  answer: (request: Request, incoming: IncomingMessage) => Response | Promise<Response>,
): RequestListener {
  return async (incoming, response) => {
    const lines = Object.entries(incoming.headersDistinct);
    const headers = lines.map(([name, values = []]): [string, string] => [name, values.join(", ")]);
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, { headers });
    try {
      const answered = await answer(request, incoming);
      const body = await answered.text();
      response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(body);
    } catch {
      response.writeHead(500).end();
    }
  };
}

/** Listens for a test. */
export async function withServer(
  listener: RequestListener,
  test: (ask: Ask, port: number) => Promise<void>,
): Promise<void> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await test(toAsk(`http://127.0.0.1:${port}`), port).finally(() => server.close());
}

/** Asks a server; without fetch, which sends its own Host on Node. */
export function toAsk(url: string): Ask {
  return (path, useragent, headers) =>
    new Promise((resolve, reject) => {
      const sent = get(url + path, { headers: { "user-agent": useragent, ...headers }, agent: false }, (response) => {
        const told = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
        const status = response.statusCode!;
        text(response).then((body) => resolve(new Response(body, { status, headers: told })), reject);
      });
      sent.on("error", reject);
    });
}
