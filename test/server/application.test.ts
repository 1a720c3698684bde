/** The application of one process, without a socket: what each setting does to its answers, and what it tells of itself. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import type { WebFile } from "../../src/pages/web-files.ts";
import { openWebFiles } from "../../src/server/read-web-files.ts";
import { root } from "../cli/command-line.ts";
import { openApplication } from "../support/open-application.ts";
import { rowsOf } from "../support/table.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { firefox } from "../support/user-agents.ts";
import { writeAllLists } from "../support/write-list.ts";

const folder = temporary();
writeAllLists(folder);

const token = "a-token-for-everyone";
const listToken = "a-token-for-lists";

const open: typeof openApplication = (settings, opening) => openApplication({ DATA: folder, ...settings }, opening);

describe("an application", () => {
  it("counts, logs and records requests", async () => {
    await using app = await open({});
    await app.check("Googlebot/2.1");
    await app.checkMany(firefox, firefox, "GPTBot/1");
    await until(() => app.recordIs("recording"));
    assert.deepEqual(await app.json("/readyz"), { ready: true, reasons: [], warnings: [] });
    const metrics = await app.text("/metrics");
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
      app
        .logged()
        .slice(0, 2)
        .map(({ route }) => route),
      ["/RestService/Check", "/RestService/CheckMany"],
    );
    const listed = await app.json("/RestService/List?source=evaluated");
    assert.equal(listed.total, 3);
    await app.application.close(1000);
    assert.ok(await app.recordIs("closed"));
  });

  it("logs nothing where that is off, and records nothing where that is", async () => {
    await using app = await open({ RECORD: "off", LOG: "off" });
    await app.check("Googlebot/2.1");
    assert.equal(app.logged().length, 0);
    assert.ok(await app.recordIs("off"));
    assert.equal((await app.json("/RestService/List?source=evaluated")).total, 0);
    assert.deepEqual((await app.json("/readyz")).warnings, []);
    assert.equal((await app.ask("/traffic")).status, 200);
  });

  it("is ready when the first answers are prepared, and warns of old lists of operators", async () => {
    const environment = { DATA: join(folder, "empty"), RECORD: "off" };
    await using app = await open(environment, { isPrepared: false });
    const { ready, reasons, warnings } = await app.json("/readyz");
    assert.deepEqual([ready, reasons], [false, ["preparing the first answers"]]);
    const text = String(warnings);
    assert.match(
      text,
      /^verify-refresh is off.*: Google \(google-common, .*\), Microsoft \(bing, bing-previews\), .*OpenAI \(gptbot, /,
    );
    // All its addresses are in Apple's own network.
    assert.doesNotMatch(text, /apple/);
    assert.deepEqual(app.logged()[0]?.message, text);
    await app.application.prepare();
    assert.equal((await app.json("/readyz")).ready, true);
  });

  it("says when it stops", async () => {
    await using app = await open({});
    app.application.stop();
    assert.equal((await app.ask("/readyz")).status, 503);
    assert.deepEqual((await app.json("/readyz")).reasons, ["stopping"]);
  });

  it("warns of a record that cannot be written, and says what was lost, but not where it never came to listen", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "no database");
    const broken = { RECORD: join(file, "record.sqlite") };
    await using app = await open(broken);
    await app.check("Googlebot/2.1");
    await until(() => app.recordIs("paused"));
    const warning = "recording is paused: record.sqlite: the folder's name is taken by a file";
    assert.deepEqual(await app.json("/readyz"), { ready: true, reasons: [], warnings: [warning] });
    assert.equal((await app.json("/RestService/List?limit=1")).incomplete, true);
    assert.equal((await app.ask("/RestService/List?source=evaluated")).status, 503);
    await app.application.close(0);
    const messages = app.logged().filter(({ message }) => message !== undefined);
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

  it("says what is wrong with a file that is no database", async () => {
    await using app = await open({ RECORD: join(folder, "file") });
    await until(async () => /paused: file: the file is not a SQLite database; move/.test(await app.text("/readyz")));
    assert.equal((await app.check("Some-bot/1")).status, 200);
  });

  it("records no strings of people where that is set, and counts their requests", async () => {
    await using app = await open({ RECORD_PEOPLE: "off" });
    for (const useragent of [`${firefox} jane-7f3a`, `${firefox} john-7f3a`, "GPTBot/1.2"]) await app.check(useragent);
    assert.match(await app.text("/RestService/List?source=evaluated"), /"total":1,.*GPTBot/);
    const traffic = await app.text("/traffic");
    assert.doesNotMatch(traffic + (await app.text("/RestService/List")), /7f3a/);
    assert.match(traffic, /<b>2<\/b> by people/);
  });

  it("says at the level warn that recording is paused, and that it goes on", async () => {
    const place = join(folder, "late");
    writeFileSync(place, "");
    await using app = await open({ RECORD: join(place, "record.sqlite") });
    await app.check("Googlebot/2.1");
    await until(() => app.recordIs("paused"));
    rmSync(place);
    await until(() => app.recordIs("recording"));
    const [paused, resumed] = app.logged().filter(({ level }) => level !== "info");
    assert.match(String(paused?.message), /^recording is paused: /);
    assert.deepEqual([resumed?.level, resumed?.message], ["warn", "recording goes on"]);
  });

  /** The statuses without a token, with the token, and with the token of lists. */
  for (const [settings = "", statuses = ""] of rowsOf(`
    {} | 200 200 200
    TOKEN | 401 200 401
    LIST_TOKEN | 200 200 200
    TOKEN LIST_TOKEN | 401 200 200
    TOKEN LIST_EVALUATED | 401 200 401
    LIST_TOKEN LIST_EVALUATED | 401 401 200
    TOKEN LIST_TOKEN LIST_EVALUATED | 401 401 200
  `))
    it(`shows what was recorded to those who may read it: ${settings}`, async () => {
      const all = { TOKEN: token, LIST_TOKEN: listToken, LIST_EVALUATED: "token" };
      const chosen = Object.entries(all).filter(([name]) => settings.split(" ").includes(name));
      await using app = await open(Object.fromEntries(chosen), { isPrepared: false });
      for (const path of ["/RestService/List?source=evaluated&limit=0", "/traffic"]) {
        const found = [(await app.ask(path)).status];
        for (const shown of [token, listToken])
          found.push((await app.ask(path, { authorization: `Bearer ${shown}` })).status);
        assert.equal(found.join(" "), statuses, path);
      }
    });

  it("shows no traffic where it is hidden", async () => {
    await using app = await open({ LIST_EVALUATED: "none" }, { isPrepared: false });
    assert.match(await app.text("/traffic"), /<h1>[^<]*(?:no|not)/i);
  });

  it("does what its other settings say", async () => {
    await using app = await open({
      RATE_LIMIT: "4/h",
      TRUST_PROXY: "1",
      CORS_ORIGIN: "https://a.example",
      HSTS: "1500ms",
      MAX_BODY: "40",
      BASE_PATH: "/bots",
      LIST_EVALUATED: "none",
    });
    const from = (address: string) => ({ "x-forwarded-for": address, origin: "https://a.example" });
    const first = await app.check("x", from("192.0.2.1"));
    assert.match(first.headers.get("ratelimit") ?? "", /^"client";r=3;t=90[01]$/);
    assert.deepEqual(
      ["access-control-allow-origin", "strict-transport-security"].map((name) => first.headers.get(name)),
      ["https://a.example", "max-age=1"],
    );
    assert.equal((await app.check("x".repeat(40), from("192.0.2.1"))).status, 413);
    assert.match((await app.check("x", from("192.0.2.2"))).headers.get("ratelimit") ?? "", /r=3;/);
    // Addresses of a network are one client.
    for (const [address, left] of [
      ["2001:db8::1", "r=3;"],
      ["2001:db8::2", "r=2;"],
    ] as const)
      assert.ok((await app.check("x", from(address))).headers.get("ratelimit")?.includes(left), address);
    assert.equal((await app.json("/RestService/List?source=evaluated", from("192.0.2.3"))).total, 0);
    assert.match(await (await app.ask("/docs", from("192.0.2.4"))).text(), /\/bots\//);
    const other = await app.ask("/RestService/RegExp?flavor=none", from("192.0.2.5"));
    assert.match(await other.text(), /\bportable, \w+/);
  });

  it("limits every path but health, assets and questions of proxies, also for wrong tokens", async () => {
    const limited = { RATE_LIMIT: "1/h", TOKEN: token, LIST_EVALUATED: "token" };
    await using app = await open(limited);
    const wrong = { authorization: "Bearer a-wrong-token-0001", cookie: "whocrawls-token=a-wrong-token-0001" };
    assert.equal((await app.ask("/metrics", wrong)).status, 401);
    const unlimited = [];
    for (const path of app.application.service.paths)
      if ((await app.ask(path, wrong)).status !== 429) unlimited.push(path);
    assert.deepEqual(unlimited, ["/assets/*", "/auth", "/auth/robots.txt", "/auth/*", "/healthz", "/readyz"]);
    for (let guess = 0; guess < 200; guess++) assert.equal((await app.ask("/traffic", wrong)).status, 429);
  });
});

it("shows traffic of any string, also of half a surrogate pair", async () => {
  await using app = await open({});
  for (const useragent of ["\ud800bot", "\ud800", "bot\udfff </a>", "\u0000"]) await app.check(useragent);
  await until(async () => (await app.json("/RestService/List?source=evaluated")).total === 4);
  const page = await app.ask("/traffic");
  assert.equal(page.status, 200);
  assert.match(await page.text(), /useragent=%EF%BF%BDbot"/);
});

it("forgets recorded strings after record-ttl", async () => {
  await using app = await open({ RECORD_TTL: "1s" });
  await app.check("short-lived bot");
  const total = async () => (await app.json("/RestService/List?source=evaluated")).total;
  await until(async () => (await total()) === 1);
  await until(async () => (await total()) === 0);
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
