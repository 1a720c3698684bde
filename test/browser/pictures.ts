/**
 * The pictures of the README: what each shows, and how it is taken of the pages of a service that was asked about the strings of
 * docs/sample.log at their times. take-pictures.ts writes them, pictures.test.ts checks that the pages still have what they show.
 */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { Application } from "../../src/server/application.ts";
import { createLog } from "../../src/server/observe/log.ts";
import { parseConfiguration } from "../../src/server/settings/configuration.ts";
import { runHere } from "../cli/run-here.ts";
import { openBrowser, openContext } from "./browser.ts";

export type Scheme = "light" | "dark";

/** A picture of a page. */
interface Picture {
  readonly name: string;
  /** CSS pixels. */
  readonly height: number;
  /** Shows the page; the address of the service answers from this process. */
  readonly open: (page: Page) => Promise<unknown>;
  /** Selectors of Playwright: each must be in the picture. */
  readonly shows: readonly string[];
}

const log = "docs/sample.log";
/** No server listens there: the browser's requests are answered in this process. */
const origin = "http://localhost:8080";
const width = 1120;
const scale = 1.25;
const gptbot = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot";

export const pictures: readonly Picture[] = [
  {
    name: "report",
    height: 1084,
    open: async (page) => page.setContent((await runHere(["scan", "--format", "html", log])).stdout),
    shows: [
      "h1:has-text('Crawlers in sample.log')",
      ".tiles section:has-text('of requests by crawlers')",
      "section:has(h2:text-is('Requests over time')) svg:visible",
      ".action:has-text('action')",
    ],
  },
  {
    name: "try",
    height: 840,
    open: async (page) => {
      await page.goto(origin);
      await page.fill("#useragent", gptbot);
      await page.waitForSelector(".verdict h2:has-text('GPTBot')");
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    },
    shows: ["nav a:text('Traffic')", "#useragent", ".verdict h2:has-text('GPTBot, OpenAI')", ".verdict .badge"],
  },
  {
    name: "traffic",
    height: 1010,
    open: async (page) => {
      await page.goto(`${origin}/traffic?period=week`);
      await page.waitForSelector("#live:has-text('Live')");
    },
    shows: [
      ".totals:has-text('1,000 requests')",
      ".findings",
      "#drawing svg:visible",
      ".card:has-text('Categories') tr:has-text('search-engine') rect",
      ".card:has-text('Purposes') a:has-text('agent')",
    ],
  },
];

/** Calls `take` with each picture's page in each of the schemes. */
export async function openPictures(
  schemes: readonly Scheme[],
  take: (picture: Picture, scheme: Scheme, page: Page) => Promise<void>,
): Promise<void> {
  const service = await startSample();
  try {
    const browser = await openBrowser();
    for (const scheme of schemes) {
      const context = await openContext(browser, {
        colorScheme: scheme,
        deviceScaleFactor: scale,
        locale: "en-GB",
        reducedMotion: "reduce",
      });
      await context.route(`${origin}/**`, async (route) => {
        const request = route.request();
        const answer = await service.fetch(
          new Request(request.url(), {
            method: request.method(),
            headers: request.headers(),
            body: request.postData(),
          }),
        );
        await route.fulfill({
          status: answer.status,
          headers: Object.fromEntries(answer.headers),
          body: Buffer.from(await answer.arrayBuffer()),
        });
      });
      for (const picture of pictures) {
        const page = await context.newPage();
        await page.setViewportSize({ width, height: picture.height });
        await picture.open(page);
        await page.evaluate(() => document.fonts.ready);
        await take(picture, scheme, page);
        await page.close();
      }
      await context.close();
    }
  } finally {
    await service.close();
  }
}

/** The selectors of a picture that are not in it. */
export async function findMissing({ height, shows }: Picture, page: Page): Promise<readonly string[]> {
  const missing = [];
  for (const selector of shows) {
    const found = page.locator(selector).first();
    const box = (await found.count()) === 0 ? null : await found.boundingBox();
    if (box === null || box.width === 0 || box.x + box.width > width || box.y + box.height > height)
      missing.push(selector);
  }
  return missing;
}

/** Takes the picture as WebP, which Playwright does not. */
export async function takePicture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 });
  return Buffer.from(data, "base64");
}

/** A service that has recorded the requests of the sample log, and for which it is the time of the last one. */
async function startSample() {
  const { now } = Date;
  const environment = { WHOCRAWLS_RECORD: "memory:", WHOCRAWLS_VERIFY_REFRESH: "off", WHOCRAWLS_LOG: "off" };
  let time = 0;
  let lastDay = "";
  Date.now = () => time;
  const application = await Application.open(
    parseConfiguration({ environment }),
    createLog({ level: "off" }, () => {}),
  );
  const fetch = (request: Request) => application.service.fetch(request);
  for (const [, day, month, rest, useragent] of readFileSync(log, "utf8").matchAll(
    /\[(\d+)\/(\w+)\/(\d{4}:[\d:]+) .*"([^"]+)"$/gm,
  )) {
    const [year, ...clock] = (rest as string).split(":");
    time = Date.parse(`${day} ${month} ${year} ${clock.join(":")} UTC`);
    const body = JSON.stringify({ useragent });
    const headers = { "content-type": "application/json" };
    const { status } = await fetch(new Request(`${origin}/RestService/Check`, { method: "POST", headers, body }));
    if (status !== 200) throw new Error(`Check answered ${status}`);
    // The record writes what it holds before a list: of requests that wait, it holds two days.
    if (day !== lastDay) await (await fetch(new Request(`${origin}/RestService/List?source=evaluated&limit=1`))).text();
    lastDay = day as string;
  }
  return {
    fetch,
    async close() {
      Date.now = now;
      await application.abandon();
    },
  };
}
