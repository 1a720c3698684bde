/** Answers with signals: in Check, CheckMany and /auth, only if the request's header fields are given. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { signalIds } from "../../src/detect/signals.ts";
import { createService } from "../../src/service.ts";
import { firefox, googlebot } from "../support/user-agents.ts";
import { openVerifier } from "../verify/open-verifier.ts";
import { post } from "./ask.ts";

const service = createService({ detector, verifier: openVerifier(detector.catalogue.verification) });
const headless = { "sec-ch-ua": '"HeadlessChrome";v="147", "Chromium";v="147"' };
const because = "Sec-CH-UA has the brand HeadlessChrome";
const unexpected = { id: "client-hints-unexpected", because: "Firefox sends no Sec-CH-UA" };
const signal = { id: "client-hints-headless", because };

const ask = async (body: unknown, path = "/RestService/Check"): Promise<string> =>
  (await post(service, path, JSON.stringify(body))).text();

const rows = [
  [firefox, headless, [unexpected, signal]],
  [googlebot, headless, [signal]],
  ["FooBot/1.0", headless, [signal]],
  ["", headless, [signal]],
  [firefox, { "sec-ch-ua": ['"HeadlessChrome";v="147"', '"x";v="1"'] }, [unexpected, signal]],
  [firefox, { "Sec-CH-UA": headless["sec-ch-ua"] }, [unexpected, signal]],
  [firefox, { accept: "*/*" }, undefined],
  [firefox, {}, undefined],
  [firefox, undefined, undefined],
] as const;

describe("Check", () => {
  it("has signals last, for people, too, and only if there is one; the same again from its cache", async () => {
    for (const [useragent, headers, expected] of [...rows, ...rows]) {
      const answer = JSON.parse(await ask({ useragent, headers })) as { readonly signals?: unknown; crawler: unknown };
      assert.deepEqual(answer.signals, expected);
      assert.equal(answer.crawler, detector.check(useragent).crawler);
      const xml = await ask({ useragent, headers }, "/RestService/Check/xml");
      if (expected === undefined) {
        assert.ok(!xml.includes("signals"));
        continue;
      }
      assert.equal(Object.keys(answer).at(-1), "signals");
      const items = expected.map(({ id, because }) => `<signal><id>${id}</id><because>${because}</because></signal>`);
      assert.ok(xml.endsWith(`<signals>${items.join("")}</signals></check>`), xml);
    }
  });
});

describe("CheckMany", () => {
  const items = rows.map(([useragent, headers]) => ({ useragent, headers }));
  const expected = rows.map(([, , signals]) => signals);
  const many = "/RestService/CheckMany";

  it("has them in arrays, in XML and in lines", async () => {
    const array = JSON.parse(await ask(items, many)) as { readonly signals?: unknown }[];
    assert.deepEqual(
      array.map(({ signals }) => signals),
      expected,
    );
    const body = [...items, ...items].map((item) => JSON.stringify(item)).join("\n");
    const headers = { "content-type": "application/x-ndjson" };
    const lines = await service.fetch(new Request(`http://localhost${many}`, { method: "POST", headers, body }));
    assert.deepEqual(
      (await lines.text())
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { readonly signals?: unknown }).signals),
      [...expected, ...expected],
    );
    const xml = await (await post(service, many, JSON.stringify(items), { accept: "application/xml" })).text();
    assert.equal(xml.split("<signals>").length - 1, 6);
  });
});

describe("/auth", () => {
  const chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
  const page = { "user-agent": chrome, accept: "text/html,application/xhtml+xml", "accept-language": "en" };
  const https = { ...page, "x-forwarded-proto": "https" };
  const none = "client-hints-missing,no-sec-fetch";
  const answers: readonly (readonly [
    query: string,
    headers: Record<string, string>,
    status: number,
    signals: string | null,
  ])[] = [
    ["", https, 204, null],
    ["?block=all", https, 204, null],
    ["?block=signal:no-sec-fetch", https, 403, none],
    ["?block=Signal:No-Sec-Fetch", https, 403, none],
    ["?block=signal:no-sec-fetch&observe", https, 204, none],
    ["?block=signal:no-sec-fetch", { ...https, "x-forwarded-uri": "/robots.txt" }, 204, none],
    ["?block=signal:no-sec-fetch", page, 204, ""],
    ["?block=signal:client-hints-headless", { ...headless, "user-agent": "curl/8.5.0" }, 403, "client-hints-headless"],
    ["?block=signal:no-sec-fech", https, 204, null],
    ["?block=signal:no-sec-fech", { ...https, "user-agent": "curl/8.5.0" }, 429, null],
    ["?block=signal:", { ...https, "user-agent": "curl/8.5.0" }, 429, null],
  ];

  it("looks for signals only if the policy names one, and lists them in a header", async () => {
    for (const on of [service, createService({ detector })])
      for (const [query, headers, status, signals] of answers) {
        const answer = await on.fetch(new Request(`http://localhost/auth${query}`, { headers }));
        assert.equal(answer.status, status, query);
        assert.equal(answer.headers.get("x-crawler-signals"), signals, query);
        if (status === 429 && query.endsWith("fech"))
          assert.match(await answer.text(), /Did you mean [^ ]*signal:no-sec-fetch\b/);
      }
  });

  it("takes the id of every signal as a word", async () => {
    const words = signalIds.map((id) => `signal:${id}`).join(",");
    const answer = await service.fetch(new Request(`http://localhost/auth?block=${words}`, { headers: page }));
    assert.equal(answer.status, 204);
  });
});
