/** /auth: statuses by policy, and headers that a proxy can pass on whatever a client has sent. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verification } from "../../src/detect/verification.ts";
import { createService } from "../../src/service.ts";
import type { Evidence } from "../../src/verify/evidence.ts";
import { firefox, googlebot, gptbot } from "../support/user-agents.ts";

const { fetch } = createService();

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
    const { status, headers } = await ask("/auth?block=all", { "user-agent": firefox });
    assert.deepEqual([status, headers.get("x-crawler"), headers.get("x-crawler-name")], [204, "false", ""]);
  });

  /** What an answer tells of the crawler, by the ends of the headers' names. */
  const toldBy = ({ headers }: Response): Record<string, string> =>
    Object.fromEntries(
      [...headers].flatMap(([name, value]) => (name.startsWith("x-crawler") ? [[name.slice(10), value]] : [])),
    );

  it("tells all of it by names that are always there, if need be empty", async () => {
    const nothing = { name: "", operator: "", category: "", purposes: "", verification: "", "verification-reason": "" };
    assert.deepEqual(toldBy(await ask("/auth", { "user-agent": firefox })), { "": "false", ...nothing });
    assert.deepEqual(toldBy(await ask("/auth?block=all", { "user-agent": gptbot })), {
      ...nothing,
      "": "true",
      name: "GPTBot",
      operator: "OpenAI",
      category: "ai",
      purposes: "training",
    });
    const { operator, category } = toldBy(
      await ask("/auth?block=operator:Google", { "user-agent": "Go-http-client/2.0" }),
    );
    assert.deepEqual([operator, category], ["", "library"]);
    const several = detector.strings().find((text) => (detector.check(text).purposes?.length ?? 0) > 1) ?? "";
    const { purposes } = toldBy(await ask("/auth", { "user-agent": several }));
    assert.equal(purposes, detector.check(several).purposes?.join(","));
  });

  describe("with a verifier", () => {
    const asked: { ip?: string | undefined; told: (string | null)[]; waitMs: number }[] = [];
    let answer: Verification | undefined;
    const tell = ({ ip, headers }: Evidence, waitMs: number): Verification | undefined => {
      const { get } = headers as { get(name: string): string | null };
      asked.push({ ip, told: [":method", ":path", ":scheme", "x-some"].map(get), waitMs });
      return answer;
    };
    const verifying = createService({
      verifier: {
        known: () => assert.fail("for lines"),
        verify: (_, evidence, waitMs) => (waitMs === 0 ? tell(evidence, 0) : Promise.resolve(tell(evidence, waitMs))),
      },
    });
    const send = (path: string, headers: Readonly<Record<string, string>>, method = "GET") =>
      verifying.fetch(
        new Request(`http://localhost${path}`, { method, headers: { "user-agent": gptbot, ...headers } }),
      );

    const cases: readonly [path: string, headers: Record<string, string>, told: (string | null)[], waitMs?: number][] =
      [
        ["/auth", {}, [null, null, null, null]],
        ["/auth?wait=0", { "x-some": "y" }, [null, null, null, "y"]],
        ["/auth", { "x-forwarded-method": "PUT", "x-forwarded-uri": "/a?b=c" }, ["PUT", "/a?b=c", null, null]],
        ["/auth?wait=5000", { "x-forwarded-uri": "/" }, [null, "/", null, null], 5000],
        ["/auth?wait=1", {}, [null, null, null, null], 1],
        // Envoy adds the original path and query, and takes the original method.
        [
          "/auth/a/b?c=d",
          { "x-forwarded-uri": "/x", "x-forwarded-method": "PUT", "x-crawler-policy": "observe" },
          ["POST", "/a/b?c=d", null, null],
        ],
        ["/auth/?wait=3", { "x-crawler-policy": "wait=20" }, ["POST", "/?wait=3", null, null], 20],
        ["/auth/a", { "x-crawler-policy": "observe" }, ["POST", "/a", null, null]],
      ];
    for (const [path, headers, told, waitMs = 0] of cases)
      it(`asks it about ${path} with ${JSON.stringify(headers)}`, async () => {
        asked.length = 0;
        const isBelow = path.startsWith("/auth/");
        assert.equal((await send(path, headers, isBelow ? "POST" : "GET")).status, isBelow ? 200 : 204);
        assert.deepEqual(asked, [{ ip: undefined, told, waitMs }]);
      });

    it("tells what it says, and nothing where it says nothing", async () => {
      for (const path of ["/auth", "/auth?wait=1"]) {
        answer = undefined;
        assert.equal(toldBy(await send(path, {})).verification, "");
        answer = { status: "spoofed", method: "dns", reason: "no name \u2026 known" };
        const { verification, "verification-reason": reason } = toldBy(await send(path, {}));
        assert.deepEqual([verification, reason], ["spoofed", "no name ? known"]);
      }
    });
  });

  describe("with `disallowed`", () => {
    let robotsTxt = "User-agent: GPTBot\nDisallow: /a\nDisallow: /*?b=c$\n\nUser-agent: *\nDisallow: /star\n";
    const service = createService({ robotsTxt: () => robotsTxt });
    const send = async (headers: Readonly<Record<string, string>>, path = "/auth?block=disallowed") =>
      (await service.fetch(new Request(`http://localhost${path}`, { headers: { "user-agent": gptbot, ...headers } })))
        .status;
    const uri = "x-forwarded-uri";
    const original = "x-original-uri";
    const cases: readonly [status: number, headers: Record<string, string>, path?: string][] = [
      [403, { [uri]: "/a/1" }],
      [403, { [original]: "/a/1" }],
      [403, { [uri]: "/x?b=c" }],
      [204, { [uri]: "/x?b=cd" }],
      [204, { [uri]: "/star" }],
      [403, { [uri]: "/star", "user-agent": googlebot }],
      [204, { [uri]: "/a", "user-agent": firefox }],
      [204, { [uri]: "/robots.txt" }],
      // A client that adds the other header gains nothing.
      [403, { [uri]: "/robots.txt", [original]: "/a" }],
      [403, { [uri]: "/a", [original]: "/robots.txt" }],
      [403, { [uri]: "/x/../a" }],
      [403, { [uri]: "//a" }],
      [403, { [uri]: "http://example.com/a" }],
      [204, { [uri]: "/a" }, "/auth?block=disallowed&allow=GPTBot"],
      [403, { [uri]: "/x" }, "/auth?block=disallowed,ai"],
      [403, { "x-crawler-policy": "block=disallowed" }, "/auth/a"],
      [403, { "x-crawler-policy": "block=disallowed" }, "/auth/x?b=c"],
      [200, { "x-crawler-policy": "block=disallowed" }, "/auth/x"],
    ];
    for (const [status, headers, path] of cases)
      it(`answers ${status} to ${JSON.stringify(headers)} ${path ?? ""}`, async () =>
        assert.equal(await send(headers, path), status));

    it("follows the text", async () => {
      robotsTxt = "User-agent: *\nDisallow: /other\n";
      while ((await send({ [uri]: "/other" })) !== 403) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(await send({ [uri]: "/a" }), 204);
    });
  });

  it("records whom it was asked about", async () => {
    const noted: string[] = [];
    const own = createService({ record: { note: ({ useragent }) => void noted.push(useragent) } });
    for (const headers of [{ "user-agent": gptbot }, { "user-agent": firefox }])
      await own.fetch(new Request("http://localhost/auth?block=ai", { headers }));
    assert.deepEqual(noted, [gptbot, firefox]);
  });

  it("takes no user agent for an empty one", async () => {
    const { headers } = await ask("/auth", {});
    assert.equal(headers.get("x-crawler"), String(detector.isCrawler("")));
  });

  it("selects requests without a user agent by `missing`", async () => {
    const statuses = async (query: string) =>
      Promise.all(
        [{}, { "user-agent": "" }, { "user-agent": "-" }, { "user-agent": gptbot }, { "user-agent": firefox }].map(
          async (headers) => (await ask(`/auth?${query}`, headers as Record<string, string>)).status,
        ),
      );
    assert.deepEqual(await statuses("block=all&allow=missing"), [204, 204, 204, 403, 204]);
    assert.deepEqual(await statuses("block=missing"), [403, 403, 403, 204, 204]);
    assert.deepEqual(await statuses("limit=missing:1/h,GPTBot:9/h"), [204, 429, 429, 204, 204]);
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
    // Envoy lets a request through for 200 only.
    ["/auth/robots.txt", { "x-crawler-policy": "block=ai" }, 200],
    ["/auth/any/page", { "x-crawler-policy": "block=ai" }, 403],
    ["/auth/", { "x-crawler-policy": "block=ai" }, 403],
    // Behind /auth/ the query is the client's.
    ["/auth/?observe", { "x-crawler-policy": "block=ai", "x-forwarded-uri": "/robots.txt" }, 403],
    ["/auth/?block=nonsense", { "x-crawler-policy": "block=seo" }, 200],
    ["/auth/page", { "x-crawler-policy": "observe" }, 200],
    ["/auth?block=operator:openai,name:AnyBot", {}, 403],
    ["/auth?block=AI:Training", {}, 403],
    ["/auth?block=ai&observe=true", {}, 204],
    ["/auth?block=ai&observe=false", {}, 403],
    ["/auth?block=ai&observe=0", {}, 403],
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
      const path = `/auth?block=${count % 2 ? "search-engine" : "seo"}&wait=${count}`;
      assert.equal((await ask(path, { "user-agent": googlebot })).status, status);
    }
  });

  it("puts nothing into headers but printable ASCII", async () => {
    // As Node reads headers: each byte one character.
    const { headers } = await ask("/auth", { "user-agent": "Caf\u00e9\u00e9Crawl/1.0" });
    for (const [name, value] of headers) assert.match(value, /^[ -~]*$/, name);
    assert.equal(headers.get("x-crawler-name"), "Caf?Crawl");
    assert.equal(headers.get("x-crawler"), "true");
  });
});
