/** Lists of addresses: the formats operators use, and refreshing over real HTTPS, whatever the other side does. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { toAddress } from "../../src/address/address.ts";
import { toPrefixText } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Proof } from "../../src/detect/verification.ts";
import { finish } from "../../src/pattern/finish.ts";
import { createGet } from "../../src/verify/https-get.ts";
import { createRangeLists } from "../../src/verify/lists/operator-lists.ts";
import { networkRules, RangeListError, type RangeReading, readRanges } from "../../src/verify/lists/parse-ranges.ts";
import { createRangeStore } from "../../src/verify/lists/range-store.ts";
import { Refresher, toWarnings } from "../../src/verify/lists/refresher.ts";
import { copyOf } from "../support/copy-of.ts";
import { fakeTime } from "../support/fake-time.ts";
import { mark, testGolden } from "../support/golden.ts";
import { temporary } from "../support/temporary.ts";
import { listenHttps, loopback, type TestServer } from "./https-server.ts";

const parseRanges = (...list: Parameters<typeof readRanges>) => finish(readRanges(...list));

testGolden("verify/lists.txt", (input) => {
  const [how = "", line = ""] = input.split("\n");
  const [, format, at, isOfNetworks] = /^(\w+)(?: at (.*?))?( of networks)?$/.exec(how) ?? assert.fail(how);
  const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
  const text = line.replace("(empty)", "").replace(/\\([nrt])/g, (_, letter) => escapes[letter]!);
  const place = at === undefined ? {} : { at: format === "lines" ? Number(at) : at };
  try {
    const reading = { format, ...place } as RangeReading;
    return mark(
      "|",
      parseRanges(text, reading, isOfNetworks ? networkRules : undefined)
        .map(toPrefixText)
        .join(" "),
    );
  } catch (error) {
    return mark("!", (error as Error).message);
  }
});

it("members of JSON that name a prefix must have one, others need not", () => {
  const read = (name: string, value: unknown): string[] =>
    parseRanges(JSON.stringify({ list: ["5.39.1.224"], [name]: value }), { format: "json" }).map(toPrefixText);
  for (const name of "prefix ipv4Prefix ip ip_address ipv4 ipv6_range cidr cidrBlock IPV4".split(" "))
    for (const value of ["66.249", ["66.249"]])
      assert.throws(() => read(name, value), /"66\.249" is not a prefix/, name);
  for (const name of "prefixes ship ipx ipv5 acidr zip_code date".split(" "))
    assert.deepEqual(read(name, "66.249"), ["5.39.1.224/32"], name);
});

it("JSON may begin with a byte order mark, and is refused if it is nested too deeply", () => {
  const read = (text: string) => parseRanges(text, { format: "json" }).map(toPrefixText);
  assert.deepEqual(read('\uFEFF{"prefix":"5.39.1.224"}'), ["5.39.1.224/32"]);
  for (const depth of [20_000, 200_000])
    for (const at of [undefined, "a.b"]) {
      const reading = { format: "json", ...(at && { at }) } as const;
      const text = '{"a":'.repeat(depth / 2) + "[".repeat(depth) + "]".repeat(depth) + "}".repeat(depth / 2);
      assert.throws(() => parseRanges(text, reading), RangeListError);
    }
});

describe("the lists that ship", () => {
  it("are of proofs, and hold what their operators published", () => {
    const { proofs, ranges: copies } = detector.catalogue.verification;
    const lists = createRangeLists(copies);
    const known = proofs.filter(({ id }) => lists.find(id) !== undefined);
    assert.ok(known.length >= 23);
    assert.ok(known.every(({ ranges }) => ranges !== undefined));
    assert.equal(lists.find("ahrefs")?.size, 9870);
    assert.equal(lists.find("google-common")?.table.find(toAddress("66.249.66.1")!)?.length, 96 + 27);
    assert.equal(lists.find("google-common")?.table.find(toAddress("8.8.8.8")!), undefined);
    assert.equal(lists.find("google-common")?.asOf, Date.parse("2026-05-05"));
    assert.equal(lists.find("baidu"), undefined);
  });
});

describe("refreshing", () => {
  const folder = temporary();
  const reports: string[] = [];
  /** What the server answers with, by path. */
  let pages: Readonly<
    Record<string, { status?: number; body?: string; headers?: Record<string, string>; stalls?: true }>
  > = {};
  const asked: { path: string; condition: string | undefined }[] = [];
  let accepted: string | undefined;
  let server: TestServer;
  let now = Date.parse("2026-11-21T00:00:00Z");

  before(async () => {
    server = await listenHttps((request, response) => {
      const path = request.url ?? "";
      const { status = 200, body = "", headers = {}, stalls } = pages[path] ?? { status: 404 };
      accepted = request.headers.accept;
      asked.push({ path, condition: request.headers["if-none-match"] });
      if (headers.etag !== undefined && request.headers["if-none-match"] === headers.etag) {
        response.writeHead(304, headers).end();
        return;
      }
      response.writeHead(status, headers);
      if (stalls) response.write("5.39.1.224\n");
      else response.end(body);
    });
  });
  after(() => server.close());

  const lines = (count: number): string =>
    Array.from({ length: count }, (_, at) => `5.39.${at >> 8}.${at & 255}`).join("\n");

  function create(
    paths: readonly string[] = ["/list"],
    copy = lines(20),
    reading: RangeReading = { format: "lines" },
    keptIn = folder,
  ): { refresher: Refresher; counts: object; size: () => number | undefined } {
    const ranges = paths.map((path) => ({ url: `https://lists.example:${server.port}${path}`, ...reading }));
    const proof: Proof = { id: "test", crawlers: ["TestBot"], page: "https://example.com/", ranges, conclusive: [] };
    const lists = createRangeLists(copy === "" ? {} : { test: copyOf("2026-05-05", copy) });
    const get = createGet(loopback);
    const counts = { refreshed: 0, failed: 0 };
    const refresher = new Refresher({
      sources: [proof],
      lists,
      // Ten minutes, unless the limit of time is what is waited for.
      get: (url, headers, limits) =>
        get(url, headers, { ...limits, timeoutMs: pages[paths[0] ?? ""]?.stalls ? 300 : 600_000 }),
      store: createRangeStore(keptIn),
      now: () => now,
      random: () => 0.5,
      report: (text) => reports.push(text),
      counts,
    });
    return { refresher, counts, size: () => lists.find("test")?.size };
  }

  beforeEach(() => {
    for (const file of readdirSync(folder)) rmSync(join(folder, file));
    reports.length = 0;
    asked.length = 0;
  });

  it("takes a list of several pages over, keeps it, and asks only for what has changed", async () => {
    pages = { "/a": { body: lines(30), headers: { etag: '"one"' } }, "/b": { body: "2a02:6b8::/32" } };
    const first = create(["/a", "/b"]);
    await first.refresher.refresh("test");
    assert.equal(first.size(), 31);
    assert.deepEqual(first.refresher.states(), [{ id: "test", asOf: now, prefixes: 31, problem: undefined }]);
    assert.deepEqual(readdirSync(folder), ["test.json"]);

    // Another process, or the next start: the stored list is newer than the package's, and too new to ask again.
    const second = create(["/a", "/b"]);
    await second.refresher.refresh("test");
    assert.equal(second.size(), 31);
    assert.equal(asked.length, 2);

    now += 86_400_000;
    pages = { "/a": { body: lines(31), headers: { etag: '"one"' } }, "/b": { body: "2a02:6b8::/32\n2a02:6b9::/32" } };
    await second.refresher.refresh("test");
    assert.deepEqual(asked.slice(2), [
      { path: "/a", condition: '"one"' },
      { path: "/b", condition: undefined },
    ]);
    assert.equal(second.size(), 32);
    assert.equal(second.refresher.states()[0]?.asOf, now);
    assert.deepEqual(reports, []);
  });

  it("asks for JSON, and reads what a document has at another place although it has not changed", async () => {
    const body = '{"hooks":["5.39.1.224"],"actions":["5.39.1.225","5.39.1.226"]}';
    pages = { "/meta": { body, headers: { etag: '"one"' } } };
    const read = async (at: string): Promise<number | undefined> => {
      now += 86_400_000;
      const { refresher, size } = create(["/meta"], "", { format: "json", at });
      await refresher.refresh("test");
      return size();
    };
    assert.equal(await read("hooks"), 1);
    assert.equal(await read("hooks"), 1);
    assert.equal(await read("actions"), 2);
    assert.deepEqual(
      asked.map(({ condition }) => condition),
      [undefined, '"one"', undefined],
    );
    assert.equal(accepted, "application/json");
  });

  const refusals: readonly (readonly [name: string, typeof pages, why: RegExp])[] = [
    ["shrinks to nothing", { "/list": { body: "" } }, /contains no prefixes/],
    ["is an error page", { "/list": { body: "<html>" } }, /not a prefix/],
    ["is not there", {}, /responded with status 404/],
    ["has failed", { "/list": { status: 500, body: lines(20) } }, /responded with status 500/],
    ["is too large", { "/list": { body: "#".repeat(8_000_001) } }, /more than 8000000 bytes/],
    ["never ends", { "/list": { stalls: true } }, /no answer within/],
    ["leads in circles", { "/list": { status: 302, headers: { location: "/list" } } }, /more than 3 redirects/],
    ["leads to http", { "/list": { status: 302, headers: { location: "http://lists.example/" } } }, /is not https/],
  ];
  for (const [name, answer, why] of refusals) {
    it(`refuses a list that ${name}, and says so; the last good one stays`, async () => {
      pages = answer;
      const { refresher, counts, size } = create();
      assert.match((await refresher.refresh("test")) ?? "", why);
      assert.equal(size(), 20);
      assert.match(refresher.states()[0]?.problem ?? "", why);
      assert.deepEqual(counts, { refreshed: 0, failed: 1 });
      assert.deepEqual(readdirSync(folder), []);

      pages = { "/list": { body: lines(25) } };
      await refresher.refresh("test");
      assert.equal(size(), 25);
      assert.equal(refresher.states()[0]?.problem, undefined);
    });
  }

  for (const [copy, list, why] of [
    [20, 200],
    [20, 2],
    [2, 100],
    [11, 110],
    [2, 101, "grows from 2 to 101"],
    [11, 111, "grows from 11 to 111"],
    [21, 2, "shrinks from 21 to 2"],
    [11, 1, "shrinks from 11 to 1"],
  ] as const)
    it(`may change a list by a factor of ten, counted from ten prefixes, and no more: from ${copy} to ${list}`, async () => {
      pages = { "/list": { body: lines(list) } };
      const { refresher, size } = create(["/list"], lines(copy));
      await refresher.refresh("test");
      assert.equal(size(), why === undefined ? list : copy);
      const { problem } = refresher.states()[0]!;
      assert.ok(why === undefined ? problem === undefined : problem?.includes(why), problem);
    });

  it("takes a list that has changed more when it has been of about this size for three days, also after a restart", async () => {
    const hourMs = 3_600_000;
    /** The hours since the first refused list, the size of the list at this time, and which size is in use then. */
    const rows = [
      [0, 300, 20],
      [24, 350, 20],
      // Of another size, which is counted from here.
      [30, 5000, 20],
      [40, 4000, 20],
      // As before: this time ends.
      [73, 25, 25],
      [90, 5000, 25],
      [100, undefined, 25],
      [161, 5100, 25],
      [162, 4900, 4900],
      [163, 4900, 4900],
    ] as const;
    const begin = now;
    for (const [hour, list, used] of rows) {
      now = begin + hour * hourMs;
      pages = list === undefined ? {} : { "/list": { body: lines(list) } };
      const { refresher, size } = create();
      await refresher.refresh("test");
      const problem = refresher.states()[0]?.problem;
      assert.equal(size(), used, `after ${hour} hours: ${problem}`);
      if (list === undefined || list === used) assert.equal(problem === undefined, list === used);
      else
        assert.match(problem ?? "", /grows from \d+ to \d+ prefixes; a list of about this size is accepted from 2026-/);
    }
  });

  it("refuses a list of more than 200,000 prefixes", async () => {
    const many = (count: number): string =>
      Array.from({ length: count }, (_, at) => `5.${at >> 16}.${(at >> 8) & 255}.${at & 255}`).join("\n");
    const { refresher, size } = create(["/list"], "");
    pages = { "/list": { body: many(200_001) } };
    await refresher.refresh("test");
    assert.match(refresher.states()[0]?.problem ?? "", /^it has more than 200000 prefixes/);
    assert.equal(size(), undefined);
    pages = { "/list": { body: many(200_000) } };
    await refresher.refresh("test");
    assert.equal(refresher.states()[0]?.problem, undefined);
  });

  it("begins within seconds with lists that are too old to verify anything, and within minutes with others", async () => {
    const lists = createRangeLists({ test: copyOf("2026-05-05", lines(20)) });
    const ranges = [{ url: "https://lists.example/", format: "lines" }] as const;
    const time = fakeTime();
    try {
      for (const [begin, due] of [
        ["2026-06-04T00:00:00.000Z", 156_000],
        ["2026-06-04T00:00:00.001Z", 3000],
      ] as const) {
        const askedAt: number[] = [];
        const start = time.now();
        const refresher = new Refresher({
          sources: [{ id: "test", ranges }],
          lists,
          get: async () => {
            askedAt.push(time.now() - start);
            throw new Error("away");
          },
          store: { read: async () => undefined, write: async () => {} },
          now: () => Date.parse(begin) + time.now() - start,
          random: () => 0.5,
          report: () => {},
          counts: { refreshed: 0, failed: 0 },
        });
        refresher.start();
        await time.pass(200_000);
        refresher.stop();
        assert.deepEqual(askedAt, [due], begin);
      }
    } finally {
      time.restore();
    }
  });

  for (const text of [
    "",
    "{",
    '{"asOf":179e10,"parts":[{"url":1}]}',
    '{"asOf":"179e10","parts":[{"url":"/list","prefixes":["192.0.2.0/24"]}]}',
    '{"asOf":179e10,"parts":[{"url":"/list","prefixes":["192.0.2.0/24"]}],"refused":{"since":"1","size":1}}',
    '{"asOf":179e10,"parts":[{"url":"/list","prefixes":[1]}]}',
    '{"asOf":179e10,"parts":[{"url":1,"prefixes":["192.0.2.0/24"]}]}',
    '{"asOf":179e10,"parts":[{"url":"/list","prefixes":"192.0.2.0/24"}]}',
    '{"asOf":1e300,"parts":[{"url":"/list","prefixes":["192.0.2.0/24"]}]}',
    '{"asOf":-1,"parts":[{"url":"/list","prefixes":["192.0.2.0/24"]}]}',
    "null",
  ])
    it(`passes a stored list over that is ${text}`, async () => {
      writeFileSync(join(folder, "test.json"), text);
      pages = { "/list": { body: lines(25) } };
      const { refresher, size } = create();
      await refresher.refresh("test");
      assert.equal(size(), 25);
      assert.match(readFileSync(join(folder, "test.json"), "utf8"), /5\.39\.0\.24/);
    });

  it("takes a stored list of the future for one of now", async () => {
    const part = { url: "/list", prefixes: ["5.39.1.0/24"] };
    writeFileSync(join(folder, "test.json"), JSON.stringify({ asOf: Date.parse("2099-01-01"), parts: [part] }));
    pages = { "/list": { body: lines(25) } };
    const { refresher, size } = create();
    await refresher.refresh("test");
    assert.deepEqual([size(), refresher.states()[0]?.asOf], [1, now]);
    now += 86_400_000;
    await refresher.refresh("test");
    assert.equal(size(), 25);
  });

  it("uses a list that cannot be kept, and says once that it cannot", async () => {
    const noFolder = join(folder, "file");
    writeFileSync(noFolder, "a file, where a folder should be");
    pages = { "/list": { body: lines(25) } };
    const { refresher, counts, size } = create(["/list"], lines(20), { format: "lines" }, noFolder);
    for (let times = 0; times < 2; times++) await refresher.refresh("test");
    assert.equal(size(), 25);
    assert.deepEqual(counts, { refreshed: 2, failed: 0 });
    assert.match(
      reports.join(),
      /^the operators' addresses cannot be saved for the next start: [^,]*(?:ENOTDIR|EEXIST)/,
    );
    assert.equal(reports.length, 1);
  });

  it("is told in warnings, which name the first lists that could not be refreshed", () => {
    const list = { asOf: Date.parse("2026-05-05"), prefixes: 7, problem: "it is not JSON" };
    assert.deepEqual(toWarnings([{ ...list, id: "bing", problem: undefined }]), []);
    const [bing, none] = [list, { ...list, asOf: undefined }].map((list) =>
      toWarnings([{ ...list, id: "bing" }]).join(),
    );
    assert.equal(bing, "the addresses of bing (as of 2026-05-05) could not be refreshed: it is not JSON");
    assert.equal(none, "the addresses of bing (none yet) could not be refreshed: it is not JSON");
    const many = toWarnings(Array.from({ length: 24 }, (_, at) => ({ ...list, id: `list-${at}` })));
    assert.equal(many.length, 4);
    assert.equal(many[3], "the addresses of 21 more lists could not be refreshed");
  });
});
