/** /auth: statuses by policy, limits, and headers that a proxy can pass on whatever a client has sent. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verification, VerificationStatus } from "../../src/detect/verification.ts";
import type { Evidence } from "../../src/verify/evidence.ts";
import { rowsOf } from "../support/table.ts";
import { ahrefs, firefox, googlebot, gptbot, searchbot } from "../support/user-agents.ts";
import { open } from "./open.ts";

const { auth, ask } = open();
const useragents = { "": "", "-": "-", firefox, googlebot, gptbot, searchbot, ahrefs, claude: "ClaudeBot/1.0" };
type Name = keyof typeof useragents;

describe("/auth", () => {
  /** What an answer tells of the crawler, by the ends of the headers' names. */
  const toldBy = ({ headers }: Response): Record<string, string> =>
    Object.fromEntries(
      [...headers].flatMap(([name, value]) => (name.startsWith("x-crawler") ? [[name.slice(10), value]] : [])),
    );

  it("tells the proxy what is known of a crawler, by headers that are always there, if need be empty", async () => {
    const nothing = { name: "", operator: "", category: "", purposes: "", verification: "", "verification-reason": "" };
    const known = { "": "true", name: "GPTBot", operator: "OpenAI", category: "ai", purposes: "training" };
    const person = await auth("?block=all", firefox);
    assert.deepEqual([person.status, toldBy(person)], [204, { "": "false", ...nothing }]);
    const passed = await auth("", gptbot);
    assert.deepEqual([passed.status, passed.headers.get("cache-control")], [204, "no-store"]);
    for (const answer of [passed, await auth("?block=all", gptbot)])
      assert.deepEqual(toldBy(answer), { ...nothing, ...known });
    const { operator, category } = toldBy(await auth("?block=operator:Google", "Go-http-client/2.0"));
    assert.deepEqual([operator, category], ["", "library"]);
    const several = detector.strings().find((text) => (detector.check(text).purposes?.length ?? 0) > 1) ?? "";
    assert.equal(toldBy(await auth("", several)).purposes, detector.check(several).purposes?.join(","));
  });

  it("puts nothing into headers but printable ASCII", async () => {
    // As Node reads headers: each byte one character.
    const { headers } = await auth("", "Caf\u00e9\u00e9Crawl/1.0");
    for (const [name, value] of headers) assert.match(value, /^[ -~]*$/, name);
    assert.deepEqual([headers.get("x-crawler-name"), headers.get("x-crawler")], ["Caf?Crawl", "true"]);
  });

  it("records whom it was asked about, and takes no user agent for an empty one", async () => {
    const { noted, ...own } = open();
    for (const useragent of [gptbot, firefox]) await own.auth("?block=ai", useragent);
    await own.ask("/auth");
    assert.deepEqual(
      noted.map(({ useragent }) => useragent),
      [gptbot, firefox, ""],
    );
  });

  /** An address, the policy of the header below /auth/, the path that the proxy says, and the status for GPTBot. */
  for (const [path = "", policy = "", uri = "", status] of rowsOf(`
    /auth?block=ai:training,seo |  |  | 403
    /auth?block=ai%3Atraining&allow=GPTBot |  |  | 204
    /auth?block=ai:search |  |  | 204
    /auth?block=operator:openai,name:AnyBot |  |  | 403
    /auth?block=ai&observe |  |  | 204
    /auth?block=ai&observe=1 |  |  | 204
    /auth?block=ai&observe=true |  |  | 204
    /auth?block=ai&observe=false |  |  | 403
    /auth?block=ai&observe=0 |  |  | 403
    /auth?block=ai |  | /robots.txt | 204
    /auth?block=ai |  | /robots.txt?1 | 204
    /auth?block=ai |  | /a/robots.txt | 403
    /auth/robots.txt | block=ai |  | 200
    /auth/any/page | block=ai |  | 403
    /auth/ | block=ai |  | 403
    /auth/?observe | block=ai | /robots.txt | 403
    /auth/?block=nonsense | block=seo |  | 200
    /auth/page | observe |  | 200
  `))
    it(`answers ${status} to GPTBot at ${path} ${policy} ${uri}`, async () => {
      const headers = { ...(policy && { "x-crawler-policy": policy }), ...(uri && { "x-forwarded-uri": uri }) };
      assert.equal((await ask(path, { "user-agent": gptbot, ...headers })).status, Number(status));
    });

  it("takes any method, for Envoy asks with that of the client", async () => {
    const headers = { "user-agent": gptbot, "x-crawler-policy": "block=ai" };
    for (const method of ["POST", "DELETE", "OPTIONS", "HEAD"])
      assert.equal((await ask("/auth/x", headers, undefined, method)).status, 403);
  });

  it("does not remember one policy for another", async () => {
    for (let count = 0; count < 250; count++) {
      const query = `?block=${count % 2 ? "search-engine" : "seo"}&wait=${count}`;
      assert.equal((await auth(query, googlebot)).status, count % 2 ? 403 : 204);
    }
  });
});

describe("policies of /auth", () => {
  /** Requests of user agents, one after the other, and their statuses. */
  for (const [query = "", names = "", statuses = ""] of rowsOf(`
    block=all&allow=missing | , -, gptbot, firefox | 204 204 403 204
    block=missing | , -, gptbot, firefox | 403 403 204 204
    limit=missing:1/h,GPTBot:9/h | , -, gptbot, firefox | 204 429 204 204
    limit=ai:2/h,GPTBot:1/h,all:3/h | gptbot, gptbot, claude, claude, claude | 204 429 204 204 429
    limit=ai:2/h,GPTBot:1/h,all:3/h | ahrefs, ahrefs, ahrefs, ahrefs | 204 204 204 429
    limit=ai:2/h,all:1/h | firefox, firefox, firefox | 204 204 204
    limit=ai:2/h&limit-by=operator | gptbot, searchbot, gptbot, claude | 204 204 429 204
    block=ai&limit=GPTBot:1/h | gptbot, gptbot | 403 403
    block=seo&limit=GPTBot:1/h | gptbot, gptbot | 204 429
    block=ai&allow=ClaudeBot&limit=all:1/h | claude, claude, gptbot | 204 429 403
    limit=ai:1/h&observe | gptbot, gptbot | 204 204
  `))
    it(`${query} of ${names}: ${statuses}`, async () => {
      const own = open();
      const found = [];
      for (const name of names.split(", ")) {
        const useragent = useragents[name.replace(",", "") as Name];
        found.push((await own.auth(`?${query}`, useragent)).status);
      }
      assert.equal(found.join(" "), statuses);
    });

  it("that limit answer 429 with Retry-After and the facts, without a body", async () => {
    const own = open();
    for (let times = 0; times < 2; times++) await own.auth("?limit=ai:2/m", gptbot);
    const { status, headers, body } = await own.auth("?limit=ai:2/m", gptbot);
    assert.deepEqual([status, body, headers.get("x-crawler-name")], [429, null, "GPTBot"]);
    assert.ok(["29", "30"].includes(headers.get("retry-after")!), `${headers.get("retry-after")}`);
  });

  it("limit no robots.txt, unless the client has added its path", async () => {
    const own = open();
    const statusOf = async (headers: Record<string, string>) =>
      (await own.auth("?limit=ai:1/h", gptbot, headers)).status;
    for (let times = 0; times < 3; times++) assert.equal(await statusOf({ "x-forwarded-uri": "/robots.txt" }), 204);
    const both = { "x-forwarded-uri": "/page", "x-original-uri": "/robots.txt" };
    assert.deepEqual([await statusOf(both), await statusOf(both)], [204, 429]);
  });

  it("count verified crawlers and their imitators apart", async () => {
    let status: VerificationStatus = "spoofed";
    const own = open({
      verifier: { verify: () => ({ status, method: "dns", reason: "" }) },
      forwarded: { addressOf: () => "192.0.2.1", hostOf: () => undefined, originOf: () => undefined },
    });
    for (status of ["spoofed", "verified", "unverifiable"] as const)
      for (const expected of [204, 429]) assert.equal((await own.auth("?limit=ai:1/h", gptbot)).status, expected);
  });
});

describe("/auth with a verifier", () => {
  const asked: { ip?: string | undefined; told: (string | null)[]; waitMs: number }[] = [];
  let answer: Verification | undefined;
  const tell = ({ ip, headers }: Evidence, waitMs: number): Verification | undefined => {
    const { get } = headers as { get(name: string): string | null };
    asked.push({ ip, told: [":method", ":path", ":scheme", "x-some"].map(get), waitMs });
    return answer;
  };
  const own = open({
    verifier: {
      verify: (_, evidence, waitMs) => (waitMs === 0 ? tell(evidence, 0) : Promise.resolve(tell(evidence, waitMs))),
    },
  });

  // Envoy adds the original path and query, and takes the original method.
  for (const [path = "", headers = "", method, told, waitMs] of rowsOf(`
    /auth | {} | null | null | 0
    /auth?wait=0 | {} | null | null | 0
    /auth | { "x-forwarded-method": "PUT", "x-forwarded-uri": "/a?b=c" } | "PUT" | "/a?b=c" | 0
    /auth?wait=5000 | { "x-forwarded-uri": "/" } | null | "/" | 5000
    /auth/a/b?c=d | { "x-forwarded-uri": "/x", "x-forwarded-method": "PUT" } | "POST" | "/a/b?c=d" | 0
    /auth/?wait=3 | { "x-crawler-policy": "wait=20" } | "POST" | "/?wait=3" | 20
  `))
    it(`asks it about ${path} with ${headers}`, async () => {
      asked.length = 0;
      const isBelow = path.startsWith("/auth/");
      const policy = isBelow ? { "x-crawler-policy": "observe" } : {};
      const sent = { "user-agent": gptbot, "x-some": "y", ...policy, ...JSON.parse(headers) };
      const { status } = await own.ask(path, sent, undefined, isBelow ? "POST" : "GET");
      assert.equal(status, isBelow ? 200 : 204);
      const expected = [JSON.parse(String(method)), JSON.parse(String(told)), null, "y"];
      assert.deepEqual(asked, [{ ip: undefined, told: expected, waitMs: Number(waitMs) }]);
    });

  it("tells what it says, and nothing where it says nothing", async () => {
    for (const query of ["", "?wait=1"])
      for (answer of [undefined, { status: "spoofed", method: "dns", reason: "no name \u2026 known" } as const]) {
        const { headers } = await own.auth(query, gptbot);
        const told = ["", "-reason"].map((end) => headers.get(`x-crawler-verification${end}`));
        assert.deepEqual(told, answer ? ["spoofed", "no name ? known"] : ["", ""]);
      }
  });
});

describe("/auth with `disallowed`", () => {
  const robotsTxt = "User-agent: GPTBot\nDisallow: /a\nDisallow: /*?b=c$\n\nUser-agent: *\nDisallow: /star\n";
  const own = open({ robotsTxt });
  const send = async (useragent: string, uri: string, more = "") =>
    (await own.auth(`?block=disallowed${more}`, useragent, { "x-forwarded-uri": uri })).status;

  for (const [name = "", uri = "", status] of rowsOf(`
    gptbot | /a/1 | 403
    gptbot | /x?b=c | 403
    gptbot | /x?b=cd | 204
    gptbot | /star | 204
    googlebot | /star | 403
    firefox | /a | 204
    gptbot | /robots.txt | 204
    gptbot | /x/../a | 403
    gptbot | //a | 403
    gptbot | http://example.com/a | 403
  `))
    it(`answers ${status} to ${name} for ${uri}`, async () =>
      assert.equal(await send(useragents[name as Name], uri), Number(status)));

  it("joins other words, and reads the path below /auth/ and of nginx, of which no client gains by adding one", async () => {
    assert.deepEqual([await send(gptbot, "/a", "&allow=GPTBot"), await send(gptbot, "/x", ",ai")], [204, 403]);
    const below = async (path: string) =>
      (await own.ask(`/auth${path}`, { "user-agent": gptbot, "x-crawler-policy": "block=disallowed" })).status;
    assert.deepEqual([await below("/a"), await below("/x?b=c"), await below("/x")], [403, 403, 200]);
    const statusOf = async (headers: Record<string, string>) =>
      (await own.auth("?block=disallowed", gptbot, headers)).status;
    assert.equal(await statusOf({ "x-original-uri": "/a/1" }), 403);
    for (const [one, other] of [["/robots.txt", "/a"] as const, ["/a", "/robots.txt"] as const])
      assert.equal(await statusOf({ "x-forwarded-uri": one, "x-original-uri": other }), 403);
  });

  it("follows the text", async () => {
    own.service.useRobotsTxt("User-agent: *\nDisallow: /other\n");
    while ((await send(gptbot, "/other")) !== 403) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await send(gptbot, "/a"), 204);
  });
});
