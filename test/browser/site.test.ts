/** The site of `npm run site`, below a path of a plain web server: its links, its size, and what works in a browser, also without a connection. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { root, runtimes } from "../cli/command-line.ts";
import { until } from "../support/until.ts";
import { dependent, findAccessibilityProblems, openBrowser, standards, visit } from "./browser.ts";

const base = "/below/any/path/";
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

describe("the site without a server", () => {
  const folder = mkdtempSync(join(tmpdir(), "whocrawls-site-"));
  let files: readonly string[];
  let browser: Browser;
  let server: Server;
  let url: string;
  /** The bytes of every answer, by file. */
  const sent = new Map<string, number>();

  function serve(port = 0): Promise<Server> {
    const started = createServer((request, response) => {
      const name = new URL(request.url ?? "", "http://localhost").pathname.replace(base, "") || "index.html";
      if (!files.includes(name)) return response.writeHead(404).end();
      const bytes = readFileSync(join(folder, name));
      sent.set(name, bytes.length);
      response.writeHead(200, { "content-type": types[extname(name)] ?? "application/octet-stream" }).end(bytes);
    });
    return new Promise((resolve) => started.listen(port, "127.0.0.1", () => resolve(started)));
  }

  function stop(): Promise<void> {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  }

  before(async () => {
    [browser] = await Promise.all([openBrowser(), build(folder)]);
    files = globSync("**/*", { cwd: folder }).filter((name) => statSync(join(folder, name)).isFile());
    server = await serve();
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`;
  });

  after(async () => {
    if (server?.listening) await stop();
    rmSync(folder, { recursive: true });
  });

  it("has no dead link and no address outside its folder", () => {
    const pages = new Map(
      files.filter((name) => name.endsWith(".html")).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
    );
    let links = 0;
    for (const [name, page] of pages) {
      assert.doesNotMatch(page, /^&lt;!--/m, `${name} shows a comment`);
      for (const [, address = ""] of page.matchAll(/ (?:href|src|action)="([^"]*)"/g)) {
        if (/^https?:\/\/(?!localhost)/.test(address)) continue;
        const { origin, pathname, hash } = new URL(
          address.replaceAll("&amp;", "&").replaceAll("&#39;", "'"),
          `http://site${base}${name}`,
        );
        const target = pathname.slice(base.length) || "index.html";
        assert.ok(
          origin === "http://site" && pathname.startsWith(base) && files.includes(target),
          `${name}: ${address}`,
        );
        if (hash !== "")
          assert.ok(pages.get(target)?.includes(` id="${decodeURIComponent(hash.slice(1))}"`), `${name}: ${address}`);
        links++;
      }
    }
    assert.ok(pages.size > 180 && links > 2000, `${pages.size} pages, ${links} links`);
  });

  it("replaces no other folder, even with a service worker, and no file", async () => {
    const other = mkdtempSync(join(tmpdir(), "whocrawls-site-"));
    const worker = join(other, "service-worker.js");
    writeFileSync(worker, "// of another site");
    await assert.rejects(build(other), /ends with 2/);
    await assert.rejects(build(worker), /ends with 2/);
    assert.equal(readFileSync(worker, "utf8"), "// of another site");
    rmSync(other, { recursive: true });
  });

  it("takes at most 8 MB, of which its first page loads 800 kB", async () => {
    const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    assert.ok(bytes <= 8e6, `${bytes} bytes`);
    const { page } = await visit(browser, "about:blank", { serviceWorkers: "block" });
    sent.clear();
    await page.goto(url, { waitUntil: "networkidle" });
    const first = [...sent.values()].reduce((sum, size) => sum + size);
    assert.ok(first > 20_000 && first <= 800_000, `${first} bytes: ${[...sent.keys()]}`);
    await page.fill("#useragent", "curl/8.5.0");
    await page.waitForSelector(".verdict h2:has-text('curl, an HTTP library')");
    await page.context().close();
  });

  it("checks, scans and searches in the page", async () => {
    const { page, messages } = await visit(browser, `${url}?useragent=${encodeURIComponent("x GPTBot/1.0")}`, {
      serviceWorkers: "block",
    });
    await page.waitForSelector(".verdict .string:has-text('x GPTBot/1.0')");
    assert.equal(await page.inputValue("#useragent"), "x GPTBot/1.0");
    assert.equal(await page.getAttribute(".verdict dd a:text-is('GPTBot')", "href"), "crawlers/gptbot.html");
    await page.fill("#useragent", "ZyBorg/1.0");
    await page.waitForSelector(".verdict:has-text('the entry ZyBorg')");
    assert.equal(await page.locator(".verdict a:text-is('ZyBorg')").count(), 0, "it has no page");

    await page.click("#sample");
    await page.waitForSelector("#result:has-text('of 10,000 requests by crawlers')");
    const shown = await page.evaluate(
      () => document.querySelector("#report")?.shadowRoot?.querySelector(".report")?.innerHTML,
    );
    await page.goto(`${url}report.html`);
    assert.equal(shown, await page.evaluate(() => document.querySelector("main")?.innerHTML.trimStart()));

    await page.goto(`${url}crawlers.html?category=ai&page=2`);
    await page.waitForSelector("#results:has-text('page 2 of ')");
    assert.equal(await page.inputValue("#category"), "ai");
    await page.fill("#q", "perplexity-");
    await page.waitForSelector("#results:has-text('1 found')");
    await page.click("#results a:text-is('Perplexity-User')");
    assert.equal(await page.textContent("h1"), "Perplexity-User");

    await page.goto(`${url}robots.html`);
    await page.fill("#text", "User-agent: GPTBot\nDisallow: /\n");
    await page.click("#result tr:has-text('blocked') a:text-is('GPTBot')");
    assert.equal(await page.textContent("h1"), "GPTBot");
    assert.deepEqual(messages.filter(isUnexpected), []);
    await page.context().close();
  });

  it("fits phones and screens, by day and by night, without a finding of axe", async () => {
    const { page, messages } = await visit(browser, "about:blank", { serviceWorkers: "block" });
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    for (const [width, colorScheme, rules, names] of [
      [360, "light", standards, ["", "crawlers.html", "documents.html", "documents/verification.html"]],
      [360, "dark", dependent, ["documents/scan.html"]],
      [1280, "light", dependent, ["documents/scan.html"]],
      [1280, "dark", dependent, ["", "documents/verification.html"]],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      for (const name of names) {
        await page.goto(url + name);
        assert.ok(await fits(), `${name} is wider than ${width}`);
        assert.deepEqual(await findAccessibilityProblems(page, rules), [], `${name} ${width} ${colorScheme}`);
      }
    }
    await page.setViewportSize({ width: 360, height: 900 });
    for (const name of files.filter((name) =>
      /^(?:documents\/[^/]+|docs|robots|crawlers\/google[^/]*)\.html$/.test(name),
    )) {
      await page.goto(url + name);
      assert.ok(await fits(), `${name} is wider than 360`);
    }
    assert.deepEqual(messages.filter(isUnexpected), []);
    await page.context().close();
  });

  it("works without a connection after the first load, and shows a new version at the next", async () => {
    const { page, messages } = await visit(browser, url);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const { port } = server.address() as AddressInfo;
    await stop();
    await page.fill("#useragent", "curl/8.5.0");
    await page.waitForSelector(".verdict h2:has-text('curl, an HTTP library')");
    for (const [name, title] of [
      ["crawlers/gptbot.html", "GPTBot"],
      ["documents/scan.html", "Log files: whocrawls scan"],
      ["report.html", "Crawlers in sample.log"],
    ] as const) {
      await page.goto(url + name);
      assert.equal(await page.textContent("h1"), title);
    }
    await page.goto(`${url}?useragent=Googlebot`);
    await page.waitForSelector(".verdict h2:has-text('Googlebot')");
    assert.deepEqual(messages.filter(isUnexpected), []);

    const version = () => page.evaluate(async () => (await caches.keys()).map((name) => name.split(" ")[2]));
    const [old = ""] = await version();
    const change = (name: string, from: string | RegExp, to: string): void => {
      const text = readFileSync(join(folder, name), "utf8");
      assert.notEqual(text.search(from), -1);
      writeFileSync(join(folder, name), text.replaceAll(from, to));
    };
    change("index.html", "<h1>Check user agents</h1>", "<h1>Another version</h1>");
    change("service-worker.js", old, "other");
    // A version with few files is stored sooner.
    change("service-worker.js", /\["\.\/",[^\]]*\]/g, '["./"]');
    server = await serve(port);
    await page.goto(url);
    assert.equal(await page.textContent("h1"), "Another version");
    const waiting = () => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting?.state);
    await until(async () => (await waiting()) === "installed");
    assert.deepEqual(await version(), [old, "other"]);
    // It takes over when no page uses the old one.
    await until(async () => {
      await page.goto("about:blank");
      await setTimeout(100);
      await page.goto(url);
      return (await version()).join() === "other";
    });
    await page.context().close();
  });
});

/** Playwright reports where it keeps a worker out, for tests of one page at a time. */
function isUnexpected(message: string): boolean {
  return message !== "warning: Service Worker registration blocked by Playwright";
}

function build(folder: string): Promise<void> {
  const child = spawn(runtimes.Bun, ["build/site/main.ts", "--out", folder], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`npm run site ends with ${code}`))));
  });
}
