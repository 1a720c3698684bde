/** Which requests a site's robots.txt disallows, by the facts of crawlers; the text of a path changes nothing. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { items } from "../../src/detect/built-in/items.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import { createRobots } from "../../src/robots/crawler-rules.ts";
import { createIsDisallowed, indexByName } from "../../src/robots/disallowed.ts";
import { parseRobots } from "../../src/robots/robots-file.ts";

const verdictOn = (name: string | undefined): Verdict =>
  ({ useragent: "x", crawler: true, ...(name !== undefined && { name }) }) as Verdict;

const text = `User-agent: *
Disallow: /any

User-agent: Perplexity-User
Disallow: /named

User-agent: Googlebot
Disallow: /google
`;
const isDisallowed = createIsDisallowed(createRobots(parseRobots(text)), indexByName(items()));

describe("a request is disallowed", () => {
  const cases: readonly [name: string | undefined, path: string, expected: boolean][] = [
    [undefined, "/any", true],
    ["InventedBot", "/any", true],
    ["Googlebot", "/any", false],
    ["Googlebot", "/google", true],
    // Falls back to the groups of Googlebot.
    ["Applebot", "/google", true],
    ["Applebot", "/any", false],
    // Ignores the groups of *.
    ["AdsBot-Google", "/any", false],
    // robots.txt does not apply to them; one is named.
    ["ChatGPT-User", "/any", false],
    ["Perplexity-User", "/named", true],
    ["Perplexity-User", "/any", false],
    ["GPTBot", "/robots.txt", false],
    ["GPTBot", "/%61ny", true],
    ["GPTBot", "/x/../any", true],
    ["GPTBot", "/x/%2E%2e/any", true],
    ["GPTBot", "//any", true],
    ["GPTBot", "/.//any/", true],
    ["GPTBot", "\\\\any", true],
    ["GPTBot", "https://www.example.com/any", true],
    ["GPTBot", "/x?y=/../any", false],
    ["GPTBot", "/x/..%2fany", true],
    ["GPTBot", "/x%2F..%2Fany", true],
    ["GPTBot", "/.%2Fany", true],
    ["GPTBot", "/x%2Fany", false],
    ["GPTBot", "/;a/any;b=c/", true],
    ["GPTBot", "/x;/../any", true],
    ["GPTBot", "/x?y=;/../any", false],
    ["GPTBot", "/x?y=..%2Fany", false],
    ["GPTBot", "any", true],
    ["GPTBot", "x/../any", true],
    ["GPTBot", "*", false],
  ];
  for (const [name, path, expected] of cases)
    it(`${expected} for ${name} and ${path}`, () => assert.equal(isDisallowed(path, verdictOn(name)), expected));

  it("never for people", () => assert.equal(isDisallowed("/any", { useragent: "x", crawler: false }), false));
});
