/** Lists of addresses: the formats operators use, and refreshing over real HTTPS, whatever the other side does. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { toAddress } from "../../src/address/address.ts";
import { toPrefixText } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Proof } from "../../src/detect/verification.ts";
import { createGet } from "../../src/verify/https-get.ts";
import { createRangeLists } from "../../src/verify/lists/operator-lists.ts";
import { networkRules, parseRanges, type RangeReading } from "../../src/verify/lists/parse-ranges.ts";
import { createRangeStore } from "../../src/verify/lists/range-store.ts";
import { Refresher, toWarnings } from "../../src/verify/lists/refresher.ts";
import { toRows } from "../support/rows.ts";
import { temporary } from "../support/temporary.ts";
import { listenHttps, loopback, type TestServer } from "./https-server.ts";

/** What is read, how, its text, and the prefixes or what is said; `at` chooses a part. */
const readings = toRows(String.raw`
  Google's JSON          | json    | {"creationTime":"2026-11-20T15:46:08.0","prefixes":[{"ipv6Prefix":"2001:4860:4801:10::/64"},{"ipv4Prefix":"66.249.64.0/27","service":"Crawl"}]} | 2001:4860:4801:10::/64 66.249.64.0/27
  Ahrefs' JSON           | json    | {"ips":[{"ip_address":"5.39.1.224"},{"ip_address":"5.39.1.225/32"}]} | 5.39.1.224/32 5.39.1.225/32
  bare addresses         | json    | {"data":{"London":["5.39.1.224"]},"updated":"2026"} | 5.39.1.224/32
  numbers and null       | json    | {"list":["5.39.1.224"],"prefix":null,"ip":7,"cidr":true,"other":{}} | 5.39.1.224/32
  lines of text          | lines   | # ours\r\n5.39.1.224\r\n\r\n2a02:6b8::/32 # all\r\n | 5.39.1.224/32 2a02:6b8::/32
  a geofeed              | geofeed | # RFC 8805\n69.63.176.0/21 ,US,US-CA,Menlo Park,\n2a03:2880::/32,US,,,\n | 69.63.176.0/21 2a03:2880::/32
  a page                 | html    | <p>Since 12/5 (v1.2):</p><ul><li>5.45.192.0/18</li><li>2a02:6b8::/29</li></ul> | 5.45.192.0/18 2a02:6b8::/29
  JSON as a page's text  | html    | <code>{&quot;prefixes&quot;: [{&quot;ip_prefix&quot;: &quot;3.5.140.1&quot;}, {&quot;ipv6Prefix&quot;:&quot;2a02:6b8::/32&quot;}]} v1.2.3.4</code> | 2a02:6b8::/32 3.5.140.1/32
  prefixes among prose   | html    | see 1.2.3.4, v1.2.3.4.5/6x, a:b; <b title="2A02:6B8::/32">(2a02:6b8:c00:0:0:0:0:0/40,</b> 5.45.192.0/18) 12/5 x5.45.192.0/19 | 2a02:6b8::/32 2a02:6b8:c00::/40 5.45.192.0/18
  the widest prefixes    | lines   | 5.0.0.0/10\n2a02::/24 | 5.0.0.0/10 2a02::/24
  no JSON                | json    | <html>Not found</html> | ! not JSON
  a prefix that is none  | json    | {"prefixes":[{"ipv4Prefix":"66.249.64.0/27"},{"ipv4Prefix":"66.249"}]} | ! "66.249" is not a prefix
  an empty list          | json    | {"creationTime":"2026","prefixes":[]} | ! holds no prefix
  an error page          | lines   | <!doctype html>\n<title>503</title> | ! is not a prefix
  no prefixes            | html    | <p>Moved to 2026/11/20.</p> | ! holds no prefix
  much that is no prefix | html    | 1.2.3.4 v1.2.3.4.5/6 a:b 12:30/1 ::::/64x 10:20:30/400 (2a02:6b8:c00:0:0:0:0:0/40, 5.45.192.0/18.) 5.45.192.0/18/2 | ! "12:30/1" is not a prefix
  everyone               | lines   | 5.39.1.224\n0.0.0.0/0 | ! 0.0.0.0/0 is wider
  half of IPv6           | json    | {"prefixes":[{"ipv6Prefix":"2000::/4"}]} | ! wider
  wider IPv4             | lines   | 5.0.0.0/9 | ! 5.0.0.0/9 is wider
  wider IPv6             | lines   | 2a02::/23 | ! 2a02::/23 is wider
  IPv4 as wide IPv6      | lines   | ::/96 | ! wider
  a private address      | lines   | 5.39.1.224\n10.0.0.1 | ! 1 of its 2 prefixes are not public
  octal addresses        | lines   | 010.1.2.3 | ! not a prefix
  a member               | json at hooks | {"hooks":["192.30.252.0/22","2a0a:a440::/29"],"actions":["4.148.0.0/16"],"domains":{"hooks":["x.example"]}} | 192.30.252.0/22 2a0a:a440::/29
  a member of each       | json at publicIPs.ipv4 | {"publicIPs":[{"ipv4":"3.217.168.199","name":"8.8.8.8"},{"ipv4":""}],"old":[{"ipv4":"8.8.4.4"}]} | 3.217.168.199/32
  below a member         | json at synthetics | {"version":1,"api":{"prefixes_ipv4":["3.1.0.0/16"]},"synthetics":{"prefixes_ipv4":["3.18.0.1/32"],"prefixes_ipv6":[]}} | 3.18.0.1/32
  objects with a value   | json at *.service=CHECK | {"a":[{"ip_prefix":"3.5.140.0/22","service":"EC2"},{"ip_prefix":"15.177.0.0/18","service":"CHECK"}],"b":[{"ipv6_prefix":"2600:1f14:7ff::/48","service":"CHECK"},{"service":"S3"}]} | 15.177.0.0/18 2600:1f14:7ff::/48
  no such member         | json at webhooks | {"hooks":["192.30.252.0/22"]} | ! nothing at webhooks
  no such value          | json at *.service=CRAWL | {"a":[{"ip_prefix":"3.5.140.0/22","service":"EC2"}]} | ! nothing at *.service=CRAWL
  no prefix there        | json at a.ipv4 | {"a":{"ipv4":"none"}} | ! "none" is not a prefix
  a column               | lines at 2 | # probes\npinghostca.example.com 5.39.1.224\nwk2-1\t2a02:6b8::1\n | 5.39.1.224/32 2a02:6b8::1/128
  no such column         | lines at 2 | 5.39.1.224 | 5.39.1.224/32
  a column of words      | lines at 2 | <html> Not found | ! "Not" is not a prefix
  what follows a text    | html at Our addresses: | <p>9.9.9.9, 5.45.192.0/18</p><p>Our addresses:<br/> <code>216.18.205.234 a.example<br/>35.212.27.76, 209.151.156.0/24</code> Chrome/121.0.0.1 v1.2.3.4 1.2.3.4.5 1.2.3.4-5 and 104.254.65.50.</p> | 209.151.156.0/24 216.18.205.234/32 35.212.27.76/32 104.254.65.50/32
  networks' JSON         | json of networks | {"syncToken":"1","prefixes":[{"ip_prefix":"3.4.12.4/32","region":"eu-west-1"},{"ip_prefix":"3.4.12.5/32","service":"EC2"}],"ipv6_prefixes":[{"ipv6_prefix":"2600:1f00::/40"}]} | 3.4.12.4/31 2600:1f00::/40
  networks' nested JSON  | json of networks | {"last_updated_timestamp":"2026-08-22T00:00:00.000000","regions":[{"region":"uk-cardiff-1","cidrs":[{"cidr":"129.151.40.0/22","tags":["OCI"]}]}]} | 129.151.40.0/22
  networks' geofeed      | geofeed of networks | 5.101.96.0/24,NL,NL-NH,Amsterdam,1105 AT\r\n5.101.97.0/24,NL,,,\r\n | 5.101.96.0/23
  one of 20 for documents | geofeed of networks | 45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n45.32.0.0/20,US\n192.0.2.0/24,US\n2001:db8::/32,US | 45.32.0.0/20
  as wide as networks are | lines of networks | 4.0.0.0/8\n2a00::/20 | 4.0.0.0/8 2a00::/20
  wider than networks    | lines of networks | 4.0.0.0/7 | ! 4.0.0.0/7 is wider than any provider's
  IPv6 wider than networks | lines of networks | 2a00::/19 | ! 2a00::/19 is wider
  a sixteenth of IPv4    | lines of networks | 20.0.0.0/8\n21.0.0.0/8\n22.0.0.0/8\n23.0.0.0/8\n24.0.0.0/8\n25.0.0.0/8\n26.0.0.0/8\n27.0.0.0/8\n28.0.0.0/8\n29.0.0.0/8\n30.0.0.0/8\n31.0.0.0/8\n32.0.0.0/8\n33.0.0.0/8\n34.0.0.0/8\n35.0.0.0/8\n36.0.0.0/8 | ! 285212672 IPv4 addresses, more than any provider
  private networks       | lines of networks | fe80::/10\nfc00::/7\n127.0.0.1\n45.32.0.0/20 | ! 3 of its 4 prefixes are not public
  a page to sign in      | geofeed of networks | <!doctype html><title>Sign in</title> | ! is not a prefix
  no list of networks    | lines of networks | | ! holds no prefix
  a page without the text | html at Our prefixes: | <p>Our addresses: 9.9.9.9</p> | ! has no text "Our prefixes:"
`);

describe("a list is read from", () => {
  for (const [what, how = "", text = "", expected = ""] of readings)
    it(`${what} (${how})`, () => {
      const [reading = "", isOfNetworks] = how.split(/( of networks)/);
      const [format, at] = reading.split(" at ");
      const place = at === undefined ? {} : { at: format === "lines" ? Number(at) : at };
      const read = () =>
        parseRanges(text, { format, ...place } as RangeReading, isOfNetworks ? networkRules : undefined).map(
          toPrefixText,
        );
      if (!expected.startsWith("! ")) assert.equal(read().join(" "), expected);
      else assert.throws(read, (error: Error) => error.message.includes(expected.slice(2)));
    });
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
    const lists = createRangeLists(copy === "" ? {} : { test: { asOf: "2026-05-05", prefixes: copy } });
    const get = createGet(loopback);
    const counts = { refreshed: 0, failed: 0 };
    const refresher = new Refresher({
      sources: [proof],
      lists,
      // Where the limit of time is what is waited for, a shorter one will do.
      get: (url, headers, limits) =>
        get(url, headers, pages[paths[0] ?? ""]?.stalls ? { ...limits, timeoutMs: 300 } : limits),
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
    ["shrinks to nothing", { "/list": { body: "" } }, /holds no prefix/],
    ["is an error page", { "/list": { body: "<html>" } }, /not a prefix/],
    ["is not there", {}, /answers with 404/],
    ["has failed", { "/list": { status: 500, body: lines(20) } }, /answers with 500/],
    ["is too large", { "/list": { body: "#".repeat(8_000_001) } }, /more than 8000000 bytes/],
    ["never ends", { "/list": { stalls: true } }, /no answer within/],
    ["leads in circles", { "/list": { status: 302, headers: { location: "/list" } } }, /more than 3 redirects/],
    ["leads to http", { "/list": { status: 302, headers: { location: "http://lists.example/" } } }, /is not https/],
  ];
  for (const [name, answer, why] of refusals) {
    it(`refuses and reports a list that ${name}; the last good one stays`, async () => {
      pages = answer;
      const { refresher, counts, size } = create();
      await refresher.refresh("test");
      assert.equal(size(), 20);
      assert.match(refresher.states()[0]?.problem ?? "", why);
      assert.match(reports.join(), why);
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
    assert.equal(reports.length, 7);
  });

  it("refuses a list of more than 200,000 prefixes", async () => {
    const many = (count: number): string =>
      Array.from({ length: count }, (_, at) => `5.${at >> 16}.${(at >> 8) & 255}.${at & 255}`).join("\n");
    const { refresher, size } = create(["/list"], "");
    pages = { "/list": { body: many(200_001) } };
    await refresher.refresh("test");
    assert.match(refresher.states()[0]?.problem ?? "", /^it has 200001 prefixes/);
    assert.equal(size(), undefined);
    pages = { "/list": { body: many(200_000) } };
    await refresher.refresh("test");
    assert.equal(refresher.states()[0]?.problem, undefined);
  });

  for (const text of [
    "",
    "{",
    '{"asOf":9e15,"parts":[{"url":1}]}',
    '{"asOf":9e15,"parts":[{"url":1,"prefixes":["192.0.2.0/24"]}]}',
    '{"asOf":9e15,"parts":[{"url":"/list","prefixes":"192.0.2.0/24"}]}',
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
      /^the addresses of operators cannot be kept for the next start: [^,]*(?:ENOTDIR|EEXIST)/,
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
