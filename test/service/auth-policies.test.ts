/** Policies of /auth with mistakes: no mistake lets a crawler through or keeps a person out, and /readyz says what is wrong. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { items } from "../../src/detect/built-in/items.ts";
import { extendDetector } from "../../src/detect/extend-detector.ts";
import { AuthPolicies } from "../../src/service/check/auth-policies.ts";
import type { Options } from "../../src/service.ts";
import { rowsOf } from "../support/table.ts";
import { ahrefs, firefox, gptbot } from "../support/user-agents.ts";
import { open } from "./open.ts";

function create(options: Options = {}) {
  const own = open(options);
  const warnings = async () => (JSON.parse(await own.text("/readyz")) as { warnings: string[] }).warnings.join("\n");
  const errors = () => own.events.map(({ warning }) => warning).filter((warning) => warning !== undefined);
  return { ...own, warnings, errors };
}

describe("a policy with a mistake", () => {
  const manyWords = Array.from({ length: 1001 }, (_, i) => `name:x${i}:1/m`).join();
  const wrongWords = Array.from({ length: 51 }, (_, i) => `x${i}`).join();
  const mistakes = rowsOf(`
    blok=ai | no parameter "blok". Did you mean "block"?
    Block=ai | no parameter "Block". Did you mean "block"?
    block=ai&x=1 | no parameter "x".
    limits=ai:30/m | no parameter "limits". Did you mean "limit"?
    block=ai&block=seo | \`block\` only once
    limit=ai:30/m&limit=seo:1/m | \`limit\` only once
    block=ai&ask=signature&ask=signature | \`ask\` only once
    allow=GPTBot | \`allow\` makes exceptions to \`block\`
    block=ai&allow=all | none would be blocked
    block=ai&observe=no | \`observe\` must have no value
    block=ai&wait=5001 | \`wait\` must be a whole number from 0 to 5000
    block=ai&ask=name | \`ask\` must be one of signature
    limit-by=operator | \`limit-by\` needs \`limit\`
    limit=ai:30/m&limit-by=operators | \`limit-by\` must be one of name, operator
    limit=${manyWords} | at most 1,000 words
    block=all,${manyWords} | at most 1,000 words
    block=${"all,".repeat(500)}all&allow=${"ai,".repeat(499)}ai | at most 1,000 words
    block=ai,${wrongWords}&allow=${wrongWords} | More than 100 words of the policy cannot be used
    block=nonsense | "nonsense" selects no crawler
    block= | \`block\` has an empty word
    block=spoofed | \`block\` cannot name "spoofed"
    block=disallowed | \`block\` cannot name "disallowed"
    block=aii&allow=GPTBot | Did you mean "ai"?
    limit=ai | None of the words in the policy can be used
    limit=network:tor:1/m | it would also select people
    block=${"\\".repeat(14_000)} | ${"\\".repeat(118)}…" selects no crawler
  `);
  for (const [query = "", detail = ""] of mistakes)
    it(`refuses crawlers and no people: ${query.slice(0, 60)}`, async () => {
      const { ask, auth, warnings, errors } = create();
      for (const [path, headers, allowed] of [
        [`/auth?${query}`, {}, 204],
        ["/auth/page?observe", { "x-crawler-policy": query }, 200],
      ] as const) {
        const refused = await ask(path, { ...headers, "user-agent": gptbot });
        const named = ["retry-after", "x-crawler", "x-crawler-name"].map((name) => refused.headers.get(name));
        assert.deepEqual([refused.status, ...named], [429, "60", "true", "GPTBot"]);
        const problem = (await refused.json()) as { type: string; detail: string };
        assert.equal(problem.type, "/docs#wrong-policy");
        assert.ok(problem.detail.includes(detail) && problem.detail.length < 1000, problem.detail);
        assert.equal((await ask(path, { ...headers, "user-agent": firefox })).status, allowed);
      }
      const robotsTxt = { "x-forwarded-uri": "/robots.txt" };
      assert.equal((await auth(`?${query}`, gptbot, robotsTxt)).status, 204);
      assert.equal((await auth(`?${query}`, gptbot, { ...robotsTxt, "x-original-uri": "/a" })).status, 429);
      const used = /^The policy ".*" of \/auth cannot be used/;
      assert.match(await warnings(), used);
      // Once a minute.
      const [said, ...more] = errors();
      assert.deepEqual(more, []);
      assert.match(String(said), used);
      assert.ok(String(said).length < 1500);
    });

  it("refuses crawlers without the header below /auth/", async () => {
    const { auth, warnings } = create();
    assert.deepEqual([(await auth("/?block=ai", ahrefs)).status, (await auth("/", firefox)).status], [429, 200]);
    assert.match(await warnings(), /X-Crawler-Policy.*is missing/);
  });

  it("refuses crawlers whose path is unknown if it names `disallowed`", async () => {
    const { auth, warnings, errors } = create({ robotsTxt: "User-agent: *\nDisallow: /a\n" });
    const statuses = async (query: string, userAgent: string) => [
      (await auth(`?${query}`, userAgent)).status,
      (await auth(`?${query}`, userAgent, { "x-forwarded-uri": "" })).status,
      (await auth(`?${query}`, userAgent, { "x-forwarded-uri": "/b" })).status,
    ];
    assert.deepEqual(await statuses("block=disallowed&observe", gptbot), [204, 204, 204]);
    assert.equal(await warnings(), "");
    assert.deepEqual(await statuses("block=disallowed", gptbot), [429, 429, 204]);
    assert.deepEqual(await statuses("block=disallowed", firefox), [204, 204, 204]);
    assert.match(await warnings(), /X-Forwarded-Uri or X-Original-URI/);
    assert.match(String(errors()[0]), /X-Forwarded-Uri or X-Original-URI/);
  });

  it("refuses none with `observe`, and says what is wrong", async () => {
    const { auth, warnings } = create();
    for (const query of ["observe&blok=ai", "block=aii&observe=true", "block=ai&allow=all&observe"])
      assert.equal((await auth(`?${query}`, gptbot)).status, 204);
    assert.match(await warnings(), /(?:.*cannot be used, so it only observes\. .*\n?){3}/);
  });
});

describe("a word that cannot be used is left out, and the others apply:", () => {
  const looser = /^The policy ".*" of \/auth is looser than it says, because `(?:block|limit)` has a word/m;
  const stricter = /^The policy ".*" of \/auth is stricter than it says, because `allow` has a word/m;

  /** A policy, the statuses of GPTBot and AhrefsBot, what the policy is, and what is said of the word. */
  for (const [query = "", statuses = "", is = "", why = ""] of rowsOf(`
    block=ai,Acme%20Monitor | 403 204 | looser | "Acme Monitor" selects no crawler
    block=aii,seo | 204 403 | looser | Did you mean "ai"?
    block=ai,,seo | 403 403 | looser | empty word
    block=ai,spoofed,unproven,network:tor | 403 204 | looser | \`trust-proxy\`
    block=ai,disallowed | 403 204 | looser | \`robots-file\`
    block=all&allow=GPTBoot,AhrefsBot | 403 204 | stricter | Did you mean "GPTBot"?
    block=all&allow=disallowed | 403 403 | stricter | put it in \`block\`
    block=ai&allow=verified | 403 204 | stricter | \`trust-proxy\`
    block=aii&limit=all:1/h | 204 204 | looser |
    block=ai,xx1,xx2,xx3,xx4,xx5 | 403 204 | looser | 2 more words cannot be used.
    block=aii,seo&allow=GPTBoot,seo:search | 204 403 | looser stricter |
    limit=ai:1/h,seo:1/day | 204 204 | looser | needs a rate
    limit=ai:1/h,AI:2/h | 204 204 | looser | twice
  `))
    it(query, async () => {
      const { auth, warnings } = create();
      const found = [];
      for (const userAgent of [gptbot, ahrefs, firefox]) found.push((await auth(`?${query}`, userAgent)).status);
      assert.equal(found.join(" "), `${statuses} 204`);
      const text = await warnings();
      assert.deepEqual([looser.test(text), stricter.test(text)], [is.includes("looser"), is.includes("stricter")]);
      assert.ok(text.includes(why), text);
    });

  it("a limit", async () => {
    const { auth } = create();
    const statuses = [];
    for (let i = 0; i < 2; i++) statuses.push((await auth("?limit=ai:1/h,seoo:1/h", gptbot)).status);
    assert.deepEqual(statuses, [204, 429]);
  });

  it("when the catalogue loses a name, at once", async () => {
    const own = extendDetector(detector, {
      crawlers: [{ name: "Acme Monitor", pattern: "AcmeMonitor/", category: "monitor" }],
    });
    const { service, auth, warnings } = create({ detector: own });
    const statuses = async () => {
      const all = [];
      for (const userAgent of ["AcmeMonitor/2.1", gptbot, firefox])
        all.push((await auth("?block=ai,Acme%20Monitor", userAgent)).status);
      return all;
    };
    assert.deepEqual([await statuses(), await warnings()], [[403, 403, 204], ""]);
    service.use({ detector });
    assert.match(await warnings(), looser);
    assert.deepEqual(await statuses(), [204, 403, 204]);
    service.use({ detector: own });
    assert.deepEqual([await warnings(), await statuses()], ["", [403, 403, 204]]);
  });
});

describe("warnings about policies", () => {
  const context = () => ({ warning: undefined }) as unknown as Parameters<AuthPolicies["read"]>[1];
  function openPolicies() {
    const clock = { ms: 0 };
    const policies = new AuthPolicies(() => clock.ms);
    policies.use({ crawlers: items(), missing: {}, robots: "no robots.txt here." });
    return { clock, policies };
  }

  it("are reported once a minute while they last, and leave an hour after the last request", () => {
    const { clock, policies } = openPolicies();
    const reported = [0, 59_999, 60_000, 61_000, 120_000].filter((ms) => {
      clock.ms = ms;
      const asked = context();
      policies.read("block=ai,aii", asked);
      return asked.warning !== undefined;
    });
    assert.deepEqual(reported, [0, 60_000, 120_000]);
    clock.ms += 3_600_000;
    assert.equal(policies.warnings().length, 1);
    clock.ms += 1;
    assert.deepEqual(policies.warnings(), []);
  });

  it("are of the policies that were sent last, and few, whatever clients send", () => {
    const { clock, policies } = openPolicies();
    for (let count = 0; count < 1000; count++) {
      clock.ms = count;
      policies.read(`x${count}`, context());
      policies.read("block=ai,aii", context());
    }
    const warnings = policies.warnings();
    assert.equal(warnings.length, 20);
    assert.match(warnings.join(), /"x999".*"block=ai,aii"|"block=ai,aii".*"x999"/);
  });
});
