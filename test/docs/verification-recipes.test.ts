/** The recipes of docs/proxies.md with the policy of docs/verification.md, run in nginx and Caddy before a service: spoofed is kept out, verified let through. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root, runtimes } from "../cli/command-line.ts";
import { freePort, pause } from "../deploy/proxies.ts";
import { env, missing } from "../deploy/shipped.ts";
import { createWitness, forgedHeaders } from "../deploy/witness.ts";
import { startService } from "../server/service-process.ts";

const text = readFileSync(`${root}docs/verification.md`, "utf8");
const proxies = readFileSync(`${root}docs/proxies.md`, "utf8");
const policy = /^\/auth\?(\S+)$/m.exec(text)?.[1] ?? "";
/** The configuration as the page says to change it, with more of a policy. */
const recipeOf = (language: string): string =>
  (new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(proxies)?.[1] ?? "")
    .replace(
      "block=ai,seo&allow=ai:search,ai:agent,AhrefsBot",
      `${policy.replace("&", ",signal:client-hints-headless&")}&ask=signature`,
    )
    .replaceAll(/ 1s\b/g, " 2s");

/** The lines that nginx needs to pass `Accept-Signature` on. */
const [passedOn = "", refusedWith = ""] =
  /^```\n( +auth_request_set [\s\S]*?)^```$/m.exec(text)?.[1]?.split("\n", 2) ?? [];

/**
 * The client's address is loopback here; whatever X-Client says stands in its place. At 127.0.0.2, each recipe listens, too,
 * without X-Client: as it stands but for addresses.
 */
const recipes: Readonly<
  Record<string, (port: number, service: number, site: number, folder: string) => readonly string[]>
> = {
  nginx(port, service, site, folder) {
    const recipe = recipeOf("nginx")
      .replace(
        "listen 80;",
        `listen 127.0.0.1:${port}; listen 127.0.0.2:${port}; set_real_ip_from 127.0.0.1; real_ip_header X-Client;`,
      )
      .replace("127.0.0.1:8080", `127.0.0.1:${service}`)
      .replaceAll("127.0.0.1:3000", `127.0.0.1:${site}`)
      .replace("auth_request /whocrawls;", `auth_request /whocrawls;\n${passedOn}`)
      .replace("location @whocrawls-refused {", `$&\n${refusedWith}`);
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`);
    const user = process.getuid?.() === 0 ? "user root;" : "";
    writeFileSync(
      join(folder, "nginx.conf"),
      `${user} daemon off; pid nginx.pid; error_log stderr error; events {} http { access_log off; ${paths.join(" ")}\n${recipe} }`,
    );
    return ["nginx", "-p", ".", "-c", "nginx.conf", "-e", "stderr"];
  },
  caddy(port, service, site, folder) {
    const recipe = recipeOf("caddy")
      .replace("127.0.0.1:8080", `127.0.0.1:${service}`)
      .replaceAll("127.0.0.1:3000", `127.0.0.1:${site}`);
    const told = recipe
      .replace(":80 {", `http://127.0.0.1:${port} {\n  bind 127.0.0.1`)
      .replace("copy_headers", "header_up X-Forwarded-For {http.request.header.X-Client}\n    copy_headers");
    const plain = recipe.replace(":80 {", `http://127.0.0.2:${port} {\n  bind 127.0.0.2`);
    writeFileSync(join(folder, "Caddyfile"), `{\n  admin off\n  auto_https off\n}\n${told}\n${plain}`);
    return ["caddy", "run", "--config", "Caddyfile", "--adapter", "caddyfile"];
  },
};

async function untilAnswers(url: string, program: ChildProcess, output: () => string): Promise<void> {
  for (const deadline = Date.now() + 20_000; ; await pause(50)) {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answered) return;
    if (Date.now() > deadline || program.exitCode !== null) throw new Error(`it does not listen: ${output()}`);
  }
}

describe("a recipe of docs/proxies.md with the policy of docs/verification.md", () => {
  for (const [name, configure] of Object.entries(recipes)) {
    it(`for ${name} keeps spoofed crawlers out`, { skip: missing(name) }, async () => {
      const folder = mkdtempSync(join(tmpdir(), "whocrawls-recipe-"));
      mkdirSync(join(folder, "ranges"));
      // A list of today: the package's copy is too old for `spoofed`.
      const parts = [{ url: "https://openai.com/gptbot.json", prefixes: ["74.7.241.0/25"] }];
      writeFileSync(join(folder, "ranges", "gptbot.json"), JSON.stringify({ asOf: Date.now(), parts }));
      const site = createServer((_, response) => response.end("the site")).listen(0, "127.0.0.1");
      const environment = { HOST: "127.0.0.1", WHOCRAWLS_DATA: folder, WHOCRAWLS_TRUST_PROXY: "1" };
      const service = await startService(runtimes.Bun, environment);
      const witness = await createWitness(Number(new URL(service.url).port));
      const port = await freePort();
      const [program = "", ...args] = configure(port, witness.port, (site.address() as AddressInfo).port, folder);
      const proxy = spawn(program, args, {
        cwd: folder,
        env: { ...env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
        stdio: ["ignore", "ignore", "pipe"],
      });
      const ended = new Promise((resolve) => proxy.once("close", resolve));
      let output = "";
      proxy.stderr.on("data", (piece) => {
        output += piece;
      });
      try {
        await untilAnswers(`http://127.0.0.1:${port}/`, proxy, () => output);
        const statusOf = async (
          useragent: string,
          client: string,
          more: Record<string, string> = {},
        ): Promise<number> => {
          const sent = { "user-agent": useragent, "x-client": client, ...more };
          const { status, headers } = await fetch(`http://127.0.0.1:${port}/`, { headers: sent });
          // Whoever is refused is asked to sign.
          assert.equal(/tag="web-bot-auth"$/.test(headers.get("accept-signature") ?? ""), status === 403);
          return status;
        };
        const gptbot = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
        const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
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
        proxy.kill("SIGTERM");
        await ended;
        witness.close();
        service.child.kill("SIGTERM");
        await service.ended;
        site.close();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});
