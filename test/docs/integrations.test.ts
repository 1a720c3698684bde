/** docs/integrations.md: what its programs send is what the products document, and they type-check and do what they are for. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { root, runtimes } from "../cli/command-line.ts";
import { readDocument } from "../support/document.ts";
import { needs } from "../support/needs.ts";
import { until } from "../support/until.ts";
import { firefox, gptbot, semrush } from "../support/user-agents.ts";
import { createPrograms } from "./programs.ts";

const page = readDocument("docs/integrations.md");
const { blocks, fileOf, folder, importBlock, typeCheck, withApplication } = createPrograms(page);

interface Received {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Stands for the analytics services. */
const received: Received[] = [];
const service = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  const { pathname, searchParams } = new URL(request.url!, "http://localhost");
  received.push({ path: pathname, query: Object.fromEntries(searchParams), headers: request.headers, body });
  response.end("{}");
});
let origin = "";
/** The program with the addresses of the services on this machine. */
const toLocal = (code: string): string =>
  code.replaceAll(
    /https:\/\/(?:matomo\.example\.com|us\.i\.posthog\.com|plausible\.io\/api|cloud\.umami\.is)/g,
    (found) => (found.endsWith("/api") ? `${origin}/api` : origin),
  );

before(async () => {
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
after(() => {
  service.close();
  service.closeAllConnections();
});

const chatgpt =
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot";
const url = "https://www.example.com/docs/intro?a=b&c=d";

/** What a service documents that it receives. */
const documented: Readonly<Record<string, (request: Received) => void>> = {
  Matomo({ path, query }) {
    assert.equal(path, "/matomo.php");
    const facts = { ua: chatgpt, url, http_status: "404", source: "whocrawls" };
    assert.deepEqual(query, { idsite: "1", rec: "1", recMode: "1", ...facts });
  },
  PostHog({ path, headers, body }) {
    assert.deepEqual([path, headers["content-type"]], ["/i/v0/e/", "application/json"]);
    const facts = { status: 404, operator: "OpenAI", category: "ai", purposes: ["agent"] };
    assert.deepEqual(JSON.parse(body), {
      api_key: "phc_KEY",
      event: "crawler request",
      distinct_id: "ChatGPT-User",
      properties: { $process_person_profile: false, $current_url: url, ...facts },
    });
  },
  Plausible({ path, headers, body }) {
    assert.deepEqual([path, headers["content-type"]], ["/api/event", "application/json"]);
    const props = { name: "ChatGPT-User", category: "ai", status: 404 };
    assert.deepEqual(JSON.parse(body), { name: "Crawler", url, domain: "www.example.com", props });
    assert.equal(detector.isCrawler(headers["user-agent"]), false);
    assert.equal(headers["x-forwarded-for"], "127.0.0.1");
  },
  Umami({ path, headers, body }) {
    assert.deepEqual([path, headers["content-type"]], ["/api/send", "application/json"]);
    const data = { name: "ChatGPT-User", category: "ai", status: 404 };
    const payload = { website: "WEBSITE-ID", hostname: "www.example.com", url: "/docs/intro", name: "crawler", data };
    assert.deepEqual(JSON.parse(body), { type: "event", payload });
    assert.equal(detector.isCrawler(headers["user-agent"]), false);
  },
};

describe("docs/integrations.md", () => {
  it("type-checks", typeCheck);

  it("has short sections, which are all tested, and is linked", () => {
    const sections = page.split(/^## /m).slice(1);
    for (const section of sections)
      assert.ok(section.trimEnd().split("\n").length <= 25, `${section.split("\n")[0]} has more than 25 lines`);
    const others =
      "Crawlers left out of analytics|Complete HTML for crawlers in Next.js|SvelteKit|Nuxt and Nitro|Astro|React Router";
    const tested = `AI and crawler traffic in analytics|${Object.keys(documented).join("|")}|${others}|A price or a license for training`;
    assert.equal([...blocks.keys()].join("|"), tested);
    assert.equal(page.match(/^```/gm)?.length, 2 * (blocks.size + 3));
    for (const [document, link] of [
      ["README.md", "docs/integrations.md"],
      ["docs/recipes.md", "integrations.md"],
    ] as const)
      assert.ok(readDocument(document).includes(`](${link})`), document);
  });

  for (const [name, check] of Object.entries(documented))
    it(`sends to ${name} what it documents, for crawlers only`, async () => {
      // In place of the file that the application imports.
      writeFileSync(fileOf("Matomo"), toLocal(blocks.get(name)!));
      received.length = 0;
      await withApplication("AI and crawler traffic in analytics", async (ask) => {
        await ask(new Headers({ "user-agent": firefox }), "/docs/intro?a=b&c=d");
        await ask(new Headers({ "user-agent": chatgpt }), "/docs/intro?a=b&c=d");
        await until(() => received.length > 0);
      });
      assert.equal(received.length, 1);
      check(received[0]!);
    });

  it("sends the crawlers in a log to Matomo and PostHog", { skip: needs("bash", "jq", "curl") }, async () => {
    const line = (headers: Readonly<Record<string, readonly string[]>>, uri: string) =>
      JSON.stringify({
        ...{ level: "info", ts: 1791280800.25, logger: "http.log.access", msg: "handled request" },
        request: {
          ...{
            remote_ip: "192.0.2.1",
            client_ip: "192.0.2.1",
            proto: "HTTP/1.1",
            method: "GET",
            host: "www.example.com",
          },
          ...{ uri, headers },
        },
        ...{ bytes_read: 0, duration: 0.001, size: 512, status: 404 },
      });
    const lines = [
      line({ "User-Agent": [firefox] }, "/"),
      line({ "User-Agent": [chatgpt] }, "/docs/intro?a=b&c=d"),
      line({}, "/none"),
    ];
    writeFileSync(join(folder, "access.json"), `${lines.join("\n")}\n`);
    const [, script = ""] = /```sh\n(whocrawls scan[\s\S]*?)```/.exec(page)!;
    received.length = 0;
    const program = `"${runtimes.Node}" "${root}dist/cli.js"`;
    // Not spawnSync: the service is in this process.
    const child = spawn("bash", ["-euo", "pipefail", "-c", toLocal(script).replace("whocrawls", program)], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
    assert.equal(await new Promise((resolve) => child.on("close", resolve)), 0);
    const [matomo, posthog, ...more] = received;
    assert.deepEqual([matomo?.path, posthog?.path, more], ["/matomo.php", "/batch/", []]);
    const { requests } = JSON.parse(matomo!.body) as { readonly requests: readonly string[] };
    const facts = { idsite: "1", rec: "1", recMode: "1", source: "whocrawls", cdt: "1791280800", http_status: "404" };
    const none = "https://www.example.com/none";
    assert.deepEqual(
      requests.map((query) => Object.fromEntries(new URLSearchParams(query))),
      [
        { ...facts, ua: chatgpt, url },
        { ...facts, ua: "", url: none },
      ],
    );
    const event = { event: "crawler request", timestamp: "2026-10-06T10:00:00Z" };
    const properties = { $process_person_profile: false, status: 404 };
    assert.deepEqual(JSON.parse(posthog!.body), {
      api_key: "phc_KEY",
      batch: [
        { ...event, distinct_id: "ChatGPT-User", properties: { ...properties, $current_url: url, category: "ai" } },
        {
          ...event,
          distinct_id: "unknown crawler",
          properties: { ...properties, $current_url: none, category: "other" },
        },
      ],
    });
  });

  it("leaves crawlers out of analytics", () =>
    withApplication("Crawlers left out of analytics", async (ask) => {
      for (const [userAgent, isCounted] of [
        [firefox, true],
        [chatgpt, false],
        ["", false],
      ] as const) {
        const response = await ask(new Headers({ "user-agent": userAgent }));
        assert.equal((await response.text()).includes("<script"), isCounted, userAgent);
        assert.equal(response.headers.get("vary"), "User-Agent");
      }
    }));

  it("names all crawlers for Next.js, which ignores case, and few browsers", async () => {
    const { htmlLimitedBots } = (await importBlock("Complete HTML for crawlers in Next.js")).default;
    const expression = new RegExp(htmlLimitedBots.source, "i");
    assert.deepEqual(
      detector.strings().filter((text) => !expression.test(text)),
      [],
    );
    assert.equal(expression.test(firefox), false);
  });

  it("blocks crawlers in SvelteKit, Nitro, Astro and React Router, and passes on others", async () => {
    Object.assign(globalThis, {
      defineEventHandler: (handler: unknown) => handler,
      getRequestURL: () => new URL("http://localhost/a"),
    });
    const next = async () => new Response("page");
    const { handle } = await importBlock("SvelteKit");
    const { onRequest } = await importBlock("Astro");
    const { middleware } = await importBlock("React Router");
    const { default: nitro } = await importBlock("Nuxt and Nitro");
    for (const [userAgent, status] of [
      [gptbot, 403],
      [chatgpt, 200],
      [firefox, 200],
    ] as const) {
      const request = new Request("http://localhost/a", { headers: { "user-agent": userAgent } });
      const responses = [
        await handle({ event: { request }, resolve: next }),
        await onRequest({ request }, next),
        await middleware[0]({ request }, next),
        nitro({ headers: request.headers }) ?? (await next()),
      ];
      for (const response of responses) assert.equal(response.status, status, userAgent);
    }
  });

  it("answers crawlers that train with a price and a license", () =>
    withApplication("A price or a license for training", async (ask) => {
      const { status, headers } = await ask(new Headers({ "user-agent": gptbot }));
      assert.equal(status, 402);
      assert.equal(headers.get("crawler-price"), "USD 0.01");
      assert.match(headers.get("link")!, /^<https:.*>; rel="license"; type="application\/rsl\+xml"$/);
      for (const passes of [firefox, chatgpt, semrush])
        assert.equal((await ask(new Headers({ "user-agent": passes }))).status, 404, passes);
    }));

  it("has a filter for fail2ban", { skip: needs("bash", "jq", "fail2ban-regex") }, () => {
    const log = join(folder, "access.log");
    const line = (agent: string, referrer = "-") =>
      `192.0.2.7 - - [06/Oct/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 512 "${referrer}" "${agent}"\n`;
    const agents = ["GPTBot/1.3", gptbot, "Mozilla/5.0 (compatible; CCBot/2.0; +https://commoncrawl.org/faq/)"];
    writeFileSync(
      log,
      agents.map((agent) => line(agent)).join("") + line(firefox, "https://a.example/GPTBot/") + line(chatgpt),
    );
    const [, script = ""] = /```sh\n(whocrawls export[\s\S]*?)```/.exec(page)!;
    const filter = join(folder, "ai-training.conf");
    const code = script
      .replace("whocrawls", `"${runtimes.Node}" "${root}dist/cli.js"`)
      .replace("/etc/fail2ban/filter.d/ai-training.conf", filter)
      .replace("/var/log/nginx/access.log ai-training", `${log} ${filter}`);
    const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", code], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^Lines: 5 lines, 0 ignored, 3 matched, 2 missed$/m);
  });
});
