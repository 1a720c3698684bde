/** Groups and signals added to a site's own file: what the file says to others stays, and the added crawlers are disallowed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { detector } from "../../src/detect/built-in/detector.ts";
import { parseSelection } from "../../src/detect/policy/selection.ts";
import { itemsInPrecedence } from "../../src/export/expressions.ts";
import { type RobotsTxtOptions, writeRobotsTxt } from "../../src/export/targets/robots-txt.ts";
import { createRobots } from "../../src/robots/crawler-rules.ts";
import { hasOwnGroup } from "../../src/robots/merge-robots.ts";
import { toNamedCrawlers } from "../../src/robots/robots-crawlers.ts";
import { mostRobotsBytes, parseRobots } from "../../src/robots/robots-file.ts";
import { readOwnRobots } from "../../src/robots/robots-text.ts";
import { UserError } from "../../src/text/errors.ts";

const items = itemsInPrecedence(detector.catalogue);
const crawlers = toNamedCrawlers(items);
const write = (words: string | undefined, options: RobotsTxtOptions) => {
  const selection = words === undefined ? {} : { selection: parseSelection(words, crawlers) };
  return writeRobotsTxt({ items, ...selection, command: "test", version: "1" }, options);
};

const names = [
  "GPTBot",
  "Googlebot",
  "Googlebot-Image",
  "Applebot",
  "AdsBot-Google",
  "YandexBot",
  "Bytespider",
  "bingbot",
];
const some = names.map((name) => crawlers.find((crawler) => crawler.name === name)!);
const paths = ["/", "/a", "/a/b", "/b?c", "/robots.txt"];

it("crawlers that are not named keep what the own file says to them, and named ones are disallowed", () => {
  const token = fc.constantFrom(...names, "*", "Yandex", "googlebot/2", "GPTBot/1", "other", "");
  const line = fc.oneof(
    token.map((token) => `User-agent: ${token}`),
    fc
      .tuple(fc.constantFrom("Allow", "Disallow"), fc.constantFrom("", "/", "/a", "/*b", "x"))
      .map((pair) => pair.join(": ")),
    fc.constantFrom("", "# c", "Sitemap: https://example.com/", "Crawl-delay: 1", "junk"),
  );
  const file = fc.tuple(
    fc.array(line, { maxLength: 12 }),
    fc.constantFrom("\n", "\r\n", "\r"),
    fc.constantFrom("", "\n"),
  );
  fc.assert(
    fc.property(file, fc.subarray(names, { minLength: 1 }), fc.boolean(), ([lines, end, last], chosen, hasSignals) => {
      const own = lines.join(end) + last;
      const text = write(chosen.join(), { own, signals: hasSignals ? "search=yes" : undefined });
      assert.ok(text.startsWith(own));
      const [before, after] = [own, text].map((text) => createRobots(parseRobots(text)));
      for (const crawler of some) {
        const isNamed = chosen.includes(crawler.name) && !hasOwnGroup(before!, crawler);
        const { fallback = [] } = crawler.robotsRules ?? {};
        // One whose fallback is disallowed follows it, as its operator documents.
        if (!isNamed && !hasOwnGroup(before!, crawler) && fallback.some((token) => chosen.includes(token))) continue;
        for (const path of paths) {
          const expected = isNamed ? path === "/robots.txt" : before!.rulesFor(crawler).decide(path).isAllowed;
          assert.equal(after!.rulesFor(crawler).decide(path).isAllowed, expected, `${crawler.name} ${path}\n${text}`);
        }
      }
    }),
    { numRuns: 300 },
  );
});

describe("a crawler with a group of its own", () => {
  for (const [own, isNamed] of [
    ["User-agent: gptbot\nDisallow: /a", false],
    ["User-agent: x\nUser-agent: GPTBot", false],
    ["User-agent: *\nDisallow: /a", true],
    ["User-agent: GPTBot/1\nDisallow: /a", true],
  ] as const)
    it(`is ${isNamed ? "" : "not "}named again after ${JSON.stringify(own)}`, () => {
      assert.equal(/^User-agent: GPTBot$/m.test(write("GPTBot", { own }).slice(own.length)), isNamed);
    });
});

describe("signals", () => {
  const lines = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  it("alone disallow nothing", () => {
    const text = write(undefined, { signals: "search=yes, AI-train=no,ai-input=no" });
    const expected = ["User-agent: *", "Content-Signal: search=yes, ai-train=no, ai-input=no", "Disallow:"];
    assert.deepEqual(lines(text), expected);
  });

  it("follow the group of the selected crawlers", () => {
    const text = write("GPTBot", { signals: "ai-train=no" });
    const expected = ["User-agent: GPTBot", "Disallow: /", "User-agent: *", "Content-Signal: ai-train=no", "Disallow:"];
    assert.deepEqual(lines(text), expected);
  });

  it("do not replace the own signals of *", () => {
    const own = "User-agent: a\nUser-agent: *\nDisallow: /x\ncontent-signal: search=no\n";
    const text = write("GPTBot", { own, signals: "search=yes" });
    assert.deepEqual(lines(text), [...lines(own), "User-agent: GPTBot", "Disallow: /"]);
    assert.match(text, /stays as line 4 has it/);
  });

  it("are added if only another group has its own", () => {
    const own =
      "Content-Signal: search=no\nUser-agent: a\nContent-Signal: search=no\nDisallow: /y\nUser-agent: *\nDisallow: /x";
    const expected = [...lines(own), "User-agent: *", "Content-Signal: search=yes", "Disallow:"];
    assert.deepEqual(lines(write(undefined, { own, signals: "search=yes" })), expected);
  });

  for (const [signals, message] of [
    ["serch=yes", /"serch" is no content signal. Did you mean "search"/],
    ["search", /signal search is yes or no/],
    ["search=maybe", /signal search is yes or no/],
    ["search=yes=no", /signal search is yes or no/],
    ["search=yes,search=no", /search is given twice/],
    ["", /"" is no content signal/],
  ] as const)
    it(`cannot be ${JSON.stringify(signals)}`, () => {
      assert.throws(
        () => write(undefined, { signals }),
        (error) => error instanceof UserError && message.test(error.message),
      );
    });
});

describe("an own file cannot", () => {
  it("be too large", () => {
    const bytes = new TextEncoder().encode(`#\n${"a".repeat(mostRobotsBytes)}`);
    assert.throws(() => readOwnRobots(bytes), /^UserError: line 2: the file is larger than 500 KiB/);
  });

  it("become too large", () => {
    const own = `#${"a".repeat(mostRobotsBytes - 10)}`;
    const message = /^UserError: the file and the added groups are larger than 500 KiB/;
    assert.throws(() => write("GPTBot", { own, signals: "search=yes" }), message);
  });
});
