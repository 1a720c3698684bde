/** The signal of strings that no browser has: its rules by cases, and no alarm for the strings of people. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isGenerated, readCorpora } from "../../../bench/accuracy/corpora.ts";
import { packageFolder } from "../../../bench/installed-package.ts";
import { readBrowsers } from "../../../build/read-browsers.ts";
import { toBrowser } from "../../../src/verify/signals/browser.ts";
import { whyImplausible } from "../../../src/verify/signals/implausible.ts";
import { releases } from "../../../src/verify/signals/releases.ts";
import { signalsOf } from "../../../src/verify.ts";

const builtAt = Date.parse(releases.asOf);
const reasonOf = (useragent: string, now = builtAt): string | undefined => {
  const browser = toBrowser(useragent);
  return browser && whyImplausible(browser, now);
};

const chrome = (system: string, version: string, more = "") =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version} Safari/537.36${more}`;
const firefox = (system: string, version: string, revision = version) =>
  `Mozilla/5.0 (${system}; rv:${revision}) Gecko/20100101 Firefox/${version}`;
const safari = (system: string, version: string, mobile = "") =>
  `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version}${mobile} Safari/605.1.15`;
const windows = (version: string) => `Windows NT ${version}; Win64; x64`;
const mac = (version: string) => `Macintosh; Intel Mac OS X ${version}`;
const iphone = (version: string) => `iPhone; CPU iPhone OS ${version} like Mac OS X`;
const next = (name: "Chrome" | "Firefox" | "Safari", more: number): string => `${releases[name].newest + more}.0`;

const implausible: readonly string[] = [
  chrome(windows("10.0"), `${next("Chrome", 4)}.0.0`),
  chrome(windows("10.0"), "999.0.0.0"),
  chrome(windows("10.0"), "82.0.0.0"),
  chrome(windows("6.1"), "110.0.0.0"),
  chrome(windows("6.3"), "124.0.0.0", " OPR/109.0.0.0"),
  chrome(windows("5.1"), "50.0.2661.102"),
  chrome(windows("11.0"), "120.0.0.0"),
  chrome(mac("10_14_6"), "117.0.0.0"),
  chrome(mac("10_12_6"), "104.0.0.0"),
  chrome(mac("10_10_5"), "88.0.4324.150"),
  chrome(mac("10_8_5"), "50.0.2661.102"),
  chrome(windows("10.0"), "93.0.1234.56"),
  chrome(windows("10.0"), "44.0.2403.1324"),
  chrome(windows("10.0"), "89.0.3019.77"),
  chrome("Windows NT 10.0; WOW64", "41.0.2214.111"),
  chrome(windows("10.0"), "88.0.0.0", " Edg/75.0.131.0"),
  firefox(windows("10.0"), next("Firefox", 4)),
  firefox(windows("6.1"), "116.0", "109.0"),
  firefox(windows("6.0"), "53.0"),
  firefox(windows("11.0"), "120.0"),
  firefox(mac("10.14"), "116.0", "109.0"),
  firefox(mac("10.11"), "79.0"),
  firefox(mac("10.8"), "49.0"),
  firefox(windows("10.0"), "60.0", "28.0"),
  firefox(windows("10.0"), "119.0", "60.0"),
  safari(mac("10_15_7"), next("Safari", 2)),
  safari(mac("10_15_7"), "19.0"),
  safari(mac("10_15_7"), "25.1"),
  safari(mac("10_14_6"), "15.0"),
  safari(mac("10_9_5"), "10.1"),
  safari(iphone("12_2"), "18.2", " Mobile/15E148"),
  safari(iphone("17_5"), "26.0", " Mobile/15E148"),
  safari("iPad; CPU OS 9_3 like Mac OS X", "13.0", " Mobile/15E148"),
];

const plausible: readonly string[] = [
  chrome(windows("10.0"), `${next("Chrome", 3)}.0.0`),
  chrome(windows("10.0"), "82.0.4062.3"),
  chrome(windows("6.1"), "109.0.0.0"),
  chrome(windows("5.1"), "49.0.2623.112"),
  chrome(mac("10_15_7"), "157.0.0.0"),
  chrome(mac("10_14_6"), "116.0.0.0"),
  chrome(mac("11_2_3"), "89.0.4389.90"),
  chrome("Linux; Android 10; K", "150.0.0.0"),
  chrome("Linux; Android 6.0; Nexus 5 Build/MRA58N", "150.0.0.0").replace(" Safari", " Mobile Safari"),
  // A test of Chrome with the version in the second number; browsers on Chromium with builds of their own.
  chrome(windows("10.0"), "99.100.4896.18"),
  chrome(windows("10.0"), "45.0.0.10802"),
  chrome(windows("6.1"), "28.0.4.0"),
  chrome(windows("10.0"), "120.0.6099.129"),
  chrome(windows("10.0"), "91.0.4431.0"),
  chrome("X11; Linux x86_64", "87.0.4280.144"),
  chrome(windows("10.0"), "124.0.0.0", " OPR/109.0.0.0"),
  chrome("Linux; Android 8.0.0; SM-G950F Build/R16NW", "67.0.3396.123", " EdgA/42.0.0.2233").replace(
    " Safari",
    " Mobile Safari",
  ),
  chrome("Linux; Android 14; SM-A1 Build/UP1A; wv", "999.0.0.0"),
  chrome("Web0S; Linux/SmartTV", "38.0.2125.122"),
  chrome(windows("6.1"), "122.0.0.0", " SamsungBrowser/28.0"),
  firefox(windows("10.0"), next("Firefox", 3)),
  firefox(windows("6.1"), "115.0", "109.0"),
  firefox(windows("6.1"), "115.0"),
  firefox(windows("5.1"), "52.0"),
  firefox(mac("10.15"), "150.0"),
  firefox(mac("10.14"), "115.0", "109.0"),
  "Mozilla/5.0 (X11; U; Linux i686; en-US; rv:1.9.2.13) Gecko/20101203 Firefox/3.6.13",
  safari(mac("10_15_7"), "26.4"),
  safari(mac("10_15"), "13.0"),
  safari(mac("10_15_6"), "14.0"),
  safari(mac("10_13_6"), "13.1.2"),
  safari(iphone("18_7"), "26.6.1", " Mobile/15E148"),
  safari(iphone("19_0"), "26.0", " Mobile/15E148"),
  safari(iphone("17_5"), "17.5", " Mobile/15E148"),
  safari(iphone("4_3_5"), "5.0.2", " Mobile/8L1"),
  safari(iphone("11_0"), "10.0", " Mobile/15A5277q"),
  safari("X11; Linux x86_64", "60.5"),
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
  /** Typed wrong, invented, or of a browser that brings new versions to old systems. */
  const exceptions: readonly string[] = [
    chrome("Windows NT 5.1", "35.0.3319.102"),
    chrome("Windows NT 10.0; WOW64", "69.0.3947.100"),
    chrome(windows("6.1"), "140.0.7339.0"),
  ];

  it("are plausible but for three", () => {
    const people = readCorpora().filter(({ wanted }) => wanted === "person");
    const found = people.flatMap(({ strings }) => strings.filter((useragent) => reasonOf(useragent) !== undefined));
    assert.deepEqual(found.sort(), [...exceptions].sort());
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
    assert.throws(() => readBrowsers('{"browsers":{}}'), { name: "DataError", message: /browser-compat-data/ });
  });
});
