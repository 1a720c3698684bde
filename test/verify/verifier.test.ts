/** The result of all methods together: above all, a client that may be genuine is never `spoofed`. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toPrefix } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import type { Proof } from "../../src/detect/verification.ts";
import type { Resolver } from "../../src/verify/dns/reverse-dns.ts";
import type { Get } from "../../src/verify/https-get.ts";
import { openEvidence } from "../../src/verify/open-evidence.ts";
import { openVerifier } from "./open-verifier.ts";
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
const fresh = { asOf: "2026-11-20", prefixes };
const copies = {
  ...Object.fromEntries(["Complete", "Partial", "Both", "ListFirst", "SigningList"].map((id) => [id, fresh])),
  Old: { asOf: "2026-05-05", prefixes },
  OldNamed: { asOf: "2026-05-05", prefixes: "1.1.1.1/32\n2.2.2.2/32\n3.3.3.3/32\n9.9.9.9/32" },
};

/** Names and their addresses; a name that is not here does not exist, and `9.9.9.9` cannot be asked about. */
const resolver: Resolver = {
  async names(name) {
    if (name.startsWith("9.9.9.9")) throw new Error("SERVFAIL");
    return name.startsWith("1.1.1.1")
      ? ["crawl.bot.example"]
      : name.startsWith("2.2.2.2")
        ? ["forged.bot.example"]
        : [];
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

const signedBy = (agent: string, nonce = "n") => signing.sign(`"${agent}"`, { at: now, nonce });

const outcomes: readonly (readonly [crawler: string, ip: string | undefined, outcome: string, reason: RegExp])[] = [
  ["Complete", "66.249.66.1", "verified by ip-range", /within 66\.249\.66\.0\/27 of https:\/\/example\.com\/ips\.json/],
  ["Complete", "::ffff:66.249.64.1", "verified by ip-range", /66\.249\.64\.0\/19/],
  ["Complete", "2a02:6b8::77", "verified by ip-range", /2a02:6b8::\/32/],
  ["Complete", "8.8.8.8", "spoofed by ip-range", /^not in https:/],
  // What may be wrong with us rather than with them.
  ["Old", "8.8.8.8", "unverifiable by ip-range", /may be out of date/],
  ["Old", "66.249.66.1", "unverifiable by ip-range", /^within .* copy here, of 2026-05-05, is older than 30 days$/],
  // DNS verifies, and without its help an old list refutes nothing.
  ["OldNamed", "1.1.1.1", "verified by dns", /crawl/],
  ["OldNamed", "2.2.2.2", "unverifiable by ip-range", /older than 30 days; its name is forged/],
  ["OldNamed", "3.3.3.3", "unverifiable by ip-range", /older than 30 days; its name is missing/],
  ["OldNamed", "9.9.9.9", "unverifiable by ip-range", /older than 30 days; DNS failed: SERVFAIL/],
  ["Partial", "8.8.8.8", "unverifiable by ip-range", /need not be complete/],
  ["Missing", "8.8.8.8", "unverifiable by none", /not loaded yet/],
  ["Complete", undefined, "unverifiable by none", /address is unknown/],
  ["Complete", "", "unverifiable by none", /address is unknown/],
  ["Complete", "066.249.66.1", "unverifiable by none", /address is not an IP address/],
  ["Complete", "66.249.66.1:443", "unverifiable by none", /address is not an IP address/],
  ["Complete", "fe80::1%eth0", "unverifiable by none", /address is not an IP address/],
  ["Complete", "127.0.0.1", "unverifiable by none", /not a public address/],
  ["Complete", "10.1.2.3", "unverifiable by none", /not a public address/],
  ["Named", "1.1.1.1", "verified by dns", /its name is crawl\.bot\.example/],
  ["Named", "2.2.2.2", "spoofed by dns", /is forged\.bot\.example, which resolves to other addresses/],
  ["Named", "3.3.3.3", "spoofed by dns", /its name is missing, not below bot\.example/],
  ["Named", "9.9.9.9", "unverifiable by none", /DNS failed: SERVFAIL/],
  ["Hinted", "1.1.1.1", "verified by dns", /crawl/],
  ["Hinted", "2.2.2.2", "unverifiable by dns", /other addresses/],
  ["Both", "66.249.66.1", "verified by ip-range", /within/],
  ["Both", "1.1.1.1", "verified by dns", /crawl/],
  ["Both", "3.3.3.3", "spoofed by dns", /missing/],
  ["Both", "9.9.9.9", "unverifiable by none", /DNS failed/],
  ["ListFirst", "1.1.1.1", "verified by dns", /crawl/],
  ["ListFirst", "3.3.3.3", "spoofed by ip-range", /not in/],
  ["ListFirst", "9.9.9.9", "spoofed by ip-range", /not in/],
  // Addresses that an own catalogue names: private ones verify, and nothing is refuted unless they are conclusive.
  ["Own", "10.20.3.4", "verified by ip-range", /^within 10\.20\.0\.0\/16 of the own catalogue$/],
  ["Own", "fd00:1::7", "verified by ip-range", /^within fd00:1::\/32 of the own catalogue$/],
  ["Own", "8.8.4.4", "verified by ip-range", /^within 8\.8\.4\.0\/24 of the own catalogue$/],
  ["Own", "9.9.9.9", "unverifiable by ip-range", /^not in the own catalogue, which need not be complete$/],
  ["Own", "10.21.3.4", "unverifiable by none", /^10\.21\.3\.4 is not a public address$/],
  ["OwnAll", "10.20.3.4", "verified by ip-range", /of the own catalogue$/],
  ["OwnAll", "8.8.8.8", "spoofed by ip-range", /^not in the own catalogue$/],
  ["OwnAll", "10.21.3.4", "unverifiable by none", /^10\.21\.3\.4 is not a public address$/],
  ["OwnList", "10.20.3.4", "verified by ip-range", /of the own catalogue$/],
  ["OwnList", "8.8.8.8", "unverifiable by none", /addresses are not loaded yet/],
  ["Signing", "8.8.8.8", "unverifiable by none", /addresses are not loaded/],
  ["Nobody", "66.249.66.1", "unverifiable by none", /no method to verify Nobody is known/],
];

describe("a claim", () => {
  for (const [crawler, ip, outcome, reason] of outcomes) {
    it(`to be ${crawler} from ${ip} is ${outcome}`, async () => {
      const verification = await create().verify(claim(crawler), { ip }, 1000);
      assert.equal(`${verification?.status} by ${verification?.method}`, outcome);
      assert.match(verification?.reason ?? "", reason);
      // A policy may refuse who proves nothing only where the operator documents a way to prove it.
      const hasConclusive = all.some(({ crawlers, conclusive }) => crawlers.includes(crawler) && conclusive.length > 0);
      assert.equal(verification?.unproven, (outcome.startsWith("unverifiable") && hasConclusive) || undefined);
      if (verification?.method === "none") assert.equal(verification.asOf, undefined);
      else assert.ok(Date.parse(verification?.asOf ?? "") <= now);
    });
  }

  it("is answered at once with what is known, and with the rest when it has been looked up", async () => {
    const verifier = create();
    const evidence = { ip: "1.1.1.1" };
    assert.deepEqual(verifier.known(claim("Named"), evidence), {
      status: "unverifiable",
      method: "none",
      reason: "being looked up",
      unproven: true,
    });
    assert.equal((await verifier.verify(claim("Named"), evidence, 1000))?.status, "verified");
    assert.equal(verifier.known(claim("Named"), evidence)?.status, "verified");
  });

  it("is waited for no longer than was asked", async () => {
    const verifier = openVerifier(
      { proofs: all, ranges: copies },
      { resolver: { ...resolver, names: () => new Promise(() => {}) }, now: () => now },
    );
    for (const waitMs of [0, 30]) {
      const verification = await verifier.verify(claim("Named"), { ip: "1.1.1.1" }, waitMs);
      assert.deepEqual(verification, {
        status: "unverifiable",
        method: "none",
        reason: "being looked up",
        unproven: true,
      });
    }
  });

  it("is verified by a list for 30 days and spoofed for seven, however often the same evidence is asked about", () => {
    let now = 0;
    const verifier = openVerifier({ proofs: all, ranges: copies }, { now: () => now });
    const [listed, other] = [{ ip: "66.249.66.1" }, { ip: "8.8.8.8" }];
    const statusesAt = (days: number, moreMs = 0) => {
      now = Date.parse(fresh.asOf) + days * 86_400_000 + moreMs;
      return [listed, other].map((evidence) => verifier.known(claim("Complete"), evidence)?.status).join();
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
    const statusOf = (ip: string): string | undefined => verifier.known(claim("Complete"), { ip })?.status;
    const prefixesOf = (...texts: readonly string[]) => texts.map((text) => toPrefix(text)!);
    const addresses = ["66.249.66.1", "2a02:6b8::77", "8.8.8.8"];
    lists.replace("Complete", prefixesOf("66.249.64.0/19"), now);
    assert.deepEqual(addresses.map(statusOf), ["verified", "unverifiable", "spoofed"]);
    lists.replace("Complete", prefixesOf("66.249.64.0/19", "8.8.8.8"), now);
    assert.deepEqual(addresses.map(statusOf), ["verified", "spoofed", "verified"]);
  });

  it("of a person is none", async () => {
    const person: Verdict = { useragent: "Firefox", crawler: false };
    assert.equal(create().known(person, { ip: "66.249.66.1" }), undefined);
    assert.equal(await create().verify(person, { ip: "66.249.66.1" }, 100), undefined);
  });
});

describe("a signed claim", () => {
  const ip = "8.8.8.8";
  const outcomeOf = async (
    crawler: string,
    headers: Record<string, string>,
    from: string | undefined = ip,
  ): Promise<string> => {
    const verification = await create().verify(claim(crawler), { ip: from, headers }, 1000);
    return `${verification?.status} by ${verification?.method}: ${verification?.reason}`;
  };

  it("is verified by a key of the operator, from wherever it comes", async () => {
    const headers = signedBy("https://agent.example");
    for (const crawler of ["Signing", "SigningList"])
      for (const from of [ip, "10.0.0.1", undefined])
        assert.equal(await outcomeOf(crawler, headers, from), "verified by signature: signed by agent.example");
  });

  it("is being looked up before the key is there, and then known without waiting", async () => {
    const verifier = create();
    const evidence = { ip, headers: signedBy("https://agent.example") };
    const verification = verifier.verify(claim("SigningList"), evidence, 0);
    assert.ok(!(verification instanceof Promise) && verification?.reason === "being looked up");
    await verifier.verify(claim("SigningList"), evidence, 1000);
    const known = verifier.verify(claim("SigningList"), evidence, 0);
    assert.ok(!(known instanceof Promise) && known?.status === "verified");
  });

  it("is not verified by its signature where it is a line, which says so", async () => {
    const verifier = create();
    const headers = signedBy("https://agent.example");
    await verifier.verify(claim("SigningList"), { ip, headers }, 1000);
    const why = "signatures are verified by Check and in arrays, not in lines";
    const outcomes = [
      ["Signing", ip, "unverifiable", `${why}; its operator's addresses are not loaded yet`],
      ["SigningList", ip, "spoofed", `${why}; not in https://example.com/ips.json`],
      ["SigningList", "66.249.66.1", "verified", "within 66.249.66.0/27 of https://example.com/ips.json"],
    ] as const;
    for (const [crawler, ip, status, reason] of outcomes) {
      const known = verifier.known(claim(crawler), { ip, headers });
      assert.deepEqual([known?.status, known?.reason], [status, reason]);
    }
    const unsigned = verifier.known(claim("Signing"), { ip, headers: { host: "shop.example" } });
    assert.equal(unsigned?.reason, "its operator's addresses are not loaded yet");
  });

  it("of somebody else proves nothing, and their directory is not even fetched", async () => {
    const headers = signedBy("https://evil.example");
    const expected =
      "unverifiable by none: evil.example is not known to sign for this crawler; its operator's addresses are not loaded yet";
    assert.equal(await outcomeOf("Signing", headers), expected);
    assert.match(await outcomeOf("SigningList", headers), /^spoofed by ip-range/);
    assert.match(await outcomeOf("SigningList", headers, "66.249.66.1"), /^verified by ip-range/);
    // Nor where the operator signs nothing.
    assert.match(await outcomeOf("Complete", headers), /^spoofed by ip-range: evil\.example is not known to sign /);
    const spoofed = await create().verify(claim("Complete"), { ip, headers }, 1000);
    assert.equal(spoofed?.agent?.url, "https://evil.example/.well-known/http-message-signatures-directory");
    const verified = await create().verify(claim("Complete"), { ip: "66.249.66.1", headers }, 1000);
    assert.deepEqual([verified?.status, verified?.agent], ["verified", undefined]);
  });

  it("chooses nothing of what is fetched, and how often", async () => {
    const urls: string[] = [];
    // Whatever is asked for has the key, as a file of a user on the agent's host may.
    const everywhere: Get = async (url, headers, limits) => {
      urls.push(url);
      return signing.get(url, headers, limits);
    };
    const verifier = openVerifier(
      { proofs: all, ranges: {} },
      { authority, resolver, get: everywhere, now: () => now },
    );
    const outcomeOf = async (agent: string): Promise<string | undefined> => {
      const headers = signedBy(agent, agent);
      return (await verifier.verify(claim("Signing"), { ip, headers }, 1000))?.reason;
    };
    const others = Array.from({ length: 20 }, (_, at) => [
      `https://agent.example/u/evil.json?${at}`,
      `https://agent.example/?${at}`,
      `https://agent.example:${8000 + at}`,
      `https://user${at}@agent.example`,
    ]).flat();
    for (const reason of await Promise.all(others.map(outcomeOf)))
      assert.match(
        reason ?? "",
        /^(Signature-Agent is not https:\/\/ and a host, or its well-known directory|agent\.example:80\d\d is not known to sign for this crawler);/,
      );
    assert.deepEqual(urls, []);
    const genuine = ["https://agent.example", "https://agent.example/.well-known/http-message-signatures-directory"];
    for (const agent of genuine) assert.equal(await outcomeOf(agent), "signed by agent.example");
    assert.deepEqual(urls, ["https://agent.example/.well-known/http-message-signatures-directory"]);
  });

  it("with a key that its operator does not have is as good as its address, which is looked up next", async () => {
    const headers = signedBy("https://agent.example");
    const unknown = { ...headers, "signature-input": headers["signature-input"].replace('keyid="', 'keyid="x') };
    assert.equal(await outcomeOf("SigningName", unknown, "1.1.1.1"), "verified by dns: its name is crawl.bot.example");
    assert.match(
      await outcomeOf("SigningName", unknown, "3.3.3.3"),
      /^unverifiable by dns: the directory of agent\.example does not have the key/,
    );
  });

  it("with one good signature of several is verified, in whichever order they come", async () => {
    const [good, bad] = [signedBy("https://agent.example"), signedBy("https://evil.example")];
    const relabeled = (text: string) => text.replaceAll(/\bs=|"s"/g, (found) => found.replace("s", "t"));
    const join = (one: string, other: string) => ({
      host: "shop.example",
      "signature-agent": `${good["signature-agent"]}, ${relabeled(bad["signature-agent"])}`,
      "signature-input": one,
      signature: other,
    });
    const [input, others] = [good["signature-input"], relabeled(bad["signature-input"])];
    const bytes = `${good.signature}, ${relabeled(bad.signature)}`;
    for (const headers of [join(`${input}, ${others}`, bytes), join(`${others}, ${input}`, bytes)])
      assert.equal(await outcomeOf("Signing", headers), "verified by signature: signed by agent.example");
  });

  it("with a signature that cannot be read is as good as its address", async () => {
    const headers = { ...signedBy("https://agent.example"), "signature-input": "s=(" };
    assert.match(await outcomeOf("Signing", headers), /^unverifiable by none: signature-input cannot be read/);
    assert.match(await outcomeOf("SigningList", headers, "66.249.66.1"), /^verified by ip-range/);
  });
});

describe("the facts of this package", () => {
  const { proofs } = detector.catalogue.verification;

  it("say of each proof where its operator documents it", () => {
    assert.ok(proofs.length > 30);
    for (const { id, page } of proofs) assert.match(page, /^https:\/\//, id);
  });

  it("call no preview spoofed that phones send, and no crawler whose list is of its operator's whole network", () => {
    for (const id of ["meta", "telegram", "anthropic", "google-user-triggered"])
      assert.deepEqual(proofs.find((proof) => proof.id === id)?.conclusive, [], id);
  });
});
