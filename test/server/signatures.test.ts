/** Signatures at /auth of a service as its settings describe it, with keys from a real HTTPS server. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { Application } from "../../src/server/application.ts";
import { createLog } from "../../src/server/observe/log.ts";
import { parseConfiguration } from "../../src/server/settings/configuration.ts";
import { createGet } from "../../src/verify/https-get.ts";
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
  let application: Application;
  before(async () => {
    keys = await listenHttps((_, response) => response.end(JSON.stringify({ keys: [signing.jwk] })));
    const overLoopback = createGet(loopback);
    const environment = {
      WHOCRAWLS_RECORD: "off",
      WHOCRAWLS_VERIFY_REFRESH: "off",
      WHOCRAWLS_TRUST_PROXY: "1",
      WHOCRAWLS_AUTHORITY: "shop.example",
      WHOCRAWLS_VERIFY_SIGNERS: "https://listed.example/keys.json",
    };
    const log = createLog({ level: "off" }, () => {});
    application = await Application.open(parseConfiguration({ environment }), log, (url, headers, limits) =>
      overLoopback(
        url.replace(/^https:\/\/(?:crawler\.exa\.ai|listed\.example)\//, `https://agent.example:${keys.port}/`),
        headers,
        limits,
      ),
    );
  });
  after(async () => {
    await application.abandon();
    await keys.close();
  });

  /** Asks /auth as a proxy does. */
  async function ask(headers: ReturnType<typeof signed>, ip: string, named = useragent): Promise<string> {
    const sent = { "user-agent": named, "x-forwarded-for": ip, ...headers };
    const request = new Request("http://localhost/auth?wait=5000", { headers: sent });
    const answer = await application.service.fetch(request);
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
    const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
    const headers = signed(true, '"https://listed.example/keys.json";type=jwks_uri');
    assert.equal(await ask(headers, "8.8.8.8", browser), "verified");
    assert.equal(await ask(headers, "8.8.4.4", browser), replayed);
    const other = signed(true, '"https://listed.example/keys.json?v=2";type=jwks_uri');
    const reason = await ask(other, "8.8.8.8", browser);
    assert.equal(reason, "https://listed.example/keys.json?... is in no list of signers");
  });
});
