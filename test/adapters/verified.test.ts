/** The adapters with a verifier, in the frameworks themselves: who a request's client is decides, beside the user agent. */
import assert from "node:assert/strict";
import { createServer, get, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import express from "express";
import createFastify from "fastify";
import { type Context, Hono } from "hono";
import { crawlers as forExpress } from "../../src/adapters/express.ts";
import { crawlers as forFastify } from "../../src/adapters/fastify.ts";
import type { GuardOptions, RequestVerifier } from "../../src/adapters/guard.ts";
import { crawlers as forHono } from "../../src/adapters/hono.ts";
import { crawlers as forWeb } from "../../src/adapters/web.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createDnsResolver } from "../../src/verify/dns/dns-resolver.ts";
import { toEvidence } from "../../src/verify/evidence.ts";
import { openEvidence } from "../../src/verify/open-evidence.ts";
import { verifyVerdict } from "../../src/verify/verify-verdict.ts";
import { createVerifier, type Verdict } from "../../src/verify.ts";
import { createOwnDetector } from "../support/own-detector.ts";
import { temporary } from "../support/temporary.ts";
import { firefox, googlebot, gptbot } from "../support/user-agents.ts";
import { writeList } from "../support/write-list.ts";
import { type DnsServer, listenDns } from "../verify/dns-server.ts";
import { createSigningAgent } from "../verify/signing-agent.ts";

const exa = "Mozilla/5.0 (compatible; ExaSearchBot/1.0; +https://crawler.exa.ai)";

/** A data folder as a service leaves it: a list that is new enough to refute. */
const folder = temporary();
writeList(folder, "gptbot", ["74.7.241.0/25"]);

const agent = createSigningAgent();

let dns: DnsServer;
/** The parts of createVerifier, with another DNS server and key directory. */
let verifier: RequestVerifier;
before(async () => {
  const records = {
    "PTR 8.8.8.8.in-addr.arpa": ["dns.google"],
    "NS googlebot.com": ["ns.google"],
  };
  dns = await listenDns({ records, silent: ["9.9.9.9.in-addr.arpa"] });
  const evidence = openEvidence(detector.catalogue, {
    authority: ["shop.example"],
    dataFolder: folder,
    report: (text) => assert.fail(text),
    resolver: createDnsResolver([dns.address]),
    get: agent.get,
  });
  await evidence.adopt();
  verifier = {
    detector,
    verifyRequest: (verdict, request, waitMs) => verifyVerdict(evidence, verdict, toEvidence(request), waitMs),
  };
});
after(() => dns.close());

type Headers = Readonly<Record<string, string>>;
type Ask = (useragent: string, headers?: Headers, path?: string) => Promise<Response>;
type WithApplication = (
  options: GuardOptions,
  test: (ask: Ask) => Promise<void>,
  isBehindProxy?: boolean,
) => Promise<void>;

const forwarded = ({ headers, socket }: IncomingMessage, isBehindProxy: boolean): string | undefined =>
  isBehindProxy ? lastOf(headers["x-forwarded-for"]) : socket.remoteAddress;
const lastOf = (list: unknown): string | undefined => String(list).split(",").at(-1)?.trim();

const withProxies = (options: GuardOptions, isBehindProxy: boolean): GuardOptions =>
  isBehindProxy && options.verifier && !("addressOf" in options)
    ? ({ proxies: 1, ...options } as GuardOptions)
    : options;

const frameworks: Readonly<Record<string, WithApplication>> = {
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
    app.register(forFastify, withProxies(options, isBehindProxy));
    app.get("/*", async (request) => request.crawler);
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    await test(toAsk(url)).finally(() => app.close());
  },
  "Fastify, in a context within": async (options, test, isBehindProxy = true) => {
    const app = createFastify({ trustProxy: true });
    app.register(forFastify, {});
    app.register(async (inner) => {
      inner.register(forFastify, withProxies(options, isBehindProxy));
      inner.get("/*", async (request) => request.crawler);
    });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    await test(toAsk(url)).finally(() => app.close());
  },
  Hono: (options, test, isBehindProxy = true) => {
    const app = new Hono<{ Bindings: { incoming: IncomingMessage } }>();
    app.use(forHono({ addressOf: ({ env }: Context) => forwarded(env.incoming, isBehindProxy), ...options }));
    app.get("/*", (context) => context.json(context.var.crawler()));
    return withServer(
      toListener((request, incoming) => app.fetch(request, { incoming })),
      test,
    );
  },
  "node:http": (options, test, isBehindProxy = true) => {
    const addressOf = isBehindProxy
      ? ({ headers }: { headers: object }) => lastOf((headers as Headers)["x-forwarded-for"])
      : undefined;
    const middleware = forExpress({ ...(addressOf && { addressOf }), ...options });
    return withServer((request: IncomingMessage & { crawler?: Verdict }, response) => {
      middleware(request, response, (error) => {
        response.statusCode = error === undefined ? 200 : 500;
        response.end(JSON.stringify(error === undefined ? request.crawler : {}));
      });
    }, test);
  },
  "web-standard requests": (options, test, isBehindProxy = true) => {
    const addressOf = (_: Request, incoming: IncomingMessage) => forwarded(incoming, isBehindProxy);
    const given = { addressOf, ...options } as { verifier: RequestVerifier; addressOf: typeof addressOf };
    const refuse = forWeb(given);
    return withServer(
      toListener(async (request, incoming) => (await refuse(request, incoming)) ?? new Response("content")),
      test,
    );
  },
};

/** As servers for web-standard applications do on Node. */
function toListener(
  answer: (request: Request, incoming: IncomingMessage) => Response | Promise<Response>,
): RequestListener {
  return async (incoming, response) => {
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, { headers });
    try {
      const { status, headers, body } = await Promise.resolve(answer(request, incoming)).then(async (answer) => ({
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: await answer.text(),
      }));
      response.writeHead(status, headers).end(body);
    } catch {
      response.writeHead(500).end();
    }
  };
}

async function withServer(listener: RequestListener, test: (ask: Ask) => Promise<void>): Promise<void> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await test(toAsk(`http://127.0.0.1:${port}`)).finally(() => server.close());
}

function toAsk(url: string): Ask {
  // Not fetch: on Node it sends its own Host.
  return (useragent, headers, path = "/") =>
    new Promise((resolve, reject) => {
      const sent = get(url + path, { headers: { "user-agent": useragent, ...headers }, agent: false }, (response) => {
        text(response).then((body) => resolve(new Response(body, { status: response.statusCode! })), reject);
      });
      sent.on("error", reject);
    });
}

const from = (address: string): Headers => ({ "x-forwarded-for": address });

/** The last one is the status of the verification; undefined for none. */
type Case = readonly [options: GuardOptions, useragent: string, headers: Headers, status: number, says?: string];

const cases: readonly Case[] = [
  [{}, gptbot, from("74.7.241.7"), 200, "verified by ip-range"],
  [{}, gptbot, from("8.8.8.8"), 200, "spoofed by ip-range"],
  [{}, firefox, from("8.8.8.8"), 200],
  [{}, gptbot, from("10.0.0.1"), 200, "unverifiable by none"],
  [{ block: "spoofed" }, gptbot, from("::ffff:74.7.241.7"), 200, "verified by ip-range"],
  [{ block: "spoofed" }, gptbot, from("8.8.8.8"), 403],
  [{ block: "spoofed", observe: true }, gptbot, from("8.8.8.8"), 200, "spoofed by ip-range"],
  [{ block: "spoofed" }, firefox, from("8.8.8.8"), 200],
  [{ block: "spoofed" }, googlebot, from("8.8.8.8"), 403],
  [{ block: "unproven", waitMs: 50 }, googlebot, from("9.9.9.9"), 403],
  [{ block: "spoofed", waitMs: 0 }, googlebot, from("9.9.9.9"), 200, "unverifiable by none"],
  // Networks are of people, too.
  [{ block: "network:hosting" }, firefox, from("3.5.140.1"), 403],
  [{ block: "network:hosting" }, firefox, from("8.8.8.8"), 200],
  // So are signals.
  [{ block: "signal:client-hints-unexpected" }, firefox, { ...from("8.8.8.8"), "sec-ch-ua": '"Chromium";v="1"' }, 403],
  [{ block: "signal:client-hints-unexpected" }, firefox, from("8.8.8.8"), 200],
  // What the client itself writes is left of what the proxy appends.
  [{ block: "spoofed" }, gptbot, from("74.7.241.7, 8.8.8.8"), 403],
  // What proxies and systems write beside an address.
  [{ block: "spoofed" }, gptbot, from("8.8.8.8:4711"), 403],
  [{ block: "spoofed" }, gptbot, from("fe80::1%eth0"), 200, "unverifiable by none"],
  [{ block: "spoofed" }, gptbot, from("unknown"), 200, "unverifiable by none"],
];

const wrong: readonly (readonly [options: object, error: RegExp])[] = [
  [{ verifier: undefined }, /`verifier` is undefined/],
  [{ verifier: Promise.resolve(createVerifier()) }, /`verifier` must be a verifier, such as createVerifier\(\)/],
  [{ verifier: detector }, /`verifier` must be a verifier/],
  [{ verifier: createVerifier(), detector: createOwnDetector() }, /`detector` differs from the detector of `verifier`/],
  [{ verifier: createVerifier(), waitMs: 5001 }, /`waitMs` must be a number of milliseconds from 0 to 5000/],
  [{ verifier: createVerifier(), waitMs: "300" }, /`waitMs` must be/],
  [{ verifier: createVerifier(), wait: 300 }, /no option "wait"\. There are .*waitMs/],
  [{ verifier: createVerifier(), addressOf: "ip" }, /`addressOf` must be a function/],
  [{ verifier: createVerifier(), block: "spofed" }, /Did you mean "spoofed"\?/],
  [{ block: "ai", waitMs: 300 }, /`waitMs` needs `verifier`/],
];

for (const [name, withApplication] of Object.entries(frameworks)) {
  const isWeb = name === "web-standard requests";

  describe(`${name} with a verifier`, () => {
    for (const [options, useragent, headers, status, says] of cases) {
      const what = `${useragent.slice(0, 40)} from ${headers["x-forwarded-for"]} with ${JSON.stringify(options)}`;
      it(`answers ${status} to ${what}`, () =>
        withApplication({ ...options, verifier }, async (ask) => {
          const response = await ask(useragent, headers);
          assert.equal(response.status, status);
          if (status === 403 || isWeb) return;
          const { verification } = (await response.json()) as { verification?: { status: string; method: string } };
          assert.equal(verification && `${verification.status} by ${verification.method}`, says);
        }));
    }

    it("does not let imitators use up the limit of a crawler", () =>
      withApplication({ limit: { GPTBot: "1/h" }, verifier }, async (ask) => {
        const statuses = [];
        for (const address of ["8.8.8.8", "8.8.8.9", "74.7.241.7", "74.7.241.8"])
          statuses.push((await ask(gptbot, from(address))).status);
        assert.deepEqual(statuses, [200, 429, 200, 429]);
      }));

    it("never refuses robots.txt", () =>
      withApplication({ block: "spoofed", verifier }, async (ask) => {
        assert.equal((await ask(gptbot, from("8.8.8.8"), "/robots.txt")).status, 200);
      }));

    it("does not believe X-Forwarded-For that no proxy has written", () =>
      withApplication(
        { block: "verified,spoofed", verifier },
        async (ask) => assert.equal((await ask(gptbot, from("74.7.241.7"))).status, 200),
        false,
      ));

    it("counts a signature of the path once for each client", () =>
      withApplication({ block: "verified", verifier }, async (ask) => {
        const covers = { "@method": "GET", "@target-uri": "https://shop.example/page?a=b" };
        const headers = { ...from("203.0.113.77"), ...agent.sign('"https://crawler.exa.ai"', { covers }) };
        assert.equal((await ask(exa, headers, "/page?a=b")).status, 403);
        assert.equal((await ask(exa, headers, "/page?a=b")).status, 403);
        assert.equal((await ask(exa, headers, "/page?a=c")).status, 200);
        assert.equal((await ask(exa, { ...headers, ...from("203.0.113.78") }, "/page?a=b")).status, 200);
      }));

    it("fails if the verifier or `addressOf` fails", async () => {
      const failures: readonly GuardOptions[] = [
        { verifier: { detector, verifyRequest: async () => Promise.reject(new Error("no verdict")) } },
        { verifier, addressOf: () => assert.fail("no address") } as GuardOptions,
      ];
      // Without Express, an exception of a middleware is the server's.
      for (const options of failures)
        if (name !== "node:http" || !("addressOf" in options))
          await withApplication(options, async (ask) => assert.equal((await ask(gptbot, from("8.8.8.8"))).status, 500));
    });

    it("throws for options that would let everyone pass", async () => {
      for (const [options, error] of wrong)
        await assert.rejects(async () => withApplication(options, async (ask) => void (await ask(firefox))), error);
    });
  });
}

it("Fastify finds the client behind the number of proxies that it is told, and nothing behind fewer", async () => {
  const app = createFastify({ trustProxy: true });
  app.register(forFastify, { verifier, block: "verified,spoofed", proxies: 2 });
  app.get("/", async () => "content");
  const ask = toAsk(await app.listen({ port: 0, host: "127.0.0.1" }));
  try {
    const statuses = ["74.7.241.7, 10.0.0.2", "8.8.8.8, 74.7.241.7, 10.0.0.2", "74.7.241.7", ""].map(
      async (list) => (await ask(gptbot, from(list))).status,
    );
    assert.deepEqual(await Promise.all(statuses), [403, 403, 200, 200]);
  } finally {
    await app.close();
  }
});

it("Fastify refuses a number of proxies that cannot be meant", async () => {
  const wrong: readonly (readonly [options: object, error: RegExp])[] = [
    [{ verifier, proxies: true }, /`proxies` must be the number of proxies/],
    [{ verifier, proxies: -1 }, /`proxies` must be the number of proxies/],
    [{ proxies: 1 }, /`proxies` needs `verifier`/],
    [{ verifier, proxies: 1, addressOf: () => undefined }, /no effect with `addressOf`/],
    [{ verifier, proxy: 1 }, /no option "proxy"\..*proxies/],
  ];
  for (const [options, error] of wrong)
    await assert.rejects(async () => void (await createFastify().register(forFastify, options)), error);
});

it("Express with a verifier refuses to trust every proxy: clients would choose their address", async () => {
  const app = express();
  app.set("trust proxy", true);
  app.use(forExpress({ verifier }));
  const messages: string[] = [];
  app.use((error: Error, _: unknown, response: express.Response, __: unknown) => {
    messages.push(error.message);
    response.status(500).end();
  });
  await withServer(app, async (ask) => {
    assert.equal((await ask(gptbot, from("74.7.241.7"))).status, 500);
    assert.match(messages[0]!, /number of proxies: app\.set\("trust proxy", 1\)/);
  });
});

it("Hono and web-standard requests need `addressOf`", () => {
  for (const crawlers of [forHono, forWeb])
    assert.throws(() => crawlers({ verifier } as never), /^TypeError: `verifier` needs `addressOf`/);
});
