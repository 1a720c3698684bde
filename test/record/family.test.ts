/** What the record keeps of people's strings: families of a closed list of names, whatever a string contains. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { detector } from "../../src/detect/built-in/detector.ts";
import { toFamily } from "../../src/record/family.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
const families: readonly (readonly [useragent: string, family: string])[] = [
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox 140 (Linux)"],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/139.0.0.0 Safari/537.36`, "Chrome 139 (Windows)"],
  [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/139.0.0.0 Safari/537.36 Edg/139.0.0.0`, "Edge 139 (Windows)"],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Chrome/139.0 Safari/537.36 OPR/120.0`,
    "Opera 120 (macOS)",
  ],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/138.0.0.0 Safari/537.36`, "Chrome 138 (ChromeOS)"],
  [
    `Mozilla/5.0 (Linux; Android 14; SM-S918B) ${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    "Samsung Internet 28 (Android)",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    "Safari 18 (iOS)",
  ],
  [
    "Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/120.0 Mobile/15E148 Safari/604.1",
    "Chrome 120 (iOS)",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15",
    "Safari 17 (macOS)",
  ],
  ["Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) like Gecko", "Internet Explorer 11 (Windows)"],
  ["Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0)", "Internet Explorer 8 (Windows)"],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Instagram 330.0.3.29.109 (iPhone13,2; 604240938)",
    "Instagram 330 (iOS)",
  ],
  ["MyBank/7.4.1 (iPhone15,3; iOS 18.5; serial C39XK1ABCDEF)", "Other browser (iOS)"],
  ["Chrome/123456789012 (Linux)", "Other browser (Linux)"],
  ["Firefox/007", "Firefox 7 (other system)"],
  ["jane.doe@example.com", "Other browser (other system)"],
];

describe("a family", () => {
  for (const [useragent, family] of families) it(family, () => assert.equal(toFamily(useragent), family));

  const names = [
    ...["Instagram", "Facebook", "Google app", "Edge", "Opera", "Opera Mini", "Samsung Internet", "Yandex Browser"],
    ...["UC Browser", "Huawei Browser", "Mi Browser", "Silk", "Vivaldi", "DuckDuckGo", "Firefox", "Chrome"],
    ...["Internet Explorer", "Safari"],
  ].join("|");
  const closed = new RegExp(
    `^(?:(?:${names}) \\d{1,3}|Other browser) \\((?:Windows|Android|iOS|macOS|ChromeOS|Linux|other system)\\)$`,
  );

  it("has only names and numbers of a closed list, for real and for made-up strings, and is a person's", () => {
    const real = globSync("data/people/*.txt", { cwd: root }).flatMap((path) =>
      readFileSync(root + path, "utf8").split("\n"),
    );
    const parts = [
      "Chrome/",
      "Firefox/",
      "Version/",
      "rv:",
      "MSIE ",
      "99",
      "140.0",
      "secret",
      "9".repeat(9),
      "Safari/1 ",
    ];
    const madeUp = Array.from({ length: 5000 }, (_, i) =>
      Array.from({ length: 6 }, (_, j) => parts[(i * 7919 + j * (i % 97)) % parts.length]).join(
        i % 3 ? "" : "; Linux ",
      ),
    );
    assert.ok(real.length > 500);
    for (const useragent of [...real, ...madeUp, "a".repeat(70_000), "A/1 ".repeat(20_000), "\ud800/1", "\0"]) {
      const family = toFamily(useragent);
      assert.match(family, closed);
      assert.equal(detector.isCrawler(family), false, family);
    }
  });
});
