/** /auth verifies by the address that a believed proxy says, and its policy may name the outcome. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toAddress, toReverseName } from "../../src/address/address.ts";
import type { Proof } from "../../src/detect/verification.ts";
import { createForwarded } from "../../src/server/listen/client-address.ts";
import { createDnsResolver } from "../../src/verify/dns/dns-resolver.ts";
import { copyOf } from "../support/copy-of.ts";
import { rowsOf } from "../support/table.ts";
import { until } from "../support/until.ts";
import { firefox, gptbot } from "../support/user-agents.ts";
import { listenDns } from "../verify/dns-server.ts";
import { openVerifier } from "../verify/open-verifier.ts";
import { createSigningAgent } from "../verify/signing-agent.ts";
import { open } from "./open.ts";

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
  const ranges = { gptbot: copyOf("2026-11-20", "66.249.64.0/19") };
  const verifier = openVerifier({ proofs: [proof], ranges }, { authority: ["shop.example"], get, now: () => now });
  return open({ verifier, forwarded: createForwarded(hops) });
}

async function ask(hops: number, query: string, headers: Readonly<Record<string, string>>) {
  const { status, headers: told } = await create(hops).auth(query, gptbot, headers);
  return [status, told.get("x-crawler-verification")];
}

describe("/auth", () => {
  const forged = { "x-forwarded-for": "66.249.66.1, 8.8.8.8" };

  /** The number of believed proxies, a policy, X-Forwarded-For, the status, and the outcome. */
  for (const [hops = "", query = "", forwarded = "", status, outcome] of rowsOf(`
    1 |  | 66.249.66.1 | 204 | verified
    1 | ?block=spoofed | 66.249.66.1 | 204 | verified
    1 | ?block=Spoofed,seo&wait=100 | 66.249.66.1, 8.8.8.8 | 403 | spoofed
    1 | ?block=spoofed&observe | 66.249.66.1, 8.8.8.8 | 204 | spoofed
    1 | ?block=spoofed |  | 204 | unverifiable
    1 | ?block=spoofed | 10.0.0.1 | 204 | unverifiable
    1 | ?block=unproven |  | 403 | unverifiable
    2 |  | 66.249.66.1, 8.8.8.8, 10.0.0.2 | 204 | spoofed
    0 |  | 66.249.66.1, 8.8.8.8 | 204 | unverifiable
    0 | ?block=spoofed | 66.249.66.1, 8.8.8.8 | 429 | unverifiable
    0 | ?block=ai&allow=Verified | 66.249.66.1, 8.8.8.8 | 403 | unverifiable
    1 | ?block=unproved | 66.249.66.1 | 429 | verified
    1 | ?block=spoofed&wait=5001 | 66.249.66.1 | 429 | verified
    1 | ?block=spoofed&wait=x | 66.249.66.1 | 429 | verified
  `))
    it(`${query} behind ${hops} proxies from ${forwarded} answers ${status} ${outcome}`, async () => {
      const headers = forwarded === "" ? {} : { "x-forwarded-for": forwarded };
      assert.deepEqual(await ask(Number(hops), query, headers), [Number(status), outcome]);
    });

  it("lets robots.txt pass", async () => {
    const headers = { ...forged, "x-forwarded-uri": "/robots.txt" };
    assert.deepEqual(await ask(1, "?block=spoofed", headers), [204, "spoofed"]);
  });

  it("verifies no person, and tells nothing about one", async () => {
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
    assert.deepEqual(await ask(1, "?block=spoofed&wait=5000", signed), [204, "verified"]);
    assert.deepEqual(await ask(1, "?block=spoofed&wait=5000", { ...signed, "x-forwarded-uri": "/b" }), [
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
    const { text, auth } = open({ verifier, forwarded: createForwarded(1) });
    const flood = silent.map((ip) => ({ useragent: gptbot, ip, wait: 200 }));
    const flooding = text("/RestService/CheckMany", {}, flood);
    await until(() => server.questions.length > 0, "no question is asked");
    assert.equal((await auth("?block=spoofed&wait=5000", gptbot, { "x-forwarded-for": "8.8.8.8" })).status, 403);
    await flooding;
  } finally {
    await server.close();
  }
});
