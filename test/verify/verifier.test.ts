/** The result of all methods together: above all, a client that may be genuine is never `spoofed`. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toPrefix } from "../../src/address/prefix.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import type { Proof } from "../../src/detect/verification.ts";
import type { Resolver } from "../../src/verify/dns/reverse-dns.ts";
import type { Get } from "../../src/verify/https-get.ts";
import { openEvidence } from "../../src/verify/open-evidence.ts";
import { copyOf } from "../support/copy-of.ts";
import { mark, testGolden } from "../support/golden.ts";
import { known, openVerifier } from "./open-verifier.ts";
import { createSigningAgent } from "./signing-agent.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const ranges = [{ url: "https://example.com/ips.json", format: "json" as const }];
const dns = ["bot.example"];
const agents = ["agent.example"];
const mine = ["10.20.0.0/16", "fd00:1::/32", "8.8.4.0/24"];
const proof = (crawler: string, conclusive: Proof["conclusive"], methods: Partial<Proof>): Proof => ({
  ...{ id: crawler, page: "https://example.com/", crawlers: [crawler], conclusive },
  ...methods,
});
const all: readonly Proof[] = [
  proof("Complete", ["ip-range"], { ranges }),
  proof("Old", ["ip-range"], { ranges }),
  proof("Partial", [], { ranges }),
  proof("Missing", ["ip-range"], { ranges }),
  proof("Named", ["dns"], { dns }),
  proof("Hinted", [], { dns }),
  proof("Both", ["dns"], { ranges, dns }),
  proof("ListFirst", ["ip-range"], { ranges, dns }),
  proof("OldNamed", ["dns"], { ranges, dns }),
  proof("Signing", [], { agents }),
  proof("SigningName", [], { agents, dns }),
  proof("Own", [], { prefixes: mine }),
  proof("OwnAll", ["ip-range"], { prefixes: mine.slice(0, 1) }),
  proof("OwnList", ["ip-range"], { prefixes: mine.slice(0, 1), ranges }),
  proof("SigningList", ["ip-range"], { ranges, agents }),
];
const prefixes = "66.249.64.0/19\n66.249.66.0/27\n2a02:6b8::/32";
const fresh = copyOf("2026-11-20", prefixes);
const copies = {
  ...Object.fromEntries(["Complete", "Partial", "Both", "ListFirst", "SigningList"].map((id) => [id, fresh])),
  Old: copyOf("2026-05-05", prefixes),
  OldNamed: copyOf("2026-05-05", "1.1.1.1/32\n2.2.2.2/32\n3.3.3.3/32\n9.9.9.9/32"),
};

/** Names and their addresses; a name that is not here does not exist, and `9.9.9.9` cannot be asked about. */
const resolver: Resolver = {
  async names(address) {
    if (address.startsWith("9.9.9.9")) throw new Error("SERVFAIL");
    if (address.startsWith("1.1.1.1")) return ["crawl.bot.example"];
    return address.startsWith("2.2.2.2") ? ["forged.bot.example"] : [];
  },
  addresses: async (name) => (name === "crawl.bot.example" ? ["1.1.1.1"] : []),
  exists: async () => true,
};

const signing = createSigningAgent();
const get: Get = async (url, headers, limits) => {
  if (url !== "https://agent.example/.well-known/http-message-signatures-directory")
    throw new Error(`asked for ${url}`);
  return signing.get(url, headers, limits);
};

const authority = ["shop.example"];
const create = () => openVerifier({ proofs: all, ranges: copies }, { authority, resolver, get, now: () => now });
const claim = (name: string): Verdict => {
  const useragent = `${name}/1.0`;
  return { useragent, crawler: true, name, category: "other", pattern: name, match: name };
};

/**
 * The headers of requests that agents sign, such as `agent.example and evil.example`; its key may be another, or its input no text of one.
 */
function signedBy(signers: string): Record<string, string> {
  const [agents = "", how] = signers.split(/ (with another key|unreadably)$/);
  const [one, ...others] = agents.split(" and ").map((agent) => {
    const signed: Record<string, string> = signing.sign(`"https://${agent}"`, { at: now, nonce: "n" });
    // The label of one that counts is signed.
    if (agent !== "agent.example")
      for (const name of ["signature-agent", "signature-input", "signature"])
        signed[name] = signed[name]!.replaceAll(/\bs=|"s"/g, (found) => found.replace("s", "t"));
    return signed;
  });
  const headers = { ...one };
  for (const other of others)
    for (const [name, value] of Object.entries(other)) if (name !== "host") headers[name] += `, ${value}`;
  if (how === "with another key")
    headers["signature-input"] = headers["signature-input"]!.replace('keyid="', 'keyid="x');
  if (how === "unreadably") headers["signature-input"] = "s=(";
  return headers;
}

testGolden("verify/claims.txt", async (input) => {
  const [, crawler = "", from = "", signers] =
    /^(\w+) from (\S+?)(?:, signed by ([^,]+))?$/.exec(input) ?? assert.fail(input);
  const evidence = {
    ip: from === "unknown" ? undefined : from.replace('""', ""),
    ...(signers !== undefined && { headers: signedBy(signers) }),
  };
  const verifier = create();
  const verification = await verifier.verify(claim(crawler), evidence, 60_000);
  const { status, method, reason, asOf, unproven, agent } = verification!;
  // It ends with what to do.
  if (status === "unverifiable") assert.match(reason, /; (?:[a-z]+ |if only verified requests may pass, )[^;]+$/);
  const [as, by] = [asOf && `as of ${asOf.slice(0, 16)}`, agent && `agent ${agent.url}`];
  const notes = [as, unproven && "unproven", by].filter(Boolean).join(", ");
  return mark("|", `${status} by ${method}: ${reason}${notes && ` (${notes})`}`);
});

const lookedUp = "being looked up; ask again, or wait longer";

describe("a claim", () => {
  const pending = { status: "unverifiable", method: "none", reason: lookedUp, unproven: true };

  it("is answered at once with what is known, and with the rest when it has been looked up", async () => {
    const verifier = create();
    const evidence = { ip: "1.1.1.1" };
    assert.deepEqual(known(verifier, claim("Named"), evidence), pending);
    assert.equal((await verifier.verify(claim("Named"), evidence, 60_000))?.status, "verified");
    assert.equal(known(verifier, claim("Named"), evidence)?.status, "verified");
  });

  it("is waited for no longer than was asked", async () => {
    const silent = { ...resolver, names: () => new Promise<never>(() => {}) };
    const verifier = openVerifier({ proofs: all, ranges: copies }, { resolver: silent, now: () => now });
    for (const waitMs of [0, 30])
      assert.deepEqual(await verifier.verify(claim("Named"), { ip: "1.1.1.1" }, waitMs), pending);
  });

  it("is verified by a list for 30 days and spoofed for seven, however often the same evidence is asked about", () => {
    let now = 0;
    const verifier = openVerifier({ proofs: all, ranges: copies }, { now: () => now });
    const [listed, other] = [{ ip: "66.249.66.1" }, { ip: "8.8.8.8" }];
    const statusesAt = (days: number, moreMs = 0) => {
      now = Date.parse(fresh.asOf) + days * 86_400_000 + moreMs;
      return [listed, other].map((evidence) => known(verifier, claim("Complete"), evidence)?.status).join();
    };
    assert.equal(statusesAt(0), "verified,spoofed");
    assert.equal(statusesAt(7), "verified,spoofed");
    assert.equal(statusesAt(7, 1), "verified,unverifiable");
    assert.equal(statusesAt(30), "verified,unverifiable");
    assert.equal(statusesAt(30, 1), "unverifiable,unverifiable");
  });

  it("is not called spoofed by a list that has only just lost its address", async () => {
    const facts = { items: [], verification: { proofs: all, ranges: copies } };
    const { verifier, lists } = openEvidence(facts, { now: () => now });
    const statusOf = (ip: string): string | undefined => known(verifier, claim("Complete"), { ip })?.status;
    const prefixesOf = (...texts: readonly string[]) => texts.map((text) => toPrefix(text)!);
    const addresses = ["66.249.66.1", "2a02:6b8::77", "8.8.8.8"];
    lists.replace("Complete", prefixesOf("66.249.64.0/19"), now);
    assert.deepEqual(addresses.map(statusOf), ["verified", "unverifiable", "spoofed"]);
    lists.replace("Complete", prefixesOf("66.249.64.0/19", "8.8.8.8"), now);
    assert.deepEqual(addresses.map(statusOf), ["verified", "spoofed", "verified"]);
  });

  it("of a person is none", async () => {
    const person: Verdict = { useragent: "Firefox", crawler: false };
    assert.equal(known(create(), person, { ip: "66.249.66.1" }), undefined);
    assert.equal(await create().verify(person, { ip: "66.249.66.1" }, 100), undefined);
  });
});

it("all that is being looked up is waited for: keys of two agents, and then a name", async () => {
  let asked = 0;
  const slow: Get = async (url) => {
    asked++;
    await new Promise((resolve) => setTimeout(resolve, 5 * asked));
    throw new Error(`${url} is away`);
  };
  const agents = ["agent.example", "other.example"];
  const proofs = [proof("SigningName", [], { agents, dns })];
  const verifier = openVerifier({ proofs, ranges: {} }, { authority, resolver, get: slow, now: () => now });
  const evidence = { ip: "1.1.1.1", headers: signedBy("agent.example and other.example") };
  const { status, method } = (await verifier.verify(claim("SigningName"), evidence, 60_000))!;
  assert.deepEqual([asked, status, method], [2, "verified", "dns"]);
});

it("a signed claim is being looked up before the key is there, and then known without waiting", async () => {
  const verifier = create();
  const evidence = { ip: "8.8.8.8", headers: signedBy("agent.example") };
  assert.equal(known(verifier, claim("SigningList"), evidence)?.reason, lookedUp);
  await verifier.verify(claim("SigningList"), evidence, 60_000);
  assert.equal(known(verifier, claim("SigningList"), evidence)?.status, "verified");
});
