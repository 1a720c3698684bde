/** The application of one process, without a socket: what each setting does to its answers, and what it tells of itself. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import type { WebFile } from "../../src/pages/web-files.ts";
import { Application } from "../../src/server/application.ts";
import { createLog } from "../../src/server/observe/log.ts";
import { openWebFiles } from "../../src/server/read-web-files.ts";
import { parseConfiguration } from "../../src/server/settings/configuration.ts";
import { root } from "../cli/command-line.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { firefox } from "../support/user-agents.ts";
import { writeAllLists } from "../support/write-list.ts";

const folder = temporary();
writeAllLists(folder);

const token = "a-token-for-everyone";
const listToken = "a-token-for-lists";

async function open(environment: Readonly<Record<string, string>>, level: "info" | "off" = "info", isPrepared = true) {
  const all = { WHOCRAWLS_DATA: folder, WHOCRAWLS_VERIFY_REFRESH: "off", WHOCRAWLS_RECORD: "memory:", ...environment };
  const configuration = parseConfiguration({ environment: { ...all, WHOCRAWLS_LOG: level } });
  const lines: string[] = [];
  // Not off itself: whether requests are told to the log at all is the application's to decide.
  const log = createLog({ level: "info" }, (text) => lines.push(...text.trimEnd().split("\n")));
  const application = await Application.open(configuration, log);
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, body?: string) =>
    application.service.fetch(
      new Request(`http://localhost${path}`, { headers, ...(body !== undefined && { method: "POST", body }) }),
    );
  const check = (useragent: string, headers: Readonly<Record<string, string>> = {}) =>
    ask("/RestService/Check", { "content-type": "application/json", ...headers }, JSON.stringify({ useragent }));
  const json = async (path: string, headers?: Readonly<Record<string, string>>) =>
    (await (await ask(path, headers)).json()) as Record<string, unknown>;
  const logged = () => {
    log.flush();
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const recordIs = async (state: string) =>
    (await (await ask("/metrics")).text()).includes(`whocrawls_record_state{state="${state}"} 1`);
  if (isPrepared) await application.prepare();
  return { application, ask, check, json, logged, recordIs };
}

describe("an application", () => {
  it("counts, logs and records requests", async () => {
    const { application, ask, check, json, logged, recordIs } = await open({});
    await check("Googlebot/2.1");
    await ask(
      "/RestService/CheckMany",
      { "content-type": "text/plain", accept: "application/x-ndjson" },
      `${firefox}\n${firefox}\nGPTBot/1\n`,
    ).then((response) => response.text());
    await until(() => recordIs("recording"));
    assert.deepEqual(await json("/readyz"), { ready: true, reasons: [], warnings: [] });
    const metrics = await (await ask("/metrics")).text();
    for (const line of [
      'whocrawls_requests_total{route="/RestService/Check",method="POST",status="200"} 1',
      'whocrawls_requests_total{route="/RestService/CheckMany",method="POST",status="200"} 1',
      'whocrawls_requests_total{route="/readyz",method="GET",status="200"} 1',
      'whocrawls_verdicts_total{category="search-engine"} 1',
      'whocrawls_verdicts_total{category="none"} 2',
      'whocrawls_verdicts_total{category="ai"} 1',
      'whocrawls_list_refreshes_total{outcome="failed"} 0',
      'whocrawls_new_crawlers{category="ai"} 0',
    ])
      assert.ok(metrics.includes(`\n${line}\n`), line);
    assert.match(metrics, /^whocrawls_list_age_seconds\{list="bing"\} \d/m);
    assert.deepEqual(
      logged()
        .slice(0, 2)
        .map(({ route }) => route),
      ["/RestService/Check", "/RestService/CheckMany"],
    );
    const listed = await json("/RestService/List?source=evaluated");
    assert.equal(listed.total, 3);
    await application.close(1000);
    assert.ok(await recordIs("closed"));
  });

  it("logs nothing where that is off, and records nothing where that is", async () => {
    const { application, check, json, logged, recordIs, ask } = await open({ WHOCRAWLS_RECORD: "off" }, "off");
    await check("Googlebot/2.1");
    assert.equal(logged().length, 0);
    assert.ok(await recordIs("off"));
    assert.equal((await json("/RestService/List?source=evaluated")).total, 0);
    assert.deepEqual((await json("/readyz")).warnings, []);
    assert.equal((await ask("/traffic")).status, 200);
    await application.close(100);
  });

  it("is ready when the first answers are prepared, and warns of old lists of operators", async () => {
    const environment = { WHOCRAWLS_DATA: join(folder, "empty"), WHOCRAWLS_RECORD: "off" };
    const { application, json, logged } = await open(environment, "info", false);
    const { ready, reasons, warnings } = await json("/readyz");
    assert.deepEqual([ready, reasons], [false, ["preparing the first answers"]]);
    const text = String(warnings);
    assert.match(
      text,
      /^verify-refresh is off.*: Google \(google-common, .*\), Microsoft \(bing, bing-previews\), .*OpenAI \(gptbot, /,
    );
    // All its addresses are in Apple's own network.
    assert.doesNotMatch(text, /apple/);
    assert.deepEqual(logged()[0]?.message, text);
    await application.prepare();
    assert.equal((await json("/readyz")).ready, true);
    await application.abandon();
  });

  it("says when it stops", async () => {
    const { application, ask, json } = await open({});
    application.stop();
    assert.equal((await ask("/readyz")).status, 503);
    assert.deepEqual((await json("/readyz")).reasons, ["stopping"]);
    await application.abandon();
  });

  it("warns of a record that cannot be written, and says what was lost, but not where it never came to listen", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    const broken = { WHOCRAWLS_RECORD: join(file, "record.sqlite") };
    const { application, check, json, logged, recordIs } = await open(broken);
    await check("Googlebot/2.1");
    await until(() => recordIs("paused"));
    const { ready, warnings } = (await json("/readyz")) as { ready: boolean; warnings: string[] };
    assert.deepEqual([ready, warnings.length], [true, 1]);
    assert.match(warnings[0] as string, /^recording is paused: \S/);
    await application.close(0);
    const messages = logged().filter(({ message }) => message !== undefined);
    assert.match(String(messages[0]?.message), /^recording is paused: /);
    assert.deepEqual(
      [messages.at(-1)?.level, messages.at(-1)?.message],
      ["error", "1 evaluations could not be recorded before the end"],
    );
    const abandoned = await open(broken);
    await abandoned.application.abandon();
    // That recording is paused may be known before.
    assert.ok(abandoned.logged().every(({ message }) => !/could not be recorded/.test(String(message))));
  });

  it("says at the level warn that recording is paused, and that it goes on", async () => {
    const place = join(folder, "late");
    writeFileSync(place, "");
    const { application, check, logged, recordIs } = await open({ WHOCRAWLS_RECORD: join(place, "record.sqlite") });
    await check("Googlebot/2.1");
    await until(() => recordIs("paused"));
    rmSync(place);
    await until(() => recordIs("recording"));
    const [paused, resumed] = logged().filter(({ level }) => level !== "info");
    assert.match(String(paused?.message), /^recording is paused: /);
    assert.deepEqual([resumed?.level, resumed?.message], ["warn", "recording goes on"]);
    await application.close(1000);
  });

  it("asks for tokens, by what is to be seen", async () => {
    const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
    const list = "/RestService/List?source=evaluated&limit=0";
    for (const [environment, statuses] of [
      [{}, [200, 200, 200]],
      [{ WHOCRAWLS_TOKEN: token }, [401, 200, 401]],
      [{ WHOCRAWLS_TOKEN: token, WHOCRAWLS_LIST_TOKEN: listToken }, [401, 200, 200]],
      [{ WHOCRAWLS_TOKEN: token, WHOCRAWLS_LIST_EVALUATED: "token" }, [401, 200, 401]],
      [{ WHOCRAWLS_TOKEN: token, WHOCRAWLS_LIST_TOKEN: listToken, WHOCRAWLS_LIST_EVALUATED: "token" }, [401, 401, 200]],
      [{ WHOCRAWLS_LIST_TOKEN: listToken, WHOCRAWLS_LIST_EVALUATED: "token" }, [401, 401, 200]],
    ] as const) {
      const { application, ask } = await open(environment);
      const found = [];
      for (const headers of [{}, bearer(token), bearer(listToken)]) found.push((await ask(list, headers)).status);
      assert.deepEqual(found, statuses, JSON.stringify(environment));
      await application.abandon();
    }
  });

  it("does what its other settings say", async () => {
    const { application, ask, check, json } = await open({
      WHOCRAWLS_RATE_LIMIT: "4/h",
      WHOCRAWLS_TRUST_PROXY: "1",
      WHOCRAWLS_CORS_ORIGIN: "https://a.example",
      WHOCRAWLS_HSTS: "1500ms",
      WHOCRAWLS_MAX_BODY: "40",
      WHOCRAWLS_BASE_PATH: "/bots",
      WHOCRAWLS_LIST_EVALUATED: "none",
    });
    const from = (address: string) => ({ "x-forwarded-for": address, origin: "https://a.example" });
    const first = await check("x", from("192.0.2.1"));
    assert.match(first.headers.get("ratelimit") ?? "", /^"client";r=3;t=90[01]$/);
    assert.deepEqual(
      ["access-control-allow-origin", "strict-transport-security"].map((name) => first.headers.get(name)),
      ["https://a.example", "max-age=1"],
    );
    assert.equal((await check("x".repeat(40), from("192.0.2.1"))).status, 413);
    assert.match((await check("x", from("192.0.2.2"))).headers.get("ratelimit") ?? "", /r=3;/);
    // Addresses of a network are one client.
    for (const [address, left] of [
      ["2001:db8::1", "r=3;"],
      ["2001:db8::2", "r=2;"],
    ] as const)
      assert.ok((await check("x", from(address))).headers.get("ratelimit")?.includes(left), address);
    assert.equal((await json("/RestService/List?source=evaluated", from("192.0.2.3"))).total, 0);
    assert.match(await (await ask("/docs", from("192.0.2.4"))).text(), /\/bots\//);
    const other = await ask("/RestService/RegExp?flavor=none", from("192.0.2.5"));
    assert.match(await other.text(), /\bportable, \w+/);
    await application.abandon();
  });

  it("limits every path but health, assets and questions of proxies, also for wrong tokens", async () => {
    const limited = { WHOCRAWLS_RATE_LIMIT: "1/h", WHOCRAWLS_TOKEN: token, WHOCRAWLS_LIST_EVALUATED: "token" };
    const { application, ask } = await open(limited);
    const wrong = { authorization: "Bearer a-wrong-token-0001", cookie: "whocrawls-token=a-wrong-token-0001" };
    assert.equal((await ask("/metrics", wrong)).status, 401);
    const unlimited = [];
    for (const path of application.service.paths) if ((await ask(path, wrong)).status !== 429) unlimited.push(path);
    assert.deepEqual(unlimited, ["/assets/*", "/auth", "/auth/robots.txt", "/auth/*", "/healthz", "/readyz"]);
    for (let guess = 0; guess < 200; guess++) assert.equal((await ask("/traffic", wrong)).status, 429);
    await application.abandon();
  });
});

it("shows traffic of any string, also of half a surrogate pair", async () => {
  const { application, check, ask, json } = await open({});
  for (const useragent of ["\ud800bot", "\ud800", "bot\udfff </a>", "\u0000"]) await check(useragent);
  await until(async () => (await json("/RestService/List?source=evaluated")).total === 4);
  const page = await ask("/traffic");
  assert.equal(page.status, 200);
  assert.match(await page.text(), /useragent=%EF%BF%BDbot"/);
  await application.close(0);
});

it("forgets recorded strings after record-ttl", async () => {
  const { application, check, json } = await open({ WHOCRAWLS_RECORD_TTL: "1s" });
  await check("short-lived bot");
  const total = async () => (await json("/RestService/List?source=evaluated")).total;
  await until(async () => (await total()) === 1);
  await until(async () => (await total()) === 0);
  await application.close(0);
});

describe("the files of the page", () => {
  it("are those that were built, with their types, compressed and not", () => {
    const files = openWebFiles();
    const manifest = JSON.parse(readFileSync(`${root}dist/web/manifest.json`, "utf8")) as {
      pages: Record<string, string>;
      files: string[];
    };
    assert.deepEqual(
      files.addresses,
      Object.fromEntries(Object.entries(manifest.pages).map(([name, file]) => [name, `/assets/${file}`])),
    );
    const types = new Set<string>();
    for (const name of manifest.files) {
      const file: WebFile | undefined = files.read(name);
      assert.ok(file, name);
      types.add(`${name.split(".").at(-1)} ${file.contentType}`);
      const built = readFileSync(`${root}dist/web/${name}`);
      assert.ok(built.equals(file.plain));
      assert.ok(built.equals(gunzipSync(file.gzip)));
    }
    assert.deepEqual([...types].sort(), [
      "css text/css; charset=utf-8",
      "js text/javascript; charset=utf-8",
      "svg image/svg+xml",
    ]);
    assert.equal(files.read(manifest.files[0] as string), files.read(manifest.files[0] as string));
    for (const name of ["manifest.json", "../cli.js", ""]) assert.equal(files.read(name), undefined);
  });
});

describe("the record on the pages", () => {
  const both = { WHOCRAWLS_TOKEN: token, WHOCRAWLS_LIST_TOKEN: listToken };
  for (const [environment, byNobody, byToken, byListToken] of [
    [{}, 200, 200, 200],
    [{ WHOCRAWLS_LIST_TOKEN: listToken }, 200, 200, 200],
    [{ WHOCRAWLS_TOKEN: token }, 401, 200, 401],
    [both, 401, 200, 200],
    [{ ...both, WHOCRAWLS_LIST_EVALUATED: "token" }, 401, 401, 200],
    [{ WHOCRAWLS_LIST_TOKEN: listToken, WHOCRAWLS_LIST_EVALUATED: "token" }, 401, 401, 200],
    [{ WHOCRAWLS_TOKEN: token, WHOCRAWLS_LIST_EVALUATED: "token" }, 401, 200, 401],
  ] as const) {
    it(`is shown to those who may read it: ${JSON.stringify(environment)}`, async () => {
      const { application, ask } = await open(environment, "info", false);
      const statusFor = async (shown?: string) =>
        (await ask("/traffic", shown === undefined ? {} : { authorization: `Bearer ${shown}` })).status;
      assert.deepEqual(
        [await statusFor(), await statusFor(token), await statusFor(listToken)],
        [byNobody, byToken, byListToken],
      );
      await application.abandon();
    });
  }

  it("is not shown where it is hidden", async () => {
    const { application, ask } = await open({ WHOCRAWLS_LIST_EVALUATED: "none" }, "info", false);
    assert.match(await (await ask("/traffic")).text(), /<h1>[^<]*(?:no|not)/i);
    await application.abandon();
  });
});
