/** /auth: statuses by policy, and headers that a proxy can pass on whatever a client has sent. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/default.ts";
import { createService } from "../../src/service.ts";

const { fetch } = createService();
const gptbot = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const person = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

const ask = (path: string, headers: Readonly<Record<string, string>>, method = "GET"): Promise<Response> =>
  fetch(new Request(`http://localhost${path}`, { method, headers }));

describe("/auth", () => {
  it("tells the proxy what is known of a crawler", async () => {
    const { status, headers } = await ask("/auth", { "user-agent": gptbot });
    const told = ["", "-name", "-operator", "-category", "-purposes"].map((end) => headers.get(`x-crawler${end}`));
    assert.deepEqual([status, ...told], [204, "true", "GPTBot", "OpenAI", "ai", "training"]);
    assert.equal(headers.get("cache-control"), "no-store");
  });

  it("tells nothing but that of a person", async () => {
    const { status, headers } = await ask("/auth?block=all", { "user-agent": person });
    assert.deepEqual([status, headers.get("x-crawler"), headers.get("x-crawler-name")], [204, "false", ""]);
  });

  it("takes no user agent for an empty one", async () => {
    const { headers } = await ask("/auth", {});
    assert.equal(headers.get("x-crawler"), String(detector.isCrawler("")));
  });

  const cases: readonly [path: string, headers: Readonly<Record<string, string>>, status: number][] = [
    ["/auth?block=ai:training,seo", {}, 403],
    ["/auth?block=ai%3Atraining&allow=GPTBot", {}, 204],
    ["/auth?block=ai:search", {}, 204],
    ["/auth?block=ai&observe", {}, 204],
    ["/auth?block=ai&observe=1", {}, 204],
    ["/auth?block=ai", { "x-forwarded-uri": "/robots.txt" }, 204],
    ["/auth?block=ai", { "x-forwarded-uri": "/robots.txt?1" }, 204],
    ["/auth?block=ai", { "x-forwarded-uri": "/a/robots.txt" }, 403],
    ["/auth/robots.txt", { "x-crawler-policy": "block=ai" }, 204],
    ["/auth/any/page", { "x-crawler-policy": "block=ai" }, 403],
    ["/auth/", { "x-crawler-policy": "block=ai" }, 403],
    // Behind /auth/ the query is the client's.
    ["/auth/?observe", { "x-crawler-policy": "block=ai", "x-forwarded-uri": "/robots.txt" }, 403],
    ["/auth/?block=nonsense", {}, 204],
    ["/auth?block=nonsense", {}, 400],
    ["/auth?block=ai&block=seo", {}, 400],
  ];
  for (const [path, headers, status] of cases)
    it(`answers ${status} to GPTBot at ${path} with ${JSON.stringify(headers)}`, async () => {
      assert.equal((await ask(path, { "user-agent": gptbot, ...headers })).status, status);
    });

  it("takes any method, for Envoy asks with that of the client", async () => {
    for (const method of ["POST", "DELETE", "OPTIONS", "HEAD"])
      assert.equal(
        (await ask("/auth/x", { "user-agent": gptbot, "x-crawler-policy": "block=ai" }, method)).status,
        403,
      );
  });

  it("does not remember one policy for another", async () => {
    for (let count = 0; count < 250; count++) {
      const status = count % 2 ? 403 : 204;
      const path = `/auth?block=${count % 2 ? "search-engine" : "seo"}&x=${count}`;
      assert.equal((await ask(path, { "user-agent": googlebot })).status, status);
    }
  });

  it("puts nothing into headers but printable ASCII", async () => {
    // As Node reads headers: each byte one character.
    const { headers } = await ask("/auth", { "user-agent": "Caf\u00e9Crawl\u00ff/1.0" });
    for (const [name, value] of headers) assert.match(value, /^[ -~]*$/, name);
    assert.equal(headers.get("x-crawler"), "true");
  });
});
