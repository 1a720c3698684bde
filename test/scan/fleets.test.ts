/** `scan --fleets` finds programs with browsers' strings among people's sessions, and none where there are none. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { detector } from "../../src/detect/built-in/detector.ts";
import {
  type BrowserStrings,
  browserStringOf,
  countBrowser,
  createBrowserStrings,
  isBrowserString,
  mergeBrowserStrings,
} from "../../src/scan/count/browser-strings.ts";
import { addDistinct, countDistinct, createDistinctCount, mergeDistinct } from "../../src/scan/count/distinct-count.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import { inspectLog } from "../../src/scan/formats/inspect-log.ts";
import type { LogFormat } from "../../src/scan/lines/format.ts";
import { createLogLine, field } from "../../src/scan/lines/line.ts";
import { type BrowserReport, toShortString } from "../../src/scan/report/browsers-report.ts";
import { type Report, toReport } from "../../src/scan/report/report.ts";
import { runHere } from "../cli/run-here.ts";
import { logLine } from "../support/log-lines.ts";
import { needs } from "../support/needs.ts";
import { isAll } from "../support/some-strings.ts";
import { rowsOf } from "../support/table.ts";
import { temporary } from "../support/temporary.ts";
import { type FleetPlan, fleetStrings, type Site, writeFleetLog } from "./fleet-logs.ts";

const folder = temporary();
const combined = inspectLog([], { logFormat: "combined" }).format;

interface Scanned {
  readonly fleets: readonly BrowserReport[];
  readonly notes: readonly string[];
  readonly crawlers: Report["crawlers"];
}

function scan(text: string, format: LogFormat = combined): Scanned {
  const scanner = createScanner({ check: detector.check, isByRule: () => false, task: { fleets: true } });
  const bytes = Buffer.from(text);
  scanner.scan(bytes, bytes.length, format);
  const { browsers, crawlers } = toReport(scanner.tally);
  return { fleets: browsers!.strings.filter(({ isProgram }) => isProgram), notes: browsers!.notes, crawlers };
}

/** From 500 requests to `most`; the last five are active for a tenth of the log. */
const plan = (most: number): readonly FleetPlan[] =>
  fleetStrings.map((useragent, at) => ({
    useragent,
    requests: Math.round(500 * (most / 500) ** (at / 19)),
    ...(at >= 15 && { from: 0.5, to: 0.6 }),
  }));
const plans = plan(2000);
const roundTheClock = plans.map(({ useragent, requests }) => ({ useragent, requests }));

const sites: readonly (readonly [name: string, site: Site, found: readonly FleetPlan[] | undefined])[] = [
  ["with all requests", {}, plans],
  ["that is shorter than a day", { days: 0.4 }, plans],
  ["of visitors of one country", { isGlobal: false }, plans],
  ["of offices behind one address", { offices: 0.9 }, plans],
  ["of phones whose address changes", { moves: 1 }, plans],
  ["without assets, which a CDN delivers", { hasAssets: false }, roundTheClock],
  ["without assets, of phones that read one page", { hasAssets: false, moves: 1, pages: 1 }, roundTheClock],
  ["of an application's interface", { hasAssets: false, isApplication: true }, roundTheClock],
  ["with most assets in caches", { cached: 0.97 }, roundTheClock],
  ["without referrers", { hasOwnReferrers: false, fromPages: 0 }, roundTheClock],
  ["without assets and shorter than a day", { hasAssets: false, days: 0.4 }, undefined],
  ["without assets and with few referrers", { hasAssets: false, pages: 1, fromPages: 0.05 }, undefined],
  ["without assets and referrers", { hasAssets: false, pages: 1, hasOwnReferrers: false, fromPages: 0 }, undefined],
];

for (const [name, site, found] of sites.filter((_, at) => isAll || at % 12 === 0)) {
  it(`people's requests in a log ${name} are no fleet`, () => {
    assert.deepEqual(scan(writeFleetLog(15_000, site)).fleets, []);
  });
  it(`fleets in a log ${name} are ${found === undefined ? "not judged" : "found"}`, () => {
    const { fleets, notes, crawlers } = scan(writeFleetLog(10_000, site, found ?? plans));
    assert.deepEqual(
      fleets.map(({ useragent, requests }) => ({ useragent, requests })),
      (found ?? []).map(({ useragent, requests }) => ({ useragent, requests })).reverse(),
    );
    assert.equal(found === undefined, notes.length > 1);
    assert.deepEqual(crawlers, []);
  });
}

const atHour = (hour: number): string => `01/May/2026:${String(hour).padStart(2, "0")}:00:00`;

it("feed readers with a browser's string are no fleet: their addresses come again", () => {
  const polls = Array.from({ length: 6000 }, (_, at) =>
    logLine(fleetStrings[0]!, {
      address: `192.0.2.${at % 250}`,
      time: atHour(Math.floor(at / 250)),
      path: "/feed.xml",
    }),
  );
  assert.deepEqual(scan(writeFleetLog(10_000, {}) + polls.join("")).fleets, []);
});

it("people who hide referrers and change addresses are no fleet: they request images", () => {
  const requests = Array.from({ length: 3000 }, (_, at) => {
    const [address, path] = [`10.1.${at >> 8}.${at & 255}`, `/${at % 3 === 0 ? "a.png" : at}`];
    return logLine(fleetStrings[0]!, { address, time: atHour(at % 24), path });
  });
  assert.deepEqual(scan(writeFleetLog(10_000, {}) + requests.join("")).fleets, []);
});

it("a log that lacks fields says so", () => {
  const row = (at: number): string =>
    JSON.stringify({
      time: `2026-05-0${1 + (at % 3)}T0${at % 10}:00:00Z`,
      status: 200,
      useragent: fleetStrings[at % 2],
    });
  const text = Array.from({ length: 4000 }, (_, at) => `${row(at)}\n`).join("");
  const { fleets, notes } = scan(text, inspectLog(text.split("\n", 100), { logFormat: "json" }).format);
  assert.deepEqual(fleets, []);
  assert.deepEqual(notes, [
    "The log has no addresses, so no string is marked.",
    "The log has few requests for images, styles and scripts by any browser, so their absence proves nothing.",
    "The log has few referrers from any browser, so their absence proves nothing.",
  ]);
});

describe("the figures", () => {
  const log = join(folder, "access.log");
  writeFileSync(log, writeFleetLog(20_000, {}, plan(10_000)));

  // One independent count is enough in every run: test/scan/independent-count.test.ts.
  if (isAll)
    it("equal an independent count", { skip: needs("python3") }, async () => {
      const script = fileURLToPath(new URL("count_fleets.py", import.meta.url));
      const { stdout, stderr } = spawnSync("python3", [script, log], { encoding: "utf8" });
      const counted = JSON.parse(stdout || stderr) as Record<string, Record<string, unknown> & { addresses: number }>;
      const report = JSON.parse((await runHere(["scan", "--fleets", "--format", "json", log])).stdout) as Report;
      const { requests: all, strings } = report.browsers!;
      assert.equal(strings.filter(({ isProgram }) => isProgram).length, 20);
      assert.ok(strings.length > 50 && all > 20_000);
      for (const { useragent, requests, assetShare, referrerShare, hours, addresses = 0 } of strings) {
        const { addresses: exact, assets, withReferrer, ...others } = counted[useragent]!;
        const share = (part: unknown): number => Number((Number(part) / requests).toPrecision(3));
        assert.deepEqual({ requests, hours }, others);
        assert.deepEqual([assetShare, referrerShare], [share(assets), share(withReferrer)]);
        if (exact <= 1024) assert.equal(addresses, exact);
        // Four standard errors.
        else assert.ok(Math.abs(addresses - exact) <= 4 * 0.031 * exact, `${addresses} of ${exact}`);
      }
    });

  it("are the same by several threads", async () => {
    const [one, three] = await Promise.all(
      ["1", "3"].map((threads) => runHere(["scan", "--fleets", "--format", "json", "--threads", threads, log])),
    );
    assert.equal(one!.stdout, three!.stdout);
  });

  it("are in the table, the page and the findings", async () => {
    const { stdout: table } = await runHere(["scan", "--fleets", "--full", log]);
    assert.match(table, /Browser strings\n.*\n {2}Mozilla.* ▲ like a program +10,000 +about [\d,]+/);
    assert.match(table, /^- 20 browser strings behave like a program: /m);
    const { stdout: page } = await runHere(["scan", "--fleets", "--format", "html", log]);
    for (const useragent of fleetStrings) assert.ok(page.includes(useragent));
  });
});

const webkit = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const iphone = `Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) ${webkit}`;
const chrome = "AppleWebKit/537.36 (KHTML, like Gecko)";
/** Whether a string is a browser's, and what a terminal shows of it. */
for (const [is = "", useragent = "", short = ""] of rowsOf(`
  counts     | ${fleetStrings[0]} | Firefox/90.0 (Windows NT 10.0; Win64; x64; rv:90.0)
  counts     | ${fleetStrings[1]} | Chrome/71.0.3001.77 (Windows NT 6.1; Win64; x64)
  counts     | Mozilla/5.0 (X11) ${chrome} Chrome/120.0.0.0 Safari/537.36 Edg/120.0.0.0 | Edg/120.0.0.0 (X11)
  counts     | Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko
  counts     | Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1) | Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)
  counts     | ${iphone} Version/26.6 Mobile/15E148 Safari/604.1
  leaves out | ${iphone} Mobile/15E148 [FBAN/FBIOS]
  leaves out | Mozilla/5.0 (Linux; Android 14; SM-A1; wv) ${chrome} Version/4.0 Chrome/150.0.0.0 Mobile Safari/537.36
  leaves out | Mozilla/5.0 (Windows NT 10.0) ${chrome} Slack/4.36 Chrome/120.0.0.0 Electron/28.1 Safari/537.36
  leaves out | Mozilla/5.0
  leaves out | CFNetwork/1240 Darwin/20
`))
  it(`${is} ${useragent}`, () => {
    assert.equal(isBrowserString(useragent), is === "counts");
    if (short !== "") assert.equal(toShortString(useragent), short);
  });

for (const [isAsset, texts] of [
  [
    true,
    "/a.css|/dir.d/APP.JS?v=3|/font.woff2|/a.js;jsessionid=1|GET /img/a.WebP HTTP/1.1|GET https://a.b/c.ico HTTP/2.0",
  ],
  [false, "/a.html|/a.png/view|/search?q=a.png|/css|/a.jsonld|/a.|-"],
] as const)
  for (const text of texts.split("|"))
    it(`${text} is ${isAsset ? "an image, style, script or font" : "none of the assets"}`, () => {
      const strings = createBrowserStrings();
      const browser = browserStringOf(strings, fleetStrings[0]!);
      const line = createLogLine();
      line.source = new TextEncoder().encode(text);
      const name = text.startsWith("/") ? "path" : "request";
      line.from[field[name]] = 0;
      line.to[field[name]] = line.source.length;
      countBrowser(strings, browser, { line: line, requests: 3, at: Number.NaN, local: Number.NaN });
      assert.deepEqual([browser.counts.withPath, browser.counts.assets], [3, isAsset ? 3 : 0]);
    });

describe("sketches", () => {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

  it("have the number of different texts, above 1,024 within four standard errors, also merged", () => {
    for (const size of [0, 1, 10, 500, 1024, 1025, 2000, 5000, 10_000, 300_000]) {
      const [one, other] = [createDistinctCount(), createDistinctCount()];
      for (let at = 0; at < size; at++) {
        const text = encode(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);
        if (at % 3 > 0) addDistinct(one, text, 0, text.length);
        if (at % 3 < 2) addDistinct(other, text, 0, text.length);
      }
      mergeDistinct(one, other);
      const estimate = countDistinct(one);
      if (size <= 1024) assert.equal(estimate, size);
      else assert.ok(Math.abs(estimate - size) <= 4 * 0.031 * size, `${estimate} of ${size}`);
    }
  });

  it("of the most frequent strings are bounded in number, and true to the bound", () => {
    const line = createLogLine();
    const all = Array.from({ length: 12_000 }, (_, at) => ({
      useragent: `Mozilla/5.0 (${at})`,
      requests: 1 + Math.floor(40_000 / (at + 1)),
    }));
    const countIn = (strings: BrowserStrings, from: number): void => {
      for (let at = 0; at < all.length; at++) {
        const { useragent, requests } = all[(at * 7919 + from) % all.length]!;
        countBrowser(strings, browserStringOf(strings, useragent), { line: line, requests: requests, at: 0, local: 0 });
      }
    };
    const [one, other] = [createBrowserStrings(), createBrowserStrings()];
    for (const from of [0, 17, 4001]) countIn(one, from);
    countIn(other, 5);
    mergeBrowserStrings(one, other);
    const total = 4 * all.reduce((sum, { requests }) => sum + requests, 0);
    assert.ok(one.floor > 0 && one.floor <= total / 2000);
    assert.ok(one.counts.size <= 4000);
    for (const { useragent, requests } of all) {
      const counts = one.counts.get(useragent);
      if (counts === undefined) assert.ok(4 * requests <= one.floor);
      else assert.ok(counts.requests <= 4 * requests && counts.requests + counts.missed >= 4 * requests);
    }
    const sum = [...one.counts.values()].reduce((sum, { requests }) => sum + requests, one.dropped.requests);
    assert.equal(sum, total);
  });

  it("of two threads miss at most what both may have missed", () => {
    const of = (floor: number, all: Readonly<Record<string, readonly [requests: number, missed: number]>>) => {
      const strings = createBrowserStrings();
      for (const [useragent, [requests, missed]] of Object.entries(all))
        Object.assign(browserStringOf(strings, useragent).counts, { requests, missed });
      return Object.assign(strings, { floor });
    };
    const one = of(4, { both: [50, 1], mine: [60, 2] });
    mergeBrowserStrings(one, of(9, { both: [30, 7], theirs: [20, 3] }));
    assert.deepEqual(
      [...one.counts].map(([useragent, { requests, missed }]) => [useragent, requests, missed]),
      [
        ["both", 80, 8],
        ["mine", 60, 11],
        ["theirs", 20, 7],
      ],
    );
    assert.equal(one.floor, 13);
  });

  it("count a string again after it was dropped", () => {
    const strings = createBrowserStrings();
    const rare = browserStringOf(strings, "Mozilla/5.0 (rare)");
    for (let at = 0; at < 5000; at++)
      countBrowser(strings, browserStringOf(strings, `Mozilla/5.0 (${at})`), {
        line: createLogLine(),
        requests: 9,
        at: 0,
        local: 0,
      });
    assert.ok(rare.counts.isDropped);
    countBrowser(strings, rare, { line: createLogLine(), requests: 3, at: 0, local: 0 });
    assert.equal(strings.counts.get("Mozilla/5.0 (rare)")?.requests, 3);
  });
});
