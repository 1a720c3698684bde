/** `export nginx --limit` in nginx: each crawler's key is that of the library's limits, and requests beyond the rate get 429. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { parseLimits, splitLimits } from "../../src/detect/policy/limits.ts";
import { createExportRequest } from "../../src/export/request.ts";
import { targets } from "../../src/export/targets.ts";
import { runHere } from "../cli/run-here.ts";
import { needs } from "../support/needs.ts";
import { askVerdicts, type Server, startServer } from "./server.ts";
import { nginxAround } from "./setups.ts";
import { exportStrings, withoutDerivedName } from "./strings.ts";

const ofGptbot = detector.strings().filter((text) => detector.check(text).name === "GPTBot");
const strings = ["", ...ofGptbot, ...exportStrings(599)];
const person = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const skip = needs("nginx");

describe("export nginx --limit", { skip }, () => {
  let server: Server;

  before(async () => {
    const options = { variable: "is_crawler", command: "all", limit: ["ai=3r/m,GPTBot=1r/m", "library=9r/s"] };
    const limited = targets.nginx!.write(createExportRequest(detector, {}, options));
    // With another name, in the same server.
    const selected = targets.nginx!.write(
      createExportRequest(detector, {}, { ...options, variable: "is_seo", limit: ["all=9r/s"] }),
    );
    const uses = [...limited.matchAll(/^# +(limit_req .*|error_page .*)$/gm)].map((match) => match[1]);
    const [, named] = /^# +(location @limited .*)$/m.exec(limited) ?? [];
    server = await startServer((port) =>
      nginxAround(`
        ${limited}
        ${selected}
        keepalive_requests 1000000;
        server {
          listen 127.0.0.1:${port};
          location = / {
            add_header X-Verdict "$crawler_limit_1|$crawler_limit_2|$crawler_limit_3|$seo_limit_1";
            return 204;
          }
          location /limited {
            ${uses.join("\n").replace("limit_req_status", "\nlimit_req_status")}
            limit_req_status 429;
            try_files /none @site;
          }
          ${named}
          location @site { return 204; }
          location = /robots.txt { return 204; }
        }`),
    );
  });
  after(() => server?.stop());

  it("gives each crawler the key of its limit, and people none", async () => {
    const countOf = parseLimits(splitLimits("ai:3/m,GPTBot:1/m,library:9/s"), "name", detector.catalogue.items);
    const answers = await askVerdicts(server.port, strings);
    const seen = [0, 0, 0, 0];
    for (const [i, useragent] of strings.entries()) {
      const keys = answers[i]!.split("|");
      const verdict = detector.check(useragent);
      // nginx gives the keys by entries.
      const counted = verdict.crawler ? countOf(withoutDerivedName(verdict)) : undefined;
      const zone =
        counted === undefined
          ? undefined
          : ["ai:3/m", "name:gptbot:1/m", "library:9/s"].findIndex((text) => counted.key.startsWith(text));
      for (const [index, key] of keys.entries()) {
        const isCounted = index === 3 ? verdict.crawler : index === zone;
        assert.equal(key !== "", isCounted, `${useragent} ${answers[i]}`);
        if (isCounted) seen[index]!++;
        if (isCounted && index < 2) assert.equal(key.slice(2), verdict.name?.replace(/[^\w .-]/g, "_"));
      }
    }
    assert.ok(seen.every((count) => count > 0) && seen[0]! > 10, `${seen}`);
  });

  it("answers 429 with Retry-After to one crawler, and to no other, no person, and not for robots.txt", async () => {
    const ask = async (userAgent: string, path = "/limited") => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { "user-agent": userAgent } });
      return `${response.status} ${response.headers.get("retry-after")}`;
    };
    // A burst of 3 beside the first request.
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push(await ask("ClaudeBot/1.0"));
    assert.deepEqual(statuses, [...Array(4).fill("204 null"), ...Array(2).fill("429 20")]);
    const ofGptbot = [];
    for (let i = 0; i < 3; i++) ofGptbot.push(await ask("GPTBot/1.2"));
    assert.deepEqual(ofGptbot, ["204 null", "204 null", "429 60"]);
    assert.equal(await ask("PerplexityBot/1.0"), "204 null");
    for (let i = 0; i < 20; i++) assert.equal(await ask(person), "204 null");
    assert.equal(await ask("ClaudeBot/1.0", "/robots.txt"), "204 null");
  });
});

describe("export --limit", () => {
  it("names only the crawlers that it limits and those that take precedence", async () => {
    const { stdout } = await runHere(["export", "nginx", "--limit", "GPTBot=10r/m"]);
    assert.match(stdout, /\n {2}"~[^\n]*Gg\]\[Pp\][^\n]*" "1 GPTBot";\n\}\n/);
    assert.doesNotMatch(stdout, /is_crawler|crawler_category/);
    assert.match(stdout, /\n {2}"~\^1 " 6;\n/);
    assert.ok(stdout.length < 100_000, `${stdout.length}`);
  });

  for (const [args, message] of [
    ["nginx --limit ai:30/m", /words with nginx rates of at least 1, such as ai=30r\/m/],
    ["nginx --limit ai=30/m", /words with nginx rates/],
    ["nginx --limit ai=0r/m", /nginx rates of at least 1/],
    ["nginx --limit GTPBot=30r/m", /Did you mean "GPTBot"/],
    ["nginx --limit ai=30r/m,AI=1r/m", /twice/],
    ["nginx --limit spoofed=30r/m", /counted separately/],
    ["nginx --category ai --limit ai=30r/m", /omit --category/],
    ["nginx --short --category ai --limit ai=30r/m", /omit --short/],
    ["caddy --limit ai=30r/m", /--limit does not apply to caddy/],
    ["ranges --limit ai=30r/m", /--limit does not apply to ranges/],
  ] as const)
    it(`refuses ${args}`, async () => {
      const { code, stderr } = await runHere(["export", ...args.split(" ")]);
      assert.equal(code, 2);
      assert.match(stderr, message);
    });
});
