/**
 * No request gets GPTBot past a proxy that is set up as docs/proxies.md says, and none of a browser is kept out: with the service on
 * both runtimes, and with exported configuration. Sends the requests as bytes, in front of a site that refuses none.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { toAddress, toReverseName } from "../../src/address/address.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Proof } from "../../src/detect/verification.ts";
import { type Choice, createExportRequest } from "../../src/export/request.ts";
import { targets } from "../../src/export/targets.ts";
import { createForwardedAddressOf } from "../../src/server/listen/client-address.ts";
import { createService } from "../../src/service.ts";
import { createDnsResolver } from "../../src/verify/dns/dns-resolver.ts";
import { runtimes } from "../cli/command-line.ts";
import { exchangeBytes } from "../contract/socket-client.ts";
import { type AnySite, pageMark, startAnySite } from "../deploy/any-site.ts";
import { missing } from "../deploy/shipped.ts";
import { startService } from "../server/service-process.ts";
import { listenDns } from "../verify/dns-server.ts";
import { openVerifier } from "../verify/open-verifier.ts";
import { hostileRequests, peoplesRequests, type RawRequest, unnamed } from "./hostile-requests.ts";
import { changed, pagePolicy, proxies, withPolicy, withTime } from "./page-recipes.ts";
import { type Server, startServer } from "./server.ts";
import { setups } from "./setups.ts";

/** Where a person's verdict is right: the person's request, and the first of two user agents. */
const liars = new Set(["behind a person's request", "two user agents, the crawler's second"]);

const named = hostileRequests.filter(({ name }) => !unnamed.has(name));

let site: AnySite;
before(async () => {
  site = await startAnySite();
});
after(() => site.close());

/** Sends each request over a connection of its own; a server that hangs up without an answer gives an empty one. */
async function answersOf(
  server: Server,
  requests: readonly RawRequest[],
): Promise<readonly (readonly [string, string])[]> {
  const answers: [string, string][] = [];
  for (const { name, bytes } of requests) {
    const answer = await exchangeBytes(server.port, [Buffer.from(bytes, "latin1")]).catch(() => "");
    answers.push([name, answer.toString("latin1")]);
  }
  return answers;
}

/** Whether the site gave GPTBot a page: a site that sees one user agent, a browser's, was asked by a liar. */
function isPassed(answer: string): boolean {
  const [, ...heads] = answer.split(pageMark);
  return heads.some((head) => {
    const [, path] = head.split(" ", 2);
    const userAgents = [...head.matchAll(/^user.agent *: *(.*)$/gim)].map(([, text]) => text);
    const isLie = userAgents.length === 1 && /^Mozilla[^,]* Firefox\/140\.0\r?$/.test(userAgents[0]!);
    return path !== "/robots.txt" && !isLie;
  });
}

async function assertClosed(server: Server, requests: readonly RawRequest[]): Promise<void> {
  const passed = (await answersOf(server, requests)).filter(([, answer]) => isPassed(answer));
  assert.deepEqual(passed, []);
}

async function assertOpen(server: Server, tooLong: readonly string[]): Promise<void> {
  const kept = (await answersOf(server, peoplesRequests)).filter(([, answer]) => !answer.includes(pageMark));
  // What the server itself refuses, without any check.
  assert.deepEqual(
    kept.map(([name]) => name),
    tooLong,
  );
}

describe("no request gets GPTBot past", () => {
  for (const [runtime, path] of Object.entries(runtimes))
    for (const name of ["nginx", "caddy"])
      it(`${name} with the service on ${runtime}, and people pass`, { skip: missing(name) }, async () => {
        const service = await startService(path, { HOST: "127.0.0.1", WHOCRAWLS_TRUST_PROXY: "1" });
        const { port: servicePort } = new URL(service.url);
        for (const policy of ["block=all", pagePolicy]) {
          const toSetup = (port: number) => proxies[name]!(port, site.port, Number(servicePort));
          const server = await startServer((port) => withTime(withPolicy(toSetup(port), policy)));
          try {
            await assertClosed(server, policy === pagePolicy ? named : hostileRequests);
            await assertOpen(server, []);
          } finally {
            await server.stop();
          }
        }
        service.child.kill("SIGTERM");
        await service.ended;
      });

  it("haproxy, and people pass", { skip: missing("haproxy") }, async () => {
    const server = await startServer((port) => proxies.haproxy!(port, site.port, 0));
    try {
      await assertClosed(server, named);
      await assertOpen(server, ["24 KB of cookies", "a path beyond ASCII"]);
    } finally {
      await server.stop();
    }
  });

  for (const [name, toSetup] of Object.entries(setups))
    it(`the export for ${name}`, { skip: missing(toSetup(0, { all: "", chosen: "" }, 0).program) }, async () => {
      const write = (choice: Choice, variable: string) =>
        targets[name]!.write(createExportRequest(detector, choice, { variable, command: "x" }));
      const exports = { all: write({}, "is_crawler"), chosen: write({ category: ["ai"] }, "is_chosen") };
      const server = await startServer((port) => toSetup(port, exports, site.port));
      try {
        // Without a compiled expression, the longest ones take seconds; in lighttpd, an export has a host of its own.
        const requests = hostileRequests
          .filter(({ bytes }) => !["apache", "caddy"].includes(name) || bytes.length < 6_000)
          .map((request) => ({
            ...request,
            bytes: name === "lighttpd" ? request.bytes.replace(/^Host: localhost/m, "Host: all") : request.bytes,
          }));
        const answers = await answersOf(server, requests);
        const passed = answers.filter(([name, answer]) => {
          // What the server itself refuses may have a header, too.
          const verdict = /^HTTP\/1\.. 2[\s\S]*^x-(?:verdict|is-crawler): *(\d(?: \d)?)/im.exec(answer)?.[1];
          return verdict !== undefined && !(unnamed.has(name) ? /^1/ : /^1(?: 1|$)/).test(verdict);
        });
        assert.deepEqual(
          passed.filter(([name]) => !liars.has(name)),
          [],
        );
      } finally {
        await server.stop();
      }
    });
});

describe("an imitator whose DNS never answers gets 403 with a time limit above `wait`", () => {
  const address = "8.8.8.8";
  const proof: Proof = {
    id: "gptbot",
    crawlers: ["GPTBot"],
    page: "https://example.com/",
    dns: ["bot.example"],
    conclusive: ["dns"],
  };
  const asAddress: Readonly<Record<string, (text: string) => string>> = {
    nginx: (text) => text.replaceAll("X-Forwarded-For $remote_addr", `X-Forwarded-For ${address}`),
    caddy: (text) => text.replace("header_up -Cookie", `header_up X-Forwarded-For ${address}\n$&`),
  };
  for (const [name, change] of Object.entries(asAddress))
    it(name, { skip: missing(name) }, async () => {
      const dns = await listenDns({ records: {}, silent: [toReverseName(toAddress(address)!)] });
      const verifier = openVerifier({ proofs: [proof], ranges: {} }, { resolver: createDnsResolver([dns.address]) });
      const service = createService({ detector, verifier, forwardedAddressOf: createForwardedAddressOf(1) });
      const beside = createServer(async ({ url, headers }, response) => {
        const request = new Request(`http://localhost${url}`, { headers: headers as Record<string, string> });
        const answer = await service.fetch(request, { address: "10.0.0.1" });
        response.writeHead(answer.status, Object.fromEntries(answer.headers)).end();
      });
      await new Promise<void>((resolve) => beside.listen(0, "127.0.0.1", resolve));
      const { port: servicePort } = beside.address() as AddressInfo;
      const server = await startServer((port) => {
        const setup = withPolicy(proxies[name]!(port, site.port, servicePort), "block=unproven&wait=1000");
        return withTime(changed(setup, change));
      });
      try {
        const statusOf = async (useragent: string) =>
          (await fetch(`http://127.0.0.1:${server.port}/page`, { headers: { "user-agent": useragent } })).status;
        assert.equal(await statusOf("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"), 200);
        assert.equal(await statusOf("GPTBot/1.2"), 403);
        assert.equal(dns.questions.length, 1);
      } finally {
        await server.stop();
        beside.close();
        beside.closeAllConnections();
        await dns.close();
      }
    });
});
