/** Which requests a site's robots.txt disallows, by the facts of crawlers; the text of a path changes nothing. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { items } from "../../src/detect/built-in/items.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import { createRobots } from "../../src/robots/crawler-rules.ts";
import { createIsDisallowed, indexByName } from "../../src/robots/disallowed.ts";
import { parseRobots } from "../../src/robots/robots-file.ts";
import { rowsOf } from "../support/table.ts";

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
  // Crawlers, whether their requests are disallowed, and paths. Applebot falls back to the groups of Googlebot, AdsBot-Google ignores those
  // of
  // *, robots.txt does not apply to the two that end in -User, of which one is named. Characters of café are bytes of UTF-8, text, or
  // encoded.
  for (const [names = "", expected = "", paths = ""] of rowsOf(String.raw`
    (none) InventedBot     | true  | /any
    Googlebot Applebot     | false | /any
    Googlebot Applebot     | true  | /google
    AdsBot-Google ChatGPT-User Perplexity-User Allowed | false | /any
    Perplexity-User        | true  | /named
    GPTBot                 | false | /robots.txt /x?y=/../any /x%2Fany /x?y=;/../any /x?y=..%2Fany * /a/b/..
    GPTBot                 | true  | /%61ny /x/../any /x/%2E%2e/any //any /.//any/ \\any
    GPTBot                 | true  | /x/..%2fany /x%2F..%2Fany /.%2Fany /;a/any;b=c/ /x;/../any any x/../any
    GPTBot                 | true  | /caf${"\xC3\xA9"}/ /${"caf\u00e9"}/ /caf%c3%a9/ /x/../caf${"\xC3\xA9"}/
    GPTBot                 | true  | /a/;/../private/x /a/\/../private/x /a//../private/x /a/b/\../../private/x /a;b/private
    GPTBot                 | true  | /a%3Bb/private /a/x%5C..%5Cprivate /a/./%2E/private /%28x%29
    GPTBot                 | true  | /${"./".repeat(4000)}a/private /${"./".repeat(4100)}a/private /b?${"x".repeat(9000)}
    GPTBot                 | true  | /${"\u00e9".repeat(3000)}?secret
    ChatGPT-User Allowed   | false | /${"x".repeat(9000)}
  `))
    for (const path of paths.split(" "))
      it(`${expected} for ${names} and ${path.slice(0, 40)}`, () => {
        for (const name of names.split(" "))
          assert.equal(String(isDisallowed(path, verdictOn(name === "(none)" ? undefined : name))), expected, name);
      });

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
