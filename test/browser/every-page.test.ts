/** Every page in a real browser: at three widths, by day and by night, for screen readers, without scripts. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { runtimes } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../host/service-process.ts";
import { findAccessibilityProblems, startBrowser, visit } from "./browser.ts";

const useragents = [
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0",
  "curl/8.5.0\npython-requests/2.32.3",
  // Markup, a control character, an override of direction, and a name that is longer than a phone is wide.
  `<script>document.title="taken"</script>\u0007\u202eevil ${"Bot".repeat(200)}`,
];

const paths = [
  "/",
  ...useragents.map((useragent) => `/?useragent=${encodeURIComponent(useragent)}`),
  "/crawlers",
  "/crawlers?q=gptbot",
  "/crawlers/gptbot",
  "/crawlers/no-such-crawler",
  "/expression",
  "/docs",
  "/traffic",
];

describe("every page", () => {
  let browser: Browser;
  let service: ServiceProcess;

  before(async () => {
    [browser, service] = await Promise.all([
      startBrowser(),
      startService(runtimes.Bun, { WHOCRAWLS_RECORD: "memory:" }),
    ]);
    for (const useragent of useragents) {
      const response = await fetch(`${service.url}/RestService/Check`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ useragent }),
      });
      assert.equal(response.status, 200);
    }
  });

  after(async () => {
    await browser?.close();
    service?.child.kill("SIGTERM");
  });

  for (const width of [360, 800, 1440]) {
    for (const colorScheme of ["light", "dark"] as const) {
      it(`fits ${width} pixels, ${colorScheme}`, async () => {
        for (const path of paths) {
          const options = { viewport: { width, height: 900 }, colorScheme };
          const { page, messages } = await visit(browser, service.url + path, options);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(overflow <= 0, `${path} is ${overflow} pixels too wide`);
          assert.notEqual(await page.title(), "taken");
          // Chromium itself reports an address that answers 404.
          const unexpected = messages.filter((text) => !(path.includes("no-such") && text.includes("404")));
          assert.deepEqual(unexpected, [], path);
          await page.context().close();
        }
      });
    }
  }

  it("has nothing that axe finds wrong", async () => {
    for (const path of paths) {
      for (const options of [
        { viewport: { width: 360, height: 800 }, colorScheme: "light" },
        { viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
      ] as const) {
        const { page } = await visit(browser, service.url + path, options);
        assert.deepEqual(await findAccessibilityProblems(page), [], `${path}, ${options.colorScheme}`);
        await page.context().close();
      }
    }
  });

  it("reads well without scripts", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    for (const path of paths) {
      await page.goto(service.url + path);
      assert.notEqual(((await page.textContent("h1")) ?? "").trim(), "", path);
    }
    await page.goto(service.url);
    await page.fill("#useragent", "Mozilla/5.0 (compatible; GPTBot/1.2)");
    await page.click("text=Check");
    assert.match((await page.textContent(".verdict h2")) ?? "", /^GPTBot, OpenAI's AI training crawler$/);
    await page.goto(`${service.url}/crawlers`);
    await page.fill("#q", "perplexity");
    await page.click("button:text('Search')");
    await page.click("text=PerplexityBot");
    assert.equal(await page.textContent("h1"), "PerplexityBot");
    assert.match((await page.textContent(".snippet pre")) ?? "", /User-agent: PerplexityBot\nDisallow: \//);
    await context.close();
  });
});
