/** Policies of /auth with mistakes: no mistake lets a crawler through or keeps a person out, and /readyz says what is wrong. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { items } from "../../src/detect/built-in/items.ts";
import { extendDetector } from "../../src/detect/extend-detector.ts";
import { AuthPolicies } from "../../src/service/check/auth-policies.ts";
import { createService, type Options } from "../../src/service.ts";
import { ahrefs, firefox, gptbot } from "../support/user-agents.ts";

function create(options: Options = {}) {
  const service = createService(options);
  const ask = (path: string, userAgent: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    service.fetch(new Request(`http://localhost${path}`, { headers: { "user-agent": userAgent, ...headers } }));
  const warnings = async () =>
    ((await (await ask("/readyz", "")).json()) as { warnings: string[] }).warnings.join("\n");
  return { service, ask, warnings };
}

describe("a policy with a mistake", () => {
  const manyWords = Array.from({ length: 1001 }, (_, i) => `name:x${i}:1/m`).join();
  const mistakes: readonly [query: string, detail: RegExp][] = [
    ["blok=ai", /no parameter "blok"\. Did you mean "block"\?/],
    ["Block=ai", /no parameter "Block"\. Did you mean "block"\?/],
    ["block=ai&x=1", /no parameter "x"\./],
    ["limits=ai:30/m", /no parameter "limits"\. Did you mean "limit"\?/],
    ["block=ai&block=seo", /`block` only once/],
    ["limit=ai:30/m&limit=seo:1/m", /`limit` only once/],
    ["allow=GPTBot", /`allow` makes exceptions from `block`/],
    ["block=ai&allow=all", /none would be refused/],
    ["block=ai&observe=no", /`observe` takes no value/],
    ["block=ai&wait=5001", /`wait` is a whole number from 0 to 5000/],
    ["block=ai&ask=name", /`ask` is one of signature/],
    ["limit-by=operator", /`limit-by` needs `limit`/],
    ["limit=ai:30/m&limit-by=operators", /`limit-by` is one of name, operator/],
    [`limit=${manyWords}`, /more than 1000 words/],
    // Without one word that can be used.
    ["block=nonsense", /"nonsense" selects no crawler/],
    ["block=operator:OpenAl", /Did you mean "operator:OpenAI"\?/],
    ["block=", /`block` has an empty word/],
    ["block=name:", /"name:" selects no crawler/],
    ["block=spoofed", /`block` cannot name "spoofed".*`trust-proxy`/],
    ["block=network:tor&allow=verified", /`allow` cannot name "verified".*`trust-proxy`/],
    ["block=disallowed", /`block` cannot name "disallowed".*`robots-file`/],
    ["block=aii&allow=GPTBot", /Did you mean "ai"\?.*`allow` makes exceptions/],
    ["limit=ai", /needs a rate.*No word of the policy can be used/],
    ["limit=", /has an empty word/],
    ["limit=network:tor:1/m", /people, too/],
    [`block=${"\\".repeat(14_000)}`, /^"\\{118}…" selects no crawler/],
  ];
  for (const [query, detail] of mistakes)
    it(`refuses crawlers and no people: ${query.slice(0, 60)}`, async () => {
      const errors: unknown[] = [];
      const { ask, warnings } = create({ onRequest: ({ error }) => void errors.push(error) });
      for (const [path, headers, allowed] of [
        [`/auth?${query}`, {}, 204],
        ["/auth/page?observe", { "x-crawler-policy": query }, 200],
      ] as const) {
        const refused = await ask(path, gptbot, headers);
        const named = ["retry-after", "x-crawler", "x-crawler-name"].map((name) => refused.headers.get(name));
        assert.deepEqual([refused.status, ...named], [429, "60", "true", "GPTBot"]);
        const problem = (await refused.json()) as { type: string; detail: string };
        assert.equal(problem.type, "/docs#wrong-policy");
        assert.match(problem.detail, detail);
        assert.ok(problem.detail.length < 1000, problem.detail);
        assert.equal((await ask(path, firefox, headers)).status, allowed);
      }
      assert.equal((await ask(`/auth?${query}`, gptbot, { "x-forwarded-uri": "/robots.txt" })).status, 204);
      assert.match(await warnings(), /^The policy ".*" of \/auth cannot be used, so that crawlers get 429\. /);
      // Once a minute.
      const said = errors.filter((error) => error !== undefined);
      assert.equal(said.length, 1);
      assert.match(String(said[0]), /^The policy ".*" of \/auth cannot be used/);
      assert.ok(String(said[0]).length < 1500);
    });

  it("refuses crawlers without the header below /auth/", async () => {
    const { ask, warnings } = create();
    assert.deepEqual(
      [(await ask("/auth/?block=ai", ahrefs)).status, (await ask("/auth/", firefox)).status],
      [429, 200],
    );
    assert.match(await warnings(), /X-Crawler-Policy.*is missing/);
  });

  it("refuses crawlers whose path is unknown if it names `disallowed`", async () => {
    const errors: unknown[] = [];
    const robotsTxt = () => "User-agent: *\nDisallow: /a\n";
    const { ask, warnings } = create({ robotsTxt, onRequest: ({ error }) => void errors.push(error) });
    const statuses = async (query: string, userAgent: string) => [
      (await ask(`/auth?${query}`, userAgent)).status,
      (await ask(`/auth?${query}`, userAgent, { "x-forwarded-uri": "" })).status,
      (await ask(`/auth?${query}`, userAgent, { "x-forwarded-uri": "/b" })).status,
    ];
    assert.deepEqual(await statuses("block=disallowed&observe", gptbot), [204, 204, 204]);
    assert.equal(await warnings(), "");
    assert.deepEqual(await statuses("block=disallowed", gptbot), [429, 429, 204]);
    assert.deepEqual(await statuses("block=disallowed", firefox), [204, 204, 204]);
    assert.match(await warnings(), /X-Forwarded-Uri or X-Original-URI/);
    assert.match(String(errors.find((error) => error !== undefined)), /X-Forwarded-Uri or X-Original-URI/);
  });

  it("refuses none with `observe`, and says what is wrong", async () => {
    const { ask, warnings } = create();
    for (const query of ["observe&blok=ai", "block=aii&observe=true", "block=ai&allow=all&observe"])
      assert.equal((await ask(`/auth?${query}`, gptbot)).status, 204);
    assert.match(await warnings(), /(?:.*cannot be used, so that it only observes\. .*\n?){3}/);
  });
});

describe("a word that cannot be used is left out, and the others apply:", () => {
  const looser = /^The policy ".*" of \/auth is looser than it says, because `(?:block|limit)` has a word/m;
  const stricter = /^The policy ".*" of \/auth is stricter than it says, because `allow` has a word/m;
  const cases: readonly [query: string, ofGptbot: number, ofAhrefs: number, ...warnings: RegExp[]][] = [
    ["block=ai,Acme%20Monitor", 403, 204, looser, /"Acme Monitor" selects no crawler/],
    ["block=aii,seo", 204, 403, looser, /Did you mean "ai"\?/],
    ["block=ai,,seo", 403, 403, looser, /empty word/],
    ["block=ai,spoofed,unproven,network:tor", 403, 204, looser, /`trust-proxy`/],
    ["block=ai,disallowed", 403, 204, looser, /`robots-file`/],
    ["block=ai,Google-Extended", 403, 204, looser, /name for robots\.txt/],
    ["block=all&allow=GPTBoot,AhrefsBot", 403, 204, stricter, /Did you mean "GPTBot"\?/],
    ["block=all&allow=disallowed", 403, 403, stricter, /put it in `block`/],
    ["block=ai&allow=verified", 403, 204, stricter, /`trust-proxy`/],
    ["block=aii&limit=all:1/h", 204, 204, looser],
    ["block=ai,xx1,xx2,xx3,xx4,xx5", 403, 204, looser, /"xx3" selects.* 2 more words cannot be used\./],
    ["block=aii,seo&allow=GPTBoot,seo:search", 204, 403, looser, stricter],
    ["limit=ai:1/h,seo:1/day", 204, 204, looser, /needs a rate/],
    ["limit=ai:1/h,AI:2/h", 204, 204, looser, /twice/],
  ];
  for (const [query, ofGptbot, ofAhrefs, ...warned] of cases)
    it(query, async () => {
      const { ask, warnings } = create();
      const statuses = [];
      for (const userAgent of [gptbot, ahrefs, firefox]) statuses.push((await ask(`/auth?${query}`, userAgent)).status);
      assert.deepEqual(statuses, [ofGptbot, ofAhrefs, 204]);
      for (const text of warned) assert.match(await warnings(), text);
    });

  it("a limit", async () => {
    const { ask } = create();
    const statuses = [];
    for (let i = 0; i < 2; i++) statuses.push((await ask("/auth?limit=ai:1/h,seoo:1/h", gptbot)).status);
    assert.deepEqual(statuses, [204, 429]);
  });

  it("when the catalogue loses a name, at once", async () => {
    const own = extendDetector(detector, {
      crawlers: [{ name: "Acme Monitor", pattern: "AcmeMonitor/", category: "monitor" }],
    });
    const { service, ask, warnings } = create({ detector: own });
    const statuses = async () => {
      const all = [];
      for (const userAgent of ["AcmeMonitor/2.1", gptbot, firefox])
        all.push((await ask("/auth?block=ai,Acme%20Monitor", userAgent)).status);
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
  const context = () => ({ error: undefined }) as unknown as Parameters<AuthPolicies["read"]>[1];
  function open() {
    const clock = { ms: 0 };
    const policies = new AuthPolicies(() => clock.ms);
    policies.use({ crawlers: items(), missing: {}, robots: "no robots.txt here." });
    return { clock, policies };
  }

  it("are reported once a minute while they last, and leave an hour after the last request", () => {
    const { clock, policies } = open();
    const reported = [0, 59_999, 60_000, 61_000, 120_000].filter((ms) => {
      clock.ms = ms;
      const asked = context();
      policies.read("block=ai,aii", asked);
      return asked.error !== undefined;
    });
    assert.deepEqual(reported, [0, 60_000, 120_000]);
    clock.ms += 3_600_000;
    assert.equal(policies.warnings().length, 1);
    clock.ms += 1;
    assert.deepEqual(policies.warnings(), []);
  });

  it("are of the policies that were sent last, and few, whatever clients send", () => {
    const { clock, policies } = open();
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
