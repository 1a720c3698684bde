/** A headless browser is known by its client hints, over HTTPS, even with another user agent. */
import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { signalsOf } from "../../src/verify.ts";
import { listenHttps, type TestServer } from "../verify/https-server.ts";
import { openBrowser, openContext } from "./browser.ts";

describe("the headless Chromium from npm", () => {
  let browser: Browser;
  let server: TestServer;
  const seen: { readonly path: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];

  before(async () => {
    server = await listenHttps(({ url: path, headers }, response) => {
      seen.push({ path, headers });
      response.setHeader("content-type", "text/html");
      response.end('<!doctype html><link rel="icon" href="data:,"><img src="/image">');
    });
    browser = await openBrowser();
  });
  after(() => server?.close());

  async function idsOf(userAgent?: string): Promise<readonly (readonly string[])[]> {
    seen.length = 0;
    const context = await openContext(browser, { ignoreHTTPSErrors: true, ...(userAgent && { userAgent }) });
    const page = await context.newPage();
    await page.goto(`https://localhost:${server.port}/`);
    await context.close();
    assert.equal(seen.map(({ path }) => path).join(), "/,/image");
    return seen.map(({ headers }) =>
      signalsOf(headers["user-agent"], headers as Record<string, string>).map(({ id }) => id),
    );
  }

  it("raises client-hints-headless with pages and images", async () => {
    assert.deepEqual(await idsOf(), [["client-hints-headless"], ["client-hints-headless"]]);
  });

  it("raises more with the user agents of other browsers, which its other fields do not fit", async () => {
    const system = "Mozilla/5.0 (Windows NT 10.0; Win64; x64";
    const chrome = `${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/100.0.0.0 Safari/537.36`;
    const headless = ["client-hints-headless"];
    assert.deepEqual(await idsOf(chrome), [
      ["client-hints-version", ...headless, "no-accept-language"],
      ["client-hints-version", ...headless],
    ]);
    assert.deepEqual(await idsOf(`${system}; rv:153.0) Gecko/20100101 Firefox/153.0`), [
      ["client-hints-unexpected", ...headless, "no-accept-language"],
      ["client-hints-unexpected", ...headless],
    ]);
  });
});
