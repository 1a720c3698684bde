/** The page of a report in a real browser: it fits a phone, is readable by day and by night, and has heads on every sheet of paper. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import { inspectLog } from "../../src/scan/formats/inspect-log.ts";
import { toComparison } from "../../src/scan/report/comparison.ts";
import { toReport } from "../../src/scan/report/report.ts";
import { toHtml } from "../../src/scan/report/report-html.ts";
import { style } from "../../src/scan/report/report-style.ts";
import { timeChart } from "../../src/scan/report/time-chart.ts";
import { dependent, findAccessibilityProblems, openBrowser, openContext, standards } from "./browser.ts";

const agents = ["GPTBot/1.2", "Googlebot/2.1", `Invented${"Long".repeat(30)}Bot/1.0`, "<script>alert(1)</script> Bot"];
const lines = Array.from({ length: 400 }, (_, at) => {
  const clock = `${String(Math.floor(at / 20)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}:00`;
  return `45.33.1.${at % 9} - - [02/Mar/2026:${clock} +0000] "GET /${"path".repeat(at % 40)} HTTP/1.1" 200 99 "-" "${agents[at % 4]}"\n`;
});
const scanner = createScanner({
  check: detector.check,
  isByRule: ({ pattern }) => pattern !== undefined,
  task: { robots: { text: "User-agent: *\nDisallow: /path\nUser-agent: Googlebot\nAllow: /\n", judgedFrom: 0 } },
});
const bytes = Buffer.from(lines.join(""));
scanner.scan(bytes, bytes.length, inspectLog([], { logFormat: "combined" }).format);
const seen = { first: "2026-03-02T00:00:00Z", last: "2026-03-02T19:59:00Z" };
const few = { requests: 9, reason: "" };
const suspects = {
  addresses: [
    ...["45.33.1.1", "45.33.1.2"].map((address) => ({ status: "spoofed" as const, address, ...few, ...seen })),
    { status: "unverifiable" as const, address: null, requests: 1, reason: "" },
  ],
  networks: [{ status: "spoofed" as const, network: "45.33.1.0/24", addresses: 20, requests: 90, ...seen }],
};
const whole = toReport(scanner.tally);
const fetched = { fetches: 1_234_567, fetchesPerVisit: 103_000 };
const from = ["Google Search", "Gemini", "Long".repeat(30)].map((name) => ({ name, visits: 4 }));
const report = {
  ...whole,
  referrals: {
    requests: 12,
    withReferrer: 12,
    operators: [
      { operator: "Google", visits: 12, ...fetched, from, purposes: [{ name: "search" as const, ...fetched }] },
    ],
  },
  crawlers: whole.crawlers.map(({ robots, ...crawler }) => ({
    ...crawler,
    robots: { ...robots!, verification: { verified: 0, spoofed: robots!.disallowed, unverifiable: 0, unchecked: 0 } },
    verification: { verified: 9, spoofed: 90, unverifiable: 1, unchecked: 0 },
    suspects,
  })),
};
/** Long figures, and a crawler that is new. */
type Row = { readonly requests: number; readonly bytes: number };
const times = <Given extends Row>(rows: readonly Given[], factor: number) =>
  rows.map((row) => ({ ...row, requests: row.requests * factor, bytes: row.bytes * factor }));
const { crawlers, operators } = whole;
const earlier = { crawlers: times(crawlers.slice(1), 98_765), operators: times(operators, 98_765) };
const comparison = toComparison(
  { ...whole, ...earlier, catalogue: "1.0.0" },
  { ...whole, crawlers: times(crawlers, 1_234_567), operators: times(operators, 1_234_567), catalogue: "1.1.0" },
);
const styleHash = createHash("sha256").update(style).digest("base64");
const page = toHtml({ report, logs: ["access.log"], comparison, comparedWith: "last.json" }, styleHash);

/** Texts that are smaller than 12 pixels as shown. */
const findSmallTexts = (shown: Page) =>
  shown.evaluate(() =>
    [...document.querySelectorAll("body *")].flatMap((element) => {
      const hasText = [...element.childNodes].some(
        ({ nodeType, data }: ChildNode & { data?: string }) => nodeType === 3 && data?.trim(),
      );
      if (!hasText || !element.checkVisibility()) return [];
      const scale = element instanceof SVGGraphicsElement ? (element.getScreenCTM()?.a ?? 1) : 1;
      const size = Number.parseFloat(getComputedStyle(element).fontSize) * scale;
      return size < 12 ? [`${element.textContent} ${size}`] : [];
    }),
  );

describe("the page of a report", () => {
  let browser: Browser;
  let shown: Page;
  before(async () => {
    browser = await openBrowser();
    shown = await (await openContext(browser)).newPage();
    await shown.setContent(page);
  });
  after(() => shown?.context().close());

  for (const [width, colorScheme, rules] of [
    [360, "light", standards],
    [768, "dark", dependent],
    [1440, "light", dependent],
    [1440, "dark", dependent],
  ] as const) {
    it(`fits ${width} pixels without a cut column, in ${colorScheme}`, async () => {
      await shown.setViewportSize({ width, height: 900 });
      await shown.emulateMedia({ media: "screen", colorScheme });
      for (const isOpen of [false, true]) {
        await shown.evaluate((open) => {
          for (const details of document.querySelectorAll("details")) details.open = open;
        }, isOpen);
        const cut = await shown.evaluate(() =>
          [...document.querySelectorAll("body *")]
            .filter((element) => element.getBoundingClientRect().right > innerWidth)
            .map(({ outerHTML }) => outerHTML.slice(0, 99)),
        );
        assert.deepEqual(cut, []);
        assert.deepEqual(await findSmallTexts(shown), []);
        assert.deepEqual(await findAccessibilityProblems(shown, rules), []);
      }
    });
  }

  it("has a chart whose labels do not overlap, and stand above the bars", async () => {
    const other = await (await openContext(browser)).newPage();
    const charts = [60, 900, 3600, 86_400, 604_800].map((seconds) => {
      const times = Array.from({ length: 92 }, (_, at) => ({
        from: new Date((1_772_409_600 + at * seconds) * 1000).toISOString(),
        ...{
          seconds,
          requests: [40, 41, 44, 47].includes(at) ? 1e6 : 30,
          crawlerRequests: at > 39 && at < 48 ? 1e6 : 10,
        },
      }));
      return timeChart(times, { authorOf: () => ({ name: "(no user agent)".repeat(3), requests: 1e6 }) }).text;
    });
    await other.setContent(`<style>${style}</style><main class="report">${charts.join("")}</main>`);
    for (const width of [1280, 768, 360]) {
      await other.setViewportSize({ width, height: 900 });
      const found = await other.evaluate(() =>
        [...document.querySelectorAll(".plot")].map((plot) => {
          const boxes = [...plot.querySelectorAll("text, .people, .crawlers")]
            .filter((element) => element.checkVisibility())
            .map((element) => ({ text: element.textContent, box: element.getBoundingClientRect() }));
          const overlapping = boxes.flatMap((one, at) =>
            boxes.slice(at + 1).flatMap((two) => {
              const isApart =
                one.box.right <= two.box.left ||
                two.box.right <= one.box.left ||
                one.box.bottom <= two.box.top + 1 ||
                two.box.bottom <= one.box.top + 1;
              return isApart || one.text + two.text === "" ? [] : [`${one.text}|${two.text}`];
            }),
          );
          return { overlapping, marks: boxes.filter(({ text }) => /^[123]$/.test(text ?? "")).length };
        }),
      );
      for (const { overlapping, marks } of found) {
        assert.deepEqual(overlapping, [], `${width}`);
        assert.ok(marks >= 2);
      }
    }
    await other.context().close();
  });

  it("shows every figure of a row on a phone, with its name", async () => {
    await shown.setViewportSize({ width: 360, height: 900 });
    const row = shown.locator("#verification table tbody tr").first();
    for (const cell of await row.locator("td").all()) assert.equal(await cell.isVisible(), true);
    const labels = await row.evaluate((element) =>
      [...element.querySelectorAll("td")].map((cell) => getComputedStyle(cell, "::before").content),
    );
    const names = ["Verified", "Spoofed", "Unverifiable", "Unchecked", "Spoofed share"];
    assert.deepEqual(
      labels.slice(1),
      names.map((name) => `"${name} "`),
    );
  });

  it("shows what needs action and the first figure on the first screen of a phone, with their changes", async () => {
    await shown.setContent(page);
    await shown.setViewportSize({ width: 390, height: 844 });
    await shown.emulateMedia({ media: "screen", colorScheme: "light" });
    assert.match((await shown.textContent(".action")) ?? "", /^▲ 2 findings need action\./);
    const boxes = await shown
      .locator(".action, .tiles section")
      .evaluateAll((all) =>
        all.map((element) => ({ bottom: element.getBoundingClientRect().bottom, text: element.textContent })),
      );
    assert.equal(boxes.length, 5);
    for (const { bottom } of boxes.slice(0, 2)) assert.ok(bottom <= 700, `${bottom}`);
    for (const { text } of boxes.slice(1)) assert.match(text ?? "", / from [\d,.]+%?$|unchanged$/);
  });

  it("has each finding lead to its section, which opens", async () => {
    const link = shown.locator(".findings a[href='#changes']").first();
    assert.match((await link.locator("xpath=..").textContent()) ?? "", /^Ten times as many requests a day as before: /);
    await shown.evaluate(() => {
      for (const details of document.querySelectorAll("details")) details.open = false;
    });
    await link.click();
    assert.equal(await shown.locator("#changes").isVisible(), true);
  });

  it("repeats the heads of tables in print, and unfolds what is folded", async () => {
    await shown.emulateMedia({ media: "print", colorScheme: "dark" });
    await shown.setViewportSize({ width: 700, height: 900 });
    const heads = await shown.evaluate(() =>
      [...document.querySelectorAll("table")].map((table) => getComputedStyle(table.tHead as Element).display),
    );
    assert.deepEqual([...new Set(heads)], ["table-header-group"]);
    assert.equal(await shown.evaluate(() => getComputedStyle(document.body).color), "rgb(0, 0, 0)");
    assert.equal(await shown.locator("#paths table td").first().isVisible(), true);
  });
});
