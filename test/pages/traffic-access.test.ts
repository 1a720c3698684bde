/** Access to the record on the pages: with a token, if one is needed, in a header or in the cookie of the sign-in. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toHour } from "../../src/record/traffic.ts";
import type { TrafficNews } from "../../src/record/traffic-news.ts";
import { Application } from "../../src/server/application.ts";
import { createLog } from "../../src/server/observe/log.ts";
import { parseConfiguration } from "../../src/server/settings/configuration.ts";
import { createService } from "../../src/service.ts";
import { recordOf } from "../support/record-of.ts";

const token = "a-token-for-reading";

async function open(environment: Readonly<Record<string, string>>) {
  const all = { WHOCRAWLS_RECORD: "memory:", WHOCRAWLS_VERIFY_REFRESH: "off", WHOCRAWLS_LOG: "off", ...environment };
  const log = createLog({ level: "off" }, () => {});
  const application = await Application.open(parseConfiguration({ environment: all }), log);
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, body?: string) =>
    application.service.fetch(
      new Request(`http://localhost${path}`, { headers, ...(body !== undefined && { method: "POST", body }) }),
    );
  return { ask, abandon: () => application.abandon(), close: (ms: number) => application.close(ms) };
}

describe("what was recorded", () => {
  const secret = "GPTBot/1.2 (of-a-secret-visitor)";
  const lines = Array(1234).fill(secret).join("\n");

  it("is shown to holders of a token alone, by header or cookie", async () => {
    const { ask, abandon } = await open({ WHOCRAWLS_LIST_EVALUATED: "token", WHOCRAWLS_LIST_TOKEN: token });
    await (await ask("/RestService/CheckMany", { "content-type": "text/plain" }, lines)).text();
    for (const [headers, isShown] of [
      [{ authorization: `Bearer ${token}` }, true],
      [{ cookie: `other=1; whocrawls-token=${token}` }, true],
      [{}, false],
      [{ authorization: "Bearer a-wrong-token-0001" }, false],
      [{ cookie: "whocrawls-token=a-wrong-token-0001" }, false],
      [{ cookie: "whocrawls-token=%" }, false],
      [{ authorization: "Bearer a-wrong-token-0001", cookie: `whocrawls-token=${token}` }, false],
    ] as const) {
      const traffic = await ask("/traffic", headers);
      assert.equal(traffic.status, isShown ? 200 : 401, JSON.stringify(headers));
      assert.equal(traffic.headers.get("cache-control"), "no-store");
      const pages = [traffic, await ask("/crawlers/gptbot", headers), await ask("/crawlers", headers)];
      const [figures = "", crawler = "", crawlers = ""] = await Promise.all(pages.map((page) => page.text()));
      assert.equal(/1,234[\s\S]*of-a-secret-visitor/.test(figures), isShown, JSON.stringify(headers));
      assert.equal(crawler.includes("1,234 requests"), isShown, JSON.stringify(headers));
      if (!isShown) assert.doesNotMatch(figures + crawler + crawlers, /1,234|of-a-secret-visitor/);
    }
    await abandon();
  });

  it("is unavailable, and no failure of the service, while the record cannot be read", async () => {
    const { ask, abandon } = await open({ WHOCRAWLS_RECORD: `${import.meta.filename}/below-a-file.sqlite` });
    const page = await ask("/traffic", { accept: "text/html" });
    assert.equal(page.status, 503);
    assert.match(await page.text(), /<h1>The record cannot be read<\/h1>\s*<p>[^<]*\/readyz/);
    assert.equal((await ask("/crawlers")).status, 200);
    await abandon();
  });

  it("has no ranking without a line", async () => {
    const { ask, abandon } = await open({});
    await (await ask("/RestService/CheckMany", { "content-type": "text/plain" }, "MyNewCrawler/1.0\n")).text();
    const text = await (await ask("/traffic")).text();
    assert.deepEqual(
      [...text.matchAll(/<section class="card"><h2>(\w+)/g)].map(([, title]) => title),
      ["Categories", "Crawlers"],
    );
    await abandon();
  });

  it("is shown to everyone by default", async () => {
    const { ask, abandon } = await open({});
    await (await ask("/RestService/CheckMany", { "content-type": "text/plain" }, lines)).text();
    assert.match(await (await ask("/traffic")).text(), /1,234[\s\S]*<h2>Operators</);
    assert.match(await (await ask("/crawlers/gptbot")).text(), /1,234 requests/);
    await abandon();
  });
});

describe("the sign-in", () => {
  const attributes = "Path=/; HttpOnly; SameSite=Strict";
  for (const [name, environment, headers, expected] of [
    ["alone", {}, {}, attributes],
    ["with hsts", { WHOCRAWLS_HSTS: "365d" }, {}, `${attributes}; Secure`],
    [
      "behind a proxy with TLS",
      { WHOCRAWLS_TRUST_PROXY: "1" },
      { "x-forwarded-proto": "https" },
      `${attributes}; Secure`,
    ],
    [
      "behind two of them",
      { WHOCRAWLS_TRUST_PROXY: "2" },
      { "x-forwarded-proto": "HTTPS, http" },
      `${attributes}; Secure`,
    ],
    ["behind a proxy without TLS", { WHOCRAWLS_TRUST_PROXY: "1" }, { "x-forwarded-proto": "http" }, attributes],
    ["behind an untrusted proxy", {}, { "x-forwarded-proto": "https" }, attributes],
    ["below a path", { WHOCRAWLS_BASE_PATH: "/bots" }, {}, "Path=/bots/; HttpOnly; SameSite=Strict"],
  ] as const) {
    it(`sets a cookie for the right token (${name})`, async () => {
      const { ask, abandon } = await open({ ...environment, WHOCRAWLS_TOKEN: token });
      const form = { ...headers, "content-type": "application/x-www-form-urlencoded" };
      const right = await ask("/sign-in", form, `token=${token}`);
      assert.equal(right.status, 303);
      const cookie = right.headers.get("set-cookie") ?? "";
      assert.equal(cookie, `whocrawls-token=${token}; ${expected}`);
      assert.equal(
        (await ask(right.headers.get("location") ?? "", { cookie: cookie.split(";")[0] ?? "" })).status,
        200,
      );
      const wrong = await ask("/sign-in", { ...form, authorization: `Bearer ${token}` }, "token=a-wrong-token-0001");
      assert.deepEqual([wrong.status, wrong.headers.get("set-cookie")], [401, null]);
      await abandon();
    });
  }
});

describe("new crawlers and spikes", () => {
  const read = async (news: TrafficNews) => {
    const service = createService({ record: recordOf(news) });
    const text = await (await service.fetch(new Request("http://localhost/traffic"))).text();
    const section = (from: string, to: string) =>
      text
        .slice(text.indexOf(from), text.indexOf(to))
        .replace(/<[^>]*>/g, "|")
        .replace(/[|\s]*\|[|\s]*/g, "|");
    return [section("<h2>What needs action", '<div id="chart"'), section('<div id="figures"', "<h2>Most frequent")];
  };
  const crawler = (name: string) => ({ name, category: "ai" as const, count: 1234, firstSeen: 60_000 });
  const spike = { name: "A", hour: toHour(Date.now()), requests: 1500, before: 100 };

  it("are findings before everything else, in the words of reports, and rows with their figures, escaped", async () => {
    const [findings = "", rows = ""] = await read({
      isKnown: true,
      newCrawlers: [crawler("<b>\u202e")],
      spikes: [spike, { ...spike, name: "B" }],
    });
    assert.match(
      findings,
      /^\|What needs action\|1 crawler is new: &lt;b&gt;\|U\+202E\|1,234 requests, in the last 24 hours\.\|Decide who may fetch\|/,
    );
    assert.match(
      findings,
      /\|A made 1,500 requests, on \d{4}-\d\d-\d\d between \d+ and \d+ h UTC; its largest hour of the 7 days before has 100\.\|If it harms the site,\|block it or slow it down\|\.\|B made/,
    );
    assert.match(rows, /\|&lt;b&gt;\|U\+202E\|ai\|1,234\|1970-01-01 00:01\|/);
    assert.match(rows, /\|A\|\d{4}-\d\d-\d\d \d\d:00\|1,500\|100\|B\|\d{4}-\d\d-\d\d \d\d:00\|1,500\|100\|/);
  });

  it("are limited rows, and say so", async () => {
    const many = (length: number) => Array.from({ length }, (_, at) => crawler(`Bot${at}`));
    const [findings = "", rows = ""] = await read({ isKnown: true, newCrawlers: many(21), spikes: [] });
    assert.match(findings, /\|21 crawlers are new: Bot0 1,234, Bot1 1,234, Bot2 1,234, 18 more requests, in/);
    assert.match(rows, /\|21 in all; the newest 20 are shown\.\|$/);
    assert.doesNotMatch(rows, /Bot20|Spikes/);
    assert.match(
      (await read({ isKnown: true, newCrawlers: many(1000), spikes: [] })).join(),
      /\|1,000 or more in all;/,
    );
  });

  it("are none, or unknown", async () => {
    for (const [isKnown, says] of [
      [true, /^\|What needs action\|Nothing: no crawler is new, and none has a spike, in the last 24 hours\.\|$/],
      [false, /^\|What needs action\|Unknown until the record has requests/],
    ] as const) {
      const [findings = "", rows = ""] = await read({ isKnown, newCrawlers: [], spikes: [] });
      assert.match(findings, says);
      assert.doesNotMatch(rows, /24 hours/);
    }
  });
});

describe("requests whose strings were not recorded", () => {
  it("are told by /readyz and List, after a flood that found no room in memory", async () => {
    const { ask, abandon } = await open({ WHOCRAWLS_RECORD: `${import.meta.filename}/below-a-file.sqlite` });
    const strings = Array.from({ length: 9000 }, (_, at) => `Bot${at}/1\n`).join("");
    const told = async () => {
      const { warnings } = (await (await ask("/readyz")).json()) as { warnings: string[] };
      const { dropped } = (await (await ask("/RestService/List/json?limit=0")).json()) as { dropped?: number };
      return { warning: warnings.find((text) => text.includes("not recorded")), dropped };
    };
    assert.deepEqual(await told(), { warning: undefined, dropped: undefined });
    await (await ask("/RestService/CheckMany", { "content-type": "text/plain" }, strings)).text();
    const { warning, dropped } = await told();
    assert.equal(dropped, 9000 - 8192);
    assert.equal(
      warning,
      "808 requests with new strings were not recorded since the start: counts of strings are too low",
    );
    await abandon();
  });

  it("are told by /traffic above the strings", async () => {
    const read = async (dropped: number) => {
      const service = createService({ record: recordOf({ isKnown: false, newCrawlers: [], spikes: [] }, dropped) });
      return (await service.fetch(new Request("http://localhost/traffic"))).text();
    };
    assert.doesNotMatch(await read(0), /class="warning"/);
    assert.match(
      await read(1234),
      /class="warning"><b>Strings are incomplete\.<\/b> 1,234 requests [\s\S]*<h2>Most frequent/,
    );
  });
});
