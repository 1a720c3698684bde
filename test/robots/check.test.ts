/** What a file says to crawlers: statuses as a search of many paths finds them, expectations, and warnings. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { items } from "../../src/detect/built-in/items.ts";
import { checkCrawlers, isExpected, parseExpectation } from "../../src/robots/check-robots.ts";
import { createRobots } from "../../src/robots/crawler-rules.ts";
import { findJoinedGroups, lintRobots } from "../../src/robots/lint-robots.ts";
import { tokensOf, toNamedCrawlers } from "../../src/robots/robots-crawlers.ts";
import { mostRobotsBytes, parseRobots } from "../../src/robots/robots-file.ts";
import { findDamage } from "../../src/robots/robots-text.ts";

const crawlers = toNamedCrawlers(items());
const crawlerOf = (name: string) => crawlers.find((crawler) => crawler.name === name)!;
const check = (text: string, name = "GPTBot") => checkCrawlers(createRobots(parseRobots(text)), [crawlerOf(name)])[0]!;

describe("the status", () => {
  for (const [rules, status, line] of [
    ["", "allowed", undefined],
    ["Disallow: /private", "allowed", undefined],
    ["Disallow: /\nAllow: /$", "allowed", 3],
    ["Disallow: /", "blocked", 2],
    ["Disallow: *", "blocked", 2],
    ["Disallow: /*$", "blocked", 2],
    ["Disallow: /$", "partly", 2],
    ["Disallow: /\nAllow: /public", "partly", 2],
    ["Disallow: /\nAllow: *.css", "partly", 2],
    ["Disallow: /\nAllow: public", "blocked", 2],
    ["Disallow: /\nAllow: /public\nDisallow: /public*", "blocked", 2],
    ["Disallow: /\nAllow: /public\nDisallow: /public$", "partly", 2],
    ["Disallow: /\nAllow: */x\nDisallow: /*/x", "partly", 2],
    ["Disallow: /\nAllow: /a*b\nDisallow: /a*b*", "blocked", 2],
    ["Disallow: /\nAllow: /a*b\nDisallow: /a*b*\nAllow: /a*bc", "partly", 2],
  ] as const)
    it(`is ${status} by ${JSON.stringify(rules)}`, () => {
      const { status: found, line: foundLine } = check(`User-agent: *\n${rules}`);
      assert.deepEqual([found, foundLine], [status, line]);
    });

  it("is what all short paths say, for all combinations of rules of a small alphabet", () => {
    const alphabet = ["/", "a", "*"];
    const rules = [
      "/$",
      ...alphabet.flatMap((one) => alphabet.flatMap((two) => ["", "*", "$"].map((end) => `/${one}${two}${end}`))),
    ];
    const paths = [
      "/",
      ...["/", "a", "b"].flatMap((one) => [
        `/${one}`,
        ...["/", "a", "b"].flatMap((two) => [`/${one}${two}`, `/${one}${two}b`, `/${one}${two}/`]),
      ]),
    ];
    const seen = new Set<string>();
    for (const [index, allow] of rules.entries())
      for (const disallow of rules.slice(index % 3)) {
        const text = `User-agent: *\nDisallow: /\nAllow: ${allow}\nDisallow: ${disallow}`;
        const rulesOfAll = createRobots(parseRobots(text)).rulesFor({});
        const allowed = paths.filter((path) => rulesOfAll.decide(path).isAllowed);
        const expected = allowed.includes("/") ? "allowed" : allowed.length > 0 ? "partly" : "blocked";
        assert.equal(check(text).status, expected, text);
        seen.add(expected);
      }
    assert.deepEqual([...seen].sort(), ["allowed", "blocked", "partly"]);
  });

  it("names the operator's page where robots.txt does not apply", () => {
    const { url, ...facts } = check("User-agent: *\nDisallow: /", "ChatGPT-User");
    assert.equal(url, "https://developers.openai.com/api/docs/bots");
    const { operator, category, purposes } = crawlerOf("ChatGPT-User");
    assert.deepEqual(facts, {
      name: "ChatGPT-User",
      operator,
      category,
      purposes,
      status: "does not apply",
      rules: [],
    });
  });
});

describe("an expectation", () => {
  it("is of the last word that selects a crawler", () => {
    const expect = parseExpectation("ai=blocked, ai:agent = allowed,Amazonbot=partly", crawlers);
    const found = ["GPTBot", "ChatGPT-User", "Amazonbot", "Googlebot"].map((name) => expect(crawlerOf(name)));
    assert.deepEqual(found, ["blocked", "allowed", "partly", undefined]);
  });

  it("of allowed fits a crawler to which robots.txt does not apply, and no other", () => {
    assert.deepEqual(
      (["allowed", "partly", "blocked"] as const).map((expected) => isExpected("does not apply", expected)),
      [true, false, false],
    );
  });

  for (const [text, message] of [
    ["ai", /"ai" must be a word and allowed, partly, blocked/],
    ["ai=block", /"ai=block" must be/],
    ["=blocked", /"=blocked" must be/],
    ["ai:trainin=blocked", /Did you mean "ai:training"/],
    ["", /"" must be/],
  ] as const)
    it(`cannot be ${JSON.stringify(text)}`, () => assert.throws(() => parseExpectation(text, crawlers), { message }));
});

describe("warnings", () => {
  const lint = (text: string) => lintRobots(createRobots(parseRobots(text)), tokensOf(crawlers));
  const group = "User-agent: *\nDisallow: /a\n";
  for (const [what, text, line, says] of [
    [
      "a misspelt rule",
      `${group}Disalow: /`,
      3,
      /"disalow" is no rule; Google's crawlers read it as "disallow: \/", others ignore it.*Did you mean "disallow"/,
    ],
    [
      "a misspelt rule that no crawler reads",
      `${group}Dsallow: /`,
      3,
      /"dsallow" is no rule; crawlers ignore it.*Did you mean "disallow"/,
    ],
    ["an unknown rule", `${group}Noindex: /`, 3, /"noindex" is no rule/],
    [
      "a line without a colon",
      `${group}Disallow /`,
      3,
      /"Disallow \/" has no colon; Google's crawlers read it as "disallow: \/", others ignore it/,
    ],
    ["a rule before a group", `Disallow: /\n${group}`, 1, /before any User-agent/],
    ["a rule without a slash", `${group}Disallow: b`, 3, /"b" matches no path.*Did you mean "\/b"/],
    ["an unknown token", `${group}User-agent: ClaudBot`, 3, /no known crawler has the token "ClaudBot".*"ClaudeBot"/],
    ["a version", `${group}User-agent: GPTBot/1.2`, 3, /is a user agent string.*Did you mean "GPTBot"/],
    ["a user agent", `${group}User-agent: Mozilla/5.0 (compatible; bingbot/2.0)`, 3, /user agent string.*"bingbot"/],
    ["an empty token", `${group}User-agent:`, 3, /User-agent is empty/],
    [
      "forgotten rules",
      `${group}User-agent: GPTBot\nDisallow: /b`,
      3,
      /"GPTBot" does not obey the rules of \*, such as line 2/,
    ],
    ["a relative Sitemap", `${group}Sitemap: /sitemap.xml`, 3, /Sitemap "\/sitemap.xml" must be a whole address/],
    ["a large file", `${group}Disallow: /${"a".repeat(mostRobotsBytes)}`, 3, /larger than 500 KiB/],
  ] as const)
    it(`name ${what}`, () => {
      const [warning, ...others] = lint(text);
      assert.deepEqual(others, []);
      assert.equal(warning?.line, line);
      assert.match(warning.text, says);
    });

  // Each row: what joins two groups by accident, and whether it does.
  for (const [between, isWarned] of [
    ["Crawl-delay: 10", true],
    ["Sitemap: https://example.com/s.xml", true],
    ["Host: example.com", true],
    ["Content-Signal: search=yes", true],
    ["", true],
    [" \t", true],
    ["# Disallow: /tmp", true],
    ["#allow: /", true],
    ["Noindex: /x", true],
    ["Disallow /x y", true],
    ["Disallow:", false],
    ["Allow: /x", false],
    ["# the same for AhrefsBot", false],
    ["#", false],
  ] as const)
    it(`${isWarned ? "name" : "do not name"} groups with ${JSON.stringify(between)} between them`, () => {
      const robots = createRobots(parseRobots(`User-agent: *\n${between}\nUser-agent: AhrefsBot\nDisallow: /`));
      const found = findJoinedGroups(robots.file);
      assert.deepEqual(
        found.map(({ line }) => line),
        isWarned ? [3] : [],
      );
      const endsGroup = /^(?:dis)?allow:/i.test(between);
      assert.equal(robots.rulesFor({}).decide("/").isAllowed, endsGroup);
      for (const { text } of found)
        assert.match(text, /"AhrefsBot" joins the group of "\*" in line 1.*"Disallow:" above/);
    });

  it("about groups are none where no rule follows", () =>
    assert.deepEqual(findJoinedGroups(parseRobots("User-agent: a\n\nUser-agent: b\nCrawl-delay: 1")), []));

  // Characters that are no blank of RFC 9309, section 2.2: they belong to the rule, or to the key.
  for (const [text, code] of [
    ["Disallow: /a\u00a0", "U+00A0"],
    ["Disallow:\u00a0/a", "U+00A0"],
    ["Disallow\u00a0: /a", "U+00A0"],
    ["\u00a0Disallow: /a", "U+00A0"],
    ["\u{feff}Disallow: /a", "U+FEFF"],
    ["Disallow: /a\u3000", "U+3000"],
    ["Disallow: /a\u2003", "U+2003"],
    ["Disallow: /a\v", "U+000B"],
    ["Disallow: /a\f", "U+000C"],
  ] as const)
    it(`name ${code} in ${JSON.stringify(text)}, which is no rule about /a`, () => {
      const file = `User-agent: *\n${text}`;
      assert.ok(lint(file).some((warning) => warning.line === 2 && warning.text.includes(code)));
      assert.equal(createRobots(parseRobots(file)).rulesFor({}).decide("/a").isAllowed, true);
    });

  for (const text of [
    "",
    `${group}User-agent: GPTBot\nDisallow: /`,
    `${group}User-agent: GPTBot\nDisallow: /*`,
    `${group}User-agent: GPTBot\nAllow: /\nCrawl-delay: 5`,
    `${group}User-agent: GPTBot\nUser-agent: Yandex\nDisallow: /b\nDisallow: /a\nClean-param: x`,
    `${group}Host: example.com\nContent-Signal: search=yes\nSitemap: https://example.com/a`,
  ])
    it(`are none about ${JSON.stringify(text)}`, () => assert.deepEqual(lint(text), []));

  it("of one kind end at some point, and the text in them is short and visible", () => {
    const warnings = lint(`${"x\u202e".repeat(300)}\n`.repeat(1000));
    assert.ok(warnings.length < 100);
    for (const { text } of warnings) assert.ok(text.length < 1000 && !text.includes("\u202e"));
  });
});

describe("damage", () => {
  for (const [text, line, reason] of [
    ["<!DOCTYPE html><title>Sign in</title>", 1, /web page/],
    ["\u{feff}\n  <html>", 1, /web page/],
    ["User-agent: *\r\nDisallow: /\ufffd", 2, /not UTF-8/],
    ["a\n\nb\0", 3, /not text/],
  ] as const)
    it(`is found in ${JSON.stringify(text)}`, () => {
      const damage = findDamage(text);
      assert.equal(damage?.line, line);
      assert.match(damage.reason, reason);
    });

  for (const text of ["", "User-agent: *\nDisallow: /<html>", "# <html>"])
    it(`is not found in ${JSON.stringify(text)}`, () => assert.equal(findDamage(text), undefined));
});
