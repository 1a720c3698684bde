/** Access to the record on the pages: with a token, if one is needed, in a header or in the cookie of the sign-in. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toHour } from "../../src/record/traffic.ts";
import type { TrafficNews } from "../../src/record/traffic-news.ts";
import { createService } from "../../src/service.ts";
import { openApplication as open } from "../support/open-application.ts";
import { recordOf } from "../support/record-of.ts";

const token = "a-token-for-reading";

describe("what was recorded", () => {
  const secret = "GPTBot/1.2 (of-a-secret-visitor)";
  const lines = Array<string>(1234).fill(secret);

  it("is shown to holders of a token alone, by header or cookie", async () => {
    await using app = await open({ LIST_EVALUATED: "token", LIST_TOKEN: token });
    await app.checkMany(...lines);
    for (const [headers, isShown] of [
      [{ authorization: `Bearer ${token}` }, true],
      [{ cookie: `other=1; whocrawls-token=${token}` }, true],
      [{}, false],
      [{ authorization: "Bearer a-wrong-token-0001" }, false],
      [{ cookie: "whocrawls-token=a-wrong-token-0001" }, false],
      [{ cookie: "whocrawls-token=%" }, false],
      [{ authorization: "Bearer a-wrong-token-0001", cookie: `whocrawls-token=${token}` }, false],
    ] as const) {
      const traffic = await app.ask("/traffic", headers);
      assert.equal(traffic.status, isShown ? 200 : 401, JSON.stringify(headers));
      assert.equal(traffic.headers.get("cache-control"), "no-store");
      const pages = [traffic, await app.ask("/crawlers/gptbot", headers), await app.ask("/crawlers", headers)];
      const [figures = "", crawler = "", crawlers = ""] = await Promise.all(pages.map((page) => page.text()));
      assert.equal(/1,234[\s\S]*of-a-secret-visitor/.test(figures), isShown, JSON.stringify(headers));
      assert.equal(crawler.includes("1,234 requests"), isShown, JSON.stringify(headers));
      if (!isShown) assert.doesNotMatch(figures + crawler + crawlers, /1,234|of-a-secret-visitor/);
    }
  });

  it("is unavailable, and no failure of the service, while the record cannot be read", async () => {
    await using app = await open({ RECORD: `${import.meta.filename}/below-a-file.sqlite` });
    const page = await app.ask("/traffic", { accept: "text/html" });
    assert.equal(page.status, 503);
    assert.match(await page.text(), /<h1>The record cannot be read<\/h1>\s*<p>[^<]*\/readyz/);
    assert.equal((await app.ask("/crawlers")).status, 200);
  });
});

describe("the sign-in", () => {
  const attributes = "Path=/; HttpOnly; SameSite=Strict";
  const secure = "; Secure";
  for (const [name, environment, headers, expected] of [
    ["alone", {}, {}, attributes],
    ["with hsts", { HSTS: "365d" }, {}, attributes + secure],
    ["behind a proxy with TLS", { TRUST_PROXY: "1" }, { "x-forwarded-proto": "https" }, attributes + secure],
    ["behind two of them", { TRUST_PROXY: "2" }, { "x-forwarded-proto": "HTTPS, http" }, attributes + secure],
    ["behind a proxy without TLS", { TRUST_PROXY: "1" }, { "x-forwarded-proto": "http" }, attributes],
    ["behind an untrusted proxy", {}, { "x-forwarded-proto": "https" }, attributes],
    ["below a path", { BASE_PATH: "/bots" }, {}, "Path=/bots/; HttpOnly; SameSite=Strict"],
  ] as const) {
    it(`sets a cookie for the right token (${name})`, async () => {
      await using app = await open({ ...environment, TOKEN: token });
      const form = { ...headers, "content-type": "application/x-www-form-urlencoded" };
      const right = await app.ask("/sign-in", form, `token=${token}`);
      assert.equal(right.status, 303);
      const cookie = right.headers.get("set-cookie") ?? "";
      assert.equal(cookie, `whocrawls-token=${token}; ${expected}`);
      const first = await app.ask(right.headers.get("location") ?? "", { cookie: cookie.split(";")[0]! });
      assert.equal(first.status, 200);
      const authorized = { ...form, authorization: `Bearer ${token}` };
      const wrong = await app.ask("/sign-in", authorized, "token=a-wrong-token-0001");
      assert.deepEqual([wrong.status, wrong.headers.get("set-cookie")], [401, null]);
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
      /^\|What needs action\|1 crawler is new: &lt;b&gt;\|U\+202E\|\(1,234 requests\), in the last 24 hours\.\|Decide who may fetch\|/,
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
    assert.match(
      findings,
      /\|21 crawlers are new: Bot0 \(1,234 requests\), Bot1 [^,]*,234 requests\), Bot2 [^,]*,234 requests\), 18 more, in/,
    );
    assert.match(rows, /\|21 in all; the newest 20 are shown\.\|$/);
    assert.doesNotMatch(rows, /Bot20|Spikes/);
    const [most = "", mostRows = ""] = await read({ isKnown: true, newCrawlers: many(1000), spikes: [] });
    assert.match(most, /\|1,000 or more crawlers are new: /);
    assert.match(mostRows, /\|1,000 or more in all;/);
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
    await using app = await open({ RECORD: `${import.meta.filename}/below-a-file.sqlite` });
    const strings = Array.from({ length: 9000 }, (_, at) => `Bot${at}/1`);
    const told = async () => {
      const { warnings } = (await app.json("/readyz")) as { warnings: string[] };
      const { dropped } = (await app.json("/RestService/List/json?limit=0")) as { dropped?: number };
      return { warning: warnings.find((text) => text.includes("not recorded")), dropped };
    };
    assert.deepEqual(await told(), { warning: undefined, dropped: undefined });
    await app.checkMany(...strings);
    const { warning, dropped } = await told();
    assert.equal(dropped, 9000 - 8192);
    assert.equal(
      warning,
      "808 requests with new strings were not recorded since the start: counts of strings are too low",
    );
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
