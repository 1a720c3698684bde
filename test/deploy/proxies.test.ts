/** nginx.conf and haproxy.cfg: what the programs say about them, and what they make of requests. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { exchangeBytes } from "../contract/socket-client.ts";
import { type ServiceProcess, startService } from "../server/service-process.ts";
import { needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { freePort } from "./proxies.ts";
import { checkProxy, type ProxyName, type RunningProxy, startProxy } from "./shipped-proxies.ts";
import { forgedHeaders } from "./witness.ts";

const folder = temporary();
const proxies: readonly ProxyName[] = ["nginx", "haproxy"];
/** No request and no health check is late on a busy machine. */
const withTime = (text: string): string => text.replaceAll(/\b\d+s\b/g, "900s");

for (const name of proxies) {
  const skip = needs(name);

  describe(`${name}'s configuration`, () => {
    it("is accepted without a word, and would not be with a mistake in it", { skip }, () => {
      assert.equal(checkProxy(name, folder), "");
      const mistake = (text: string) => text.replace(/^( *)(?:keepalive|balance) /m, "$1balanec ");
      assert.match(checkProxy(name, folder, mistake), /balanec/);
    });
  });

  describe(`${name} in front of one instance that runs and one that does not`, () => {
    let service: ServiceProcess;
    let proxy: RunningProxy;

    before(async () => {
      if (skip) return;
      const settings = { WHOCRAWLS_RECORD: "off", WHOCRAWLS_TRUST_PROXY: "1", WHOCRAWLS_RATE_LIMIT: "40/h" };
      service = await startService(process.execPath, { HOST: "127.0.0.1", ...settings });
      proxy = await startProxy(name, [await freePort(), Number(new URL(service.url).port)], withTime);
    });

    after(async () => {
      await proxy?.stop();
      service?.child.kill("SIGTERM");
      await service?.ended;
    });

    it("answers at once", { skip }, async () => {
      for (let index = 0; index < 4; index++) {
        const from = `192.0.2.${index}`;
        assert.equal((await fetch(`${proxy.url}/healthz`, { headers: { "x-forwarded-for": from } })).status, 200);
      }
    });

    it("keeps what is for operators to itself", { skip }, async () => {
      for (const path of ["/metrics", "/readyz"]) assert.equal((await fetch(proxy.url + path)).status, 404);
      assert.equal(await (await fetch(`${proxy.url}/proxy-healthz`)).text(), "ok\n");
    });

    it("lets nobody past that by another way to write the path", { skip }, async () => {
      const port = Number(new URL(proxy.url).port);
      for (const operators of ["metrics", "readyz"]) {
        for (const before of ["/x/../", "/%2e/", "/./", "/.\\", "/x\\%2e%2e\\", "//", "/x/%2e%2e/", "/healthz/../"]) {
          const head = `GET ${before}${operators} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
          const answer = String(await exchangeBytes(port, [head]));
          assert.match(answer, /^HTTP\/1\.1 40[04] /, head);
          assert.doesNotMatch(answer, /whocrawls_|"ready"/);
        }
      }
    });

    it("lets the service refuse a body that is too long, with its own problem", { skip }, async () => {
      const response = await check(proxy.url, JSON.stringify({ useragent: "x".repeat(70_000) }));
      assert.equal(response.status, 413);
      assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/);
    });

    it("verifies no client by headers that it forges", { skip }, async () => {
      const headers = { ...forgedHeaders, "user-agent": "Googlebot/2.1" };
      const told = (await fetch(`${proxy.url}/auth`, { headers })).headers;
      assert.equal(told.get("x-crawler-verification"), "unverifiable");
      assert.match(told.get("x-crawler-verification-reason") ?? "", /^127\.0\.0\.1 is not a public address/);
    });

    it("tells the service who asks, and believes nobody who says it himself", { skip }, async () => {
      const statuses: number[] = [];
      for (let index = 0; index < 45; index++) {
        const headers = { "x-forwarded-for": `198.51.100.${index}` };
        statuses.push((await check(proxy.url, '{"useragent":"x"}', headers)).status);
      }
      assert.equal(statuses.at(-1), 429);
    });
  });

  describe(`${name} in front of anything`, () => {
    let seen: IncomingMessage[] = [];
    let servers: Server[] = [];
    let proxy: RunningProxy;

    before(async () => {
      if (skip) return;
      servers = [0, 1].map((index) =>
        createServer((incoming, response) => {
          if (incoming.url !== "/readyz") seen.push(incoming);
          if (incoming.url === "/readyz" || index === 1) response.end("fine");
          // Dies with the request in its hands.
          else incoming.socket.destroy();
        }).listen(0, "127.0.0.1"),
      );
      await Promise.all(servers.map((server) => once(server, "listening")));
      proxy = await startProxy(name, servers.map(portOf), withTime);
    });

    after(async () => {
      await proxy?.stop();
      for (const server of servers) server.close();
    });

    it("asks the other instance when one dies with a request, POST and all", { skip }, async () => {
      for (let index = 0; index < 4; index++) {
        const response = await check(proxy.url, '{"useragent":"x"}');
        assert.equal(response.status, 200);
        assert.equal(await response.text(), "fine");
      }
      assert.ok(seen.length > 4, "nothing was sent to the instance that dies");
    });

    it("adds the address of the client at the end, and keeps the host", { skip }, async () => {
      seen = [];
      await check(proxy.url, "{}", { "x-forwarded-for": "192.0.2.1", "x-forwarded-host": "evil.example" });
      const { headers, httpVersion } = seen.at(-1) as IncomingMessage;
      assert.match(String(headers["x-forwarded-for"]), /127\.0\.0\.1$/);
      assert.equal(headers["x-forwarded-host"], headers.host);
      assert.equal(headers.host, new URL(proxy.url).host);
      assert.equal(httpVersion, "1.1");
    });
  });
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function check(url: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${url}/RestService/Check`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
}

describe("nginx-auth.conf", { skip: needs("nginx") }, () => {
  it("sends each user agent to one of two instances, and to the other one when that is gone", async () => {
    const servers: Server[] = ["one", "two"].map((name) => createServer((_, response) => response.end(name)));
    for (const server of servers) await once(server.listen(0, "127.0.0.1"), "listening");
    const proxy = await startProxy("nginx-auth", servers.map(portOf));
    const ask = async (_: unknown, index: number) =>
      (await fetch(`${proxy.url}/auth`, { headers: { "user-agent": `Bot-${index}/1.0` } })).text();
    const askAll = () => Promise.all(Array.from({ length: 40 }, ask));
    try {
      const first = await askAll();
      assert.deepEqual([...new Set(first)].toSorted(), ["one", "two"]);
      assert.deepEqual(await askAll(), first);
      servers[0]?.closeAllConnections();
      servers[0]?.close();
      assert.deepEqual(new Set(await askAll()), new Set(["two"]));
    } finally {
      await proxy.stop();
      for (const server of servers) server.close();
    }
  });
});
