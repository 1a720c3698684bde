/** The application of one process, without a socket: what each setting does to its answers, and what it tells of itself. */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import type { Verdict } from "../../src/detect/verdict.ts";
import { openWebFiles } from "../../src/server/read-web-files.ts";
import { root } from "../cli/command-line.ts";
import { openApplication } from "../support/open-application.ts";
import { rowsOf } from "../support/table.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { firefox, googlebot } from "../support/user-agents.ts";
import { writeAllLists } from "../support/write-list.ts";

const folder = temporary();
writeAllLists(folder);

const token = "a-token-for-everyone";
const listToken = "a-token-for-lists";
const evaluated = "/RestService/List?source=evaluated";

const open: typeof openApplication = (settings, opening) => openApplication({ DATA: folder, ...settings }, opening);
type App = Awaited<ReturnType<typeof open>>;
const totalOf = async (app: App) => (await app.json(evaluated)).total;

describe("an application", () => {
  it("counts, logs and records requests, and warns of a policy that cannot be used", async () => {
    await using app = await open({}, { isPrepared: true });
    await app.check("Googlebot/2.1");
    await app.checkMany(firefox, firefox, "GPTBot/1");
    await until(() => app.recordIs("recording"));
    assert.deepEqual(await app.json("/readyz"), { ready: true, reasons: [], warnings: [] });
    // No proxy is trusted, so no crawler would ever be spoofed.
    assert.equal((await app.ask("/auth?block=spoofed", { "user-agent": googlebot })).status, 429);
    const metrics = await app.text("/metrics");
    for (const line of [
      'whocrawls_requests_total{route="/RestService/Check",method="POST",status="200"} 1',
      'whocrawls_requests_total{route="/RestService/CheckMany",method="POST",status="200"} 1',
      'whocrawls_requests_total{route="/readyz",method="GET",status="200"} 1',
      'whocrawls_verdicts_total{category="search-engine"} 2',
      'whocrawls_verdicts_total{category="none"} 2',
      'whocrawls_verdicts_total{category="ai"} 1',
      'whocrawls_list_refreshes_total{outcome="failed"} 0',
      'whocrawls_list_prefixes{list="ahrefs"} 9870',
      'whocrawls_new_crawlers{category="ai"} 0',
      "whocrawls_policy_warnings 1",
    ])
      assert.ok(metrics.includes(`\n${line}\n`), line);
    assert.match(metrics, /^whocrawls_list_age_seconds\{list="bing"\} \d/m);
    const mistake = /`block` cannot name "spoofed".*trust-proxy/;
    assert.match(String((await app.json("/readyz")).warnings), mistake);
    const logged = app.logged();
    const routes = logged.slice(0, 2).map(({ route }) => route);
    assert.deepEqual(routes, ["/RestService/Check", "/RestService/CheckMany"]);
    const auth = logged.find(({ route }) => route === "/auth");
    assert.equal(auth?.level, "warn");
    assert.match(String(auth?.warning), mistake);
    await until(async () => (await totalOf(app)) === 4);
    await app.application.close(1000);
    assert.ok(await app.recordIs("closed"));
  });

  it("logs nothing where that is off, and records nothing where that is", async () => {
    await using app = await open({ RECORD: "off", LOG: "off" });
    await app.check("Googlebot/2.1");
    assert.equal(app.logged().length, 0);
    assert.ok(await app.recordIs("off"));
    assert.deepEqual([await totalOf(app), (await app.json("/readyz")).warnings], [0, []]);
    assert.equal((await app.ask("/traffic")).status, 200);
  });

  it("is ready when the first answers are prepared, warns of old lists of operators, and says when it stops", async () => {
    const environment = { DATA: join(folder, "empty"), RECORD: "off" };
    await using app = await open(environment);
    const { ready, reasons, warnings } = await app.json("/readyz");
    assert.deepEqual([ready, reasons], [false, ["preparing the first answers"]]);
    const text = String(warnings);
    const google =
      /^verify-refresh is off, and \d\d address lists are missing or older than 30 days,.*; the oldest are those of (?:[^,]+ \([\w-]+, (?:missing|from \d{4}-\d\d-\d\d)\)(?:, )?){3}\. Copy/;
    assert.match(text, google);
    // All its addresses are in Apple's own network.
    assert.doesNotMatch(text, /apple/);
    assert.deepEqual(app.logged()[0]?.message, text);
    await app.application.prepare();
    assert.equal((await app.json("/readyz")).ready, true);
    app.application.stop();
    const stopping = await app.ask("/readyz");
    assert.deepEqual([stopping.status, (await stopping.json()).reasons], [503, ["stopping"]]);
    const levels = app.logged().flatMap(({ level, status }) => (status === undefined ? [] : `${status} ${level}`));
    assert.deepEqual(levels, ["503 info", "200 info", "503 info"]);
  });

  it("logs a client that is refused because of a limit as a warning", async () => {
    await using app = await open({ MAX_LISTS: "1" });
    const first = await app.ask("/ranges?operator=Ahrefs");
    assert.equal((await app.ask(evaluated)).status, 503);
    assert.equal(app.logged().find(({ status }) => status === 503)?.level, "warn");
    await first.text();
  });

  it("warns of a record that cannot be written, and says what was lost, but not where it never came to listen", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "no database");
    const broken = { RECORD: join(file, "record.sqlite") };
    await using app = await open(broken, { isPrepared: true });
    await app.check("Googlebot/2.1");
    await until(() => app.recordIs("paused"));
    const warning = "recording is paused: record.sqlite: a file with the folder's name is in the way";
    assert.deepEqual(await app.json("/readyz"), { ready: true, reasons: [], warnings: [warning] });
    assert.equal((await app.json("/RestService/List?limit=1")).incomplete, true);
    assert.equal((await app.ask(evaluated)).status, 503);
    await app.application.close(0);
    const messages = app.logged().flatMap(({ level, message }) => (message === undefined ? [] : `${level} ${message}`));
    assert.match(messages[0]!, /^\w+ recording is paused: /);
    assert.equal(messages.at(-1), "error 1 evaluations could not be recorded before shutdown");
    const abandoned = await open(broken);
    await abandoned.application.abandon();
    // That recording is paused may be known before.
    assert.ok(abandoned.logged().every(({ message }) => !/could not be recorded/.test(String(message))));
    await using own = await open({ RECORD: file });
    await until(async () => /paused: file: the file is not a SQLite database; move/.test(await own.text("/readyz")));
    assert.equal((await own.check("Some-bot/1")).status, 200);
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
    assert.deepEqual([resumed?.level, resumed?.message], ["warn", "recording has resumed"]);
  });

  it("records no strings of people where that is set, and counts their requests", async () => {
    await using app = await open({ RECORD_PEOPLE: "off" });
    for (const useragent of [`${firefox} jane-7f3a`, `${firefox} john-7f3a`, "GPTBot/1.2"]) await app.check(useragent);
    await until(async () => /"total":1,.*GPTBot/.test(await app.text(evaluated)));
    const traffic = await app.text("/traffic");
    assert.doesNotMatch(traffic + (await app.text("/RestService/List")), /7f3a/);
    assert.match(traffic, /<b>2<\/b> by people/);
  });

  it("shows traffic of any string, also of half a surrogate pair", async () => {
    await using app = await open();
    for (const useragent of ["\ud800bot", "\ud800", "bot\udfff </a>", "\u0000"]) await app.check(useragent);
    // Two of them are one when what a database cannot hold is replaced.
    await until(async () => (await totalOf(app)) === 3);
    const page = await app.ask("/traffic");
    assert.equal(page.status, 200);
    assert.match(await page.text(), /useragent=%EF%BF%BDbot/);
  });

  it("forgets strings after record-ttl", async () => {
    await using app = await open({ RECORD_TTL: "1s" });
    await app.check("Some-bot/1");
    await until(async () => /<b>1<\/b> by crawlers/.test(await app.text("/traffic")));
    await until(async () => (await totalOf(app)) === 0);
  });

  /** The statuses without a token, with the token, and with the token of lists. */
  for (const [settings = "", statuses] of rowsOf(`
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
      await using app = await open(Object.fromEntries(chosen));
      for (const path of [`${evaluated}&limit=0`, "/traffic"]) {
        const found = [];
        for (const headers of [{}, { authorization: `Bearer ${token}` }, { authorization: `Bearer ${listToken}` }])
          found.push((await app.ask(path, headers)).status);
        assert.equal(found.join(" "), statuses, path);
      }
    });

  it("does what its other settings say", async () => {
    await using app = await open({
      ...{ RATE_LIMIT: "4/h", TRUST_PROXY: "1", CORS_ORIGIN: "https://a.example", HSTS: "1500ms", MAX_BODY: "40" },
      ...{ BASE_PATH: "/bots", LIST_EVALUATED: "none" },
    });
    const from = (address: string) => ({ "x-forwarded-for": address, origin: "https://a.example" });
    const first = await app.check("x", from("192.0.2.1"));
    assert.match(first.headers.get("ratelimit") ?? "", /^"client";r=3;t=90[01]$/);
    const told = ["access-control-allow-origin", "strict-transport-security"].map((name) => first.headers.get(name));
    assert.deepEqual(told, ["https://a.example", "max-age=1"]);
    assert.equal((await app.check("x".repeat(40), from("192.0.2.1"))).status, 413);
    // Addresses of a network are one client.
    for (const [address = "", left = ""] of rowsOf(`
      192.0.2.2 | r=3;
      2001:db8::1 | r=3;
      2001:db8::2 | r=2;
    `))
      assert.ok((await app.check("x", from(address))).headers.get("ratelimit")?.includes(left), address);
    // Without the proxies' header, the peer of the connection is the client.
    for (const address of ["198.51.100.1", "198.51.100.2"]) {
      const direct = await app.application.service.fetch(new Request("http://localhost/RestService/RegExp"), {
        address,
      });
      assert.match(direct.headers.get("ratelimit") ?? "", /r=3;/, address);
    }
    assert.equal((await app.json(evaluated, from("192.0.2.3"))).total, 0);
    assert.match(await app.text("/traffic", from("192.0.2.3")), /<h1>[^<]*(?:no|not)/i);
    assert.match(await app.text("/docs", from("192.0.2.4")), /\/bots\//);
    assert.match(await app.text("/RestService/RegExp?flavor=none", from("192.0.2.5")), /\bportable, \w+/);
  });

  it("limits every path but health, assets and questions of proxies, also for wrong tokens", async () => {
    await using app = await open({ RATE_LIMIT: "1/h", TOKEN: token, LIST_EVALUATED: "token" });
    const wrong = { authorization: "Bearer a-wrong-token-0001", cookie: "whocrawls-token=a-wrong-token-0001" };
    assert.equal((await app.ask("/metrics", wrong)).status, 401);
    const unlimited = [];
    for (const path of app.application.service.paths)
      if ((await app.ask(path, wrong)).status !== 429) unlimited.push(path);
    assert.deepEqual(unlimited, ["/assets/*", "/auth", "/auth/robots.txt", "/auth/*", "/healthz", "/readyz"]);
    for (let guess = 0; guess < 200; guess++) assert.equal((await app.ask("/traffic", wrong)).status, 429);
  });
});

it("the files of the page are those that were built, with their types, compressed and not", () => {
  const files = openWebFiles();
  const manifest = JSON.parse(readFileSync(`${root}dist/web/manifest.json`, "utf8")) as {
    pages: Record<string, string>;
    files: string[];
  };
  const pages = Object.entries(manifest.pages).map(([name, file]) => [name, `/assets/${file}`]);
  assert.deepEqual(files.addresses, Object.fromEntries(pages));
  const types = new Set<string>();
  for (const name of manifest.files) {
    const file = files.read(name);
    assert.ok(file, name);
    types.add(`${name.split(".").at(-1)} ${file.contentType}`);
    const built = readFileSync(`${root}dist/web/${name}`);
    assert.ok(built.equals(file.plain) && built.equals(gunzipSync(file.gzip)));
    assert.equal(files.read(name), file);
  }
  const expected = ["css text/css; charset=utf-8", "js text/javascript; charset=utf-8", "svg image/svg+xml"];
  assert.deepEqual([...types].sort(), expected);
  for (const name of ["manifest.json", "../cli.js", ""]) assert.equal(files.read(name), undefined);
});

describe("a service that listens on this machine only", () => {
  const check = '{"useragent":"x"}';
  const json = { "content-type": "application/json" };
  /** Paths, and bodies of those that are posted to. */
  const guarded = [
    ...["/RestService/Check", "/RestService/Check/json", "/RestService/Check/xml"].map(
      (path) => [path, check] as const,
    ),
    ["/RestService/CheckMany", `[${JSON.stringify("x")}]`] as const,
    ...["/RestService/List", "/RestService/List/xml", "/RestService/RegExp", "/metrics", "/traffic"].map((path) => [
      path,
    ]),
    ...["/", "/crawlers", "/crawlers/gptbot", "/robots", "/expression", "/docs", "/openapi.json"].map((path) => [path]),
  ];
  const unguarded = ["/auth", "/auth/x", "/auth/robots.txt", "/RobotsTxt", "/ranges", "/healthz", "/readyz"].map(
    (path) => [path],
  );
  const statusesOf = async (app: App, paths: readonly (readonly string[])[], host?: string) => {
    const headers = { ...json, "x-crawler-policy": "observe", ...(host !== undefined && { host }) };
    const statuses = new Set<number>();
    for (const [path, body] of paths) {
      const response = await app.ask(path!, headers, body);
      statuses.add(response.status);
      // A list that is not read holds its slot.
      await response.arrayBuffer();
    }
    return [...statuses].sort();
  };

  it("answers loopback names and its own, and other names only where proxies and programs ask", async () => {
    {
      await using app = await open({ ROBOTS_DISALLOW: "ai" }, { isPrepared: true });
      assert.deepEqual(await statusesOf(app, guarded, "evil.example:8080"), [421]);
      assert.deepEqual(await statusesOf(app, unguarded, "evil.example:8080"), [200, 204]);
      assert.deepEqual(await statusesOf(app, guarded, "localhost:8080"), [200]);
      for (const host of ["localhost.evil.example", "127.0.0.1.evil.example", "a b"])
        assert.deepEqual(await statusesOf(app, [["/metrics"]], host), [421], host);
      for (const host of ["LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080", "bots.localhost", "localhost.", ""])
        assert.deepEqual(await statusesOf(app, [["/metrics"]], host), [200], host);
      assert.deepEqual(await statusesOf(app, [["/metrics"]]), [200]);
    }
    for (const [settings, host, status] of [
      [{ HOST: "127.0.0.1" }, "evil.example", 421],
      [{ HOST: "127.0.0.2" }, "127.0.0.2:80", 200],
      [{ HOST: "::1" }, "[::1]", 200],
      [{ HOST: "::1" }, "evil.example", 421],
      [{ HOST: "0.0.0.0" }, "www.example.com", 200],
      [{ HOST: "bots.internal" }, "other.example", 200],
      [{ TRUST_PROXY: "1" }, "www.example.com", 200],
    ] as const) {
      const { HOST, ...others } = settings as Record<string, string>;
      await using app = await open(others, { host: HOST });
      assert.deepEqual(await statusesOf(app, [["/metrics"]], host), [status], `${JSON.stringify(settings)} ${host}`);
    }
  });

  it("takes no Check and no CheckMany of another site's page, unless its origin is allowed", async () => {
    const page = { origin: "https://evil.example", "sec-fetch-site": "cross-site", "content-type": "text/plain" };
    for (const settings of [{}, { TRUST_PROXY: "1" }, { CORS_ORIGIN: "https://good.example" }]) {
      await using app = await open(settings);
      for (const path of ["/RestService/CheckMany", "/RestService/Check"]) {
        const refused = await app.ask(path, page, "GPTBot/1.2");
        assert.deepEqual(
          [refused.status, ((await refused.json()) as { type: string }).type],
          [403, "/docs#cross-site"],
        );
      }
      assert.equal(await totalOf(app), 0);
      const good = { ...page, origin: "https://good.example" };
      const status = "CORS_ORIGIN" in settings ? 200 : 403;
      assert.equal((await app.ask("/RestService/CheckMany", good, "GPTBot/1.2")).status, status);
      for (const site of ["same-origin", "same-site", "none"])
        assert.equal((await app.ask("/RestService/CheckMany", { ...page, "sec-fetch-site": site }, "x")).status, 200);
      assert.equal((await app.ask("/RestService/CheckMany", { ...page, "sec-fetch-site": "" }, "x")).status, 403);
    }
  });

  it("takes no Check and no CheckMany of another host's page from a browser that does not say whose page it is", async () => {
    for (const [cors = "", proxies = "", host = "", forwarded = "", origin = "", status] of rowsOf(`
      * | 0 | bots.example     |                 | http://evil.example       | 200
      * | 0 | bots.example     |                 | null                      | 200
       | 0 | bots.example      |                 |                           | 200
       | 0 | bots.example      |                 | http://bots.example       | 200
       | 0 | bots.example      |                 | https://bots.example      | 200
       | 0 | bots.example      |                 | https://BOTS.example:443  | 200
       | 0 | bots.example:80   |                 | http://bots.example       | 200
       | 0 | bots.example:8080 |                 | http://bots.example:8080  | 200
       | 0 | [::1]:8080        |                 | http://[::1]:8080         | 200
       | 0 | bots.example:8080 |                 | http://bots.example       | 403
       | 0 | bots.example:8080 |                 | http://bots.example:8081  | 403
       | 0 | bots.example      |                 | http://evil.example       | 403
       | 0 | bots.example      |                 | http://x.bots.example     | 403
       | 0 | bots.example      | evil.example    | http://evil.example       | 403
       | 0 | bots.example      |                 | http://evil.example, http://bots.example | 403
       | 0 | bots.example      |                 | http://                   | 403
       | 0 | a b               |                 | http://                   | 403
       | 0 | null              |                 | null                      | 403
       | 0 | bots.example      |                 | null                      | 403
       | 1 | 127.0.0.1:8080    | bots.example    | http://bots.example       | 200
       | 1 | bots.example      |                 | https://bots.example      | 200
       | 1 | 127.0.0.1:8080    | x, bots.example | http://x                  | 403
       | 1 | 127.0.0.1:8080    |                 | http://bots.example       | 403
      http://good.example | 0 | bots.example   |  | http://good.example       | 200
      http://good.example | 0 | bots.example   |  | https://good.example      | 403
    `)) {
      await using app = await open({ CORS_ORIGIN: cors, TRUST_PROXY: proxies }, { host: "0.0.0.0" });
      const page = { ...(origin && { origin }), ...(forwarded && { "x-forwarded-host": forwarded }) };
      for (const [path, type, body] of [
        ["/RestService/Check", "application/json", '{"useragent":"GPTBot/1.2"}'],
        ["/RestService/CheckMany", "text/plain", "GPTBot/1.2"],
      ] as const) {
        const url = host.includes(" ") ? "http://x" : `http://${host}`;
        const request = new Request(url + path, {
          method: "POST",
          headers: { ...page, host, "content-type": type },
          body,
        });
        assert.equal((await app.application.service.fetch(request)).status, Number(status), `${host} ${origin}`);
      }
    }
  });
});

it("without a trusted proxy, the first requests with an address wait for its network", async () => {
  await using app = await openApplication({ NETWORKS: "on" }, { isPrepared: true });
  const body = JSON.stringify({ useragent: "curl/8", ip: "3.5.140.1" });
  const check = async () => {
    const response = await app.ask("/RestService/Check/json", { "content-type": "application/json" }, body);
    return ((await response.json()) as Verdict).network?.provider;
  };
  const ranges = async () => (await app.json("/ranges?ip=3.5.140.1")).networks as readonly unknown[];
  const [first, second, listed] = await Promise.all([check(), check(), ranges()]);
  assert.deepEqual([first, second, listed.length > 0], ["Amazon Web Services", "Amazon Web Services", true]);
});
