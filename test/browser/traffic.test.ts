/** The traffic page in a real browser: it updates itself while it is visible, and asks for a token if one is needed. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { runtimes, testedOn } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../server/service-process.ts";
import { openBrowser, visit } from "./browser.ts";

async function check(service: ServiceProcess, useragent: string, token?: string): Promise<void> {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const request = { method: "POST", headers, body: JSON.stringify({ useragent }) };
  assert.equal((await fetch(`${service.url}/RestService/Check`, request)).status, 200);
}

describe("the traffic page", () => {
  let browser: Browser;

  before(async () => {
    browser = await openBrowser();
  });

  for (const [name, runtime] of testedOn()) {
    it(`follows what is checked, on ${name}`, async () => {
      const service = await startService(runtime, { WHOCRAWLS_RECORD: "memory:" });
      const { page, messages } = await visit(browser, `${service.url}/traffic`);
      await page.clock.install();
      await page.reload();
      await page.waitForSelector("h2:has-text('Connect your site')");
      assert.equal(await page.locator(".connect .copy").count(), 3);
      assert.equal(await page.isVisible("#chart"), false);
      await page.waitForSelector("#live:has-text('Live')");
      await check(service, "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)");
      await page.clock.runFor(10_000);
      await page.waitForSelector(".totals:has-text('1 request · 1 by crawlers')");
      await page.click("#chart summary");

      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.evaluate(() => Object.defineProperty(document, "hidden", { value: true, configurable: true }));
      await check(service, "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0");
      await page.clock.runFor(60_000);
      assert.deepEqual(asked, [], "a hidden page asks for nothing");
      await page.evaluate(() => {
        Object.defineProperty(document, "hidden", { value: false });
        document.dispatchEvent(new Event("visibilitychange"));
      });
      await page.waitForSelector(".totals:has-text('2 requests · 1 by crawlers (50.0%) · 1 by people')");
      assert.equal(asked.length, 1);
      assert.ok((await page.textContent(".cards"))?.includes("GPTBot"));
      const chart = await page.getByRole("img", { name: "Requests over time" }).boundingBox();
      assert.ok(chart !== null && chart.width > 300, JSON.stringify(chart));
      const column = page.locator("#chart .column:has-text('1 by crawlers')");
      assert.match((await column.textContent()) ?? "", /^\d{4}-\d\d-\d\d \d\d:00: 1 by crawlers, [01] by people$/);
      await column.hover();
      assert.equal(await column.evaluate((element) => getComputedStyle(element).fillOpacity), "0.2");
      assert.ok(await page.isVisible("#intervals td:text-is('1')"), "the table is still open");
      await page.setViewportSize({ width: 360, height: 900 });
      const isCut = () =>
        [...document.querySelectorAll("main *")].some((one) => one.getBoundingClientRect().right > innerWidth);
      assert.equal(await page.evaluate(isCut), false);
      assert.ok(await page.isVisible("#chart .plot"));
      assert.deepEqual(messages, []);
      const byCrawler = await page.context().newPage();
      await byCrawler.goto(`${service.url}/traffic`);
      await byCrawler.click(".cards a:has-text('GPTBot')");
      assert.equal(await byCrawler.textContent("h1"), "GPTBot");
      await byCrawler.close();
      service.child.kill("SIGTERM");
      assert.equal(await service.ended, 0);
      await page.clock.runFor(10_000);
      await page.waitForSelector("#live:has-text('Not live')");
      await page.context().close();
    });
  }

  it("asks for a token where one is needed", async () => {
    const token = "a-token-for-reading";
    const environment = { WHOCRAWLS_RECORD: "memory:", WHOCRAWLS_LIST_EVALUATED: "token", WHOCRAWLS_LIST_TOKEN: token };
    const service = await startService(runtimes.Bun, environment);
    await check(service, "curl/8.5.0");
    const { page } = await visit(browser, `${service.url}/traffic`);
    assert.equal(await page.textContent("h1"), "Sign in");
    await page.fill("#token", "wrong");
    await page.press("#token", "Enter");
    await page.waitForSelector("text=This token is not valid here");
    await page.fill("#token", token);
    await page.press("#token", "Enter");
    await page.waitForSelector(".totals:has-text('1 request ')");
    const [cookie] = await page.context().cookies();
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, "Strict"]);
    assert.equal((await fetch(`${service.url}/traffic`)).status, 401);
    await page.context().close();
    service.child.kill("SIGTERM");
    await service.ended;
  });
});
