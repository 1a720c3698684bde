/** Workers remember signatures together, over deaths and restarts: with real processes, and keys from a real HTTPS server. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { after, before, describe, it } from "node:test";
import { root, testedOn } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { listenHttps, type TestServer } from "../verify/https-server.ts";
import { createSigningAgent } from "../verify/signing-agent.ts";
import { childrenOf } from "./children-of.ts";
import { type ServiceProcess, startService } from "./service-process.ts";

const signing = createSigningAgent();
const useragent =
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ExaSearchBot/1.0; +https://crawler.exa.ai";

/** A signed request; without a nonce, what it signs is its own, too. */
function signed(hasNonce: boolean, agent = '"https://crawler.exa.ai"') {
  const path = `/${randomBytes(8).toString("hex")}`;
  const covers = { "@authority": "shop.example", "@path": path };
  const once = hasNonce ? { nonce: randomBytes(16).toString("base64") } : {};
  return { "x-forwarded-uri": path, ...signing.sign(agent, { covers, ...once }) };
}

type Signed = ReturnType<typeof signed>;

/** Asks /auth as a proxy does, each time over a connection of its own, so that the workers take turns. */
function ask(url: string, headers: Signed, ip: string, named = useragent): Promise<string> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: false });
    const sent = { "user-agent": named, "x-forwarded-for": ip, ...headers };
    request(`${url}/auth?wait=5000`, { agent, headers: sent }, (response) => {
      response.resume();
      const [status, reason] = ["", "-reason"].map((more) => response.headers[`x-crawler-verification${more}`]);
      resolve(status === "verified" ? "verified" : String(reason).split(";")[0]!);
    })
      .on("error", reject)
      .end();
  });
}

function isListening(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  );
}

const replayed = "the signature was used before, by another client or by one with an unknown address";
const late = "no answer in time whether the signature was used before";

for (const [name, runtime] of testedOn("Node")) {
  describe(`signatures that two workers on ${name} see`, { skip: process.platform !== "linux" && "not Linux" }, () => {
    let keys: TestServer;
    let service: ServiceProcess;
    before(async () => {
      keys = await listenHttps((_, response) => response.end(JSON.stringify({ keys: [signing.jwk] })));
      const environment = {
        KEYS_PORT: String(keys.port),
        HOST: "127.0.0.1",
        WHOCRAWLS_WORKERS: "2",
        WHOCRAWLS_VERIFY_REFRESH: "off",
        WHOCRAWLS_TRUST_PROXY: "1",
        WHOCRAWLS_AUTHORITY: "shop.example",
        WHOCRAWLS_VERIFY_SIGNERS: "https://listed.example/keys.json",
      };
      service = await startService(runtime, environment, root, `${root}test/server/signing-workers.ts`);
    });
    after(async () => {
      service.child.kill("SIGKILL");
      await service.ended;
      await keys.close();
    });

    it("count for one client, of two that use one at the same moment", async () => {
      let counts = 0;
      for (let times = 0; times < 40; times++) {
        const headers = signed(times % 2 === 0);
        const outcomes = await Promise.all(["8.8.8.8", "8.8.4.4"].map((ip) => ask(service.url, headers, ip)));
        // On a busy machine the supervisor answers late; the signature then counts for neither client.
        const [refused, counted] = outcomes.toSorted();
        assert.ok(refused === replayed || refused === late, refused);
        assert.ok(counted === "verified" || counted === late, counted);
        counts += Number(counted === "verified");
      }
      assert.ok(counts > 0);
      // Each worker fetches for itself.
      assert.ok(keys.requests <= 2, `${keys.requests} fetches`);
    });

    it("are verified of the agents that the settings list, with a browser's user agent, too", async () => {
      const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
      const headers = signed(true, '"https://listed.example/keys.json";type=jwks_uri');
      assert.equal(await ask(service.url, headers, "8.8.8.8", browser), "verified");
      for (let times = 0; times < 4; times++)
        assert.equal(await ask(service.url, headers, "8.8.4.4", browser), replayed);
      const other = signed(true, '"https://listed.example/keys.json?v=2";type=jwks_uri');
      const reason = await ask(service.url, other, "8.8.8.8", browser);
      assert.equal(reason, "https://listed.example/keys.json?... is in no list of signers");
    });

    it(`are remembered when workers ${name === "Bun" ? "restart" : "die"}`, async () => {
      const captured = [true, false].map((hasNonce) => signed(hasNonce));
      for (const headers of captured) assert.equal(await ask(service.url, headers, "8.8.8.8"), "verified");
      const pid = service.child.pid as number;
      const before = childrenOf(pid);
      assert.equal(before.length, 2);
      // One runtime each: a rolling restart takes seconds.
      if (name === "Bun") service.child.kill("SIGHUP");
      else for (const worker of before) process.kill(worker, "SIGKILL");
      await until(() => {
        const now = childrenOf(pid);
        return now.length === 2 && now.every((child) => !before.includes(child));
      }, "the workers are not replaced");
      await until(() => isListening(service.url), "the new workers do not listen");
      for (const headers of captured)
        for (let times = 0; times < 8; times++) assert.equal(await ask(service.url, headers, "8.8.4.4"), replayed);
    });

    it("do not count while the process that remembers them is silent", async () => {
      const pid = service.child.pid as number;
      process.kill(pid, "SIGSTOP");
      try {
        for (const hasNonce of [true, false]) assert.equal(await ask(service.url, signed(hasNonce), "8.8.8.8"), late);
      } finally {
        process.kill(pid, "SIGCONT");
      }
      assert.equal(await ask(service.url, signed(true), "8.8.8.8"), "verified");
    });
  });
}
