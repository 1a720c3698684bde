/** The policy of the middleware and its options, whichever the framework. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GuardOptions } from "../../src/adapters/guard.ts";
import { crawlers } from "../../src/adapters/web.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createVerifier } from "../../src/verify.ts";
import { acme, createCustomDetector } from "../support/custom-detector.ts";
import { rowsOf } from "../support/table.ts";
import { ahrefs, firefox, gptbot, searchbot } from "../support/user-agents.ts";

const useragents: Readonly<Record<string, string>> = {
  ...{ ahrefs, firefox, gptbot, searchbot, acme },
  ...{ none: "", dash: "-", own: "OurOwnBot/1.0", foo: "FooBot/1.0" },
};
const robots = "User-agent: *\nDisallow: /private\nDisallow: /*?sort=\n\nUser-agent: GPTBot\nDisallow: /articles/\n";

/** Makes a function that tells the status of the answer to a request: 200 if it passes. */
function open(options: GuardOptions) {
  const refuse = crawlers(options as { block: "ai" });
  return (name: string, path = "/") => {
    const request = new Request(`http://localhost${path}`, { headers: { "user-agent": useragents[name]! } });
    return refuse(request)?.status ?? 200;
  };
}

describe("a policy of the middleware", () => {
  /** Options, a path, user agents, and their statuses. */
  for (const [options = "", path = "", names = "", statuses = ""] of rowsOf(`
    { "block": "ai:training,seo" } | /a?b=c | gptbot ahrefs searchbot firefox | 403 403 200 200
    { "block": "ai:training,seo" } | /robots.txt?x | gptbot | 200
    { "block": "ai:training,seo" } | /robots.txt/more | gptbot | 403
    { "block": "ai:training,seo", "observe": true } | / | gptbot | 200
    { "block": ["all"], "allow": ["gptbot"] } | / | gptbot ahrefs none | 200 403 403
    { "block": "operator:openai" } | / | searchbot | 403
    { "block": "name:OurOwnBot" } | / | own | 403
    { "block": "all", "allow": "missing" } | / | none dash gptbot | 200 200 403
    { "block": "Missing" } | / | none own firefox | 403 200 200
    { "block": "disallowed" } | /articles/1 | gptbot | 403
    { "block": "disallowed" } | /private | gptbot ahrefs firefox | 200 403 200
    { "block": "disallowed" } | /list?a=b&sort=up | ahrefs | 200
    { "block": "disallowed" } | /list?sort=up | ahrefs | 403
    { "block": "disallowed", "allow": "ahrefsbot" } | /private | ahrefs | 200
    { "block": ["seo", "Disallowed"] } | / | ahrefs | 403
    { "limit": { "ai": "1/h" } } | / | gptbot searchbot gptbot | 200 200 429
    { "limit": { "ai": "1/h" }, "limitBy": "operator" } | / | gptbot searchbot | 200 429
    { "limit": { "ai": "1/h" }, "observe": true } | / | gptbot gptbot | 200 200
    { "block": "seo", "limit": { "ai": "2/h", "GPTBot": "1/h", "all": "3/h" } } | / | gptbot gptbot | 200 429
    { "block": "seo", "limit": { "all": "1/h" } } | / | ahrefs firefox firefox | 403 200 200
    { "limit": { "ai": "1/h" } } | /robots.txt | gptbot gptbot | 200 200
  `))
    it(`${options} for ${path} of ${names}: ${statuses}`, () => {
      const given = JSON.parse(options) as GuardOptions;
      const statusOf = open(/disallowed/i.test(options) ? { ...given, robots } : given);
      assert.equal(
        names
          .split(" ")
          .map((name) => statusOf(name, path))
          .join(" "),
        statuses,
      );
    });

  it("decides by the detector that it is given, which is prepared before requests", () => {
    const own = createCustomDetector();
    let verdicts = 0;
    const check: typeof own.check = (useragent) => {
      verdicts++;
      return own.check(useragent);
    };
    const statusOf = open({ detector: { ...own, check }, block: "acme monitor" });
    assert.equal(verdicts, 1);
    assert.deepEqual(
      ["acme", "gptbot", "foo"].map((name) => statusOf(name)),
      [403, 200, 200],
    );
  });
});

/** Compiles only if the types know words and rates. */
export const typed: readonly GuardOptions[] = [
  { limit: { ai: "30/m", "operator:OpenAI": "10/s", GPTBot: "1/h", AnyBot: "2/h" }, limitBy: "operator" },
  // @ts-expect-error: a rate is a number per second, minute or hour.
  { limit: { ai: "30 per minute" } },
  // @ts-expect-error: a misspelt option.
  { limits: { ai: "30/m" } },
];

describe("options that would let everyone pass throw:", () => {
  const refuses = (options: unknown, error: string) =>
    assert.throws(
      () => crawlers(options as object),
      ({ message }: Error) => message.includes(error),
      `${error} ${JSON.stringify(options)}`,
    );

  for (const [options = "", error = ""] of rowsOf(`
    "ai" | an object
    null | an object
    ["ai"] | an object
    { "blocks": "ai" } | no option "blocks". Did you mean "block"?
    { "block": "ai", "alow": "GPTBot" } | no option "alow". Did you mean "allow"?
    { "block": "ai", "observe": "false" } | \`observe\` must be
    { "block": "ai", "onBlock": 404 } | \`onBlock\` must be
    { "block": "serch-engine" } | Did you mean "search-engine"?
    { "block": "missing", "allow": "missing" } | none would be blocked
    { "block": "spoofed" } | \`block\` cannot name "spoofed": this middleware has no \`verifier\`. On Node or Bun, add createVerifier(
    { "block": "ai", "allow": "verified" } | \`allow\` cannot name "verified"
    { "block": "disallowed" } | \`block\` cannot name "disallowed": this middleware has no option \`robots\`
    { "block": "ai", "robots": "User-agent: *\\\\nDisallow: /" } | \`robots\` needs the word "disallowed"
    { "block": "disallowed", "robots": "robots.txt" } | \`robots\` must be the text
    { "block": "disallowed", "robots": "<!doctype html>" } | \`robots\`, line 1: the text is a web page
    { "block": null } | \`block\` must be a string
    { "allow": "GPTBot" } | \`allow\` makes exceptions to \`block\`
    { "limit": "ai:30/m" } | \`limit\` must be an object
    { "limit": {} } | \`limit\` must be an object
    { "limit": { "ai": 30 } } | \`limit\` must be an object
    { "limit": { "ai": "30/min" } } | \`limit\` needs a rate
    { "limit": { "GTPBot": "30/m" } } | Did you mean "GPTBot"?
    { "limit": { "verified": "30/m" } } | counted separately
    { "limit": { "ai": "30/m" }, "limitBy": "operators" } | \`limitBy\` must be "name" or "operator". Did you mean "operator"?
    { "limitBy": "operator" } | \`limitBy\` needs \`limit\`
    { "block": "ai", "waitMs": 300 } | \`waitMs\` needs \`verifier\`
  `))
    it(options, () => refuses(JSON.parse(options), error));

  it("values that JSON cannot have", () => {
    const disallowed = (text: string) => ({ block: "disallowed", robots: `User-agent: *\n${text}` });
    refuses(disallowed("#".repeat(500 * 1024)), "`robots` is larger than 500 KiB");
    refuses(disallowed("Disallow: *a\n".repeat(1001)), "`robots`, line 1: more than 1000 rules");
    refuses(new Map([["block", "ai"]]), "an object");
    refuses({ block: undefined }, "`block` is undefined");
    refuses({ limit: undefined }, "`limit` is undefined");
    refuses({ onBlock: () => {} }, "`onBlock` needs `block`");
    refuses({ detector: Promise.resolve() }, "`detector` must be a detector");
    refuses({ detector: createCustomDetector(), block: "GPTBot" }, '"GPTBot" selects no crawler of the catalogue');
  });

  it("verifiers and what belongs to them", () => {
    const verifier = createVerifier();
    refuses({ verifier: undefined }, "`verifier` is undefined");
    for (const wrong of [Promise.resolve(verifier), detector])
      refuses({ verifier: wrong }, "`verifier` must be a verifier, such as the result of createVerifier()");
    refuses({ verifier, detector: createCustomDetector() }, "`detector` differs from the detector of `verifier`");
    for (const waitMs of [5001, "300"]) refuses({ verifier, waitMs }, "`waitMs` must be a number of milliseconds");
    refuses({ verifier, wait: 300 }, 'no option "wait". Options are');
    refuses({ verifier, addressOf: "ip" }, "`addressOf` must be a function");
    refuses({ verifier, addressOf: () => undefined, block: "spofed" }, 'Did you mean "spoofed"?');
    refuses({ verifier }, "`verifier` needs `addressOf`");
  });
});
