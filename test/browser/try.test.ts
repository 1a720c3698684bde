/** The page at `/` as people use it: by keyboard, with many strings, with a log, with hostile ones, with the service gone. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { check } from "../../src/index.ts";
import { runtimes } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../host/service-process.ts";
import { startBrowser, visit } from "./browser.ts";

describe("the page that tries strings", () => {
  let browser: Browser;
  let service: ServiceProcess;

  before(async () => {
    [browser, service] = await Promise.all([startBrowser(), startService(runtimes.Bun)]);
  });

  after(async () => {
    await browser?.close();
    service?.child.kill("SIGTERM");
  });

  it("begins with the visitor's own user agent, on which page and service agree", async () => {
    const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
    const { page, messages } = await visit(browser, service.url, { userAgent });
    assert.equal(await page.inputValue("#useragent"), userAgent);
    assert.equal(await page.textContent(".badge"), "Not a crawler");
    await page.waitForSelector("text=The service agrees");
    assert.deepEqual(messages, []);
    await page.context().close();
  });

  it("decides while one types, by keyboard alone, and keeps the string in the address", async () => {
    const { page, messages } = await visit(browser, service.url);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("curl/8.5.0");
    await page.waitForSelector(".verdict h2:has-text('curl, an HTTP library')");
    assert.equal(await page.textContent("mark"), check("curl/8.5.0").crawler ? "curl/" : "");
    assert.equal(new URL(page.url()).searchParams.get("useragent"), "curl/8.5.0");
    assert.match((await page.textContent("#curl")) ?? "", /-d '\{"useragent":"curl\/8\.5\.0"\}'/);
    await page.waitForSelector("text=The service agrees");
    assert.deepEqual(messages, []);
    await page.context().close();
  });

  it("shows hostile strings harmlessly", async () => {
    const hostile = `<img src=x onerror=alert(1)>'"&\u202eevil\u0000\u009b Bot\ud800/1.0`;
    const { page, messages } = await visit(browser, service.url);
    page.on("dialog", () => assert.fail("a string was run as a script"));
    await page.fill("#useragent", hostile);
    await page.waitForSelector(".verdict.is-crawler .control");
    const shown = (await page.textContent(".verdict .string")) ?? "";
    for (const part of ["<img src=x onerror=alert(1)>", "U+202E", "U+009B"]) assert.ok(shown.includes(part), shown);
    assert.equal(await page.locator(".verdict img").count(), 0);
    assert.deepEqual(messages, []);
    await page.context().close();
  });

  it("makes a table and CSV of many strings", async () => {
    const { page } = await visit(browser, service.url);
    await page.fill(
      "#useragent",
      ["curl/8.5.0", "=1+1 bot", "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0"].join("\n"),
    );
    await page.waitForSelector(".summary h2:has-text('3 strings, 2 by crawlers (67 %)')");
    assert.equal(await page.locator(".summary tbody tr").count(), 3);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download CSV")]);
    const lines = readFileSync(await download.path(), "utf8").split("\r\n");
    assert.equal(lines[0], "useragent,crawler,name,operator,category,purposes,url");
    assert.equal(lines.length, 5);
    assert.ok(lines[2]?.startsWith("'=1+1 bot,true"), "a spreadsheet must not take it for a formula");
    await page.context().close();
  });

  it("scans a log in the page and sends it nowhere", async () => {
    const line = (useragent: string) =>
      `203.0.113.9 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 512 "-" "${useragent}"\n`;
    const log =
      line("curl/8.5.0").repeat(30) +
      line("Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0").repeat(70);
    const { page } = await visit(browser, service.url);
    await page.waitForSelector("text=The service agrees");
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.setInputFiles("#file", { name: "access.log", mimeType: "text/plain", buffer: Buffer.from(log) });
    await page.waitForSelector("text=30 of 100 requests");
    assert.deepEqual(
      sent.filter((request) => !request.startsWith("GET /assets/")),
      [],
    );
    await page.context().close();
  });

  it("goes on without the service", async () => {
    const gone = await startService(runtimes.Bun);
    const { page } = await visit(browser, gone.url);
    await page.fill("#useragent", "first");
    await page.waitForSelector(".verdict h2");
    gone.child.kill("SIGKILL");
    await gone.ended;
    await page.fill("#useragent", "Mozilla/5.0 (compatible; Googlebot/2.1)");
    await page.waitForSelector(".verdict h2:has-text('Googlebot')");
    await page.waitForSelector("text=The service does not answer");
    await page.context().close();
  });
});
