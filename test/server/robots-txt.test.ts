/** /RobotsTxt of a running service: its settings, its file, and the proxies of docs/robots.md in front of it, which enforce it, too. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { checkCrawlers } from "../../src/robots/check-robots.ts";
import { createRobots } from "../../src/robots/crawler-rules.ts";
import { toNamedCrawlers } from "../../src/robots/robots-crawlers.ts";
import { parseRobots } from "../../src/robots/robots-file.ts";
import { type RobotsSettings, ServedRobots } from "../../src/server/robots-txt.ts";
import { UserError } from "../../src/text/errors.ts";
import { root, runtimes, testedOn } from "../cli/command-line.ts";
import { freePort } from "../deploy/proxies.ts";
import { env, missing } from "../deploy/shipped.ts";
import { openApplication } from "../support/open-application.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { startService } from "./service-process.ts";

const folder = temporary();

const own = "# ours\r\nUser-agent: GPTBot\r\nDisallow: /private\r\nSitemap: https://example.com/s.xml";
const crawlers = toNamedCrawlers(detector.catalogue.items);

const silent = { message: () => {} };
const settings = (given: Partial<RobotsSettings>): RobotsSettings => ({
  ...{ robotsDisallow: undefined, robotsAllow: undefined, robotsFile: undefined },
  ...given,
});

/** The statuses of crawlers by a text. */
function statusesOf(text: string, ...names: readonly string[]): string[] {
  const robots = createRobots(parseRobots(text));
  return checkCrawlers(
    robots,
    names.map((name) => crawlers.find((crawler) => crawler.name === name)!),
  ).map(({ status }) => status);
}

for (const [name, runtime] of testedOn())
  it(`${name}: the file is served with a group, follows changes, and outlives damage`, async () => {
    const file = join(folder, `own-${name}.txt`);
    writeFileSync(file, own);
    await using service = await startService(runtime, {
      WHOCRAWLS_ROBOTS_FILE: file,
      WHOCRAWLS_ROBOTS_DISALLOW: "ai:training,Bytespider",
      WHOCRAWLS_ROBOTS_ALLOW: "Applebot-Extended",
      WHOCRAWLS_TOKEN: "a-token-of-the-tests",
      WHOCRAWLS_RATE_LIMIT: "1/h",
    });
    const url = `${service.url}/RobotsTxt`;
    const response = await fetch(url);
    const text = await response.text();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.ok(text.startsWith(`${own}\n`));
    const names = ["GPTBot", "ClaudeBot", "Bytespider", "Google-Extended", "Applebot-Extended", "Googlebot"];
    assert.deepEqual(statusesOf(text, ...names), ["allowed", "blocked", "blocked", "blocked", "allowed", "allowed"]);
    const etag = response.headers.get("etag") ?? "";
    assert.equal((await fetch(url, { headers: { "if-none-match": etag } })).status, 304);

    const warnings = async () =>
      ((await (await fetch(`${service.url}/readyz`)).json()) as { warnings: string[] }).warnings.filter((text) =>
        text.includes("robots"),
      );
    rmSync(file);
    await until(async () =>
      (await warnings()).some((text) => text.includes(`robots-file ${file}: `) && text.includes("no such file")),
    );
    assert.equal(await (await fetch(url)).text(), text);
    writeFileSync(file, own.replace("/private", "/secret"));
    await until(async () => (await (await fetch(url)).text()).includes("Disallow: /secret"));
    assert.deepEqual(await warnings(), []);
  });

describe("a file that cannot be used", () => {
  for (const [robotsFile, message] of [
    ["/dev/zero", /^robots-file \/dev\/zero: the file is larger than 500 KiB/],
    ["/none\n/here", /^robots-file \/none\\u\{000a\}\/here: there is no such file$/],
  ] as const)
    it(JSON.stringify(robotsFile), () =>
      assert.rejects(ServedRobots.open(detector, settings({ robotsFile }), silent), { message }),
    );
});

describe("the file of a service that runs", () => {
  const file = join(folder, "breaks.txt");
  for (const [content, reason] of [
    ["\0", "line 1: the file is not text"],
    ["<!doctype html>", "line 1: the text is a web page"],
    [`User-agent: *\n${"#".repeat(600_000)}`, "larger than 500 KiB"],
    [Buffer.from("a\n\xe9", "latin1"), "line 2: the line is not UTF-8"],
    [`User-agent: *\n${"Disallow: *a\n".repeat(1001)}`, 'line 1: more than 1000 rules with * or $ apply to "*"'],
  ] as const)
    it(`stays in use as it was: ${reason}`, async () => {
      writeFileSync(file, own);
      const robots = (await ServedRobots.open(detector, settings({ robotsFile: file }), silent))!;
      robots.start();
      try {
        writeFileSync(file, content);
        const [warning = ""] = await until(() => robots.warnings.length > 0 && robots.warnings);
        assert.ok(warning.includes(`robots-file ${file}: `) && warning.includes(reason), warning);
        assert.ok(robots.text.startsWith("# ours"));
      } finally {
        robots.stop();
      }
    });
});

it("groups that join by accident are a warning, at the start and after a change", async () => {
  const file = join(folder, "joined.txt");
  writeFileSync(file, "User-agent: *\n\nUser-agent: AhrefsBot\nDisallow: /");
  const robots = (await ServedRobots.open(detector, settings({ robotsFile: file }), silent))!;
  robots.start();
  try {
    assert.match(robots.warnings.join(), /joined\.txt:3: "AhrefsBot" joins the group of "\*" in line 1/);
    writeFileSync(file, own);
    await until(() => robots.warnings.length === 0);
    writeFileSync(file, "User-agent: *\nCrawl-delay: 1\nUser-agent: GPTBot\nDisallow: /a");
    await until(() => robots.warnings.length > 0);
    assert.match(robots.warnings.join(), /joined\.txt:3: "GPTBot" joins/);
  } finally {
    robots.stop();
  }
});

describe("a service does not start", () => {
  const file = join(folder, "damaged.txt");
  writeFileSync(file, "User-agent: *\nDisallow: /\0");
  for (const [what, wrong, message] of [
    ["a wrong word", { robotsDisallow: "ai,gptbott" }, /robots-disallow: "gptbott" .* Did you mean "GPTBot"/],
    ["a wrong exception", { robotsDisallow: "ai", robotsAllow: "x" }, /robots-allow: "x" /],
    ["exceptions alone", { robotsAllow: "ai" }, /robots-disallow, which is not set/],
    ["nothing left", { robotsDisallow: "ai", robotsAllow: "all" }, /none would be disallowed/],
    ["no file", { robotsFile: join(folder, "none") }, /robots-file .*none: there is no such file/],
    ["a damaged file", { robotsFile: file }, /robots-file .*damaged.txt: line 2: the file is not text/],
  ] as const)
    it(`because of ${what}`, async () => {
      const opened = ServedRobots.open(detector, settings(wrong), silent);
      await assert.rejects(opened, (error) => error instanceof UserError && message.test(error.message));
    });

  it("and ends with exit code 2", async () => {
    const start = startService(runtimes.Bun, { WHOCRAWLS_ROBOTS_DISALLOW: "ai,gptbott" });
    await assert.rejects(start, /ended with 2: .*robots-disallow: "gptbott"/s);
  });
});

it("without a setting there is no /RobotsTxt", async () => {
  await using app = await openApplication();
  assert.equal((await app.ask("/RobotsTxt")).status, 404);
});

/** The code blocks of a language in docs/robots.md. */
function blocksOf(language: string): string[] {
  const page = readFileSync(join(root, "docs/robots.md"), "utf8");
  return [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map((match) => match[1]!);
}

/** How a proxy is started with the configuration of a section. */
type SetUp = (port: number, service: string, place: string, site: number) => string[];

const proxies: Readonly<Record<"nginx" | "caddy", { readonly serve: SetUp; readonly enforce: SetUp }>> = {
  nginx: {
    serve(port, service, place) {
      const [http = "", server = ""] = (blocksOf("nginx")[0] ?? "").split("# In server:");
      return nginx(
        place,
        `${http.replace("/var/cache/nginx/robots", "cache")}
        server { listen 127.0.0.1:${port}; ${server.replace("http://127.0.0.1:8080", service)} }`,
      );
    },
    enforce(port, service, place, site) {
      const text = (blocksOf("nginx")[1] ?? "")
        .replace("listen 80;", `listen 127.0.0.1:${port};`)
        .replace("http://127.0.0.1:8080", service)
        .replace("127.0.0.1:3000", `127.0.0.1:${site}`);
      return nginx(place, text);
    },
  },
  caddy: {
    serve(port, service, place) {
      mkdirSync(join(place, "fallback"));
      writeFileSync(join(place, "fallback", "robots.txt"), "User-agent: fallback\nDisallow: /\n");
      const site = (blocksOf("caddyfile")[0] ?? "").replace("/etc/caddy/fallback", join(place, "fallback"));
      return caddy(place, port, service, site);
    },
    enforce: (port, service, place, site) =>
      caddy(place, port, service, (blocksOf("caddyfile")[1] ?? "").replace("127.0.0.1:3000", `127.0.0.1:${site}`)),
  },
};

function nginx(place: string, http: string): string[] {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`);
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const config = `${user} daemon off; pid nginx.pid; error_log stderr error; events {} http { access_log off; ${temporary.join(" ")}
    ${http} }`;
  writeFileSync(join(place, "nginx.conf"), config);
  return ["-p", place, "-c", "nginx.conf", "-e", "stderr"];
}

function caddy(place: string, port: number, service: string, text: string): string[] {
  const site = text
    .replace("example.com {", `http://127.0.0.1:${port} {`)
    .replace("127.0.0.1:8080", new URL(service).host);
  writeFileSync(join(place, "Caddyfile"), `{\n\tadmin off\n\tauto_https off\n}\n${site}`);
  return ["run", "--config", join(place, "Caddyfile"), "--adapter", "caddyfile"];
}

for (const [name, { serve, enforce }] of Object.entries(proxies)) {
  it(`${name} passes it on as /robots.txt, and has an answer while the service is down`, {
    skip: missing(name),
  }, async () => {
    const place = join(folder, name);
    mkdirSync(place);
    const service = await startService(runtimes.Bun, { HOST: "127.0.0.1", WHOCRAWLS_ROBOTS_DISALLOW: "GPTBot" });
    const port = await freePort();
    const proxy: ChildProcess = spawn(name, serve(port, service.url, place, 0), { cwd: place, env, stdio: "ignore" });
    try {
      const url = `http://127.0.0.1:${port}/robots.txt`;
      const isUp = () =>
        fetch(url).then(
          ({ status }) => status === 200,
          () => false,
        );
      await until(isUp);
      const response = await fetch(url);
      assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
      const text = await response.text();
      assert.deepEqual(statusesOf(text, "GPTBot", "Googlebot"), ["blocked", "allowed"]);
      service.child.kill("SIGTERM");
      await service.ended;
      const later = await fetch(url);
      assert.equal(later.status, 200);
      assert.match(await later.text(), name === "nginx" ? /^User-agent: GPTBot$/m : /^User-agent: fallback$/m);
    } finally {
      const ended = new Promise((resolve) => proxy.on("close", resolve));
      proxy.kill("SIGTERM");
      await ended;
      service.child.kill("SIGTERM");
      await service.ended;
    }
  });

  it(`${name} refuses what it disallows`, { skip: missing(name) }, async () => {
    const place = join(folder, `${name}-enforce`);
    mkdirSync(place);
    const file = join(place, "robots.txt");
    writeFileSync(file, "User-agent: GPTBot\nDisallow: /private\nDisallow: /*?sort=\n");
    const service = await startService(runtimes.Bun, { HOST: "127.0.0.1", WHOCRAWLS_ROBOTS_FILE: file });
    const site = createServer((_, response) => response.end("the site")).listen(0, "127.0.0.1");
    await once(site, "listening");
    const port = await freePort();
    const parameters = enforce(port, service.url, place, (site.address() as AddressInfo).port);
    const proxy: ChildProcess = spawn(name, parameters, { cwd: place, env, stdio: "ignore" });
    try {
      const ask = async (path: string, useragent: string, headers: Readonly<Record<string, string>> = {}) =>
        (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { ...headers, "user-agent": useragent } })).status;
      await until(() =>
        ask("/", "x").then(
          (status) => status === 200,
          () => false,
        ),
      );
      const crawler = "Mozilla/5.0 (compatible; GPTBot/1.2)";
      const person = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
      const forged = { "X-Forwarded-Uri": "/robots.txt", "X-Original-URI": "/robots.txt" };
      const statuses = [
        await ask("/private/a?b=c", crawler),
        await ask("/private/a?b=c", crawler, forged),
        await ask("/list?sort=up", crawler),
        await ask("/list?page=1", crawler),
        await ask("/private", person),
        await ask("/private", "Googlebot/2.1"),
        await ask("/robots.txt", crawler),
      ];
      assert.deepEqual(statuses, [403, 403, 403, 200, 200, 200, 200]);
    } finally {
      const ended = new Promise((resolve) => proxy.on("close", resolve));
      proxy.kill("SIGTERM");
      await ended;
      site.close();
      service.child.kill("SIGTERM");
      await service.ended;
    }
  });
}
