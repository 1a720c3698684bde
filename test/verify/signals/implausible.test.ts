/** The signal of strings that no browser has: its rules by cases, and no alarm for the strings of people. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isGenerated } from "../../../bench/accuracy/corpora.ts";
import { packageFolder } from "../../../bench/installed-package.ts";
import { readBrowsers } from "../../../build/read-browsers.ts";
import { toBrowser } from "../../../src/verify/signals/browser.ts";
import { releases, whyImplausible } from "../../../src/verify/signals/implausible.ts";
import { signalsOf } from "../../../src/verify.ts";
import { readCorpora } from "../../support/remembered.ts";

const builtAt = Date.parse(releases.asOf);
const reasonOf = (useragent: string, now = builtAt): string | undefined => {
  const browser = toBrowser(useragent);
  return browser && whyImplausible(browser, now);
};

const chrome = (system: string, version: string, more = "") =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version} Safari/537.36${more}`;
const firefox = (system: string, version: string) =>
  `Mozilla/5.0 (${system}; rv:${version}) Gecko/20100101 Firefox/${version}`;
const safari = (system: string, version: string, mobile = "") =>
  `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version}${mobile} Safari/605.1.15`;
const windows = (version: string) => `Windows NT ${version}; Win64; x64`;
const mac = (version: string) => `Macintosh; Intel Mac OS X ${version}`;
const iphone = (version: string) => `iPhone; CPU iPhone OS ${version} like Mac OS X`;
const next = (name: "Chrome" | "Firefox" | "Safari", more: number): string => `${releases[name].newest + more}.0`;

const implausible: readonly string[] = [
  chrome(windows("10.0"), `${next("Chrome", 4)}.0.0`),
  chrome(windows("10.0"), "999.0.0.0"),
  chrome(windows("10.0"), "999.0.0.0", " Edg/999.0.0.0"),
  chrome(windows("10.0"), "82.0.0.0"),
  chrome(windows("10.0"), "44.0.2403.1324"),
  firefox(windows("10.0"), next("Firefox", 4)),
  safari(mac("10_15_7"), next("Safari", 2)),
  safari(mac("10_15_7"), "19.0"),
  safari(iphone("18_5"), "25.1", " Mobile/15E148"),
];

const plausible: readonly string[] = [
  chrome(windows("10.0"), `${next("Chrome", 3)}.0.0`),
  chrome(windows("10.0"), "82.0.4062.3"),
  chrome(windows("10.0"), "120.0.6099.999"),
  // Browsers on Chromium with builds of their own.
  chrome(windows("10.0"), "45.0.0.10802"),
  chrome(windows("6.1"), "28.0.4.0"),
  chrome("Linux; Android 14; SM-A1 Build/UP1A; wv", "999.0.0.0"),
  chrome(windows("6.1"), "999.0.0.0", " SamsungBrowser/28.0"),
  firefox(windows("10.0"), next("Firefox", 3)),
  "Mozilla/5.0 (X11; U; Linux i686; en-US; rv:1.9.2.13) Gecko/20101203 Firefox/3.6.13",
  safari(mac("10_15_7"), next("Safari", 1)),
  safari(iphone("4_3_5"), "5.0.2", " Mobile/8L1"),
  safari("X11; Linux x86_64", "60.5"),
  safari("X11; FreeBSD amd64", "60.5"),
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
];

describe("a string is implausible:", () => {
  for (const useragent of implausible) it(useragent, () => assert.notEqual(reasonOf(useragent), undefined));
});

describe("a string is plausible:", () => {
  for (const useragent of plausible) it(useragent, () => assert.equal(reasonOf(useragent), undefined));
});

it("the older the data is, the higher a version may be", () => {
  const inTwoYears = builtAt + 2 * 365 * 86_400_000;
  const useragents = [
    chrome(windows("10.0"), `${next("Chrome", 60)}.0.0`),
    firefox(windows("10.0"), next("Firefox", 60)),
    safari(mac("10_15_7"), next("Safari", 3)),
  ];
  for (const useragent of useragents) {
    assert.notEqual(reasonOf(useragent), undefined);
    assert.equal(reasonOf(useragent, inTwoYears), undefined);
    // A clock that is wrong does not make the newest browsers implausible.
    assert.equal(reasonOf(chrome(windows("10.0"), `${next("Chrome", 0)}.0.0`), 0), undefined);
  }
});

it("signalsOf needs no header field for it", () => {
  const useragent = chrome(windows("10.0"), "999.0.0.0");
  assert.deepEqual(
    signalsOf(useragent, {}).map(({ id }) => id),
    ["browser-implausible"],
  );
});

describe("strings of people", () => {
  it("are plausible", () => {
    const people = readCorpora().filter(({ wanted }) => wanted === "person");
    const found = people.flatMap(({ strings }) => strings.filter((useragent) => reasonOf(useragent) !== undefined));
    assert.deepEqual(found, []);
    const judged = people.flatMap(({ strings }) => strings.filter((useragent) => toBrowser(useragent) !== undefined));
    assert.ok(judged.length > 3000);
  });

  it("of the generator behind two thirds of user-agents are all implausible", () => {
    const profiles = JSON.parse(readFileSync(`${packageFolder("user-agents")}dist/user-agents.json`, "utf8")) as {
      userAgent: string;
    }[];
    const generated = profiles.map(({ userAgent }) => userAgent).filter(isGenerated);
    assert.ok(generated.length > 500);
    assert.deepEqual(
      generated.filter((useragent) => reasonOf(useragent) === undefined),
      [],
    );
  });
});

describe("readBrowsers", () => {
  it("finds the versions that were left out", () => {
    const { Chrome, Safari, Firefox } = readBrowsers();
    assert.ok(Chrome.newest >= 160 && Firefox.newest >= 163);
    assert.deepEqual([Chrome.missing, Firefox.missing, Safari.missing], [[82], [], [19, 20, 21, 22, 23, 24, 25]]);
  });

  it("rejects data of another form", () => {
    assert.throws(() => readBrowsers('{"browsers":{}}'), { name: "CatalogueError", message: /browser-compat-data/ });
  });
});
