/** Addresses of CDNs: a crawler's string from one is not spoofed, and proxies whose addresses are taken for the clients' are noticed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toPrefix } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readNetworkSources } from "../../src/detect/built-in/networks.ts";
import { createForwarded } from "../../src/server/listen/client-address.ts";
import type { Resolver } from "../../src/verify/dns/reverse-dns.ts";
import { openEvidence } from "../../src/verify/open-evidence.ts";
import { open } from "../service/open.ts";
import { rowsOf } from "../support/table.ts";
import { firefox, googlebot, gptbot } from "../support/user-agents.ts";

/** No address has a name, but for one of Googlebot. */
const resolver: Resolver = {
  names: async (reversed) => (reversed.startsWith("1.95.249.66.") ? ["crawl-66-249-95-1.googlebot.com"] : []),
  addresses: async () => ["66.249.95.1"],
  exists: async () => true,
};

describe("an address of a CDN", () => {
  const cloudflare = "the address is Cloudflare's; read the client's address (trust-proxy, CF-Connecting-IP)";
  const rows = rowsOf(`
    googlebot | 8.8.8.8      | spoofed      |
    googlebot | 3.5.140.1    | spoofed      |
    googlebot | 172.64.0.1   | unverifiable | ${cloudflare}
    googlebot | 2606:4700::1 | unverifiable | ${cloudflare}
    googlebot | 151.101.1.1  | unverifiable | the address is Fastly's; read the client's address (trust-proxy, Fastly-Client-IP)
    googlebot | 130.176.88.1 | unverifiable | the address is Amazon CloudFront's; read the client's address (trust-proxy, CloudFront-Viewer-Address)
    googlebot | 66.249.66.1  | verified     |
    googlebot | 66.249.95.1  | verified     |
    gptbot    | 172.64.0.1   | unverifiable | ${cloudflare}
    gptbot    | 74.7.241.1   | verified     |
    gptbot    | 8.8.8.8      | spoofed      |
    perplexity | 172.64.0.1  | unverifiable | not in https://www.perplexity.ai/perplexitybot.json, which may be incomplete; if only verified requests may pass, block this crawler and allow verified
  `);
  const strings: Readonly<Record<string, string>> = { googlebot, gptbot, perplexity: "PerplexityBot/1.0" };

  for (const hasNetworks of [true, false])
    it(`makes no crawler spoofed, ${hasNetworks ? "with" : "without"} networks`, async () => {
      // The copies of the CDNs' lists are older.
      const evidence = openEvidence(detector.catalogue, { resolver, hasNetworks, now: () => Date.parse("2026-05-06") });
      for (const [name = "", ip = "", status, reason] of rows) {
        const verdict = detector.check(strings[name]);
        const found = await evidence.verifier.verify(verdict, { ip }, 60_000);
        assert.equal(found?.status, status, `${name} ${ip}: ${found?.reason}`);
        if (reason) assert.equal(found?.reason, reason);
        const isOfCdn = /^the address is/.test(reason ?? "");
        assert.equal(found?.unproven, isOfCdn ? true : undefined);
        if (isOfCdn) assert.deepEqual([found?.method, found?.asOf], ["none", undefined]);
      }
      assert.equal(evidence.networks?.find("172.64.0.1")?.kind, hasNetworks ? "cdn" : undefined);
    });

  it("lets genuine crawlers pass block=spoofed, and not block=spoofed,unproven", async () => {
    const { verifier, networks } = openEvidence(detector.catalogue, { resolver });
    const { ask } = open({ verifier, networks, forwarded: createForwarded(1) });
    for (const [policy, status, client] of [
      ["block=spoofed", 204, googlebot],
      ["block=spoofed,unproven", 403, googlebot],
      ["block=network:cdn", 403, firefox],
      ["block=network:hosting", 204, firefox],
    ] as const) {
      const headers = { "user-agent": client, "x-forwarded-for": "172.64.0.1" };
      const response = await ask(`/auth?${policy}&wait=1000`, headers);
      assert.equal(response.status, status, policy);
      assert.equal(response.headers.get("x-crawler-network"), "cdn");
    }
  });
});

describe("of the first 100 requests with public addresses", () => {
  /** What is reported after these requests: `count address`, in order. */
  function reportsOf(text: string) {
    const reports: string[] = [];
    const evidence = openEvidence(detector.catalogue, { resolver, report: (text) => void reports.push(text) });
    for (const part of text.split(", ")) {
      const [count, ip = ""] = part.split(" ");
      for (let times = 0; times < Number(count); times++) evidence.verifier.crawlerAddress?.(ip);
    }
    assert.deepEqual(evidence.proxyWarnings(), reports);
    return reports;
  }

  for (const [requests = "", warned] of rowsOf(`
    10 172.64.0.1, 90 8.8.8.8, 50 172.64.0.1         |
    90 8.8.8.8, 10 172.64.0.1, 50 172.64.0.1         |
    11 172.64.0.1                                    | Cloudflare, CF-Connecting-IP
    50 10.0.0.1, 89 8.8.8.8, 5 172.64.0.1, 6 151.101.1.1 | Fastly, Fastly-Client-IP
    200 10.0.0.1, 200 127.0.0.1                      |
    500 130.176.88.1                                 | Amazon CloudFront, CloudFront-Viewer-Address
    200 3.5.140.1                                    |
  `))
    it(`${requests}: ${warned || "no warning"}`, () => {
      const reports = reportsOf(requests);
      assert.equal(reports.length, warned ? 1 : 0);
      for (const word of warned?.split(", ") ?? []) if (word) assert.match(reports[0]!, new RegExp(`${word}.*`));
    });
});

it("CloudFront's addresses that visitors connect to are not those that ask origins", () => {
  const source = readNetworkSources().find(({ id }) => id === "cloudfront");
  assert.equal(source?.at, "*.service=CLOUDFRONT_ORIGIN_FACING");
  const { networks } = openEvidence(detector.catalogue, {});
  // d111111abcdef8.cloudfront.net
  assert.notEqual(networks?.findCdn(toPrefix("13.32.0.1")!.address)?.id, "cloudfront");
});
