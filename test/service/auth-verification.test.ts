/** /auth verifies by the address that a believed proxy says, and its policy may name the outcome. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toAddress, toReverseName } from "../../src/address/address.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Proof } from "../../src/detect/verification.ts";
import { createForwardedAddressOf } from "../../src/server/listen/client-address.ts";
import { createService } from "../../src/service.ts";
import { createDnsResolver } from "../../src/verify/dns/dns-resolver.ts";
import { gptbot } from "../support/user-agents.ts";
import { listenDns } from "../verify/dns-server.ts";
import { openVerifier } from "../verify/open-verifier.ts";
import { createSigningAgent } from "../verify/signing-agent.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const proof: Proof = {
  id: "gptbot",
  crawlers: ["GPTBot"],
  page: "https://example.com/",
  ranges: [{ url: "https://example.com/ips.json", format: "json" }],
  agents: ["agent.example"],
  conclusive: ["ip-range"],
};
const agent = createSigningAgent();
const { get } = agent;

function create(hops: number) {
  const ranges = { gptbot: { asOf: "2026-11-20", prefixes: "66.249.64.0/19" } };
  const verifier = openVerifier({ proofs: [proof], ranges }, { authority: ["shop.example"], get, now: () => now });
  return createService({ detector, verifier, forwardedAddressOf: createForwardedAddressOf(hops) });
}

async function ask(hops: number, query: string, headers: Readonly<Record<string, string>>) {
  const request = new Request(`http://localhost/auth${query}`, { headers: { "user-agent": gptbot, ...headers } });
  const { status, headers: told } = await create(hops).fetch(request, { address: "8.8.4.4" });
  return [status, told.get("x-crawler-verification")];
}

describe("/auth", () => {
  const genuine = { "x-forwarded-for": "66.249.66.1" };
  const forged = { "x-forwarded-for": "66.249.66.1, 8.8.8.8" };
  const cases: readonly (readonly [
    hops: number,
    query: string,
    headers: Readonly<Record<string, string>>,
    expected: unknown[],
  ])[] = [
    [1, "", genuine, [204, "verified"]],
    [1, "?block=spoofed", genuine, [204, "verified"]],
    [1, "?block=Spoofed,seo&wait=100", forged, [403, "spoofed"]],
    [1, "?block=spoofed&observe", forged, [204, "spoofed"]],
    [1, "?block=spoofed", { ...forged, "x-forwarded-uri": "/robots.txt" }, [204, "spoofed"]],
    [1, "?block=spoofed", {}, [204, "unverifiable"]],
    [1, "?block=spoofed", { "x-forwarded-for": "10.0.0.1" }, [204, "unverifiable"]],
    [1, "?block=unproven", {}, [403, "unverifiable"]],
    [2, "", { "x-forwarded-for": "66.249.66.1, 8.8.8.8, 10.0.0.2" }, [204, "spoofed"]],
    // A proxy that is not trusted, or sends no address, makes no crawler spoofed: its own address is not the client's.
    [0, "", forged, [204, "unverifiable"]],
    ...["spoofed", "Verified", "unverifiable", "unproven"].flatMap((word): (typeof cases)[number][] => [
      [0, `?block=${word}`, forged, [429, "unverifiable"]],
      [0, `?block=ai&allow=${word}`, forged, [403, "unverifiable"]],
    ]),
    [1, "?block=unproved", genuine, [429, "verified"]],
    [1, "?block=spoofed&wait=5001", genuine, [429, "verified"]],
    [1, "?block=spoofed&wait=x", genuine, [429, "verified"]],
  ];
  for (const [hops, query, headers, expected] of cases) {
    it(`${query} behind ${hops} proxies with ${JSON.stringify(headers)} answers ${expected.join(", ")}`, async () => {
      assert.deepEqual(await ask(hops, query, headers), expected);
    });
  }

  it("verifies no person, and tells nothing about one", async () => {
    const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
    assert.deepEqual(await ask(1, "?block=spoofed,unverifiable", { ...forged, "user-agent": firefox }), [204, ""]);
  });

  it("verifies by the original request's signature, of its method and path, too", async () => {
    const covers = { "@method": "GET", "@authority": "shop.example", "@path": "/a" };
    const signed = {
      ...agent.sign('"https://agent.example"', { at: now, covers }),
      "x-forwarded-for": "8.8.8.8",
      "x-forwarded-method": "GET",
      "x-forwarded-uri": "/a?b=c",
    };
    assert.deepEqual(await ask(1, "?block=spoofed&wait=1000", signed), [204, "verified"]);
    assert.deepEqual(await ask(1, "?block=spoofed&wait=1000", { ...signed, "x-forwarded-uri": "/b" }), [
      403,
      "spoofed",
    ]);
  });
});

it("a flood of questions in one array lets no imitator through /auth", async () => {
  const named: Proof = { ...proof, ranges: undefined, agents: undefined, dns: ["bot.example"], conclusive: ["dns"] };
  // No server answers for these addresses.
  const silent = Array.from({ length: 1000 }, (_, at) => `203.0.${90 + (at >> 8)}.${at & 255}`);
  const server = await listenDns({
    records: { "NS bot.example": ["ns.bot.example"], "PTR 8.8.8.8.in-addr.arpa": ["dns.google"] },
    silent: silent.map((ip) => toReverseName(toAddress(ip)!)),
  });
  try {
    const verifier = openVerifier({ proofs: [named], ranges: {} }, { resolver: createDnsResolver([server.address]) });
    const service = createService({ detector, verifier, forwardedAddressOf: createForwardedAddressOf(1) });
    const body = JSON.stringify(silent.map((ip) => ({ useragent: gptbot, ip, wait: 200 })));
    const flood = new Request("http://localhost/RestService/CheckMany", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const flooding = service.fetch(flood, { address: "192.0.2.1" }).then((answer) => answer.text());
    await new Promise((resolve) => setTimeout(resolve, 20));
    const headers = { "user-agent": gptbot, "x-forwarded-for": "8.8.8.8" };
    const request = new Request("http://localhost/auth?block=spoofed&wait=5000", { headers });
    assert.equal((await service.fetch(request, { address: "10.0.0.1" })).status, 403);
    await flooding;
  } finally {
    await server.close();
  }
});
