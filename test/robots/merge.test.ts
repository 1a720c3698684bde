/** Groups and signals added to a site's own file: what the file says to others stays, and the added crawlers are disallowed. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { detector } from "../../src/detect/built-in/detector.ts";
import { parseSelection } from "../../src/detect/policy/selection.ts";
import { itemsInPrecedence } from "../../src/export/expressions.ts";
import { type RobotsTxtOptions, writeRobotsTxt } from "../../src/export/targets/robots-txt.ts";
import { createRobots } from "../../src/robots/crawler-rules.ts";
import { hasOwnGroup } from "../../src/robots/merge-robots.ts";
import { toNamedCrawlers } from "../../src/robots/robots-crawlers.ts";
import { parseRobots } from "../../src/robots/robots-file.ts";

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
