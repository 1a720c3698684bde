/** The adapters with a verifier, in the frameworks themselves: who a request's client is decides, beside the user agent. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import express from "express";
import createFastify from "fastify";
import { crawlers as forExpress } from "../../src/adapters/express.ts";
import { crawlers as forFastify } from "../../src/adapters/fastify.ts";
import type { GuardOptions, RequestVerifier } from "../../src/adapters/guard.ts";
import { crawlers as forHono } from "../../src/adapters/hono.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createDnsResolver } from "../../src/verify/dns/dns-resolver.ts";
import { toEvidence } from "../../src/verify/evidence.ts";
import { openEvidence } from "../../src/verify/open-evidence.ts";
import { verifyVerdict } from "../../src/verify/verify-verdict.ts";
import { rowsOf } from "../support/table.ts";
import { temporary } from "../support/temporary.ts";
import { firefox, googlebot, gptbot } from "../support/user-agents.ts";
import { writeList } from "../support/write-list.ts";
import { type DnsServer, listenDns } from "../verify/dns-server.ts";
import { createSigningAgent } from "../verify/signing-agent.ts";
import { frameworks, toAsk, withServer } from "./applications.ts";

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
const from = (address: string): Headers => ({ "x-forwarded-for": address });

const useragents = { gptbot, googlebot, firefox };

/** Options, a user agent, X-Forwarded-For, the status, and the verification; nothing for none. */
const cases = rowsOf(`
  {} | gptbot | 74.7.241.7 | 200 | verified by ip-range
  {} | gptbot | 8.8.8.8 | 200 | spoofed by ip-range
  {} | firefox | 8.8.8.8 | 200 |
  { "block": "spoofed" } | gptbot | ::ffff:74.7.241.7 | 200 | verified by ip-range
  { "block": "spoofed" } | gptbot | 74.7.241.7, 8.8.8.8 | 403
  { "block": "spoofed" } | gptbot | 8.8.8.8:4711 | 403
  { "block": "spoofed" } | gptbot | fe80::1%eth0 | 200 | unverifiable by none
  { "block": "spoofed" } | gptbot | unknown | 200 | unverifiable by none
  { "block": "spoofed", "observe": true } | gptbot | 8.8.8.8 | 200 | spoofed by ip-range
  { "block": "spoofed", "waitMs": 5000 } | googlebot | 8.8.8.8 | 403
  { "block": "unproven", "waitMs": 50 } | googlebot | 9.9.9.9 | 403
  { "block": "spoofed", "waitMs": 0 } | googlebot | 9.9.9.9 | 200 | unverifiable by none
  { "block": "network:hosting" } | firefox | 3.5.140.1 | 403
  { "block": "network:hosting" } | firefox | 8.8.8.8 | 200 |
`);

for (const [name, withApplication] of Object.entries(frameworks)) {
  const isWeb = name === "web-standard requests";

  describe(`${name} with a verifier`, () => {
    for (const [options = "", agentName = "", forwarded = "", status, says = ""] of cases)
      it(`answers ${status} to ${agentName} from ${forwarded} with ${options}`, () =>
        withApplication({ ...JSON.parse(options), verifier }, async (ask) => {
          const response = await ask("/", useragents[agentName as keyof typeof useragents], from(forwarded));
          assert.equal(response.status, Number(status));
          if (status === "403" || isWeb) return;
          const { verification } = (await response.json()) as { verification?: { status: string; method: string } };
          assert.equal(verification ? `${verification.status} by ${verification.method}` : "", says);
        }));

    it("refuses people by signals of their header fields", () =>
      withApplication({ block: "signal:client-hints-unexpected", verifier }, async (ask) => {
        const headers = { ...from("8.8.8.8"), "sec-ch-ua": '"Chromium";v="1"' };
        assert.equal((await ask("/", firefox, headers)).status, 403);
        assert.equal((await ask("/", firefox, from("8.8.8.8"))).status, 200);
      }));

    it("does not let imitators use up the limit of a crawler", () =>
      withApplication({ limit: { GPTBot: "1/h" }, verifier }, async (ask) => {
        const statuses = [];
        for (const address of ["8.8.8.8", "8.8.8.9", "74.7.241.7", "74.7.241.8"])
          statuses.push((await ask("/", gptbot, from(address))).status);
        assert.deepEqual(statuses, [200, 429, 200, 429]);
      }));

    it("never refuses robots.txt", () =>
      withApplication({ block: "spoofed", verifier }, async (ask) => {
        assert.equal((await ask("/robots.txt", gptbot, from("8.8.8.8"))).status, 200);
      }));

    it("does not believe X-Forwarded-For that no proxy has written", () =>
      withApplication(
        { block: "verified,spoofed", verifier },
        async (ask) => assert.equal((await ask("/", gptbot, from("74.7.241.7"))).status, 200),
        false,
      ));

    it("counts a signature of the path once for each client", () =>
      withApplication({ block: "verified", verifier }, async (ask) => {
        const covers = { "@method": "GET", "@target-uri": "https://shop.example/page?a=b" };
        const headers = { ...from("203.0.113.77"), ...agent.sign('"https://crawler.exa.ai"', { covers }) };
        assert.equal((await ask("/page?a=b", exa, headers)).status, 403);
        assert.equal((await ask("/page?a=b", exa, headers)).status, 403);
        assert.equal((await ask("/page?a=c", exa, headers)).status, 200);
        assert.equal((await ask("/page?a=b", exa, { ...headers, ...from("203.0.113.78") })).status, 200);
      }));

    it("fails if the verifier or `addressOf` fails", async () => {
      const failures: readonly GuardOptions[] = [
        { verifier: { detector, verifyRequest: async () => Promise.reject(new Error("no verdict")) } },
        { verifier, addressOf: () => assert.fail("no address") } as GuardOptions,
      ];
      // Without Express, an exception of a middleware is the server's.
      for (const options of failures)
        if (name !== "node:http" || !("addressOf" in options))
          await withApplication(options, async (ask) =>
            assert.equal((await ask("/", gptbot, from("8.8.8.8"))).status, 500),
          );
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
      async (list) => (await ask("/", gptbot, from(list))).status,
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
    assert.equal((await ask("/", gptbot, from("74.7.241.7"))).status, 500);
    assert.match(messages[0]!, /number of proxies: app\.set\("trust proxy", 1\)/);
  });
});

it("Hono needs `addressOf`", () =>
  assert.throws(() => forHono({ verifier } as never), /^TypeError: `verifier` needs `addressOf`/));
