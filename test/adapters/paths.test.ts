/** Whatever a client writes as target and Host: a crawler gets past the policy only where the framework itself answers for robots.txt. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import express from "express";
import createFastify from "fastify";
import { crawlers as forExpress } from "../../src/adapters/express.ts";
import { crawlers as forFastify } from "../../src/adapters/fastify.ts";
import type { GuardOptions } from "../../src/adapters/guard.ts";
import { runtimes } from "../cli/command-line.ts";
import { exchangeBytes } from "../contract/socket-client.ts";
import { firefox, gptbot } from "../support/user-agents.ts";

interface Site {
  readonly port: number;
  close(): void;
}

/** Sites that answer with the path by which their framework finds a handler. */
const sites: Readonly<Record<string, (options: GuardOptions) => Promise<Site>>> = {
  async Express(options) {
    const app = express();
    app.use(forExpress(options));
    app.use((request, response) => void response.send(request.path));
    const server = createServer(app).listen(0, "127.0.0.1");
    await once(server, "listening");
    return { port: (server.address() as AddressInfo).port, close: () => server.close() };
  },
  async Fastify(options) {
    const app = createFastify();
    app.register(forFastify, options);
    app.all("/*", async ({ params }) => `/${(params as { "*": string })["*"]}`);
    await app.listen({ port: 0, host: "127.0.0.1" });
    return { port: (app.server.address() as AddressInfo).port, close: () => void app.close() };
  },
  async "Hono on Bun"(options) {
    const program = fileURLToPath(new URL("hono-on-bun.ts", import.meta.url));
    const child = spawn(runtimes.Bun, [program, JSON.stringify(options)], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(child.stdout, "data");
    return { port: Number(line), close: () => child.kill() };
  },
};

const targets = [
  ...["/robots.txt", "/robots.txt?/secret", "/robots.txt#/secret", "//robots.txt", "/secret", "/secret?/robots.txt"],
  ...["/secret/../robots.txt", "/robots.txt/../secret", "/x/../secret", "/robots.txt;/secret", "robots.txt", "*"],
  ...["http://localhost/robots.txt", "http://localhost/secret", "http://a?/secret", "http://a/robots.txt?/secret"],
  ...["http://a\\secret/robots.txt", "http://a\\secret", "http://u@a/secret", "http://a?x/secret", "HTTP://a/secret"],
  ...["ws://a/secret", "http:///secret", "http:secret", "http://a#/secret", "/SECRET", "/%53ecret"],
];
const hosts = [
  undefined,
  "",
  "localhost",
  "a@b",
  "x y",
  "a/b",
  "a/robots.txt?",
  "a?b",
  "a#b",
  "a\\b",
  "[::1",
  "a:99999",
];

/** The status, and the path that the site answers with. */
async function ask(port: number, target: string, host: string | undefined, useragent: string) {
  const lines = [
    `GET ${target} HTTP/${host === undefined ? "1.0" : "1.1"}`,
    ...(host === undefined ? [] : [`Host: ${host}`]),
    `User-Agent: ${useragent}`,
    "Connection: close",
  ];
  const answer = String(await exchangeBytes(port, [`${lines.join("\r\n")}\r\n\r\n`]).catch(() => ""));
  const [, status = "", body = ""] = /^HTTP\/1\.1 (\d+)[\s\S]*?\r\n\r\n([\s\S]*)$/.exec(answer) ?? [];
  return { status, path: body };
}

for (const [name, open] of Object.entries(sites))
  describe(name, () => {
    it("lets a blocked crawler have nothing but robots.txt", async () => {
      const site = await open({ block: "all" });
      try {
        for (const target of targets)
          for (const host of hosts) {
            const { status, path } = await ask(site.port, target, host, gptbot);
            if (status === "200") assert.equal(path, "/robots.txt", `${target} ${host}`);
          }
        for (const target of ["/robots.txt?x", "http://localhost/robots.txt"])
          assert.equal((await ask(site.port, target, "localhost", gptbot)).status, "200", target);
      } finally {
        site.close();
      }
    });

    it("lets a crawler have no path that robots.txt disallows, in any case if the application ignores case", async () => {
      const options = { block: "disallowed", robots: "User-agent: *\nDisallow: /Secret", caseInsensitivePaths: true };
      const site = await open(options);
      try {
        for (const target of targets)
          for (const host of hosts) {
            const { status, path } = await ask(site.port, target, host, gptbot);
            if (status === "200") assert.doesNotMatch(decodeURI(path), /^\/secret/i, `${target} ${host}`);
          }
        for (const [target, useragent] of [
          ["/other", gptbot],
          ["/secret", firefox],
        ] as const)
          assert.equal((await ask(site.port, target, "localhost", useragent)).status, "200", target);
      } finally {
        site.close();
      }
    });
  });
