/** Every page in a real browser: at three widths, by day and by night, for screen readers, without scripts. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { runtimes } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../server/service-process.ts";
import { isAll } from "../support/some-strings.ts";
import { firefox, googlebot } from "../support/user-agents.ts";
import {
  dependent,
  findAccessibilityProblems,
  openBrowser,
  openContext,
  standards,
  type Visit,
  visit,
} from "./browser.ts";

const useragents = [
  googlebot,
  firefox,
  "curl/8.5.0\npython-requests/2.32.3",
  "Mozilla/5.0 (compatible; MyNewCrawler/1.0; +https://example.org/crawler)",
  // Markup, a control character, an override of direction, and a name that is longer than a phone is wide.
  `<script>document.title="taken"</script>\u0007\u202eevil ${"Bot".repeat(200)}`,
];

const robots = `User-agent: GPTBot/1\nDisalow: /\nUser-agent: *\nDisallow: /${"long".repeat(100)}\n`;
const paths = [
  ...useragents.map((useragent) => `/?useragent=${encodeURIComponent(useragent)}`),
  `/robots?text=${encodeURIComponent(robots)}`,
  ..."/ /crawlers /crawlers?q=gptbot /crawlers/gptbot /crawlers/google-extended /crawlers/mynewcrawler".split(" "),
  ..."/crawlers/no-such-crawler /no-such-page /expression /docs /traffic /robots".split(" "),
];

/** `npm test` looks at one page of each kind by night, and asks axe about sizes once; --all at every page. */
const ofKinds = new Set([paths[0], "/crawlers/gptbot", "/traffic", "/expression", "/docs", "/robots", "/no-such-page"]);

/** For each look what axe is asked: everything once, for there is one document, and then what depends on widths and colors. */
const looks = [
  { width: 360, colorScheme: "light", rules: standards },
  { width: 800, colorScheme: "light", rules: ["target-size"] },
  { width: 1440, colorScheme: "dark", rules: dependent },
] as const;

/** The expression has thousands of parts of five kinds, which axe would measure one by one; resolves to how many are gone. */
function removeAlike(page: Page): Promise<number> {
  return page.evaluate(() => {
    const alike = document.querySelectorAll("pre span:nth-of-type(n + 100)");
    for (const part of alike) part.remove();
    return alike.length;
  });
}

describe("every page", () => {
  let browser: Browser;
  /** One page visits all addresses: a new one would start another process of the browser. */
  let visited: Visit;
  let service: ServiceProcess;

  before(async () => {
    [browser, service] = await Promise.all([
      openBrowser(),
      startService(runtimes.Bun, { WHOCRAWLS_RECORD: "memory:" }),
    ]);
    for (const useragent of useragents) {
      const headers = { "content-type": "application/json" };
      const request = { method: "POST", headers, body: JSON.stringify({ useragent }) };
      assert.equal((await fetch(`${service.url}/RestService/Check`, request)).status, 200);
    }
    visited = await visit(browser, "about:blank");
  });

  after(async () => {
    await visited?.page.context().close();
    service?.child.kill("SIGTERM");
  });

  for (const path of paths) {
    it(`${path.slice(0, 40)} fits every width, by day and by night, without a finding of axe`, async () => {
      const { page, messages } = visited;
      messages.length = 0;
      await page.goto(service.url + path);
      assert.notEqual(await page.title(), "taken");
      if (path === "/expression") assert.ok((await removeAlike(page)) > 1000);
      for (const { width, colorScheme, rules } of looks) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `wider than ${width}`);
        const hidden = await page.evaluate(() =>
          [...document.querySelectorAll(".top nav a")].filter(
            (link) => link.getBoundingClientRect().right > innerWidth,
          ),
        );
        assert.equal(hidden.length, 0, `the navigation is cut at ${width}`);
        if (isAll || width === 360 || ofKinds.has(path))
          assert.deepEqual(await findAccessibilityProblems(page, rules), [], `${width} ${colorScheme}`);
      }
      // Chromium itself reports an address that answers 404.
      const unexpected = messages.filter((text) => !(path.includes("no-such") && text.includes("404")));
      assert.deepEqual(unexpected, []);
    });
  }

  it("finds crawlers while one types, and goes back to all of them", async () => {
    const { page, messages } = await visit(browser, `${service.url}/crawlers`);
    await page.fill("#q", "perpl");
    await page.waitForSelector("#results p:has-text(' found') + .table :text('Perplexity-User')");
    await page.fill("#q", "perplexitybot");
    await page.waitForURL("**/crawlers?q=perplexitybot");
    await page.goBack();
    await page.waitForSelector("#results:has-text('AI training')");
    assert.equal(new URL(page.url()).search, "");
    assert.equal(await page.inputValue("#q"), "");
    assert.deepEqual(messages, []);
    await page.context().close();
  });

  it("reads well without scripts", async () => {
    const context = await openContext(browser, { javaScriptEnabled: false });
    const page = await context.newPage();
    for (const path of paths) {
      assert.match(
        await (await fetch(service.url + path, { headers: { accept: "text/html" } })).text(),
        /<h1[^>]*>\s*\S/,
        path,
      );
    }
    await page.goto(service.url);
    await page.fill("#useragent", "Mozilla/5.0 (compatible; GPTBot/1.2)");
    await page.click("button:text('Check')");
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
