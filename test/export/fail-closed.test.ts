/**
 * No request gets GPTBot past a proxy that is set up as docs/proxies.md says, and none of a browser is kept out: with the service on
 * both runtimes, and with exported configuration. Sends the requests as bytes, in front of a site that refuses none.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { toAddress, toReverseName } from "../../src/address/address.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Proof } from "../../src/detect/verification.ts";
import { type Choice, createExportRequest } from "../../src/export/request.ts";
import { shorten } from "../../src/export/short-form.ts";
import type { ExportRequest } from "../../src/export/target.ts";
import { targets } from "../../src/export/targets.ts";
import { createForwarded } from "../../src/server/listen/client-address.ts";
import { createService } from "../../src/service.ts";
import { createDnsResolver } from "../../src/verify/dns/dns-resolver.ts";
import { runtimes, testedOn } from "../cli/command-line.ts";
import { begin, exchangeBytes } from "../contract/socket-client.ts";
import { type AnySite, pageMark, startAnySite } from "../deploy/any-site.ts";
import { startService } from "../server/service-process.ts";
import { needs } from "../support/needs.ts";
import { until } from "../support/until.ts";
import { firefox } from "../support/user-agents.ts";
import { listenDns } from "../verify/dns-server.ts";
import { openVerifier } from "../verify/open-verifier.ts";
import { disputedRequests, hostileRequests, peoplesRequests, type RawRequest, unnamed } from "./hostile-requests.ts";
import { pagePolicy, proxies, withPolicy, withTime } from "./page-recipes.ts";
import { changed, type Server, startServer } from "./server.ts";
import { setups } from "./setups.ts";

/** Where a person's verdict is right: the person's request, and the first of two user agents. */
const liars = new Set(["behind a person's request", "two user agents, the crawler's second"]);

const named = hostileRequests.filter(({ name }) => !unnamed.has(name));

let site: AnySite;
before(async () => {
  site = await startAnySite();
});
after(() => site.close());

/**
 * Sends each request over a connection of its own, several at the same time, because few of them wait for time-outs; a server that hangs up
 * without an answer gives an empty one.
 */
async function answersOf(
  server: Server,
  requests: readonly RawRequest[],
): Promise<readonly (readonly [string, string])[]> {
  const left = requests.values();
  const answers: [string, string][] = [];
  const send = async () => {
    for (const { name, bytes } of left) {
      const answer = await exchangeBytes(server.port, [Buffer.from(bytes, "latin1")]).catch(() => "");
      answers.push([name, answer.toString("latin1")]);
    }
  };
  await Promise.all([send(), send(), send(), send()]);
  return answers;
}

/** Whether the site gave GPTBot a page: a site that sees one user agent, a browser's, was asked by a liar. */
function isPassed(answer: string): boolean {
  const [, ...heads] = answer.split(pageMark);
  return heads.some((head) => {
    const [, path] = head.split(" ", 2);
    const userAgents = [...head.matchAll(/^user.agent *: *(.*)$/gim)].map(([, text]) => text);
    const isLie = userAgents.length === 1 && /^Mozilla[^,]* Firefox\/141\.0\r?$/.test(userAgents[0]!);
    return path !== "/robots.txt" && !isLie;
  });
}

async function assertClosed(server: Server, requests: readonly RawRequest[]): Promise<void> {
  const passed = (await answersOf(server, [...requests, ...disputedRequests])).filter(([, answer]) => isPassed(answer));
  assert.deepEqual(passed, []);
}

async function assertOpen(server: Server, tooLong: readonly string[]): Promise<void> {
  const kept = (await answersOf(server, peoplesRequests)).filter(([, answer]) => !answer.includes(pageMark));
  // What the server itself refuses, without any check.
  assert.deepEqual(kept.map(([name]) => name).sort(), tooLong);
}

/** Apache sends the request back itself, and lighttpd's verdict is in the body that the site sends. */
const untold = new Set(["apache: the method TRACE", "lighttpd: the method HEAD"]);

describe("no request gets GPTBot past", () => {
  for (const [runtime, path] of testedOn())
    for (const name of ["nginx", "caddy"])
      it(`${name} with the service on ${runtime}, and people pass`, { skip: needs(name) }, async () => {
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

  it("haproxy, and people pass", { skip: needs("haproxy") }, async () => {
    const server = await startServer((port) => proxies.haproxy!(port, site.port, 0));
    try {
      await assertClosed(server, named);
      await assertOpen(server, ["24 KB of cookies", "a path beyond ASCII"]);
    } finally {
      await server.stop();
    }
  });

  for (const [name, toSetup] of Object.entries(setups))
    it(`the export for ${name}`, {
      skip: needs(toSetup(0, { all: "", chosen: "", short: "" }, 0).program),
    }, async () => {
      const write = (choice: Choice, variable: string, change = (request: ExportRequest) => request) =>
        targets[name]!.write(change(createExportRequest(detector, choice, { variable, command: "x" })));
      const chosen = { category: ["ai"] };
      const exports = {
        all: write({}, "is_crawler"),
        chosen: write(chosen, "is_chosen"),
        short: write(chosen, "is_short", shorten),
      };
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
        const passed = answers.filter(([request, answer]) => {
          // What the server itself refuses may have a header, too.
          if (!/^HTTP\/1\.. 2/.test(answer) || untold.has(`${name}: ${request}`)) return false;
          const verdict = /^x-(?:verdict|is-crawler): *(\d(?: \d \d)?)/im.exec(answer)?.[1] ?? "none";
          return !(unnamed.has(request) ? /^1/ : /^1(?: 1 1|$)/).test(verdict);
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

describe("the way to the site", () => {
  const gptbot = "GPTBot/1.2";
  /** What the site has seen of a request. */
  const seenBy = async (server: Server, lines: readonly string[], path = "/page"): Promise<string> => {
    const bytes = [`GET ${path} HTTP/1.1`, "Host: localhost", `User-Agent: ${gptbot}`, ...lines, "", ""].join("\r\n");
    const connection = await begin(server.port, bytes);
    const isWhole = new RegExp(`${pageMark}[\\s\\S]*\\r\\n\\r\\n$`);
    await until(() => isWhole.test(connection.answer), "no page");
    connection.socket.destroy();
    return connection.answer;
  };

  for (const name of ["nginx", "caddy", "haproxy"])
    it(`of ${name} begins no other protocol at robots.txt, in which requests would not be checked`, {
      skip: needs(name),
    }, async () => {
      const service = await startService(runtimes.Bun, { HOST: "127.0.0.1", WHOCRAWLS_TRUST_PROXY: "1" });
      const server = await startServer((port) =>
        withTime(proxies[name]!(port, site.port, Number(new URL(service.url).port))),
      );
      try {
        for (const protocol of ["h2c", "websocket", "foo"]) {
          const lines = [
            "Connection: Upgrade, HTTP2-Settings",
            `Upgrade: ${protocol}`,
            "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
          ];
          const seen = await seenBy(server, lines, "/robots.txt");
          assert.match(seen, /the page for GET \/robots\.txt/);
          assert.doesNotMatch(seen, /^upgrade:/im);
        }
      } finally {
        await server.stop();
        service.child.kill("SIGTERM");
        await service.ended;
      }
    });

  for (const name of ["nginx", "caddy"])
    it(`of ${name} has the verdict and the user agent, whatever Connection names`, {
      skip: needs(name),
    }, async () => {
      const service = await startService(runtimes.Bun, { HOST: "127.0.0.1", WHOCRAWLS_TRUST_PROXY: "1" });
      const server = await startServer((port) =>
        withTime(withPolicy(proxies[name]!(port, site.port, Number(new URL(service.url).port)), "block=all&observe")),
      );
      try {
        for (const connection of [
          "X-Crawler, X-Crawler-Name",
          "close, x-crawler, x-crawler-name, User-Agent, X-Forwarded-For",
        ]) {
          const seen = await seenBy(server, [`Connection: ${connection}`]);
          assert.match(seen, /^x-crawler: true\r?$/im);
          assert.match(seen, /^x-crawler-name: GPTBot\r?$/im);
          assert.match(seen, /^user-agent: GPTBot\/1\.2\r?$/im);
        }
      } finally {
        await server.stop();
        service.child.kill("SIGTERM");
        await service.ended;
      }
    });

  it("of nginx to files is closed where clients hold all connections of nginx", {
    skip: needs("nginx"),
  }, async () => {
    const service = await startService(runtimes.Bun, { HOST: "127.0.0.1", WHOCRAWLS_TRUST_PROXY: "1" });
    const ofFiles = (text: string): string =>
      text
        .replace("events {}", "events { worker_connections 24; }")
        .replace(/proxy_pass http:\/\/127\.0\.0\.1:\d+;\n {2}\}/, "root @folder@;\n    try_files /page =404;\n  }");
    const server = await startServer((port) => {
      const setup = changed(
        withTime(withPolicy(proxies.nginx!(port, site.port, Number(new URL(service.url).port)), "block=all")),
        ofFiles,
      );
      return { ...setup, files: { ...setup.files, page: pageMark } };
    });
    const request = (useragent: string) =>
      `GET /page HTTP/1.1\r\nHost: localhost\r\nUser-Agent: ${useragent}\r\nConnection: close\r\n`;
    try {
      assert.ok((await exchangeBytes(server.port, [request(firefox), "\r\n"])).includes(pageMark));
      for (let held = 4; held <= 24; held++) {
        const sockets = await Promise.all(
          Array.from({ length: held }, async () => {
            const socket = connect(server.port, "127.0.0.1").on("error", () => {});
            await once(socket, "connect");
            socket.write(request(gptbot));
            return socket;
          }),
        );
        // nginx has read all that is sent when it has answered, or closed, a connection that is newer.
        await exchangeBytes(server.port, [request(firefox), "\r\n"]).catch(() => "");
        const answers = sockets.slice(0, 3).map(async (socket) => {
          const pieces: Buffer[] = [];
          socket.on("data", (piece: Buffer) => pieces.push(piece));
          socket.end("\r\n");
          if (!socket.closed) await once(socket, "close");
          return Buffer.concat(pieces).toString("latin1");
        });
        for (const answer of await Promise.all(answers))
          assert.ok(!answer.includes(pageMark), `${held} connections: ${answer}`);
        for (const socket of sockets) socket.destroy();
      }
    } finally {
      await server.stop();
      service.child.kill("SIGTERM");
      await service.ended;
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
    it(name, { skip: needs(name) }, async () => {
      const dns = await listenDns({ records: {}, silent: [toReverseName(toAddress(address)!)] });
      const verifier = openVerifier({ proofs: [proof], ranges: {} }, { resolver: createDnsResolver([dns.address]) });
      const service = createService({ detector, verifier, forwarded: createForwarded(1) });
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
        assert.equal(await statusOf(firefox), 200);
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
