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
Disallow: /a/private
Disallow: /café/
Disallow: /(x)
Disallow: /*?secret

User-agent: Perplexity-User
Disallow: /named

User-agent: Googlebot
Disallow: /google

User-agent: Allowed
Allow: /
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
    // Bytes of UTF-8, each of which is a character of a header field; text; and encoded.
    ["GPTBot", "/caf\xC3\xA9/", true],
    ["GPTBot", "/café/", true],
    ["GPTBot", "/caf%c3%a9/", true],
    ["GPTBot", "/x/../caf\xC3\xA9/", true],
    ["GPTBot", "/a/;/../private/x", true],
    ["GPTBot", "/a/\\/../private/x", true],
    ["GPTBot", "/a//../private/x", true],
    ["GPTBot", "/a/b/\\../../private/x", true],
    ["GPTBot", "/a;b/private", true],
    ["GPTBot", "/a%3Bb/private", true],
    ["GPTBot", "/a/x%5C..%5Cprivate", true],
    ["GPTBot", "/a/./%2E/private", true],
    ["GPTBot", "/a/b/..", false],
    ["GPTBot", "/%28x%29", true],
    ["GPTBot", `/${"./".repeat(4000)}a/private`, true],
    ["GPTBot", `/${"./".repeat(4100)}a/private`, true],
    ["GPTBot", `/b?${"x".repeat(9000)}`, true],
    ["GPTBot", `/${"\u00e9".repeat(3000)}?secret`, true],
    ["ChatGPT-User", `/${"x".repeat(9000)}`, false],
    ["Allowed", `/${"x".repeat(9000)}`, false],
    ["Allowed", "/any", false],
  ];
  for (const [name, path, expected] of cases)
    it(`${expected} for ${name} and ${JSON.stringify(path.slice(0, 40))}`, () =>
      assert.equal(isDisallowed(path, verdictOn(name)), expected));

  it("only what RFC 9309 and Google's parser both disallow, for every crawler", () => {
    for (const [file, cases] of [
      ["User-agent: *\nDisalow: /a\nDisallow: /b", { "/a": false, "/b": true, "ftp:[": false }],
      [
        "User-agent: *\nDisallow /private\nUser-agent: AhrefsBot\nDisallow: /",
        { "/x": false, "/private": true, "ftp:[": false },
      ],
      [
        "Useragent: *\nDisallow: /a\nUser-agent: Googlebot\nUser-agent: GPTBot\nDisallow: /b",
        { "/a": false, "/b": true },
      ],
      [
        "User-agent: *\nDisallow: /\nUser-agent: Googlebot\nUser-agent: GPTBot\nAllow: /\nDissallow: /c",
        { "/c": false },
      ],
      ["User-agent: *\nDisallow: /", { "ftp:[": true }],
    ] as const) {
      const isDisallowed = createIsDisallowed(createRobots(parseRobots(file)), indexByName(items()));
      for (const [path, expected] of Object.entries(cases))
        for (const name of ["Googlebot", "GPTBot"])
          assert.equal(isDisallowed(path, verdictOn(name)), expected, `${name} ${path} ${file}`);
    }
  });

  it("never for people", () => assert.equal(isDisallowed("/any", { useragent: "x", crawler: false }), false));
});
