/** Signals: none for a real browser's request, the right ones for every change to it, and no harm from hostile fields. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { detector } from "../../../src/detect/built-in/detector.ts";
import { type SignalId, signalIds } from "../../../src/detect/signals.ts";
import type { Verdict } from "../../../src/detect/verdict.ts";
import { createSignals } from "../../../src/verify/signals/signals.ts";
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

const userAgentOf = {
  windows: chromium["user-agent"]!.replace("X11; Linux x86_64", "Windows NT 10.0; Win64; x64"),
  phone: chromium["user-agent"]!.replace("X11; Linux x86_64", "Linux; Android 10; K").replace(
    " Safari",
    " Mobile Safari",
  ),
  tablet: chromium["user-agent"]!.replace("X11; Linux x86_64", "Linux; Android 10; K"),
  chromeOs: chromium["user-agent"]!.replace("X11; Linux x86_64", "X11; CrOS x86_64 14541.0.0"),
  iphone:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
} as const;
const chromeHints = (version: number) =>
  `"Not:A-Brand";v="8", "Chromium";v="${version}", "Google Chrome";v="${version}"`;
const https = { "x-forwarded-proto": "https" };

/** Changes to real requests, and the signals that they raise. */
const changes: readonly (readonly [what: string, headers: Headers, expected: readonly SignalId[]])[] = [
  [
    "another version in the user agent",
    { ...chromium, "user-agent": chromium["user-agent"]!.replace("156", "155") },
    ["client-hints-version"],
  ],
  ["another version in the hints", { ...chromium, "sec-ch-ua": chromeHints(120) }, ["client-hints-version"]],
  [
    "a brand beside Chromium's",
    { ...chromium, "sec-ch-ua": chromeHints(156).replace('Google Chrome";v="156', 'Microsoft Edge";v="1') },
    [],
  ],
  [
    "Google Chrome with a version of its own",
    { ...chromium, "sec-ch-ua": '"Chromium";v="156", "Google Chrome";v="120"' },
    ["client-hints-version"],
  ],
  [
    "a headless brand",
    { ...chromium, "sec-ch-ua": chromeHints(156).replace("Google Chrome", "HeadlessChrome") },
    ["client-hints-headless"],
  ],
  [
    "an old headless one",
    { ...chromium, "sec-ch-ua": '"HeadlessChrome";v="120"' },
    ["client-hints-version", "client-hints-headless"],
  ],
  [
    "a version that is not released",
    { ...firefox, "user-agent": firefox["user-agent"]!.replaceAll(/(rv:|Firefox\/)\d+/g, "$1999") },
    ["browser-implausible"],
  ],
  ["no hints", without(chromium, "sec-ch-ua"), ["client-hints-missing"]],
  ["no hints, and no Sec-Fetch", without(chromium, "sec-"), []],
  [
    "no hints, and no Sec-Fetch over HTTPS",
    { ...without(chromium, "sec-"), ...https },
    ["client-hints-missing", "no-sec-fetch"],
  ],
  [
    "the same by Forwarded",
    { ...without(chromium, "sec-"), forwarded: 'for=192.0.2.1;proto="https";by=x, proto=http' },
    ["client-hints-missing", "no-sec-fetch"],
  ],
  [
    "the same by :scheme",
    { ...without(chromium, "sec-"), ":scheme": "https" },
    ["client-hints-missing", "no-sec-fetch"],
  ],
  ["the same over HTTP to the first proxy", { ...without(chromium, "sec-"), "x-forwarded-proto": "http, https" }, []],
  [
    "no hints in a frame, whose page may refuse them",
    { ...without(chromium, "sec-ch-ua"), "sec-fetch-dest": "iframe" },
    [],
  ],
  [
    "no hints in a frame that a service worker passes on",
    { ...without(chromium, "sec-ch-ua"), "sec-fetch-dest": "empty" },
    [],
  ],
  ["no hints with a script's request", { ...without(chromium, "sec-ch-ua"), "sec-fetch-mode": "cors" }, []],
  [
    "no hints from an old Chrome",
    { ...without(chromium, "sec-ch-ua"), "user-agent": chromium["user-agent"]!.replace("156", "89") },
    [],
  ],
  [
    "no hints from a web view",
    { ...without(chromium, "sec-ch-ua"), "user-agent": userAgentOf.phone.replace("; K", "; K; wv") },
    [],
  ],
  [
    "no hints from an app",
    { ...without(chromium, "sec-ch-ua"), "user-agent": `${chromium["user-agent"]} Example/1.0` },
    [],
  ],
  [
    "no hints from Edge",
    { ...without(chromium, "sec-ch-ua"), "user-agent": `${chromium["user-agent"]} Edg/156.0.0.0` },
    ["client-hints-missing"],
  ],
  ["no language", without(chromium, "accept-language"), ["no-accept-language"]],
  ["no language with an image", { ...without(chromium, "accept-language"), accept: "image/avif,*/*" }, []],
  ["no Sec-Fetch", { ...without(chromium, "sec-fetch"), ...https }, ["no-sec-fetch"]],
  ["no Sec-Fetch, unknown whether HTTPS", without(chromium, "sec-fetch"), []],
  ["another platform in the hints", { ...chromium, "sec-ch-ua-platform": '"Windows"' }, ["platform-differs"]],
  ["another platform in the user agent", { ...chromium, "user-agent": userAgentOf.windows }, ["platform-differs"]],
  ["a phone with a desktop's hints", { ...chromium, "user-agent": userAgentOf.phone }, ["platform-differs"]],
  [
    "a phone with a phone's hints",
    { ...chromium, "user-agent": userAgentOf.phone, "sec-ch-ua-platform": '"Android"', "sec-ch-ua-mobile": "?1" },
    [],
  ],
  [
    "a phone with a tablet's hints",
    { ...chromium, "user-agent": userAgentOf.phone, "sec-ch-ua-platform": '"Android"' },
    ["platform-differs"],
  ],
  [
    "a tablet with a phone's hints",
    { ...chromium, "user-agent": userAgentOf.tablet, "sec-ch-ua-platform": '"Android"', "sec-ch-ua-mobile": "?1" },
    ["platform-differs"],
  ],
  [
    "a phone that asks for sites for desktops",
    { ...chromium, "sec-ch-ua-platform": '"Android"', "sec-ch-ua-mobile": "?1" },
    [],
  ],
  ["Chrome OS", { ...chromium, "user-agent": userAgentOf.chromeOs, "sec-ch-ua-platform": '"Chromium OS"' }, []],
  ["Chrome OS with hints of Linux", { ...chromium, "user-agent": userAgentOf.chromeOs }, ["platform-differs"]],
  ["an unknown platform", { ...chromium, "sec-ch-ua-platform": '"Unknown"' }, []],
  ["Firefox with hints", { ...firefox, "sec-ch-ua": chromeHints(156) }, ["client-hints-unexpected"]],
  ["Firefox with empty hints", { ...firefox, "sec-ch-ua": "" }, []],
  ["Firefox without a language", without(firefox, "accept-language"), ["no-accept-language"]],
  ["Firefox without Sec-Fetch", { ...without(firefox, "sec-fetch"), ...https }, ["no-sec-fetch"]],
  [
    "an old Firefox without Sec-Fetch",
    { ...without(firefox, "sec-fetch"), ...https, "user-agent": firefox["user-agent"]!.replaceAll("153", "89") },
    [],
  ],
  ["Chromium as Firefox", { ...chromium, "user-agent": firefox["user-agent"]! }, ["client-hints-unexpected"]],
  ["Chromium as an iPhone's Safari", { ...chromium, "user-agent": userAgentOf.iphone }, ["client-hints-unexpected"]],
  ["Firefox as Chromium", { ...firefox, "user-agent": chromium["user-agent"]! }, ["client-hints-missing"]],
  ["WebKit with hints", { ...webkit, "sec-ch-ua": chromeHints(156) }, ["client-hints-unexpected"]],
  ["WebKit without a language", without(webkit, "accept-language"), ["no-accept-language"]],
  ["WebKit without Sec-Fetch, as a download", { ...without(webkit, "sec-fetch"), ...https }, []],
  ["a client that sends nothing else", { "user-agent": chromium["user-agent"]!, ...https }, []],
  ["a client that accepts everything", { "user-agent": chromium["user-agent"]!, accept: "*/*", ...https }, []],
  [
    "Googlebot",
    {
      ...without(chromium, "sec-", "accept-language"),
      ...https,
      "user-agent":
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/156.0.0.0 Safari/537.36",
    },
    [],
  ],
  ["no user agent", without(chromium, "user-agent"), []],
];

describe("a changed request", () => {
  for (const [what, headers, expected] of changes)
    it(`with ${what} has ${expected.join(", ") || "no signal"}`, () => assert.deepEqual(idsOf(headers), expected));

  it("raises each signal, with a reason", () => {
    const raised = new Set(changes.flatMap(([, , expected]) => expected));
    assert.deepEqual(
      signalIds.filter((id) => !raised.has(id)),
      ["signature-agent-differs"],
    );
    const reason = find(detector.check(chromium["user-agent"]!), { ...chromium, "sec-ch-ua": chromeHints(120) });
    assert.deepEqual(reason, [
      { id: "client-hints-version", because: "Sec-CH-UA has Chromium 120, the user agent Chrome/156" },
    ]);
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

describe("a signature", () => {
  const input = '("@authority" "signature-agent";key="s");created=1;expires=2;keyid="x";tag="web-bot-auth"';
  const signed = (agent: string): Headers => ({
    "signature-agent": `s="${agent}"`,
    "signature-input": `s=${input}`,
    signature: "s=:AAAA:",
  });
  const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
  const rows: readonly (readonly [useragent: string, headers: Headers, isRaised: boolean])[] = [
    [googlebot, signed("https://chatgpt.com"), true],
    [googlebot, signed("https://agent.bot.goog"), false],
    [googlebot, signed("https://agent.example"), false],
    [googlebot, { ...signed("https://chatgpt.com"), "signature-input": "s=()" }, false],
    [googlebot, { ...signed("https://chatgpt.com"), signature: "?" }, false],
    [googlebot, { "signature-agent": '"https://chatgpt.com"' }, false],
    ["ChatGPT-User/1.0", signed("https://chatgpt.com"), false],
    ["ChatGPT-User/1.0", signed("https://agent.bot.goog"), true],
    // Anyone runs these.
    ["curl/8.5.0", signed("https://chatgpt.com"), false],
    [chromium["user-agent"]!.replace("Chrome", "HeadlessChrome"), signed("https://chatgpt.com"), false],
    // ChatGPT's agent has a browser's string.
    [chromium["user-agent"]!, signed("https://chatgpt.com"), false],
  ];
  for (const [useragent, headers, isRaised] of rows)
    it(`by ${headers["signature-agent"]} for ${useragent} ${isRaised ? "differs" : "does not differ"}`, () => {
      assert.deepEqual(idsOf({ ...headers, "user-agent": useragent }), isRaised ? ["signature-agent-differs"] : []);
    });
});

describe("hostile fields", () => {
  it("raise no error, whatever they are, in any form of headers", () => {
    const names = [
      ...Object.keys(chromium),
      "forwarded",
      "x-forwarded-proto",
      ":scheme",
      "signature-agent",
      "signature-input",
      "signature",
    ];
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
