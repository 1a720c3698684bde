/** Which agents may sign for whom: hosts and key sets of the setting `verify-signers`, and agents of the catalogue. No other agent is fetched. */
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Proof, Verification } from "../../src/detect/verification.ts";
import type { Get } from "../../src/verify/https-get.ts";
import { parseSigner } from "../../src/verify/signature/agent-address.ts";
import { verifyVerdict } from "../../src/verify/verify-verdict.ts";
import { firefox } from "../support/user-agents.ts";
import { openVerifier } from "./open-verifier.ts";
import { createSigningAgent } from "./signing-agent.ts";

const wellKnown = "/.well-known/http-message-signatures-directory";
const origin = "https://agent.example";
const agent = createSigningAgent();
const keySet = JSON.stringify({ keys: [agent.jwk] });
const now = Date.parse("2026-11-22T00:00:00Z");

/** What agents publish, by address, and what they were asked for. */
let pages: Record<string, string> = {};
let asked: string[] = [];
beforeEach(() => {
  pages = { [origin + wellKnown]: keySet };
  asked = [];
});
const get: Get = async (url) => {
  asked.push(url);
  const body = pages[url];
  return { status: body === undefined ? 404 : 200, header: () => undefined, body: body ?? "" };
};

const chatgpt: Proof = {
  id: "chatgpt",
  crawlers: ["ChatGPT-User"],
  page: "https://example.com/",
  agents: ["chatgpt.example"],
  conclusive: [],
};

/** Signs for browsers' user agents only. */
const browsers: Proof = {
  id: "browsers",
  crawlers: [],
  operator: "Cloud Browsers",
  page: "https://example.com/",
  agents: ["browsers.example"],
  conclusive: [],
};

/** A verifier with these values of the setting; `ask` verifies a request that the agent has signed. */
function create(lines: readonly string[], own: Get = get) {
  const verifier = openVerifier(
    { proofs: [chatgpt, browsers], ranges: {} },
    { authority: ["shop.example"], get: own, signers: lines.map(parseSigner), now: () => now },
  );
  const verify = async (headers: Readonly<Record<string, string>>, useragent = firefox) =>
    (
      await verifyVerdict(
        { verifier, networks: undefined },
        detector.check(useragent),
        { ip: "8.8.8.8", headers },
        5000,
      )
    ).verification;
  let signed = 0;
  const ask = (named: string, useragent?: string) =>
    verify(agent.sign(named, { at: now, nonce: String(signed++) }), useragent);
  return { verifier, verify, ask };
}

const summaryOf = (verification: Verification | undefined) =>
  verification && [verification.status, verification.reason, verification.agent];

describe("a person's user agent", () => {
  it("is verified by the hosts and key sets of the setting", async () => {
    pages[`${origin}/jwks.json?v=1`] = keySet;
    const { ask } = create([origin, `${origin}/jwks.json?v=1`]);
    const cases: readonly (readonly [named: string, text: string, url: string])[] = [
      [`"${origin}"`, "agent.example", origin + wellKnown],
      [`"${origin}/";type=directory`, "agent.example", origin + wellKnown],
      [`"${origin}${wellKnown}"`, "agent.example", origin + wellKnown],
      [`"${origin}/jwks.json?v=1";type=jwks_uri`, `${origin}/jwks.json?...`, `${origin}/jwks.json`],
    ];
    for (const [named, text, url] of cases) {
      const verification = await ask(named);
      assert.deepEqual(summaryOf(verification), ["verified", `signed by ${text}`, { url }], named);
      assert.equal(verification?.method, "signature");
    }
  });

  it("is verified by an agent of the catalogue", async () => {
    pages[`https://chatgpt.example${wellKnown}`] = keySet;
    const url = `https://chatgpt.example${wellKnown}`;
    const expected = ["verified", "signed by chatgpt.example", { url }];
    assert.deepEqual(summaryOf(await create([]).ask('"https://chatgpt.example"')), expected);
  });

  it("is verified with the operator of an agent that signs for browsers only, and no crawler is", async () => {
    const url = `https://browsers.example${wellKnown}`;
    pages[url] = keySet;
    const { ask } = create([]);
    const agent = { url, operator: "Cloud Browsers" };
    assert.deepEqual(summaryOf(await ask('"https://browsers.example"')), [
      "verified",
      "signed by browsers.example",
      agent,
    ]);
    for (const useragent of ["Googlebot/2.1", "FooPartnerBot/1.0", "ChatGPT-User/1.0"]) {
      const verification = await ask('"https://browsers.example"', useragent);
      assert.deepEqual([verification?.status, verification?.agent], ["unverifiable", { url }], useragent);
    }
  });

  it("has no verification without a signature, and none in lines", async () => {
    const { verify, verifier } = create([origin]);
    assert.equal(await verify({ host: "shop.example" }), undefined);
    assert.equal(await verify({ host: "shop.example", "signature-agent": `s="${origin}"` }), undefined);
    assert.equal(await verify({ "signature-input": 's=("@authority");tag="other"', signature: "s=:YQ==:" }), undefined);
    const headers = agent.sign(`"${origin}"`, { at: now });
    assert.equal(verifier.known(detector.check(firefox), { ip: "8.8.8.8", headers }), undefined);
    assert.deepEqual(asked, []);
  });

  it("is unverifiable, without any fetch, where the agent is in no list", async () => {
    const { ask } = create([origin, `${origin}/keys.json`]);
    for (const [named, url] of [
      ['"https://lists.example"', `https://lists.example${wellKnown}`],
      [`"${origin}:8443"`, `${origin}:8443${wellKnown}`],
      [`"${origin}/keys.json?x";type=jwks_uri`, `${origin}/keys.json`],
      [`"${origin}/";type=jwks_uri`, `${origin}/`],
    ] as const) {
      const [status, why, by] = summaryOf(await ask(named)) ?? [];
      assert.equal(status, "unverifiable", named);
      assert.match(String(why), /is in no list of signers$/);
      assert.deepEqual(by, { url });
    }
    assert.deepEqual(asked, []);
  });

  it("is unverifiable where the address or its type is none", async () => {
    const { ask } = create([origin]);
    for (const named of [
      `"${origin}";type="directory"`,
      `"${origin}";type=cimd`,
      `"${origin}";type=directory;x=1`,
      `"${origin}/other"`,
      `"${origin.replace("https", "http")}"`,
      `"${origin}/keys#x";type=jwks_uri`,
      `"https://user@agent.example/keys";type=jwks_uri`,
      `"https://agent.example/${"x".repeat(980)}";type=jwks_uri`,
      "token",
    ]) {
      const verification = await ask(named);
      assert.equal(verification?.status, "unverifiable", named);
      assert.equal(verification?.agent, undefined, named);
    }
    assert.deepEqual(asked, []);
  });
});

describe("a crawler's user agent", () => {
  it("is verified by a listed agent only if nobody is documented as its operator", async () => {
    const { ask } = create([origin]);
    const cases = {
      "FooPartnerBot/1.0": "verified",
      "FooPartnerBot/1.0 (+https://foopartner.com/bot)": "verified",
      "python-requests/2.32": "verified",
      "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": "unverifiable",
      "Seekbot/1.0 (http://www.seekbot.net/bot.html) RobotsTxtFetcher/1.2": "unverifiable",
      "Mozilla/5.0 (compatible; Bytespider; spider-feedback@bytedance.com)": "unverifiable",
      "Mozilla/5.0 AppleWebKit/537.36; compatible; ChatGPT-User/1.0; +https://openai.com/bot": "unverifiable",
    };
    for (const [useragent, status] of Object.entries(cases)) {
      asked = [];
      const verification = await ask(`"${origin}"`, useragent);
      assert.equal(verification?.status, status, useragent);
      assert.equal(verification?.agent?.url, `${origin}${wellKnown}`);
      if (status === "unverifiable") {
        assert.match(verification?.reason ?? "", /\bnot known to sign\b/);
        assert.deepEqual(asked, []);
      }
    }
  });

  it("is not verified by the catalogue's agent of another crawler", async () => {
    pages[`https://chatgpt.example${wellKnown}`] = keySet;
    const { ask } = create([]);
    const reasonOf = async (useragent: string) => (await ask('"https://chatgpt.example"', useragent))?.reason;
    assert.equal(await reasonOf("ChatGPT-User/1.0"), "signed by chatgpt.example");
    assert.match((await reasonOf("FooPartnerBot/1.0")) ?? "", /^chatgpt\.example .*\bsigners; no method/);
  });
});
