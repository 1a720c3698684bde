/** What `whocrawls scan` reads of logs as people have them; what it says of others is in test/golden/cli/scan-formats.txt. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parseArgs } from "node:util";
import { detector } from "../../src/detect/built-in/detector.ts";
import { createScanner } from "../../src/scan/count/scanner.ts";
import { inspectLog } from "../../src/scan/formats/inspect-log.ts";
import type { Report } from "../../src/scan/report/report.ts";
import { toCdnIntervals } from "../../src/scan/run/crawler-address-lists.ts";
import { temporary } from "../support/temporary.ts";
import { firefox, googlebot } from "../support/user-agents.ts";
import { runHere } from "./run-here.ts";

const folder = temporary();

let files = 0;
async function scan(content: string, ...args: string[]) {
  const path = join(folder, `${files++}.log`);
  writeFileSync(path, content);
  return await runHere(["scan", ...args, path]);
}

describe("a log of one person and one crawler is read", () => {
  const logs = readFileSync(new URL("readable-logs.txt", import.meta.url), "utf8")
    .trimEnd()
    .split("\n\n")
    .slice(1);
  for (const log of logs) {
    const [what = "", ...lines] = log.split("\n");
    const [, option, value = ""] = /^(--\S+) (.*)/.exec(lines[0]!) ?? [];
    const heads = lines.slice(option === undefined ? 0 : 1);
    const line = heads.pop()!;
    const of = (agent: string): string =>
      line.replace("AGENT+", agent.replaceAll(" ", "+")).replace("AGENT", () => agent);
    it(what.slice(3), async () => {
      const args = option === undefined ? [] : [option, value.replaceAll("\\n", "\n")];
      const text = [...heads, of(firefox), of(googlebot), ""].join("\n");
      const { code, stdout, stderr } = await scan(text, "--format", "json", ...args);
      assert.equal(code, 0, stderr);
      const report = JSON.parse(stdout) as Report;
      const [crawler] = report.crawlers;
      assert.deepEqual([report.requests, report.crawlerRequests, report.broken, report.bytes], [2, 1, 0, 24]);
      const { name, first, statuses } = crawler!;
      assert.deepEqual([name, first, statuses], ["Googlebot", "2024-01-01T13:00:05Z", { 200: 1 }]);
      assert.equal(crawler!.paths.map(({ path }) => path).join(), "/a");
    });
  }
});

/** Logs of which a report counts other requests than people expect, or other paths and addresses: `options`, lines, and the report's part. */
const counted: readonly (readonly [
  what: string,
  options: readonly string[],
  lines: readonly string[],
  expected: Partial<Pick<Report, "requests" | "broken" | "crawlerRequests">> & { readonly paths?: readonly string[] },
])[] = [
  [
    "an unclosed quotation mark in a W3C user agent is text",
    [],
    [
      "#Fields: date time cs-uri-stem cs(User-Agent) sc-status",
      `2024-01-01 13:00:05 /a ${firefox.replaceAll(" ", "+")} 200`,
      '2024-01-01 13:00:05 /b "GPTBot/1.0 200',
      '2024-01-01 13:00:05 /c "GPTBot/1.0" 200',
    ],
    { requests: 3, broken: 0, crawlerRequests: 2, paths: ["/b", "/c"] },
  ],
  [
    "an unclosed quotation mark in a TSV user agent is text",
    [],
    [
      "time\tuseragent\tpath\tstatus",
      `2024-01-01T13:00:05Z\t${firefox}\t/a\t200`,
      '2024-01-01T13:00:05Z\t"GPTBot/1.0\t/b\t"200"',
      '2024-01-01T13:00:05Z\t"GPTBot/1.0"\t/c\t200',
    ],
    { requests: 3, broken: 0, crawlerRequests: 2, paths: ["/b", "/c"] },
  ],
  [
    "text behind a quoted value of CSV breaks the line",
    [],
    [
      "time,useragent,path,status",
      ...Array<string>(9).fill("2024-01-01T13:00:05Z,GPTBot/1.0,/a,200"),
      '2024-01-01T13:00:05Z,"GPTBot/1.0"; ,404,5',
    ],
    { requests: 9, broken: 1, crawlerRequests: 9 },
  ],
  [
    "a path in JSON may have blanks, and an origin alone is its root",
    [],
    ["/my file.pdf", "https://example.com", "https://example.com/b?c", "/d?e f"].map((path) =>
      JSON.stringify({ time: "2024-01-01T13:00:05Z", status: 200, path, useragent: "GPTBot/1.0" }),
    ),
    { requests: 4, paths: ["/", "/b", "/d", "/my file.pdf"] },
  ],
  [
    "a running number of the proxy is no count of requests",
    [],
    [2818, 2819].map((RequestCount) =>
      JSON.stringify({ RequestCount, time: "2024-01-01T13:00:05Z", "request_User-Agent": "GPTBot/1.0" }),
    ),
    { requests: 2, crawlerRequests: 2 },
  ],
  [
    "a stated number of requests is one",
    ["--field", "count=RequestCount"],
    [2818, 2819].map((RequestCount) =>
      JSON.stringify({ RequestCount, time: "2024-01-01T13:00:05Z", "request_User-Agent": "GPTBot/1.0" }),
    ),
    { requests: 5637, crawlerRequests: 5637 },
  ],
  [
    "what a Worker of the site requests is no request",
    [],
    [false, true, true].map((WorkerSubrequest) =>
      JSON.stringify({ WorkerSubrequest, ClientRequestURI: "/a", ClientRequestUserAgent: "GPTBot/1.0" }),
    ),
    { requests: 1, broken: 0, crawlerRequests: 1 },
  ],
  [
    "a line of the combined log behind a host among others is broken",
    [],
    ["", "", "", "", "", "", "", "", "", "a.example "].map(
      (host) => `${host}8.8.8.8 - - [01/Jan/2024:13:00:05 +0000] "GET /a HTTP/1.1" 200 12 "-" "GPTBot/1.0"`,
    ),
    { requests: 9, broken: 1, crawlerRequests: 9 },
  ],
  [
    "an empty user agent before the captured headers of HAProxy's response is none",
    [],
    ["GPTBot/1.0", ""].map(
      (agent) =>
        `8.8.8.8:1 [01/Jan/2024:13:00:05.655] in back/srv1 10/0/30/69/109 200 12 - - ---- 1/1/1/1/0 0/0 {a.example|${agent}} {} "GET /a HTTP/1.1"`,
    ),
    { requests: 2, broken: 0, crawlerRequests: 2 },
  ],
  [
    "a row of CSV with more values than the header has names is broken",
    [],
    ["ip,path,useragent", ...Array<string>(9).fill("8.8.8.8,/a,GPTBot/1.0,"), "8.8.8.8,/a,b,GPTBot/1.0"],
    { requests: 9, broken: 1, crawlerRequests: 9 },
  ],
];

describe("what is counted of a log", () => {
  for (const [what, options, lines, expected] of counted)
    it(what, async () => {
      const { code, stdout, stderr } = await scan(`${lines.join("\n")}\n`, "--format", "json", ...options);
      assert.equal(code, 0, stderr);
      const report = JSON.parse(stdout) as Report;
      const paths = report.crawlers.flatMap(({ paths }) => paths.map(({ path }) => path)).sort();
      assert.deepEqual({ ...report, paths, ...expected }, { ...report, paths });
    });
});

it("a date without a time of day is no time", async () => {
  const lines = ["#Fields: date cs-uri-stem cs(User-Agent)", "2024-01-01 /a GPTBot/1.0"];
  const { stdout, stderr } = await scan(lines.join("\n"), "--format", "json");
  assert.equal((JSON.parse(stdout) as Report).crawlers[0]!.first, undefined);
  assert.match(stderr, /No column is recognized as the status, time, size, address/);
});

it("a running number of the proxy is not said to be a count", async () => {
  const line = (RequestCount: number) => JSON.stringify({ RequestCount, "request_User-Agent": "GPTBot/1.0" });
  const { stderr } = await scan([2818, 2819, 2821].map(line).join("\n"));
  assert.doesNotMatch(stderr, /counts of requests/);
});

describe("a given field in a format without names", () => {
  const combined = '192.0.2.1 - - [01/Jan/2024:13:00:05 +0000] "GET /a HTTP/1.1" 200 12 "-" "GPTBot/1.0"';
  for (const options of [
    ["--field", "agent"],
    ["--field", "address=ip"],
    ["--field", "agent", "--log-format", "combined"],
    ["--field", "count=-", "--log-format", '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"'],
  ])
    it(`is an error: ${options.join(" ")}`, async () => {
      const { code, stdout, stderr } = await scan(combined, ...options);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /--field names members of JSON, labels of LTSV, and columns of CSV, TSV and W3C logs/);
    });

  it("leaves the other logs to be scanned", async () => {
    const other = join(folder, "other.json");
    writeFileSync(other, '{"agent":"GPTBot/1.0"}\n');
    const { code, stdout } = await scan(combined, "--field", "agent", "--format", "json", other);
    assert.deepEqual([code, (JSON.parse(stdout) as Report).requests], [2, 1]);
  });
});

describe("a log like the combined one", () => {
  const start = '192.0.2.1 - - [01/Jan/2024:13:00:05 +0000] "GET /a HTTP/1.1" 200 12';
  const combined = (agent: string) => `${start} "-" "${agent}"`;

  for (const options of [[], ["--log-format", "combined"]])
    it(`may have lines of the common log, which are people's: ${options.join(" ")}`, async () => {
      const lines = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? start : combined("GPTBot/1.0")));
      const { code, stdout, stderr } = await scan([...lines, combined("-")].join("\n"), "--format", "json", ...options);
      const { requests, broken, bytes, crawlers } = JSON.parse(stdout) as Report;
      assert.deepEqual([code, requests, broken, bytes], [0, 41, 0, 492], stderr);
      assert.deepEqual(
        crawlers.map(({ name, requests }) => [name, requests]),
        [
          ["GPTBot", 20],
          ["(no user agent)", 1],
        ],
      );
      assert.match(stderr, /20 of 41 requests are in lines of the common log, which have no user agent/);
    });

  for (const fields of ['"0.003" "https://example.com/"', '"-" "0.003"', '"-" "203.0.113.9" "x"'])
    it(`is refused if a field that is no user agent is at its place: ${fields}`, async () => {
      const { code, stdout, stderr } = await scan(`${start} ${fields}\n`.repeat(3));
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /The field after the referrer is not a user agent, .*--log-format '%h %l %u %t/);
    });

  it("says so if the fields change their order in the middle", async () => {
    const before = Array.from({ length: 120 }, () => combined("GPTBot/1.0"));
    const changed = Array.from({ length: 100 }, (_, at) => `${start} "0.003" "https://example.com/${at}" "${firefox}"`);
    const one = await scan([...before, ...changed].join("\n"), "--format", "json");
    assert.equal(one.code, 0);
    assert.match(one.stderr, /The user agents of 100 of 220 requests look like another field\..*\n.*"0\.003" "https:/);
    const few = await scan([...before, ...changed.slice(1)].join("\n"), "--format", "json");
    assert.doesNotMatch(few.stderr, /look like another field/);
  });
});

describe("the address of a client behind proxies", () => {
  const useragent = "GPTBot/1.0";
  const combined = (address: string, forwarded: string) =>
    `${address} - - [01/Jan/2024:13:00:05 +0000] "GET /a HTTP/1.1" 200 12 "-" "${useragent}" "${forwarded}"`;
  const apache = ["--log-format", '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" "%{X-Forwarded-For}i"'];
  const nginx = ["--log-format", '$remote_addr [$time_local] "$http_user_agent" $http_x_forwarded_for $status'];
  const json = (fields: object) => JSON.stringify({ time: "2024-01-01T13:00:05Z", useragent, ...fields });
  for (const [what, options, line, expected] of [
    ["the last public one", apache, combined("10.0.0.1", "203.0.114.9, 66.249.66.1, 10.0.0.2"), "66.249.66.1"],
    ["the connection's, if it is public", apache, combined("66.249.66.1", "8.8.8.8"), "66.249.66.1"],
    ["the connection's, if none is forwarded", apache, combined("66.249.66.1", "-"), "66.249.66.1"],
    [
      "by the number",
      [...apache, "--trust-proxy", "2"],
      combined("10.0.0.1", "8.8.8.8, 66.249.66.1, 8.8.4.4"),
      "66.249.66.1",
    ],
    ["unknown, if there are fewer", [...apache, "--trust-proxy", "2"], combined("10.0.0.1", "66.249.66.1"), undefined],
    ["unknown without any", [...apache, "--trust-proxy", "1"], combined("66.249.66.1", "-"), undefined],
    [
      "not the connection's at the end of the list",
      [...nginx, "--trust-proxy", "1"],
      `10.0.0.1 [01/Jan/2024:13:00:05 +0000] "${useragent}" 66.249.66.1, 10.0.0.1 200`,
      "66.249.66.1",
    ],
    [
      "before another field, by the number",
      ["--trust-proxy", "1"],
      `${combined("10.0.0.1", "8.8.8.8, 66.249.66.1")} location="-"`,
      "66.249.66.1",
    ],
    ["in JSON", [], json({ ip: "10.0.0.1", "X-Forwarded-For": "66.249.66.1, 10.0.0.2" }), "66.249.66.1"],
    ["in a list of addresses", [], json({ ip: "66.249.66.1, 10.0.0.1" }), "66.249.66.1"],
    ["in a list, by the number", ["--trust-proxy", "2"], json({ ClientHost: "66.249.66.1,8.8.8.8" }), "66.249.66.1"],
    [
      "of Caddy",
      ["--trust-proxy", "2"],
      json({
        request: {
          remote_ip: "8.8.8.8",
          client_ip: "66.249.66.1",
          headers: { "X-Forwarded-For": ["8.8.4.4, 1.1.1.1"] },
        },
      }),
      "66.249.66.1",
    ],
    ["sent by a proxy", [], json({ ip: "10.0.0.1", http_x_real_ip: "66.249.66.1" }), "66.249.66.1"],
    ["sent by a CDN to a proxy", [], json({ ip: "10.0.0.1", "True-Client-IP": "66.249.66.1" }), "66.249.66.1"],
    ["sent by Cloudflare", [], json({ ip: "172.70.0.1", http_cf_connecting_ip: "66.249.66.1" }), "66.249.66.1"],
    ["sent by Cloudflare, IPv6", [], json({ ip: "2606:4700::9", cf_connecting_ip: "66.249.66.1" }), "66.249.66.1"],
    ["not sent by anyone", [], json({ ip: "66.249.66.1", http_cf_connecting_ip: "8.8.8.8" }), "66.249.66.1"],
    ["not the one that Cloudflare's client sent", [], json({ ip: "172.70.0.1", x_real_ip: "8.8.8.8" }), "172.70.0.1"],
    [
      "sent by a trusted proxy, whatever the number",
      ["--trust-proxy", "3"],
      json({ ip: "8.8.8.8", x_real_ip: "66.249.66.1" }),
      "66.249.66.1",
    ],
    [
      "that of the list, if both are sent",
      ["--trust-proxy", "1"],
      json({ ip: "10.0.0.1", xff: "8.8.4.4, 66.249.66.1", cf_connecting_ip: "8.8.8.8" }),
      "66.249.66.1",
    ],
    [
      "sent, if the list is empty",
      ["--trust-proxy", "1"],
      json({ ip: "10.0.0.1", xff: "-", x_real_ip: "66.249.66.1" }),
      "66.249.66.1",
    ],
    [
      "sent, in a format string",
      ["--log-format", '$remote_addr [$time_local] "$http_user_agent" $status $http_x_real_ip'],
      `10.0.0.1 [01/Jan/2024:13:00:05 +0000] "${useragent}" 200 66.249.66.1`,
      "66.249.66.1",
    ],
    [
      "sent, in a W3C log",
      [],
      `#Fields: date time c-ip True-Client-IP cs(User-Agent)\n2024-01-01 13:00:05 10.0.0.1 66.249.66.1 ${useragent}`,
      "66.249.66.1",
    ],
    [
      "in a W3C log",
      [],
      `#Fields: date time c-ip X-Forwarded-For cs(User-Agent)\n2024-01-01 13:00:05 10.0.0.1 66.249.66.1,+10.0.0.2 ${useragent}`,
      "66.249.66.1",
    ],
    [
      "before the combined log",
      [],
      `66.249.66.1, 10.0.0.1, 10.0.0.2 - - [01/Jan/2024:13:00:05 +0000] "GET /a HTTP/1.1" 200 12 "-" "${useragent}"`,
      "66.249.66.1",
    ],
    [
      "of Istio",
      [],
      `[2024-01-01T13:00:05.123Z] "GET /a HTTP/1.1" 200 - via_upstream - "-" 0 12 3 2 "66.249.66.1,10.0.0.1" "${useragent}" "id" "a.example" "10.1.1.1:80" in 127.0.0.6:1 10.1.1.1:80 10.0.0.9:0 - default`,
      "66.249.66.1",
    ],
  ] as const)
    it(`is ${what}: ${options.at(-1) ?? ""} ${expected}`, () => {
      const { values } = parseArgs({
        args: [...options],
        options: { "log-format": { type: "string" }, "trust-proxy": { type: "string" } },
      });
      const trustProxy = values["trust-proxy"] === undefined ? undefined : Number(values["trust-proxy"]);
      const { format } = inspectLog(line.split("\n"), { logFormat: values["log-format"] });
      const scanner = createScanner({
        check: detector.check,
        isByRule: () => false,
        task: { verify: true, trustProxy, cloudflare: toCdnIntervals("cloudflare", undefined) },
      });
      const bytes = Buffer.from(`${line}\n`);
      scanner.scan(bytes, bytes.length, format);
      const addresses = [...scanner.tally.crawlers.values()].flatMap(({ addresses = new Map() }) => [
        ...addresses.keys(),
      ]);
      assert.deepEqual(addresses, [expected ?? ""]);
    });

  it("is hinted at if connections come from a proxy", async () => {
    const line = combined("10.0.0.1", "66.249.66.1");
    assert.match((await scan(line, ...apache)).stderr, /The addresses of connections are private/);
    assert.doesNotMatch((await scan(line, ...apache, "--trust-proxy", "1")).stderr, /private/);
  });

  it("is said to be found by its values, which anyone can send", async () => {
    const lines = ["66.249.66.1", "8.8.8.8"].map((address) => combined("10.0.0.1", address)).join("\n");
    const found = /X-Forwarded-For was found by its values: .* Anyone can send this header/;
    assert.match((await scan(lines)).stderr, found);
    assert.doesNotMatch((await scan(lines, "--trust-proxy", "1")).stderr, /found by its values/);
    assert.doesNotMatch((await scan(lines, ...apache)).stderr, /found by its values/);
  });

  it("is the second one, and said to be, if two in front do not vary", async () => {
    const two = (address: string) => combined(`8.8.8.8 ${address}`, "-");
    const said = /Two addresses are in front of each line; the second one is taken for the client's/;
    assert.match((await scan([two("66.249.66.1"), two("66.249.66.1")].join("\n"))).stderr, said);
    assert.doesNotMatch((await scan([two("66.249.66.1"), two("66.249.66.2")].join("\n"))).stderr, said);
  });

  for (const [what, address, said] of [
    ["is a hash", "a8f5f167", /1 address is neither an IP address nor a host name, such as "a8f5f167"/],
    ["is a host name", "crawl-66-249-66-1.googlebot.com", undefined],
    ["is a socket", "unix:", undefined],
  ] as const)
    it(`is said to be none if it ${what}: ${said !== undefined}`, async () => {
      const lines = `${combined(address, "-")}\n`.repeat(3);
      for (const option of ["--verify", "--fleets"]) {
        const { stderr } = await scan(lines.replaceAll(useragent, option === "--fleets" ? firefox : useragent), option);
        if (said === undefined) assert.doesNotMatch(stderr, /neither an IP address/);
        else assert.match(stderr, said);
      }
    });

  it("is behind counts of lines, which are not counted", async () => {
    const lines = [3, 2, 2].map((count) => `      ${count} ${combined("66.249.66.1", "-")}`).join("\n");
    const { stderr } = await scan(lines);
    assert.match(
      stderr,
      /combined format behind 1 word.*\n.*The numbers in front look like counts; they are not counted/,
    );
  });
});
