/** The files of docs/proxies.md, as they stand there but for addresses: in front of a site, with the service beside them. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { parse } from "yaml";
import { freePort } from "../deploy/proxies.ts";
import { substitute } from "../deploy/shipped.ts";
import { createWitness, forgedHeaders, type Witness } from "../deploy/witness.ts";
import { type ServiceProcess, startService } from "../server/service-process.ts";
import { needs } from "../support/needs.ts";
import { nginxForTraefik, page, proxies, type ToProxy, withPolicy, withTime } from "./page-recipes.ts";
import { changed, type Server, startServer } from "./server.ts";
import { nginxAround } from "./setups.ts";

/** The proxies whose configuration says what happens if the service does not decide. */
const failureProxies: Readonly<Record<string, ToProxy>> = {
  nginx: proxies.nginx!,
  caddy: proxies.caddy!,
  "nginx for Traefik": nginxForTraefik,
};

const person = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const gptbot = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const ahrefs = "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)";
const semrush = "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)";

/** What a client may have made up. */
const forged = {
  "X-Crawler": "false",
  "X-Crawler-Name": "Nobody",
  "X-Crawler-Category": "person",
  "X-Crawler-Purposes": "x",
  "X-Crawler-Verification": "verified",
  "X-Crawler-Verification-Reason": "x",
};

/** What the site is told of the client, whatever that has sent. */
const passed = ["x-forwarded-for"];
const names = ["", "-name", "-operator", "-category", "-purposes", "-verification", "-verification-reason"].map(
  (end) => `x-crawler${end}`,
);

describe("the files of docs/proxies.md", () => {
  let service: ServiceProcess;
  let witness: Witness;
  const running: Server[] = [];
  const site = createServer((request, response) => {
    response.end(
      JSON.stringify(Object.fromEntries([...names, ...passed].map((name) => [name, request.headers[name]]))),
    );
  });

  before(async () => {
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    // As the page says that the service is to be started.
    service = await startService(process.execPath, { HOST: "127.0.0.1", WHOCRAWLS_TRUST_PROXY: "1" });
    witness = await createWitness(Number(new URL(service.url).port));
  });
  after(async () => {
    await Promise.all(running.map((server) => server.stop()));
    witness.close();
    service.child.kill("SIGTERM");
    await service.ended;
    site.close();
  });

  for (const [name, toProxy] of Object.entries(proxies))
    it(`${name} lets through and refuses, and tells the site who asks`, { skip: needs(name) }, async () => {
      const sitePort = (site.address() as AddressInfo).port;
      const server = await startServer((port) => withTime(toProxy(port, sitePort, witness.port)));
      running.push(server);
      const ask = async (path: string, userAgent: string, more: Record<string, string> = {}) => {
        const headers = { "user-agent": userAgent, ...forged, ...more };
        const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
        return { status: response.status, body: await response.text() };
      };
      const told = async (path: string, userAgent: string) => {
        const { status, body } = await ask(path, userAgent);
        assert.equal(status, 200, body);
        const { "x-forwarded-for": address, ...rest } = JSON.parse(body) as Record<string, string>;
        assert.equal(address, "127.0.0.1");
        // Some pass on empty headers, some none.
        return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ""));
      };
      for (const refused of [gptbot, semrush]) assert.equal((await ask("/page?x=1", refused)).status, 403);
      assert.deepEqual(await told("/", person), { "x-crawler": "false" });
      assert.equal((await told("/robots.txt", gptbot))["x-crawler"], "true");
      const crawler = await told("/", ahrefs);
      if (name === "haproxy") assert.deepEqual(crawler, { "x-crawler": "true" });
      else assert.deepEqual(Object.values(crawler).slice(0, 4), ["true", "AhrefsBot", "Ahrefs", "seo"]);

      // Whatever a client says of itself: who it is, for which site, path and method.
      assert.equal((await ask("/page?x=1", gptbot, forgedHeaders)).status, 403);
      const { body } = await ask("/page?x=1", googlebot, forgedHeaders);
      assert.equal((JSON.parse(body) as Record<string, string>)["x-forwarded-for"], "127.0.0.1");
      if (name !== "haproxy") witness.assertReal(`127.0.0.1:${server.port}`, "/page?x=1", "GET");
    });

  for (const name of ["nginx", "caddy", "nginx for Traefik"])
    it(`${name}: visitors reach the site when the service fails`, { skip: needs(name.split(" ")[0]!) }, async () => {
      const sitePort = (site.address() as AddressInfo).port;
      let status = 0;
      const failing = createServer((_, response) => {
        if (status > 0) response.writeHead(status, { "WWW-Authenticate": "Bearer" }).end();
      });
      await new Promise<void>((resolve) => failing.listen(0, "127.0.0.1", resolve));
      const { port: failingPort } = failing.address() as AddressInfo;
      const toSetup = (port: number) => failureProxies[name]!(port, sitePort, failingPort);
      const server = await startServer(toSetup);
      const patient = await startServer((port) => withTime(toSetup(port)));
      running.push(server, patient);
      const ask = async ({ port } = patient) => {
        const headers = { "user-agent": person, ...forged };
        const response = await fetch(`http://127.0.0.1:${port}/auth`, { method: "POST", headers, body: "sent" });
        return { status: response.status, text: await response.text() };
      };
      const assertAllowed = async (when: string, proxy = patient) => {
        const answer = await ask(proxy);
        assert.equal(answer.status, name === "nginx for Traefik" ? 204 : 200, when);
        if (name !== "nginx for Traefik") assert.equal(JSON.parse(answer.text)["x-crawler"], undefined, when);
      };
      for (status of [401, 404, 500, 503]) await assertAllowed(String(status));
      status = 0;
      await assertAllowed("no answer", server);
      // What the client has broken, and what the policy refuses.
      for (status of [400, 403, 413, 414, 429, 431])
        assert.equal((await ask()).status, name === "nginx" ? 403 : status);
      failing.close();
      failing.closeAllConnections();
      await assertAllowed("no service");
    });

  for (const [index, [name, toProxy]] of Object.entries(failureProxies).entries())
    it(`${name}: a crawler beyond its limit gets 429 and Retry-After, and people pass`, {
      skip: needs(name.split(" ")[0]!),
    }, async () => {
      const sitePort = (site.address() as AddressInfo).port;
      // A count belongs to its rate: each proxy has its own.
      const allowed = index + 1;
      const policy = `limit=GPTBot:${allowed}/h,seo:9/h`;
      const server = await startServer((port) =>
        withTime(withPolicy(toProxy(port, sitePort, Number(new URL(service.url).port)), policy)),
      );
      running.push(server);
      const isTraefik = name === "nginx for Traefik";
      // Traefik sends the policy with each request; its nginx passes on the query.
      const path = isTraefik ? `/auth?${policy}` : "/page";
      const ask = async (userAgent: string) => {
        const headers = { "user-agent": userAgent, "x-forwarded-for": "192.0.2.1" };
        const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
        return [response.status, Number(response.headers.get("retry-after"))] as const;
      };
      const passed = isTraefik ? 204 : 200;
      for (let times = 0; times < allowed; times++) assert.deepEqual(await ask(gptbot), [passed, 0]);
      const [status, retryAfter] = await ask(gptbot);
      assert.equal(status, 429);
      assert.ok(retryAfter > 1000 / allowed && retryAfter <= 3600, `${retryAfter}`);
      for (let times = 0; times < 9; times++) assert.deepEqual(await ask(person), [passed, 0]);
    });

  for (const [name, toProxy] of Object.entries(failureProxies))
    it(`${name}: a service with a token checks requests with the line for it`, {
      skip: needs(name.split(" ")[0]!),
    }, async () => {
      const sitePort = (site.address() as AddressInfo).port;
      const token = "a-token-for-proxies";
      const guarded = await startService(process.execPath, { WHOCRAWLS_TRUST_PROXY: "1", WHOCRAWLS_TOKEN: token });
      const line = /(?:^.*-Authorization\n)?^(.*)# If the service needs a token.*: (.*TOKEN.*)$/m;
      const server = await startServer((port) =>
        changed(withTime(toProxy(port, sitePort, Number(new URL(guarded.url).port))), (text) =>
          text.replace(line, (_, indent, directive) => indent + directive.replace("TOKEN", token)),
        ),
      );
      running.push(server);
      const response = await fetch(`http://127.0.0.1:${server.port}/auth?block=ai`, {
        headers: { "user-agent": gptbot },
      });
      assert.equal(response.status, 403);
      guarded.child.kill("SIGTERM");
      await guarded.ended;
    });

  it("caddy: an error of the site stays an error", { skip: needs("caddy") }, async () => {
    const down = await freePort();
    const server = await startServer((port) => proxies.caddy!(port, down, witness.port));
    running.push(server);
    for (const [userAgent, status] of [
      [person, 502],
      [gptbot, 403],
    ] as const) {
      const response = await fetch(`http://127.0.0.1:${server.port}/`, { headers: { "user-agent": userAgent } });
      assert.equal(response.status, status);
    }
  });

  it("nginx: a site of files is checked once a request", { skip: needs("nginx") }, async () => {
    const [, location = ""] = /```nginx\n(location \/ \{[\s\S]*?)```/.exec(page) ?? [];
    let checks = 0;
    const counting = createServer((_, response) => {
      checks++;
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => counting.listen(0, "127.0.0.1", resolve));
    const { port: checkPort } = counting.address() as AddressInfo;
    const server = await startServer((port) => {
      const setup = nginxAround(`server {
        listen 127.0.0.1:${port};
        ${substitute(location, { "/var/www": "@folder@" })}
        location = /whocrawls { internal; proxy_pass http://127.0.0.1:${checkPort}/auth; }
      }`);
      return { ...setup, files: { ...setup.files, "index.html": "home" } };
    });
    const response = await fetch(`http://127.0.0.1:${server.port}/`);
    assert.deepEqual([response.status, await response.text(), checks], [200, "home", 1]);
    await server.stop();
    counting.close();
    counting.closeAllConnections();
  });

  it("for Traefik replaces every header that a client could send in the service's place", () => {
    for (const name of names) assert.match(page.toLowerCase(), new RegExp(`authresponseheaders: .*\\b${name}[,\\]]`));
  });

  it("in YAML can be read, and believe no client's X-Forwarded-For", () => {
    const [traefik, envoy] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => parse(text!));
    assert.equal(traefik.http.middlewares.crawlers.forwardAuth.trustForwardHeader, false);
    const [{ typed_config: manager }] = envoy;
    assert.equal(manager.use_remote_address, true);
    const [authorization] = manager.http_filters;
    const sent = authorization.typed_config.allowed_headers.patterns.map(
      (pattern: object) => Object.values(pattern)[0],
    );
    assert.deepEqual(sent, ["user-agent", "x-forwarded-for", "x-forwarded-proto", "signature", "accept", "sec-"]);
    assert.doesNotMatch(page, /authRequestHeaders: .*\b(?:Cookie|Authorization|X-)/);
  });
});
