/** Access to the record on the pages: with a token, if one is needed, in a header or in the cookie of the sign-in. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openApplication as open } from "../support/open-application.ts";

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

describe("requests whose strings were not recorded", () => {
  it("are told by /readyz and List, after a flood that found no room in memory", async () => {
    await using app = await open({ RECORD: `${import.meta.filename}/below-a-file.sqlite` });
    const strings = Array.from({ length: 9000 }, (_, at) => `Bot${at}/1`);
    const told = async () => {
      const { warnings } = (await app.json("/readyz")) as { warnings: string[] };
      const { dropped } = (await app.json("/RestService/List/json?limit=0")) as { dropped?: number };
      return { warning: warnings.find((text) => text.includes("not been recorded")), dropped };
    };
    assert.deepEqual(await told(), { warning: undefined, dropped: undefined });
    await app.checkMany(...strings);
    const { warning, dropped } = await told();
    assert.equal(dropped, 9000 - 8192);
    assert.equal(
      warning,
      "808 requests with new strings have not been recorded since the start: counts of strings are too low",
    );
  });
});
