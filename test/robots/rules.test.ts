/** Parsing robots.txt and deciding about paths: cases from RFC 9309 and from Google's documentation of how it reads the file. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { items } from "../../src/detect/built-in/items.ts";
import {
  createRobots,
  findManyPatterns,
  type RobotsCrawler,
  type RobotsReading,
} from "../../src/robots/crawler-rules.ts";
import { maxRobotsBytes, parseRobots } from "../../src/robots/robots-file.ts";
import { rowsOf } from "../support/table.ts";

const google = { obeys: true, tokens: "letters", url: "https://example.com" } as const;
const ask = (text: string, crawler: RobotsCrawler, path: string) =>
  createRobots(parseRobots(text)).rulesFor(crawler).decide(path);
const isAllowed = (rules: string, path: string): boolean =>
  ask(`User-agent: *\n${rules}`, { name: "foo" }, path).isAllowed;

describe("a path", () => {
  const rfc = "User-agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif";
  // RFC 9309, section 5.2: the longest match.
  for (const [path, expected] of [
    ["/example/page/", true],
    ["/example/page/disallowed.gif", false],
    ["/example/page", true],
    ["/other", true],
  ] as const)
    it(`${path} follows the longest match`, () => {
      assert.equal(ask(rfc, { name: "FooBot" }, path).isAllowed, expected);
    });

  // The rule after `Disallow: `, the paths that it covers, and some that it does not: from Google's table of paths; then of RFC 9309,
  // section 2.2.2, where octets are compared in one encoding, and 2.2.3, about special characters.
  for (const [rule = "", covered = "", others = ""] of rowsOf(`
    /      | / /any
    /*     | / /any
    /$     | /                                      | /any /?a
    /fish  | /fish /fish.html /fish/salmon.html /fishheads /fishheads/yummy.html /fish.php?id=any | /Fish.asp /catfish /?id=fish /desert/fish
    /fish* | /fish /fish.html /fishheads/yummy.html | /Fish.asp /catfish /?id=fish
    /fish/ | /fish/ /fish/?id=any /fish/salmon.htm  | /fish /fish.html /animals/fish/ /Fish/Salmon.asp
    /*.php | /index.php /filename.php /folder/filename.php?parameters /folder/any.php.file.html /filename.php/ | / /windows.PHP
    /*.php$    | /filename.php /folder/filename.php | /filename.php?parameters /filename.php/ /filename.php5 /windows.PHP
    /fish*.php | /fish.php /fishheads/catfish.php?parameters | /Fish.PHP
    /foo/bar?baz=quz             | /foo/bar?baz=quz | /foo/bar
    /foo/bar?baz=https://foo.bar | /foo/bar?baz=https://foo.bar
    /foo/bar/\u30c4     | /foo/bar/%E3%83%84 /foo/bar/%e3%83%84 /foo/bar/\u30c4 | /foo/bar/
    /foo/bar/%E3%83%84  | /foo/bar/%E3%83%84 /foo/bar/\u30c4
    /foo/bar/%62%61%7A  | /foo/bar/baz /foo/bar/%62az | /foo/bar/BAZ
    /foo/bar/baz        | /foo/bar/%62%61%7a
    /a%2Fb              | /a%2fb                        | /a/b
    /a%3Cd.html         | /a%3cd.html /a<d.html         | /a
    /%7Ejoe/            | /~joe/index.html /%7ejoe/     | /joe/
    /path/file-with-a-%2A.html | /path/file-with-a-*.html /path/file-with-a-%2a.html | /path/file-with-a-b.html
    /path/foo-%24       | /path/foo-$ /path/foo-%24/x   | /path/foo-
    /a$b                | /a$b /a%24bc                  | /a /ab
    /this/*/exactly     | /this/path/exactly /this//exactly/too /this/a/b/exactly | /this/exactly
    */private           | /private /a/private/b         | /privat
    /a**b*              | /ab /axxb/c                   | /a
    /*a*a$              | /aa /a/a                      | /a /aab
    /*ab$               | /ab /abab /aab                | /aba
    *$                  | / /x
    %                   |                               | / /%
    /100%               | /100%                         | /10
    private/            |                               | /private/
    \ud800              |                               | /
  `))
    it(`is compared with ${rule}`, () => {
      const rules = `Disallow: ${rule}`;
      for (const path of covered.split(" ").filter(Boolean)) assert.equal(isAllowed(rules, path), false, path);
      for (const path of others.split(" ").filter(Boolean)) assert.equal(isAllowed(rules, path), true, path);
    });

  // Google's table of precedence.
  for (const [rules, path, expected] of [
    ["Allow: /p\nDisallow: /", "/page", true],
    ["Allow: /folder\nDisallow: /folder", "/folder/page", true],
    ["Disallow: /folder\nAllow: /folder", "/folder/page", true],
    ["Allow: /page\nDisallow: /*.htm", "/page.htm", false],
    ["Allow: /page\nDisallow: /*.ph", "/page.php5", true],
    ["Allow: /$\nDisallow: /", "/", true],
    ["Allow: /$\nDisallow: /", "/page.htm", false],
    ["Allow: /a*\nDisallow: /a$", "/a", true],
    ["Disallow:", "/x", true],
    ["Disallow: /\nAllow:", "/x", false],
    ["Disallow: /", "/robots.txt", true],
    ["Disallow: /", "/robots.txt?x", true],
    ["Disallow: /", "/robots.txt.bak", false],
  ] as const)
    it(`${path} is ${expected ? "allowed" : "disallowed"} by ${JSON.stringify(rules)}`, () => {
      assert.equal(isAllowed(rules, path), expected);
    });

  it("names the rule that decides", () => {
    assert.deepEqual(ask("User-agent: *\n\nDisallow: /%7Ea # why", { name: "x" }, "/~a/b").rule, {
      isAllowed: false,
      path: "/~a",
      text: "/%7Ea",
      line: 3,
    });
    assert.deepEqual(ask("User-agent: *\nDisallow: /a", { name: "x" }, "/b"), { isAllowed: true });
  });
});

describe("a crawler", () => {
  // RFC 9309, section 5.1, and Google's examples of groups. Each row: the file, the crawler, and the line that decides about /x.
  const simple =
    "User-agent: *\nDisallow: *.gif\nDisallow: /x\nUser-agent: foobot\nDisallow: /xx\nUser-agent: barbot\nUser-agent: bazbot\nDisallow: /x\nUser-agent: quxbot";
  const twice = "User-agent: a\nDisallow: /y\n\nUser-agent: b\nDisallow: /x\n\nUser-agent: A\nDisallow: /x";
  const between =
    "User-agent: a\nSitemap: https://example.com/s\nCrawl-delay: 5\nfoo: bar\n\nUser-agent: b\nDisallow: /x";
  const letters =
    "User-agent: Googlebot/2.1 beta\nDisallow: /x\nUser-agent: * all\nDisallow: /\nUser-agent: Foo Bar\nDisallow: /";
  for (const [what, file, crawler, line] of [
    ["without a group has those of *", simple, { name: "other" }, 3],
    ["with a group ignores *", simple, { name: "FOOBOT" }, undefined],
    ["shares a group", simple, { name: "BarBot" }, 8],
    ["is the last of a group", simple, { name: "bazbot" }, 8],
    ["has a group without rules", simple, { name: "quxbot" }, undefined],
    ["has its groups merged", twice, { name: "a" }, 8],
    ["stays in a group after lines that are no rules", between, { name: "a" }, 7],
    ["is not found by a part of its token", "User-agent: foo\nDisallow: /x", { name: "foobot" }, undefined],
    ["is not found by a longer token", "User-agent: foobot-news\nDisallow: /x", { name: "foobot" }, undefined],
    ["is found by its token", "User-agent: Mail.Ru\nDisallow: /x", { name: "M", robots: "mail.ru" }, 2],
    ["has a token with a version only as a whole", "User-agent: foo/2\nDisallow: /x", { name: "foo" }, undefined],
    ["of Google is found by the letters of a token", letters, { name: "Googlebot", robotsRules: google }, 2],
    ["of Google obeys * with text behind it", letters, { name: "Storebot-Google", robotsRules: google }, 4],
    ["of Google is found by letters before a space", letters, { name: "foo", robotsRules: google }, 6],
    ["ignores *", simple, { name: "other", robotsRules: { star: false, url: "" } }, undefined],
    ["falls back", twice, { name: "c", robotsRules: { fallback: ["d", "B"], url: "" } }, 5],
    ["does not fall back from an own group", twice, { name: "b", robotsRules: { fallback: ["a"], url: "" } }, 5],
    ["without a name has the rules of *", simple, {}, 3],
    ["called like a member of objects", "User-agent: constructor\nDisallow: /x", { name: "__proto__" }, undefined],
  ] as const satisfies readonly (readonly [string, string, RobotsCrawler, number | undefined])[])
    it(what, () => assert.equal(ask(file, crawler, "/x").rule?.line, line));

  it("has each rule once if a group names its token twice", () => {
    const { rules, groups } = createRobots(
      parseRobots("User-agent: foo\nUser-agent: Foo\nDisallow: /a\n\nUser-agent: foo\nDisallow: /b"),
    ).rulesFor({ name: "foo" });
    assert.deepEqual([rules.map(({ path }) => path), groups.length], [["/a", "/b"], 2]);
  });

  it("may have a delay of zero, and none below", () => {
    const delayOf = (value: string) =>
      createRobots(parseRobots(`User-agent: *\nCrawl-delay: ${value}`)).rulesFor({}).crawlDelay;
    assert.deepEqual(["0", "0.5", "-1"].map(delayOf), [0, 0.5, undefined]);
  });

  for (const [text, delays] of [
    ["User-agent: bingbot\nCrawl-delay: 2\n\nUser-agent: *\nCrawl-delay: 10", { bingbot: 2, other: 10 }],
    ["User-agent: *\nCrawl-delay: 10\n\nUser-agent: bingbot\nCrawl-delay: 2\nDisallow: /x", { bingbot: 2, other: 10 }],
    ["User-agent: bingbot\nDisallow: /x\nUser-agent: *\nCrawl-delay: 10", { bingbot: 10, other: 10 }],
    [
      "User-agent: bingbot\nDisallow: /x\nCrawl-delay: 3\n\nUser-agent: *\nDisallow: /y",
      { bingbot: 3, other: undefined },
    ],
    [
      "User-agent: bingbot\nUser-agent: a\nCrawl-delay: 3\nCrawl-delay: 4\nUser-agent: b\nDisallow: /",
      { bingbot: 4, a: 4, b: undefined },
    ],
    [
      "User-agent: bingbot\nCrawl-delay: 10s\nUser-agent: *\nCrawl-delay: 1,5\nCrawl-delay: 7",
      { bingbot: 7, other: 7 },
    ],
    ["User-agent: bingbot\nCrawl-delay: 10\nCrawl-delay: 1e3\nCrawl-delay: 0x1F", { bingbot: 10, other: undefined }],
    [
      "User-agent: a\nCrawl-delay: 1\nDisallow: /\nUser-agent: A\nCrawl-delay: 2\nUser-agent: a\nDisallow: /b",
      { a: 2 },
    ],
  ] as const)
    it(`has the delay of its own lines, or of *: ${JSON.stringify(text)}`, () => {
      const { rulesFor } = createRobots(parseRobots(text));
      for (const [name, delay] of Object.entries(delays)) assert.equal(rulesFor({ name }).crawlDelay, delay, name);
    });

  it("has the token and the delay that apply to it", () => {
    const robots = createRobots(
      parseRobots("User-agent: Yandex\nUser-agent: *\nCrawl-delay: 2.5\nCrawl-delay: x\nDisallow: /"),
    );
    const yandex = robots.rulesFor({ name: "YandexBot", robotsRules: { fallback: ["Yandex"], url: "" } });
    assert.deepEqual([yandex.token, yandex.crawlDelay], ["Yandex", 2.5]);
    const none = robots.rulesFor({ name: "X", robotsRules: { star: false, url: "" } });
    assert.deepEqual([none.token, none.crawlDelay, none.groups], [undefined, undefined, []]);
  });
});

describe("a line that RFC 9309 does not know", () => {
  // Google's parser: keys are compared as beginnings, without case; a blank or tab is a colon in a line of two words.
  const read =
    "Disalow: /x|Dissallow: /x|dissalow : /x|DIASLLOW:/x|Disallaw: /x|Disallowed: /x|disallow-all: /x|Disallow /x|Disallow\t/x # remark|Disalow /x";
  const unread = "Disallow /x y|Disallow/x|Disllow: /x|Dis allow: /x|Noindex: /x";
  for (const [lines, isReadByGoogle] of [
    [read, true],
    [unread, false],
  ] as const)
    for (const line of lines.split("|"))
      it(`${JSON.stringify(line)} is ${isReadByGoogle ? "" : "not "}read by Google's crawlers, and by no other`, () => {
        const robots = createRobots(parseRobots(`User-agent: *\n${line}`));
        const decide = (crawler: RobotsCrawler, reading?: RobotsReading) =>
          robots.rulesFor(crawler, reading).decide("/x").isAllowed;
        assert.equal(decide({ name: "Googlebot", robotsRules: google }), !isReadByGoogle);
        assert.equal(decide({ name: "GPTBot" }), true);
        assert.deepEqual([decide({}, "google"), decide({ robotsRules: google }, "rfc")], [!isReadByGoogle, true]);
      });

  for (const agent of ["Useragent: *", "User agent: *", "USER-AGENTS: *", "user-agent *", "Useragent\t*"])
    it(`${JSON.stringify(agent)} opens a group for Google's crawlers`, () => {
      const robots = createRobots(parseRobots(`User-agent: other\nDisallow: /y\n${agent}\nDisallow: /x`));
      assert.equal(robots.rulesFor({ name: "Googlebot", robotsRules: google }).decide("/x").isAllowed, false);
      assert.equal(robots.rulesFor({ name: "other" }).decide("/x").isAllowed, false);
      assert.equal(robots.rulesFor({ name: "GPTBot" }).token, undefined);
    });

  it("between groups ends the list of agents for Google's crawlers alone", () => {
    const robots = createRobots(parseRobots("User-agent: *\nDisallow /private\nUser-agent: AhrefsBot\nDisallow: /"));
    const rules = [{ name: "Googlebot", robotsRules: google }, { name: "GPTBot" }].map((crawler) =>
      robots.rulesFor(crawler).rules.map(({ line }) => line),
    );
    assert.deepEqual(rules, [[2], [4]]);
  });
});

describe("many patterns", () => {
  const rules = (count: number, toRule: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => `Disallow: ${toRule(index)}`).join("\n");
  for (const [what, text, line] of [
    ["1,000 of one crawler", `User-agent: a\n${rules(1000, (i) => `/*${i}`)}`, undefined],
    ["1,001 of one crawler", `User-agent: a\n${rules(1001, (i) => `/${i}$`)}`, 1],
    [
      "1,001 in two groups",
      `User-agent: a\n${rules(600, (i) => `/*${i}`)}\nUser-agent: A\n${rules(401, (i) => `*${i}`)}`,
      602,
    ],
    [
      "1,001 in groups that only Google joins",
      `User-agent: a/1\n${rules(600, (i) => `/*${i}`)}\nUser-agent: a/2\n${rules(401, (i) => `*${i}`)}`,
      602,
    ],
    [
      "1,200 of two crawlers",
      `User-agent: a\n${rules(600, (i) => `/*${i}`)}\nUser-agent: b\n${rules(600, (i) => `*${i}`)}`,
      undefined,
    ],
    ["5,000 rules without * and $", `User-agent: *\n${rules(5000, (i) => `/${i}`)}`, undefined],
  ] as const)
    it(`${what} ${line ? "are too many" : "can be compared with requests"}`, () =>
      assert.equal(findManyPatterns(parseRobots(text))?.line, line));
});

describe("crawlers of the catalogue", () => {
  const crawlers = new Map(items().map((item) => [item.name, item]));
  const star = "User-agent: *\nDisallow: /\n";
  for (const [name, file, token] of [
    ["AdsBot-Google", star, undefined],
    ["APIs-Google", star, undefined],
    ["Mediapartners-Google", `${star}User-agent: mediapartners-google/2\nDisallow: /`, "Mediapartners-Google"],
    ["Applebot", `User-agent: Googlebot\nDisallow: /\n${star}`, "Googlebot"],
    ["Applebot", star, "*"],
    ["Googlebot-News", `User-agent: googlebot*\nDisallow: /\n${star}`, "Googlebot"],
    ["Googlebot-News", `User-agent: Googlebot-News\nUser-agent: Googlebot\nDisallow: /`, "Googlebot-News"],
    ["YandexImages", `User-agent: yandex\nDisallow: /\n${star}`, "Yandex"],
    ["GPTBot", `User-agent: GPTBot/1\nDisallow: /\n${star}`, "*"],
    ["Mail.RU_Bot", "User-agent: Mail.Ru\nDisallow: /", "Mail.Ru"],
  ] as const)
    it(`${name} obeys the group of ${token}`, () => {
      const rules = createRobots(parseRobots(file)).rulesFor(crawlers.get(name)!);
      assert.deepEqual([rules.token, rules.decide("/").isAllowed], [token, token === undefined]);
    });

  it("say whether robots.txt applies, where it is known", () => {
    for (const [obeys, names] of [
      [true, ["Claude-User", "DuckAssistBot", "MistralAI-User", "Googlebot", "AdsBot-Google"]],
      [false, ["ChatGPT-User", "Perplexity-User", "meta-externalfetcher", "FeedFetcher-Google", "Google-Agent"]],
      [undefined, ["Bytespider", "curl"]],
    ] as const)
      for (const name of names) assert.equal(crawlers.get(name)?.robotsRules?.obeys, obeys, name);
  });
});

describe("a file", () => {
  for (const [what = "", json = ""] of rowsOf(String.raw`
    with LF                     | User-agent: a\nDisallow: /x\n
    with CR LF                  | User-agent: a\r\nDisallow: /x\r\n
    with CR                     | User-agent: a\rDisallow: /x
    with a mark of its encoding | ${"\u{feff}"}User-agent: a\nDisallow: /x
    with spaces and capitals    | USER-AGENT :\ta \n\tdisallow\t:/x\t
    with comments               | User-agent: a#b\nDisallow: /x # y\n
  `))
    it(what, () => {
      const [group, ...others] = parseRobots(JSON.parse(`"${json}"`)).groups;
      assert.deepEqual(others, []);
      assert.deepEqual(group, {
        agents: [{ token: "a", line: 1, crawlDelays: [] }],
        rules: [{ isAllowed: false, path: "/x", text: "/x", line: 2 }],
      });
    });

  it("keeps the numbers of all lines, and what it does not know", () => {
    const file = parseRobots(
      "# c\r\n\r\nAllow: /\rDisalow: /\nno colon\n\nSitemap: https://example.com/a:b\nUser-agent: a",
    );
    assert.deepEqual(
      file.lines.map(({ number, key, value }) => [number, key, value]),
      [
        [3, "allow", "/"],
        [4, "disalow", "/"],
        [5, undefined, ""],
        [7, "sitemap", "https://example.com/a:b"],
        [8, "user-agent", "a"],
      ],
    );
    assert.deepEqual(
      file.ungrouped.map(({ number }) => number),
      [3],
    );
    assert.deepEqual(file.sitemaps, [{ url: "https://example.com/a:b", line: 7 }]);
  });

  it("is read up to exactly 500 KiB", () => {
    const text = `${"#".repeat(maxRobotsBytes - 20)}\n${"#".repeat(19)}`;
    assert.deepEqual([parseRobots(text).cutAt, parseRobots(`${text}#`).cutAt], [undefined, 2]);
  });

  it("is read up to 500 KiB, by bytes and whole lines", () => {
    const start = "User-agent: *\n";
    for (const [character, bytes] of [
      ["a", 1],
      ["\u00e9", 2],
      ["\u30c4", 3],
      ["\u{1f916}", 4],
    ] as const) {
      const line = `Disallow: /${character.repeat(Math.floor((maxRobotsBytes - start.length - 11) / bytes))}`;
      assert.equal(parseRobots(start + line).cutAt, undefined);
      const cut = parseRobots(`${start}${line}${character.repeat(4)}\nDisallow: /`);
      assert.equal(cut.cutAt, 2);
      assert.deepEqual(cut.groups[0]?.rules, []);
    }
  });
});
