/**
 * The recipes of docs/proxies.md with the policy of docs/verification.md, run in nginx and Caddy before a service: spoofed is kept out,
 * verified let through.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root, runtimes } from "../cli/command-line.ts";
import { createWitness, forgedHeaders } from "../deploy/witness.ts";
import { type Setup, startServer } from "../export/server.ts";
import { nginxAround } from "../export/setups.ts";
import { startService } from "../server/service-process.ts";
import { needs } from "../support/needs.ts";
import { temporary } from "../support/temporary.ts";
import { firefox, gptbot } from "../support/user-agents.ts";

const text = readFileSync(`${root}docs/verification.md`, "utf8");
const proxies = readFileSync(`${root}docs/proxies.md`, "utf8");
const policy = /^ *\/auth\?(\S+)$/m.exec(text)?.[1] ?? "";
/** The configuration as the page says to change it, with more of a policy. */
const recipeOf = (language: string): string =>
  (new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(proxies)?.[1] ?? "")
    .replace(
      "block=ai,seo&allow=ai:search,ai:agent,AhrefsBot",
      `${policy.replace("&", ",signal:client-hints-headless&")}&ask=signature`,
    )
    // The page says two seconds; a busy machine may take longer.
    .replaceAll(/ 1s\b/g, " 900s");

/** The lines that nginx needs to pass `Accept-Signature` on. */
const [passedOn = "", refusedWith = ""] =
  /^```\n( +auth_request_set [\s\S]*?)^```$/m.exec(text)?.[1]?.split("\n", 2) ?? [];

/**
 * The client's address is loopback here; whatever X-Client says stands in its place. At 127.0.0.2, each recipe listens, too,
 * without X-Client: as it stands but for addresses.
 */
const recipes: Readonly<Record<string, (port: number, service: number, site: number) => Setup>> = {
  nginx(port, service, site) {
    const addresses = `listen 127.0.0.1:${port}; listen 127.0.0.2:${port};`;
    return nginxAround(
      recipeOf("nginx")
        .replace("listen 80;", `${addresses} set_real_ip_from 127.0.0.1; real_ip_header X-Client;`)
        .replace("127.0.0.1:8080", `127.0.0.1:${service}`)
        .replaceAll("127.0.0.1:3000", `127.0.0.1:${site}`)
        .replace("auth_request /whocrawls;", `auth_request /whocrawls;\n${passedOn}`)
        .replace("location @whocrawls-refused {", `$&\n${refusedWith}`),
    );
  },
  caddy(port, service, site) {
    const recipe = recipeOf("caddy")
      .replace("127.0.0.1:8080", `127.0.0.1:${service}`)
      .replaceAll("127.0.0.1:3000", `127.0.0.1:${site}`);
    const told = recipe
      .replace(":80 {", `http://127.0.0.1:${port} {\n  bind 127.0.0.1`)
      .replace("copy_headers", "header_up X-Forwarded-For {http.request.header.X-Client}\n    copy_headers");
    const plain = recipe.replace(":80 {", `http://127.0.0.2:${port} {\n  bind 127.0.0.2`);
    return {
      program: "caddy",
      version: ["version"],
      files: { Caddyfile: `{\n  admin off\n  auto_https off\n  storage file_system @folder@\n}\n${told}\n${plain}` },
      run: ["run", "--config", "Caddyfile", "--adapter", "caddyfile"],
    };
  },
};

const below = temporary();

describe("a recipe of docs/proxies.md with the policy of docs/verification.md", () => {
  for (const [name, configure] of Object.entries(recipes)) {
    it(`for ${name} keeps spoofed crawlers out`, { skip: needs(name) }, async () => {
      const folder = join(below, name);
      mkdirSync(join(folder, "ranges"), { recursive: true });
      // A list of today: the package's copy is too old for `spoofed`.
      const parts = [{ url: "https://openai.com/gptbot.json", prefixes: ["74.7.241.0/25"] }];
      writeFileSync(join(folder, "ranges", "gptbot.json"), JSON.stringify({ asOf: Date.now(), parts }));
      const site = createServer((_, response) => response.end("the site")).listen(0, "127.0.0.1");
      const environment = { HOST: "127.0.0.1", WHOCRAWLS_DATA: folder, WHOCRAWLS_TRUST_PROXY: "1" };
      const service = await startService(runtimes.Bun, environment);
      const witness = await createWitness(Number(new URL(service.url).port));
      const sitePort = (site.address() as AddressInfo).port;
      const { port, stop } = await startServer((port) => configure(port, witness.port, sitePort));
      try {
        const statusOf = async (useragent: string, client: string, more: Record<string, string> = {}) => {
          const sent = { "user-agent": useragent, "x-client": client, ...more };
          const { status, headers } = await fetch(`http://127.0.0.1:${port}/`, { headers: sent });
          // Whoever is refused is asked to sign.
          assert.equal(/tag="web-bot-auth"$/.test(headers.get("accept-signature") ?? ""), status === 403);
          return status;
        };
        assert.equal(await statusOf(gptbot, "74.7.241.7"), 200);
        assert.equal(await statusOf(gptbot, "8.8.8.8"), 403);
        assert.equal(await statusOf(gptbot, "8.8.8.8", { "x-forwarded-for": "74.7.241.7" }), 403);
        assert.equal(await statusOf(gptbot, "8.8.8.8", forgedHeaders), 403);
        const headers = { ...forgedHeaders, "user-agent": "Googlebot/2.1" };
        await fetch(`http://127.0.0.2:${port}/page`, { headers });
        witness.assertReal(`127.0.0.2:${port}`, "/page", "GET");
        assert.equal(await statusOf(firefox, "8.8.8.8"), 200);
        assert.equal(await statusOf("SomeOtherBot/1.0", "8.8.8.8"), 200);
        assert.equal(await statusOf(firefox, "8.8.8.8", { "sec-ch-ua": '"HeadlessChrome";v="147"' }), 403);
        assert.equal(await statusOf(firefox, "8.8.8.8", { "sec-ch-ua": '"Chromium";v="147"' }), 200);
      } finally {
        await stop();
        witness.close();
        service.child.kill("SIGTERM");
        await service.ended;
        site.close();
      }
    });
  }
});
