/** Signals: none for a real browser's request, the right ones for every change to it, and no harm from hostile fields. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { detector } from "../../../src/detect/built-in/detector.ts";
import { type SignalId, signalIds } from "../../../src/detect/signals.ts";
import type { Verdict } from "../../../src/detect/verdict.ts";
import { createSignals } from "../../../src/verify/signals/signals.ts";
import { mark, testGolden } from "../../support/golden.ts";
import type { SeenRequest } from "./recording-site.ts";

type Headers = Readonly<Record<string, string>>;

const { find } = createSignals(detector.catalogue);
const idsOf = (headers: Headers): readonly SignalId[] =>
  find(detector.check(headers["user-agent"] ?? ""), headers).map(({ id }) => id);

const folder = new URL("recorded/", import.meta.url);
const recorded = readdirSync(folder).map((file) => ({
  browser: file.replace(".jsonl", ""),
  requests: readFileSync(new URL(file, folder), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SeenRequest),
}));

const pageOf = (browser: string): Headers =>
  recorded.find((one) => one.browser === browser)!.requests.find(({ path }) => path === "/")!.headers;
const chromium = pageOf("chromium");
const firefox = pageOf("firefox");
const webkit = pageOf("webkitgtk");

describe("a real browser's request", () => {
  it("is recorded of each kind: pages, files, scripts' requests, workers, service workers", () => {
    assert.equal(recorded.length, 10);
    for (const { browser, requests } of recorded) {
      assert.ok(requests.length > 30, browser);
      for (const path of ["/", "/frame", "/fetch", "/worker-fetch", "/sw-fetch", "/download"])
        assert.ok(
          requests.some((request) => request.path === path),
          `${browser} ${path}`,
        );
    }
  });

  for (const { browser, requests } of recorded) {
    it(`has no signal: ${browser}`, () => {
      for (const { path, headers } of requests)
        for (const proxy of [
          {},
          { "x-forwarded-proto": "https" },
          { ":scheme": "https" },
          { "x-forwarded-proto": "http" },
        ])
          assert.deepEqual(idsOf({ ...headers, ...proxy }), [], path);
    });
  }
});

/** Without the fields whose names begin so. */
const without = (headers: Headers, ...names: readonly string[]): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.some((begin) => name.startsWith(begin))));

const desktop = chromium["user-agent"]!;
const phone = desktop.replace("X11; Linux x86_64", "Linux; Android 10; K").replace(" Safari", " Mobile Safari");
/** User agents that a row names. */
const userAgents: Readonly<Record<string, string>> = {
  chromium: desktop,
  firefox: firefox["user-agent"]!,
  phone,
  tablet: phone.replace(" Mobile Safari", " Safari"),
  windows: desktop.replace("X11; Linux x86_64", "Windows NT 10.0; Win64; x64"),
  "chrome os": desktop.replace("X11; Linux x86_64", "X11; CrOS x86_64 14541.0.0"),
  "old chromium": desktop.replace("156", "89"),
  "old firefox": firefox["user-agent"]!.replaceAll("153", "89"),
  "new firefox": firefox["user-agent"]!.replaceAll(/(rv:|Firefox\/)\d+/g, "$1999"),
  "web view": phone.replace("; K", "; K; wv"),
  app: `${desktop} Example/1.0`,
  edge: `${desktop} Edg/156.0.0.0`,
  iphone:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
  headless: desktop.replace("Chrome", "HeadlessChrome"),
  googlebot:
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/156.0.0.0 Safari/537.36",
};

/**
 * A request as a row changes it: `as NAME` has its user agent, `hints N` Chrome's of a version, `- name` loses the fields that begin so.
 */
function changed(request: Headers, changes: string): Headers {
  let headers = request;
  for (const text of changes === "" ? [] : changes.split(" & ")) {
    const [, word = "", value = ""] = /^(:?[\w-]+):?(?: (.*))?$/.exec(text) ?? assert.fail(text);
    if (word === "signed-by") headers = { ...headers, ...signedBy(value) };
    else if (word === "-") headers = without(headers, ...value.split(" "));
    else if (word === "as") headers = { ...headers, "user-agent": userAgents[value]! };
    else if (word === "hints") headers = { ...headers, "sec-ch-ua": chromeHints(value) };
    else if (word === "https") headers = { ...headers, "x-forwarded-proto": "https" };
    else headers = { ...headers, [word]: value };
  }
  return headers;
}
const signedBy = (agent: string): Headers => ({
  "signature-agent": `s="${agent}"`,
  "signature-input": 's=("@authority" "signature-agent";key="s");created=1;expires=2;keyid="x";tag="web-bot-auth"',
  signature: "s=:AAAA:",
});
const chromeHints = (version: string) =>
  `"Not:A-Brand";v="8", "Chromium";v="${version}", "Google Chrome";v="${version}"`;

testGolden("verify/signals.txt", (input) => {
  const [, browser = "", changes = ""] = /^(\w+) & (.*)$/.exec(input) ?? assert.fail(input);
  const headers = changed({ chromium, firefox, webkit, none: {} }[browser]!, changes);
  const signals = find(detector.check(headers["user-agent"] ?? ""), headers);
  return signals.length === 0 ? ["| none"] : signals.flatMap(({ id, because }) => mark("|", `${id}: ${because}`));
});

describe("a changed request", () => {
  it("raises each signal", () => {
    const known = readFileSync(new URL("../../golden/verify/signals.txt", import.meta.url), "utf8");
    for (const id of signalIds) assert.ok(known.includes(`\n| ${id}: `), id);
  });

  it("that has lost one field has the signal of that field, and only pages have one", () => {
    let pages = 0;
    for (const { browser, requests } of recorded) {
      // The others' strings name no browser: HeadlessChrome, QtWebEngine, Surf.
      const isChromium = /^chromium(?!-headless)/.test(browser);
      const isPlain = isChromium || /^(?:firefox|webkitgtk)/.test(browser);
      for (const { path, headers } of requests) {
        const mode = headers["sec-fetch-mode"];
        const isPage = headers.accept?.startsWith("text/html") && mode === "navigate" && path !== "/frame";
        const isTop = isPage && headers["sec-fetch-dest"] === "document";
        if (isTop) pages++;
        for (const name of Object.keys(headers)) {
          // A frame without hints, whose page has refused them, looks like a page without its destination.
          if (path === "/refused" && name === "sec-fetch-dest") continue;
          const expected: SignalId[] = [];
          if (isTop && isChromium && name === "sec-ch-ua") expected.push("client-hints-missing");
          if (isTop && isPlain && name === "accept-language") expected.push("no-accept-language");
          const { [name]: _, ...others } = headers;
          assert.deepEqual(idsOf(others), expected, `${browser} ${path} without ${name}`);
        }
      }
    }
    assert.ok(pages > 30, `${pages}`);
  });
});

describe("hostile fields", () => {
  it("raise no error, whatever they are, in any form of headers", () => {
    const others = "forwarded x-forwarded-proto :scheme signature-agent signature-input signature".split(" ");
    const names = [...Object.keys(chromium), ...others];
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...Object.values(chromium), '"', '"a";v="1"', "s=()", "?1"),
    );
    const headers = fc.dictionary(fc.constantFrom(...names), fc.oneof(value, fc.array(value, { maxLength: 3 })));
    fc.assert(
      fc.property(headers, fc.oneof(value, fc.constant(chromium["user-agent"]!)), (headers, useragent) => {
        for (const { id, because } of find(detector.check(useragent), headers)) {
          assert.ok(signalIds.includes(id));
          assert.ok(because.length < 200, because);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("are not read beyond their limits", () => {
    const verdict: Verdict = detector.check(chromium["user-agent"]!);
    const brands = (count: number) => Array.from({ length: count }, () => '"Chromium";v="1"').join(", ");
    assert.equal(find(verdict, { "sec-ch-ua": brands(10) }).length, 1);
    assert.deepEqual(find(verdict, { "sec-ch-ua": brands(1000) }), []);
    assert.deepEqual(find(verdict, { "sec-ch-ua": brands(10), x: "x".repeat(33_000) }), []);
    const lines = Array.from({ length: 101 }, () => '"Chromium";v="1"');
    assert.deepEqual(find(verdict, { "sec-ch-ua": lines }), []);
    assert.equal(find(verdict, new Headers({ "sec-ch-ua": brands(10) })).length, 1);
  });
});
