/** The page at `/` as people use it: by keyboard, with many strings, with a log, with hostile ones, with the service gone. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { check } from "../../src/index.ts";
import { runtimes, runWhocrawls } from "../cli/command-line.ts";
import { type ServiceProcess, startService } from "../server/service-process.ts";
import { temporary } from "../support/temporary.ts";
import { firefox } from "../support/user-agents.ts";
import { findAccessibilityProblems, openBrowser, type Visit, visit } from "./browser.ts";

describe("the page that tries strings", () => {
  let browser: Browser;
  let service: ServiceProcess;
  let shared: Visit;
  const folder = temporary();

  before(async () => {
    [browser, service] = await Promise.all([openBrowser(), startService(runtimes.Bun)]);
    shared = await visit(browser, service.url);
  });

  /** Opens the page anew in one tab, which has its files already. */
  async function open(address = service.url, viewport = { width: 1280, height: 720 }): Promise<Visit> {
    shared.messages.length = 0;
    await shared.page.setViewportSize(viewport);
    await shared.page.goto(address);
    return shared;
  }

  after(async () => {
    await shared?.page.context().close();
    service?.child.kill("SIGTERM");
  });

  it("begins with the visitor's own user agent", async () => {
    const { page, messages } = await visit(browser, service.url, { userAgent: firefox });
    assert.equal(await page.inputValue("#useragent"), firefox);
    assert.equal(await page.textContent(".badge"), "Not a crawler");
    assert.equal(await page.isVisible("text=This is yours:"), true);
    await page.fill("#useragent", "other/1.0");
    assert.equal(await page.isVisible("text=This is yours:"), false);
    assert.deepEqual(messages, []);
    await page.context().close();
  });

  it("loads at most 60 kB of modules before the first key, and names when they are needed", async () => {
    const { page } = await visit(browser, service.url, { userAgent: firefox });
    const sizes = () =>
      page.evaluate(() =>
        performance
          .getEntriesByType("resource")
          .filter(({ name }) => name.endsWith(".js"))
          .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
      );
    await page.waitForLoadState("networkidle");
    const first = await sizes();
    const bytes = first.reduce((sum, size) => sum + size, 0);
    assert.ok(first.length >= 2 && bytes > 20_000 && bytes <= 60_000, `${first}`);
    // What an exception holds back takes the tables of names, too, and waits until nobody types.
    await page.fill("#useragent", `${firefox} CUBOT_X18_Plus`);
    await page.waitForSelector(".verdict.is-person:has-text('These matches are excluded by exceptions')");
    assert.ok((await sizes()).length > first.length);
    await page.context().close();
  });

  it("says what it cannot load without the service", async () => {
    const gone = await startService(runtimes.Bun);
    const { page } = await visit(browser, gone.url);
    await page.waitForLoadState("networkidle");
    gone.child.kill("SIGKILL");
    await gone.ended;
    await page.fill("#useragent", "GPTBot/1.2");
    await page.waitForSelector(".verdict.is-crawler h2:has-text('A crawler')");
    await page.waitForSelector("#note:has-text('Names and explanations cannot be loaded')");
    await page.context().close();
  });

  it("decides while one types, by keyboard alone, and keeps the string in the address", async () => {
    const { page, messages } = await open();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("curl/8.5.0");
    await page.waitForSelector(".verdict h2:has-text('curl, an HTTP library')");
    assert.equal(await page.textContent("mark"), check("curl/8.5.0").crawler ? "curl/" : "");
    assert.equal(new URL(page.url()).searchParams.get("useragent"), "curl/8.5.0");
    assert.match((await page.textContent("#command")) ?? "", /-d '\{"useragent":"curl\/8\.5\.0"\}'/);
    assert.deepEqual(messages, []);
  });

  it("shows hostile strings harmlessly", async () => {
    const hostile = `<img src=x onerror=alert(1)>'"&\u202eevil\u0000\u009b Bot\ud800/1.0`;
    const { page, messages } = await open();
    page.on("dialog", () => assert.fail("a string was run as a script"));
    await page.fill("#useragent", hostile);
    await page.waitForSelector(".verdict.is-crawler .control");
    const shown = (await page.textContent(".verdict .string")) ?? "";
    for (const part of ["<img src=x onerror=alert(1)>", "U+202E", "U+009B"]) assert.ok(shown.includes(part), shown);
    assert.equal(await page.locator(".verdict img").count(), 0);
    assert.deepEqual(messages, []);
  });

  it("groups many strings by crawler, filters them, and saves those as CSV", async () => {
    const { page, messages } = await open(service.url, { width: 360, height: 800 });
    await page.fill("#useragent", ["curl/8.5.0", "=1+1 bot", firefox].join("\n"));
    await page.waitForSelector(".summary h2:has-text('3 strings, 2 by crawlers (67%)')");
    assert.equal(await page.locator(".summary tbody tr").count(), 3);
    await page.fill("#filter", "bot");
    await page.waitForSelector("text=1 of 3");
    assert.equal(await page.locator(".summary tbody tr").count(), 1);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download CSV")]);
    const lines = readFileSync(await download.path(), "utf8").split("\r\n");
    assert.equal(lines[0], "useragent,crawler,name,operator,maker,category,purposes,url");
    assert.equal(lines.length, 3);
    assert.ok(lines[1]?.startsWith("'=1+1 bot,true"), "a spreadsheet must not take it for a formula");
    assert.match((await page.textContent("#command")) ?? "", /CheckMany/);

    const toBot = (_: unknown, index: number) => `Mozilla/5.0 (compatible; Bot${index % 90}Crawler/1.${index})`;
    const many = Array.from({ length: 5000 }, toBot);
    await setField(page, many.join("\n"));
    await page.waitForSelector(".summary h2:has-text('5,000 strings, 5,000 by crawlers (100%)')");
    assert.equal(await page.locator(".summary tbody tr").count(), 50);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(height < 12_000, `${height} pixels`);
    await page.click("summary:has-text('55 others') >> nth=0");
    assert.equal(await page.locator(".groups details[open] li").count(), 21);
    assert.deepEqual(messages, []);
  });

  it("says nothing of an empty field, and has the command of what is in it", async () => {
    const { page } = await open(`${service.url}/?useragent=`);
    for (const text of ["first/1.0", "", "second/1.0 O'Brien", " "]) {
      await page.fill("#useragent", text);
      if (text.trim() === "") await page.waitForSelector("#result:has-text('The verdict appears here')");
      else await page.waitForSelector(`.verdict .string:has-text("${text}")`);
      const sent = /-d '(.*)'/.exec((await page.textContent("#command")) ?? "")?.[1] ?? "";
      assert.deepEqual(JSON.parse(sent), { useragent: text });
      assert.equal(await page.locator(".badge").count(), text.trim() === "" ? 0 : 1);
    }
  });

  const agents = ["curl/8.5.0", firefox];
  const log = Array.from({ length: 100 }, (_, index) => {
    const agent = index < 30 ? agents[0] : agents[1];
    const second = String(index % 60).padStart(2, "0");
    return `203.0.113.9 - - [21/Nov/2026:10:0${index % 10}:${second} +0000] "GET /${index % 7} HTTP/1.1" 200 512 "-" "${agent}"\n`;
  }).join("");

  it("shows of a log what whocrawls scan writes, and sends it nowhere", async () => {
    const { page, messages } = await open();
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.setInputFiles("#file", { name: "access.log", mimeType: "text/plain", buffer: Buffer.from(log) });
    await page.waitForSelector("text=30 of 100 requests");
    for (const request of sent) assert.match(request, /^GET \/assets\//);
    const shown = await page.locator("#report .report").innerHTML();
    writeFileSync(join(folder, "access.log"), log);
    const { stdout } = await runWhocrawls(runtimes.Bun, ["scan", "--format", "html", join(folder, "access.log")]);
    const file = await page.context().newPage();
    await file.setContent(stdout);
    assert.equal(shown, await file.evaluate(() => document.querySelector("main")?.innerHTML.trimStart()));
    assert.deepEqual(await colorOf(page, "#report"), await colorOf(file, "main"));
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Save the report")]);
    assert.equal(readFileSync(await download.path(), "utf8"), stdout);
    await file.close();
    assert.deepEqual(await findAccessibilityProblems(page), []);
    assert.equal(await page.textContent("#command"), "npx whocrawls scan access.log");
    await page.fill("#useragent", "curl/8.5.0");
    await page.waitForSelector(".verdict");
    assert.equal(await page.isVisible("#report"), false);
    assert.deepEqual(messages, []);
  });

  it("knows lines of a log that are pasted, and keeps them out of the address", async () => {
    const { page } = await open();
    await setField(page, log);
    await page.waitForSelector("text=30 of 100 requests by crawlers (30.0%)");
    assert.equal(await page.locator("#report h1").textContent(), "Crawlers in the pasted lines");
    assert.equal(new URL(page.url()).search, "");
    assert.match((await page.textContent("#result")) ?? "", /\bcombined\b/);
    await setField(page, log.slice(0, log.indexOf("\n")));
    await page.waitForSelector("text=1 of 1 requests by crawlers (100.0%)");
    await setField(page, agents.join("\n"));
    await page.waitForSelector("text=2 strings, 1 by crawlers");
  });

  it("says in words for a person what it cannot scan", async () => {
    const { page } = await open();
    const prose = "It was a bright cold day in April.\nThe clocks were striking.\n";
    for (const [name, text, says] of [
      ["common.log", log.replace(/ "-" ".*"$/gm, ""), "This log has no user agents"],
      ["haproxy.log", haproxy, "http-request capture req.hdr(User-Agent)"],
      ["a.json", '{"a":1}\n{"a":2}\n', "The format of this log is unknown"],
      ["prose.txt", prose, "Known formats: traefik, haproxy-clf"],
      ["empty.log", "", "empty.log is empty"],
      ["damaged.log.gz", new Uint8Array([0x1f, 0x8b, 8, 0, 1]), "damaged.log.gz cannot be read"],
      ["a.log.bz2", "BZh91AY&SY", "a.log.bz2 is compressed with bzip2"],
      ["a.zip", "PK\u0003\u0004", "a.zip is compressed with ZIP"],
    ] as const) {
      await page.setInputFiles("#file", { name, mimeType: "text/plain", buffer: Buffer.from(text) });
      await page.waitForSelector(`#result:has-text("${says}")`);
      assert.doesNotMatch((await page.textContent("#result")) ?? "", /--/, name);
      assert.equal(await page.isVisible("#report"), false, name);
    }
  });

  it("reads gzip by its first bytes, what there is of a log that is cut, and the first of several files", async () => {
    const { page } = await open();
    const lines = log.trimEnd().split("\n");
    const other = () => lines.map((line) => line.replace("GET /", `GET /${Math.random()}`));
    const long = Array.from({ length: 600 }, other).flat();
    const packed = gzipSync(`${long.join("\n")}\n`);
    await page.setInputFiles("#file", { name: "access.log.2", mimeType: "", buffer: packed });
    await page.waitForSelector("text=18,000 of 60,000 requests");
    await page.setInputFiles("#file", { name: "plain.gz", mimeType: "", buffer: Buffer.from(log) });
    await page.waitForSelector("text=30 of 100 requests");
    const cut = packed.subarray(0, packed.length - 2000);
    await page.setInputFiles("#file", { name: "cut.gz", mimeType: "", buffer: cut });
    await page.waitForSelector(".error:has-text('Only the beginning was read.')");
    assert.match((await page.textContent("#result h2")) ?? "", /^1\d,\d{3} of [3-5]\d,\d{3} requests by crawlers/);
    await page.evaluate(
      ([first = "", second = ""]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([first], "first.log"));
        dataTransfer.items.add(new File([second], "second.log"));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
      },
      [log, ""],
    );
    await page.waitForSelector("text=Only first.log was read, the first of 2 files");
    await page.waitForSelector("text=30 of 100 requests");
  });

  it("marks where a file can be dropped while it is dragged, and scans it there", async () => {
    const { page } = await open();
    const outline = () =>
      page.evaluate(() => getComputedStyle(document.querySelector("#useragent") as Element).outlineStyle);
    const data = await page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "dropped.log"));
      return transfer;
    }, log);
    const fire = (type: string) => page.dispatchEvent("h1", type, { dataTransfer: data });
    assert.equal(await outline(), "none");
    await fire("dragenter");
    assert.equal(await outline(), "dashed");
    await fire("dragleave");
    assert.equal(await outline(), "none");
    await fire("dragenter");
    await fire("drop");
    assert.equal(await outline(), "none");
    await page.waitForSelector("text=30 of 100 requests");
  });

  it("links below the path that the service is mounted at, and goes on without the service", async () => {
    const mounted = await startService(runtimes.Bun, { WHOCRAWLS_BASE_PATH: "/bots" });
    const { page } = await open(`${new URL(mounted.url).origin}/bots/`);
    await page.fill("#useragent", "GPTBot/1.2");
    await page.waitForSelector(".verdict h2:has-text('GPTBot')");
    await page.click(".verdict a:has-text('GPTBot')");
    assert.equal(new URL(page.url()).pathname, "/bots/crawlers/gptbot");
    assert.equal(await page.textContent("h1"), "GPTBot");
    await page.goBack();
    mounted.child.kill("SIGKILL");
    await mounted.ended;
    await page.fill("#useragent", "Mozilla/5.0 (compatible; Googlebot/2.1)");
    await page.waitForSelector(".verdict h2:has-text('Googlebot')");
  });
});

const haproxy = Array.from({ length: 5 }, (_, index) => {
  const time = `21/Nov/2026:10:00:0${index}.123`;
  return `203.0.113.9:5000${index} [${time}] web app/one 0/0/1/2/3 200 512 - - ---- 1/1/0/0/0 0/0 "GET / HTTP/1.1"\n`;
}).join("");

/** What a paste does: filling a field as a keyboard would takes a second for each thousand lines. */
function setField(page: Page, text: string): Promise<void> {
  return page.evaluate((value) => {
    const field = document.querySelector("#useragent") as HTMLTextAreaElement;
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }, text);
}

/** How the bars of a report look, in the page or in a shadow tree. */
function colorOf(page: Page, selector: string): Promise<readonly string[]> {
  return page.evaluate((selector) => {
    const place = document.querySelector(selector) as Element;
    const bar = (place.shadowRoot ?? place).querySelector("td.bar rect") as Element;
    const { fill, fontVariantNumeric } = getComputedStyle(bar);
    return [fill, fontVariantNumeric, getComputedStyle(bar.closest("table") as Element).fontSize];
  }, selector);
}
