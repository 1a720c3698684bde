/** `limit` of /auth: which requests get 429, and what is counted together. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { VerificationStatus } from "../../src/detect/verification.ts";
import { createService, type Options } from "../../src/service.ts";
import { ahrefs, firefox, gptbot } from "../support/user-agents.ts";

const searchbot = "OAI-SearchBot/1.0";
const claude = "ClaudeBot/1.0";

function create(options: Options = {}) {
  const { fetch } = createService(options);
  const ask = (query: string, userAgent: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(new Request(`http://localhost/auth${query}`, { headers: { "user-agent": userAgent, ...headers } }));
  /** The statuses of requests of these user agents, one after the other. */
  const statuses = async (query: string, ...userAgents: readonly string[]): Promise<number[]> => {
    const all = [];
    for (const userAgent of userAgents) all.push((await ask(query, userAgent)).status);
    return all;
  };
  return { ask, statuses };
}

describe("limits of /auth", () => {
  it("answer 429 with Retry-After and the facts, without a body", async () => {
    const { ask, statuses } = create();
    assert.deepEqual(await statuses("?limit=ai:2/m", gptbot, gptbot), [204, 204]);
    const { status, headers, body } = await ask("?limit=ai:2/m", gptbot);
    assert.deepEqual([status, body, headers.get("x-crawler-name")], [429, null, "GPTBot"]);
    assert.ok(["29", "30"].includes(headers.get("retry-after")!), `${headers.get("retry-after")}`);
  });

  it("count each crawler, by the most specific word, and no people", async () => {
    const { statuses } = create();
    const query = "?limit=ai:2/h,GPTBot:1/h,all:3/h";
    assert.deepEqual(await statuses(query, gptbot, gptbot), [204, 429]);
    assert.deepEqual(await statuses(query, claude, claude, claude), [204, 204, 429]);
    assert.deepEqual(await statuses(query, ahrefs, ahrefs, ahrefs, ahrefs), [204, 204, 204, 429]);
    assert.deepEqual(await statuses(query, ...Array(9).fill(firefox)), Array(9).fill(204));
  });

  it("count all crawlers of an operator with limit-by=operator", async () => {
    const { statuses } = create();
    const query = "?limit=ai:2/h&limit-by=operator";
    assert.deepEqual(await statuses(query, gptbot, searchbot, gptbot, claude), [204, 204, 429, 204]);
  });

  it("count no request that `block` refuses, and the requests that `allow` lets pass", async () => {
    const { statuses } = create();
    assert.deepEqual(await statuses("?block=ai&limit=GPTBot:1/h", gptbot, gptbot), [403, 403]);
    assert.deepEqual(await statuses("?block=seo&limit=GPTBot:1/h", gptbot, gptbot), [204, 429]);
    assert.deepEqual(
      await statuses("?block=ai&allow=ClaudeBot&limit=all:1/h", claude, claude, gptbot),
      [204, 429, 403],
    );
  });

  it("let robots.txt pass, unless the client has added its path", async () => {
    const { ask } = create();
    const statusOf = async (headers: Record<string, string>) => (await ask("?limit=ai:1/h", gptbot, headers)).status;
    for (let times = 0; times < 3; times++) assert.equal(await statusOf({ "x-forwarded-uri": "/robots.txt" }), 204);
    const both = { "x-forwarded-uri": "/page", "x-original-uri": "/robots.txt" };
    assert.deepEqual([await statusOf(both), await statusOf(both)], [204, 429]);
  });

  it("answer 200 or 429 below /auth/, and limit no request with `observe`", async () => {
    const { ask, statuses } = create();
    const below = async () => (await ask("/page", gptbot, { "x-crawler-policy": "limit=ai:1/h" })).status;
    assert.deepEqual([await below(), await below()], [200, 429]);
    assert.deepEqual(await statuses("?limit=ai:1/h&observe", gptbot, gptbot), [204, 204]);
  });

  it("have separate counts for verified crawlers and their imitators", async () => {
    let status: VerificationStatus = "spoofed";
    const { statuses } = create({
      verifier: {
        known: () => assert.fail("for lines"),
        verify: () => ({ status, method: "dns", reason: "" }),
      },
      forwardedAddressOf: () => "192.0.2.1",
    });
    assert.deepEqual(await statuses("?limit=ai:1/h", gptbot, gptbot), [204, 429]);
    status = "verified";
    assert.deepEqual(await statuses("?limit=ai:1/h", gptbot, gptbot), [204, 429]);
    status = "unverifiable";
    assert.deepEqual(await statuses("?limit=ai:1/h", gptbot, gptbot), [204, 429]);
  });
});
