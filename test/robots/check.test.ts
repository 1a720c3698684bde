/** What a file says to crawlers: statuses as a search of many paths finds them, expectations, and warnings. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { items } from "../../src/detect/built-in/items.ts";
import { finish } from "../../src/pattern/finish.ts";
import { checkCrawlers, isExpected, parseExpectation } from "../../src/robots/check-robots.ts";
import { createRobots } from "../../src/robots/crawler-rules.ts";
import { lintRobots } from "../../src/robots/lint-robots.ts";
import { tokensOf, toNamedCrawlers } from "../../src/robots/robots-crawlers.ts";
import { maxRobotsBytes, parseRobots } from "../../src/robots/robots-file.ts";
import { testGolden } from "../support/golden.ts";

const crawlers = toNamedCrawlers(items());
const crawlerOf = (name: string) => crawlers.find((crawler) => crawler.name === name)!;
const check = (text: string, name = "GPTBot") =>
  finish(checkCrawlers(createRobots(parseRobots(text)), [crawlerOf(name)]))[0]!;

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
});

describe("warnings", () => {
  const lint = (text: string) => finish(lintRobots(createRobots(parseRobots(text)), tokensOf(crawlers)));

  /** What warnings advise, and a file with it. */
  const advice: readonly (readonly [pattern: RegExp, toFile: (advised: string) => string])[] = [
    [/(?::|,) "((?:Allow|Disallow): [!-~][ !#-~]*)"/g, (line) => `User-agent: *\n${line}`],
    [/(?::|,|write) "(User-agent: [ !#-~]+)"/g, (line) => `${line}\nDisallow: /`],
    [/token .*Did you mean "([^"]+)"\?/g, (token) => `User-agent: ${token}\nDisallow: /`],
    [/Content-Signal .* write "([^"]+)"/g, (value) => `User-agent: *\nContent-Signal: ${value}\nAllow: /`],
    [/(?::|,) "(Sitemap: [^"]+)"/g, (line) => `User-agent: *\nDisallow:\n${line}`],
  ];

  testGolden("robots/lint.txt", (input) => {
    const text = input
      .replaceAll("\\n", "\n")
      .replace(/\\u\{(\w+)\}/g, (_, code) => String.fromCodePoint(parseInt(code, 16)));
    const warnings = lint(text).map(({ line, text }) => `! ${line}: ${text}`);
    // What is advised has no warning.
    for (const [pattern, toFile] of advice)
      for (const [, advised] of warnings.join("\n").matchAll(pattern))
        assert.deepEqual(lint(toFile(advised!)), [], advised);
    return warnings.length > 0 ? warnings : ["! none"];
  });

  it("name the place where a file is too large", () => {
    const text = `User-agent: *\nDisallow: /a\nDisallow: /${"a".repeat(maxRobotsBytes)}`;
    assert.match(
      lint(text)
        .map(({ line, text }) => `${line}: ${text}`)
        .join(),
      /^3: [^,]*larger than 500 KiB/,
    );
  });

  it("of characters that are no blank are right: the line is no rule about /a", () => {
    for (const line of ["Disallow: /a~", "Disallow:~/a", "Disallow~: /a", "~Disallow: /a"])
      for (const blank of ["\u00a0", "\u{feff}", "\u3000", "\u2003", "\v", "\f"]) {
        const file = parseRobots(`User-agent: *\n${line.replace("~", blank)}`);
        assert.equal(createRobots(file).rulesFor({}).decide("/a").isAllowed, true, JSON.stringify(line + blank));
      }
  });

  it("of joined groups are right: the rules apply to both", () => {
    for (const [between, isJoined] of [
      ["Crawl-delay: 10", true],
      ["Noindex: /x", true],
      ["Disallow:", false],
      ["Allow: /x", false],
    ] as const) {
      const file = parseRobots(`User-agent: *\n${between}\nUser-agent: AhrefsBot\nDisallow: /`);
      assert.equal(createRobots(file).rulesFor({}).decide("/").isAllowed, !isJoined, between);
    }
  });

  it("of one kind end at some point, and the text in them is short and visible", () => {
    const warnings = lint(`${"x\u202e".repeat(300)}\n`.repeat(1000));
    assert.ok(warnings.length < 100);
    for (const { text } of warnings) assert.ok(text.length < 1000 && !text.includes("\u202e"));
  });
});
