/** Signatures at /auth of a service as its settings describe it, with keys from a real HTTPS server. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createGet } from "../../src/verify/https-get.ts";
import { openApplication } from "../support/open-application.ts";
import { firefox } from "../support/user-agents.ts";
import { listenHttps, loopback, type TestServer } from "../verify/https-server.ts";
import { createSigningAgent } from "../verify/signing-agent.ts";

const signing = createSigningAgent();
const useragent =
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ExaSearchBot/1.0; +https://crawler.exa.ai";
const replayed = "the signature was used before, by another client or by one with an unknown address";

/** A signed request; without a nonce, what it signs is its own, too. */
function signed(hasNonce: boolean, agent = '"https://crawler.exa.ai"') {
  const path = `/${randomBytes(8).toString("hex")}`;
  const covers = { "@authority": "shop.example", "@path": path };
  const once = hasNonce ? { nonce: randomBytes(16).toString("base64") } : {};
  return { "x-forwarded-uri": path, ...signing.sign(agent, { covers, ...once }) };
}

describe("signatures at /auth", () => {
  let keys: TestServer;
  let app: Awaited<ReturnType<typeof openApplication>>;
  before(async () => {
    keys = await listenHttps((_, response) => response.end(JSON.stringify({ keys: [signing.jwk] })));
    const overLoopback = createGet(loopback);
    const settings = {
      RECORD: "off",
      TRUST_PROXY: "1",
      AUTHORITY: "shop.example",
      VERIFY_SIGNERS: "https://listed.example/keys.json",
    };
    const get: typeof overLoopback = (url, headers, limits) => {
      const there = url.replace(
        /^https:\/\/(?:crawler\.exa\.ai|listed\.example)\//,
        `https://agent.example:${keys.port}/`,
      );
      return overLoopback(there, headers, limits);
    };
    app = await openApplication(settings, { get });
  });
  after(async () => {
    await app.application.abandon();
    await keys.close();
  });

  /** Asks /auth as a proxy does. */
  async function ask(headers: ReturnType<typeof signed>, ip: string, named = useragent): Promise<string> {
    const sent = { "user-agent": named, "x-forwarded-for": ip, ...headers };
    const answer = await app.ask("/auth?wait=5000", sent);
    const [status, reason] = ["", "-reason"].map((more) => answer.headers.get(`x-crawler-verification${more}`));
    return status === "verified" ? "verified" : String(reason).split(";")[0]!;
  }

  it("count for one client, of two that use one at the same moment", async () => {
    for (const hasNonce of [true, false]) {
      const headers = signed(hasNonce);
      const outcomes = await Promise.all(["8.8.8.8", "8.8.4.4"].map((ip) => ask(headers, ip)));
      assert.deepEqual(outcomes.toSorted(), [replayed, "verified"]);
    }
    assert.equal(keys.requests, 1);
  });

  it("are verified of the agents that the settings list, with a browser's user agent, too", async () => {
    const headers = signed(true, '"https://listed.example/keys.json";type=jwks_uri');
    assert.equal(await ask(headers, "8.8.8.8", firefox), "verified");
    assert.equal(await ask(headers, "8.8.4.4", firefox), replayed);
    const other = signed(true, '"https://listed.example/keys.json?v=2";type=jwks_uri');
    const reason = await ask(other, "8.8.8.8", firefox);
    assert.equal(reason, "https://listed.example/keys.json?... is not in any list of signers");
  });
});
