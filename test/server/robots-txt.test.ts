/** /RobotsTxt of a service: its settings, its file, and the proxies of docs/robots.md in front of it, which enforce it, too. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { finish } from "../../src/pattern/finish.ts";
import { checkCrawlers } from "../../src/robots/check-robots.ts";
import { createRobots } from "../../src/robots/crawler-rules.ts";
import { toNamedCrawlers } from "../../src/robots/robots-crawlers.ts";
import { parseRobots } from "../../src/robots/robots-file.ts";
import { listen } from "../../src/server/listen/listen.ts";
import { type RobotsSettings, ServedRobots } from "../../src/server/robots-txt.ts";
import { UserError } from "../../src/text/errors.ts";
import { root } from "../cli/command-line.ts";
import { freePort, gather, listens } from "../deploy/proxies.ts";
import { substitute } from "../deploy/shipped.ts";
import { needs } from "../support/needs.ts";
import { openApplication } from "../support/open-application.ts";
import { rowsOf } from "../support/table.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { firefox, gptbot } from "../support/user-agents.ts";

const folder = temporary();
const file = join(folder, "robots.txt");
const own = "# ours\r\nUser-agent: GPTBot\r\nDisallow: /private\r\nSitemap: https://example.com/s.xml";
const crawlers = toNamedCrawlers(detector.catalogue.items);

/** Opens what a service serves; a file is watched until the end of the test. */
async function openServed(given: Partial<RobotsSettings>) {
  const settings = { robotsDisallow: undefined, robotsAllow: undefined, robotsFile: undefined, ...given };
  const robots = (await ServedRobots.open(detector, settings, { message: () => {} }, () => {}))!;
  robots.start();
  return { robots, [Symbol.dispose]: () => robots.stop() };
}

/** The statuses of crawlers by a text. */
function statusesOf(text: string, ...names: readonly string[]): string[] {
  const chosen = names.map((name) => crawlers.find((crawler) => crawler.name === name)!);
  return finish(checkCrawlers(createRobots(parseRobots(text)), chosen)).map(({ status }) => status);
}

it("the file is served with a group, follows changes, and outlives damage", async () => {
  writeFileSync(file, own);
  await using app = await openApplication({
    ...{ ROBOTS_FILE: file, ROBOTS_DISALLOW: "ai:training,Bytespider", ROBOTS_ALLOW: "Applebot-Extended" },
    ...{ TOKEN: "a-token-of-the-tests", RATE_LIMIT: "1/h" },
  });
  app.application.watch();
  const response = await app.ask("/RobotsTxt");
  const text = await response.text();
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, "text/plain; charset=utf-8"]);
  assert.ok(text.startsWith(`${own}\n`));
  const names = ["GPTBot", "ClaudeBot", "Bytespider", "Google-Extended", "Applebot-Extended", "Googlebot"];
  assert.deepEqual(statusesOf(text, ...names), ["allowed", "blocked", "blocked", "blocked", "allowed", "allowed"]);
  const etag = response.headers.get("etag") ?? "";
  assert.equal((await app.ask("/RobotsTxt", { "if-none-match": etag })).status, 304);
  const warnings = async () => String((await app.json("/readyz")).warnings);
  rmSync(file);
  await until(async () => (await warnings()).includes(`robots-file ${file}: there is no such file`));
  assert.equal(await app.text("/RobotsTxt"), text);
  writeFileSync(file, own.replace("/private", "/secret"));
  await until(async () => (await app.text("/RobotsTxt")).includes("Disallow: /secret"));
  assert.doesNotMatch(await warnings(), /robots/);
});

it("without a setting there is no /RobotsTxt", async () => {
  await using app = await openApplication();
  assert.equal((await app.ask("/RobotsTxt")).status, 404);
});

it("the file of a service that runs stays in use as it was where a new one cannot be used", async () => {
  const damages: readonly (readonly [content: string | Uint8Array, reason: string])[] = [
    ["\0", "line 1: the file is not text"],
    ["<!doctype html>", "line 1: the text is a web page"],
    [`User-agent: *\n${"#".repeat(600_000)}`, "larger than 500 KiB"],
    [Buffer.from("a\n\xe9", "latin1"), "line 2: the line is not UTF-8"],
    [`User-agent: *\n${"Disallow: *a\n".repeat(1001)}`, 'line 1: more than 1000 rules with * or $ apply to "*"'],
  ];
  // At once, because each waits for seconds until the change is seen.
  await Promise.all(
    damages.map(async ([content, reason], at) => {
      const robotsFile = join(folder, `damaged-${at}.txt`);
      writeFileSync(robotsFile, own);
      using served = await openServed({ robotsFile });
      writeFileSync(robotsFile, content);
      const [warning = ""] = await until(() => served.robots.warnings.length > 0 && served.robots.warnings, reason);
      assert.ok(warning.includes(`robots-file ${robotsFile}: `) && warning.includes(reason), warning);
      assert.ok(served.robots.text.startsWith("# ours"));
    }),
  );
});

it("groups that join by accident are a warning, at the start and after a change", async () => {
  const [before, after] = [join(folder, "joined-before.txt"), join(folder, "joined-after.txt")];
  writeFileSync(before, "User-agent: *\n\nUser-agent: AhrefsBot\nDisallow: /");
  writeFileSync(after, own);
  using first = await openServed({ robotsFile: before });
  using second = await openServed({ robotsFile: after });
  assert.match(first.robots.warnings.join(), /before\.txt:3: "AhrefsBot" joins the group of "\*" in line 1/);
  writeFileSync(before, own);
  writeFileSync(after, "User-agent: *\nCrawl-delay: 1\nUser-agent: GPTBot\nDisallow: /a");
  await until(() => first.robots.warnings.length === 0 && second.robots.warnings.length > 0);
  assert.match(second.robots.warnings.join(), /after\.txt:3: "GPTBot" joins/);
});

const damaged = join(folder, "damaged.txt");
writeFileSync(damaged, "User-agent: *\nDisallow: /\0");
for (const [settings = "", message = ""] of rowsOf(`
  { "robotsDisallow": "ai,gptbott" } | ^robots-disallow: "gptbott" .* Did you mean "GPTBot"
  { "robotsDisallow": "ai", "robotsAllow": "x" } | ^robots-allow: "x" .
  { "robotsAllow": "ai" } | robots-disallow, which is not set
  { "robotsDisallow": "ai", "robotsAllow": "all" } | none would be disallowed
  { "robotsFile": "${join(folder, "none")}" } | ^robots-file .*none: there is no such file$
  { "robotsFile": "/none\\n/here" } | ^robots-file /none.u.000a./here: there is no such file$
  { "robotsFile": "/dev/zero" } | ^robots-file /dev/zero: the file is larger than 500 KiB
  { "robotsFile": "${damaged}" } | ^robots-file .*damaged.txt: line 2: the file is not text
`))
  it(`a service does not start with ${settings}`, async () => {
    const isExpected = (error: unknown) => error instanceof UserError && new RegExp(message).test(error.message);
    await assert.rejects(openServed(JSON.parse(settings)), isExpected);
  });

/** The code blocks of a language in docs/robots.md: how a proxy serves the file, and how it refuses what the file disallows. */
function blocksOf(language: string): string[] {
  const page = readFileSync(join(root, "docs/robots.md"), "utf8");
  return [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map((match) => match[1]!);
}

interface Around {
  /** Where the proxy serves the file, and where it refuses. */
  readonly ports: readonly [number, number];
  /** The addresses of the service and of the site, without `http://`. */
  readonly service: string;
  readonly site: string;
  /** An empty folder. */
  readonly place: string;
}

/** Write the configurations of the page as one, and return the parameters that start the proxy with it. */
const proxies: Readonly<Record<"nginx" | "caddy", (around: Around) => string[]>> = {
  nginx({ ports, service, site, place }) {
    const [serving = "", enforcing = ""] = blocksOf("nginx");
    const [http = "", server = ""] = serving.split("# In server:");
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`);
    const config = `${process.getuid?.() === 0 ? "user root;" : ""} daemon off; pid nginx.pid; error_log stderr error; events {}
      http { access_log off; ${temporary.join(" ")}
        ${substitute(http, { "/var/cache/nginx/robots": "cache" })}
        server { listen 127.0.0.1:${ports[0]}; ${substitute(server, { "127.0.0.1:8080": service })} }
        ${substitute(enforcing, { "listen 80;": `listen 127.0.0.1:${ports[1]};`, "127.0.0.1:8080": service, "127.0.0.1:3000": site })}
      }`;
    writeFileSync(join(place, "nginx.conf"), config);
    return ["-p", place, "-c", "nginx.conf", "-e", "stderr"];
  },
  caddy({ ports, service, site, place }) {
    const [serving = "", enforcing = ""] = blocksOf("caddyfile");
    mkdirSync(join(place, "fallback"));
    writeFileSync(join(place, "fallback", "robots.txt"), "User-agent: fallback\nDisallow: /\n");
    const at = (port: number) => ({ "example.com {": `http://127.0.0.1:${port} {`, "127.0.0.1:8080": service });
    const config = `{\n\tadmin off\n\tauto_https off\n}
${substitute(serving, { ...at(ports[0]), "/etc/caddy/fallback": join(place, "fallback") })}
${substitute(enforcing, { ...at(ports[1]), "127.0.0.1:3000": site })}`;
    writeFileSync(join(place, "Caddyfile"), config);
    return ["run", "--config", join(place, "Caddyfile"), "--adapter", "caddyfile"];
  },
};

for (const [name, configure] of Object.entries(proxies))
  it(`${name} passes it on as /robots.txt, refuses what it disallows, and has an answer while the service is down`, {
    skip: needs(name),
  }, async () => {
    const place = join(folder, name);
    mkdirSync(place);
    writeFileSync(file, "User-agent: GPTBot\nDisallow: /private\nDisallow: /*?sort=\n");
    await using app = await openApplication({ ROBOTS_FILE: file });
    const listener = await listen({ service: app.application.service, host: "127.0.0.1", port: 0 });
    const server = createServer((_, response) => response.end("the site")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const ports = [await freePort(), await freePort()] as const;
    const site = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const parameters = configure({ ports, service: new URL(listener.url).host, site, place });
    const proxy = spawn(name, parameters, { cwd: place, stdio: ["ignore", "pipe", "pipe"] });
    const output = gather(proxy);
    const ended = once(proxy, "close");
    try {
      await until(async () => (await listens(ports[0])) && (await listens(ports[1])), output, proxy);
      const url = `http://127.0.0.1:${ports[0]}/robots.txt`;
      const response = await fetch(url);
      assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
      assert.equal(await response.text(), await app.text("/RobotsTxt"));
      const forged = { "X-Forwarded-Uri": "/robots.txt", "X-Original-URI": "/robots.txt" };
      for (const [path, useragent, headers, status] of [
        ["/private/a?b=c", gptbot, {}, 403],
        ["/private/a?b=c", gptbot, forged, 403],
        ["/list?sort=up", gptbot, {}, 403],
        ["/list?page=1", gptbot, {}, 200],
        ["/private", firefox, {}, 200],
        ["/private", "Googlebot/2.1", {}, 200],
        ["/robots.txt", gptbot, {}, 200],
      ] as const) {
        const asked = { headers: { ...headers, "user-agent": useragent } };
        assert.equal(
          (await fetch(`http://127.0.0.1:${ports[1]}${path}`, asked)).status,
          status,
          `${path} ${useragent}`,
        );
      }
      await listener.close(0);
      const later = await fetch(url);
      assert.equal(later.status, 200);
      assert.match(await later.text(), name === "nginx" ? /^User-agent: GPTBot$/m : /^User-agent: fallback$/m);
    } finally {
      proxy.kill("SIGTERM");
      await ended;
      server.close();
      await listener.close(0);
    }
  });
