/** The site of `npm run site`, below a path of a plain web server: its links, its size, and what works in a browser. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { globSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { root, runtimes } from "../cli/command-line.ts";
import { temporary } from "../support/temporary.ts";
import { dependent, findAccessibilityProblems, openBrowser, standards, visit } from "./browser.ts";

const base = "/below/any/path/";
const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

describe("the site without a server", () => {
  const folder = join(temporary(), "site");
  let files: readonly string[];
  let browser: Browser;
  let server: Server;
  let url: string;
  /** The bytes of every answer, by file. */
  const sent = new Map<string, number>();

  function serve(): Promise<Server> {
    const started = createServer((request, response) => {
      const name = new URL(request.url ?? "", "http://localhost").pathname.replace(base, "") || "index.html";
      if (!files.includes(name)) return response.writeHead(404).end();
      const bytes = readFileSync(join(folder, name));
      sent.set(name, bytes.length);
      response.writeHead(200, { "content-type": types[extname(name)] ?? "application/octet-stream" }).end(bytes);
    });
    return new Promise((resolve) => started.listen(0, "127.0.0.1", () => resolve(started)));
  }

  before(async () => {
    [browser] = await Promise.all([openBrowser(), build(folder)]);
    files = globSync("**/*", { cwd: folder }).filter((name) => statSync(join(folder, name)).isFile());
    server = await serve();
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`;
  });

  after(() => {
    server?.close().closeAllConnections();
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
        const plain = address.replaceAll("&amp;", "&").replaceAll("&#39;", "'");
        const { origin, pathname, hash } = new URL(plain, `http://site${base}${name}`);
        const target = pathname.slice(base.length) || "index.html";
        const isInside = origin === "http://site" && pathname.startsWith(base);
        assert.ok(isInside && files.includes(target), `${name}: ${address}`);
        if (hash !== "")
          assert.ok(pages.get(target)?.includes(` id="${decodeURIComponent(hash.slice(1))}"`), `${name}: ${address}`);
        links++;
      }
    }
    assert.ok(pages.size > 180 && links > 2000, `${pages.size} pages, ${links} links`);
  });

  it("replaces no folder", () => assert.rejects(build(folder), /ends with 2/));

  it("takes at most 8 MB, of which its first page loads 800 kB", async () => {
    const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    assert.ok(bytes <= 8e6, `${bytes} bytes`);
    const { page } = await visit(browser, "about:blank");
    sent.clear();
    await page.goto(url, { waitUntil: "networkidle" });
    const first = [...sent.values()].reduce((sum, size) => sum + size);
    assert.ok(first > 20_000 && first <= 800_000, `${first} bytes: ${[...sent.keys()]}`);
    await page.fill("#useragent", "curl/8.5.0");
    await page.waitForSelector(".verdict h2:has-text('curl, an HTTP library')");
    await page.context().close();
  });

  it("checks, scans and searches in the page", async () => {
    const { page, messages } = await visit(browser, `${url}?useragent=${encodeURIComponent("x GPTBot/1.0")}`);
    await page.waitForSelector(".verdict .string:has-text('x GPTBot/1.0')");
    assert.equal(await page.inputValue("#useragent"), "x GPTBot/1.0");
    assert.equal(await page.getAttribute(".verdict dd a:text-is('GPTBot')", "href"), "crawlers/gptbot.html");
    await page.fill("#useragent", "ZyBorg/1.0");
    await page.waitForSelector(".verdict:has-text('the entry ZyBorg')");
    assert.equal(await page.locator(".verdict a:text-is('ZyBorg')").count(), 0, "it has no page");

    await page.click("#sample");
    await page.waitForSelector("#result:has-text('of 10,000 requests by crawlers')");
    const shown = await page.locator("#report .report").innerHTML();
    const section = page.locator("#report details.section").first();
    const id = await section.locator("> div").getAttribute("id");
    await section.evaluate((element) => element.removeAttribute("open"));
    await page.click("#report .contents summary");
    await page.click(`#report nav a[href='#${id}']`);
    assert.notEqual(await section.getAttribute("open"), null, "a link within the report opens its section");
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
    assert.deepEqual(messages, []);
    await page.context().close();
  });

  it("fits phones and screens, by day and by night, without a finding of axe", async () => {
    const { page, messages } = await visit(browser, "about:blank");
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
    for (const name of files) {
      if (!/^(?:documents\/[^/]+|docs|robots|crawlers\/google[^/]*)\.html$/.test(name)) continue;
      await page.goto(url + name);
      assert.ok(await fits(), `${name} is wider than 360`);
    }
    assert.deepEqual(messages, []);
    await page.context().close();
  });
});

function build(folder: string): Promise<void> {
  const args = ["build/site/main.ts", "--out", folder];
  const child = spawn(runtimes.Bun, args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`npm run site ends with ${code}`))));
  });
}
