/** What `whocrawls scan` reads of logs as people have them, or says of them: never a wrong report with exit code 0. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { Report } from "../../src/scan/report/report.ts";
import { runHere } from "./run-here.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-scan-formats-"));
after(() => rmSync(folder, { recursive: true }));

const F = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0";
const G = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const combined = (agent: string, quote = '"') =>
  `192.0.2.1 - - [01/Jan/2024:13:00:05 +0000] ${quote}GET /a HTTP/1.1${quote} 200 12 ${quote}-${quote} ${quote}${agent}${quote}`;
const both = (line: (agent: string) => string, head = ""): string => `${head}${line(F)}\n${line(G)}\n`;
const json = (members: object): string => JSON.stringify(members);

let files = 0;
async function scan(content: string, ...args: string[]) {
  const path = join(folder, `${files++}.log`);
  writeFileSync(path, content);
  return await runHere(["scan", ...args, path]);
}

/** The seconds of 2024-01-01, 13:00:05 UTC, as the report writes them. */
const thirteen = "2024-01-01T13:00:05Z";

describe("a log of one person and one crawler is read", () => {
  // Each row: what it is, the text, options, and the members of Report or of its crawler that are missing.
  const rows: readonly (readonly [
    what: string,
    text: string,
    args?: readonly string[],
    without?: readonly string[],
  ])[] = [
    [
      "a pasted LogFormat",
      both(combined),
      ["--log-format", 'LogFormat "%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\"" combined'],
    ],
    [
      "a pasted log_format",
      both(combined),
      [
        "--log-format",
        'log_format main \'$remote_addr - $remote_user [$time_local] "$request" \'\n\'$status $body_bytes_sent "$http_referer" "$http_user_agent"\';',
      ],
    ],
    [
      "tabs of nginx",
      both((agent) => `2024-01-01T13:00:05+00:00\t/a\t200\t12\t${agent}`),
      ["--log-format", "$time_iso8601\\t$uri\\t$status\\t$body_bytes_sent\\t$http_user_agent"],
    ],
    [
      "a method, path, query and version",
      both((agent) => `2024-01-01 13:00:05 GET /a?b HTTP/1.1 200 12 "${agent}"`),
      ["--log-format", '%{%Y-%m-%d %H:%M:%S}t %m %U%q %H %>s %b "%{User-Agent}i"'],
    ],
    [
      "an address of parts",
      both((agent) => `1704114005.000 https://example.com/a 200 12 "${agent}"`),
      ["--log-format", '$msec $scheme://$host$request_uri $status $bytes_sent "$http_user_agent"'],
    ],
    [
      "Filebeat",
      both((agent) =>
        json({ "@timestamp": "2024-05-05T00:00:00Z", message: combined(agent), log: { file: { path: "/var/log/x" } } }),
      ),
    ],
    ["journald", both((agent) => json({ PRIORITY: "6", MESSAGE: combined(agent) }))],
    ["Fluent Bit", both((agent) => json({ date: 1714867200.1, log: combined(agent) }))],
    ["Loki", both((agent) => json({ line: combined(agent), labels: "{}" })), ["--field", "line"]],
    [
      "a member that holds a line, as advised once",
      both((agent) => json({ message: combined(agent) })),
      ["--field", "message"],
    ],
    ["Docker", both((agent) => json({ log: `${combined(agent)}\n`, stream: "stdout", time: "2024-05-05T00:00:00Z" }))],
    [
      "Istio's JSON",
      both((agent) =>
        json({
          start_time: "2024-01-01T13:00:05.123Z",
          response_code: 200,
          bytes_sent: 12,
          path: "/a",
          user_agent: agent,
          downstream_remote_address: "192.0.2.1:55",
        }),
      ),
    ],
    [
      "Azure Application Gateway",
      both((agent) =>
        json({
          timeStamp: thirteen,
          properties: { clientIP: "192.0.2.1", httpStatus: 200, requestUri: "/a", userAgent: agent, sentBytes: 12 },
        }),
      ),
    ],
    [
      "Kong",
      both((agent) =>
        json({
          started_at: 1704114005000,
          client_ip: "192.0.2.1",
          request: { uri: "/a", headers: { "user-agent": agent } },
          response: { status: 200, size: 12 },
        }),
      ),
    ],
    [
      "Akamai",
      both((agent) =>
        json({
          reqTimeSec: "1704114005.12",
          cliIP: "192.0.2.1",
          reqPath: "/a",
          UA: agent,
          statusCode: "200",
          bytes: "12",
        }),
      ),
    ],
    [
      "Amazon API Gateway",
      both((agent) =>
        json({
          requestTime: "01/Jan/2024:13:00:05 +0000",
          ip: "192.0.2.1",
          resourcePath: "/a",
          userAgent: agent,
          status: "200",
          responseLength: "12",
        }),
      ),
    ],
    [
      "OpenTelemetry",
      both((agent) =>
        json({
          timestamp: thirteen,
          "http.target": "/a",
          "http.status_code": 200,
          "http.user_agent": agent,
          bytes: 12,
        }),
      ),
    ],
    [
      "Fastly",
      both((agent) =>
        json({
          timestamp: thirteen,
          client_ip: "192.0.2.1",
          url: "/a",
          request_user_agent: agent,
          response_status: 200,
          response_body_size: 12,
        }),
      ),
    ],
    [
      "a date and a time in JSON",
      both((agent) =>
        json({ date: "2024-01-01", time: "13:00:05", useragent: agent, status: 200, bytes: 12, path: "/a" }),
      ),
    ],
    [
      "a date and a time in TSV",
      both((agent) => `2024-01-01\t13:00:05\t${agent}\t200\t12\t/a`, "date\ttime\tuser_agent\tstatus\tbytes\tpath\n"),
    ],
    [
      "W3C in quotation marks",
      both(
        (agent) => `2024-01-01 13:00:05 192.0.2.1 "${agent}" 200 12 /a`,
        "#Fields: date time c-ip cs(User-Agent) sc-status sc-bytes cs-uri-stem\n",
      ),
    ],
    [
      "W3C with local time",
      both(
        (agent) => `2024-01-01 13:00:05 192.0.2.1 ${agent.replaceAll(" ", "+")} 200 12 /a`,
        "#Fields: date-local time-local c-ip cs(User-Agent) sc-status sc-bytes cs-uri-stem\n",
      ),
    ],
    [
      "ISA",
      both(
        (agent) => `192.0.2.1\t${agent}\t2024-01-01\t13:00:05\t12\thttp://example.com/a\t200`,
        "#Fields: c-ip c-agent date time sc-bytes cs-uri sc-status\n",
      ),
    ],
    [
      "Envoy",
      both(
        (agent) =>
          `[2024-01-01T13:00:05.123Z] "GET /a HTTP/1.1" 200 - 0 12 3 2 "-" "${agent}" "id" "host" "10.0.0.1:80"`,
      ),
    ],
    [
      "HAProxy's option httplog clf",
      both(
        (agent) =>
          `192.0.2.1 - - [01/Jan/2024:13:00:05 +0000] "GET /a HTTP/1.1" 200 12 "" "" 51000 123 "in" "be" "srv" 1 0 3 6 9 "----" 1 1 1 1 0 0 0 "" "" "${agent}"`,
      ),
    ],
  ];
  for (const [what, text, args = []] of rows)
    it(`${what}`, async () => {
      const { code, stdout, stderr } = await scan(text, "--format", "json", ...args);
      assert.equal(code, 0, stderr);
      const report = JSON.parse(stdout) as Report;
      const [crawler] = report.crawlers;
      assert.deepEqual([report.requests, report.crawlerRequests, report.broken, report.bytes], [2, 1, 0, 24]);
      assert.deepEqual([crawler?.name, crawler?.first, crawler?.statuses], ["Googlebot", thirteen, { 200: 1 }]);
      assert.deepEqual(
        crawler?.paths.map(({ path }) => path),
        ["/a"],
      );
    });
});

describe("a log that cannot be read ends with 2 and says why", () => {
  const rows: readonly (readonly [what: string, text: string, args: readonly string[], stderr: RegExp])[] = [
    [
      "a stated format of other lines",
      both(combined),
      ["--log-format", "s3"],
      /do not fit --log-format.*They fit combined/,
    ],
    [
      "a stated status that is none",
      both((agent) => `/a ok "${agent}"`),
      ["--log-format", '$uri $status "$http_user_agent"'],
      /do not fit/,
    ],
    [
      "a stated time of another format",
      both((agent) => `01.02.2024 200 "${agent}"`),
      ["--log-format", '$time_iso8601 $status "$http_user_agent"'],
      /the field time is "01\.02\.2024"/,
    ],
    [
      "two texts without quotation marks",
      both((agent) => `${agent} ${agent} 200`),
      ["--log-format", "$http_user_agent %{User-Agent}i $status"],
      /variable|do not fit|quotation marks/,
    ],
    [
      "a time without a date",
      both((agent) => `13:00:05 "${agent}"`),
      ["--log-format", '%{%H:%M:%S}t "%{User-Agent}i"'],
      /has no date/,
    ],
    [
      "a directive of strftime that is not known",
      both(combined),
      ["--log-format", '%{%Q}t "%{User-Agent}i"'],
      /"%Q", which is not known/,
    ],
    [
      "times in JSON that are none",
      both((agent) => json({ time: "01/02/2024", useragent: agent })),
      [],
      /the field time is "01\/02\/2024".*--field FIELD=NAME/,
    ],
    [
      "statuses in CSV that are none",
      both((agent) => `${agent},OK`, "user_agent,status\n"),
      [],
      /the field status is "OK"/,
    ],
    [
      "a column of paths as the user agent",
      both((agent) => `/a\t${agent}`),
      ["--log-format", "tsv", "--field", "1"],
      /"1" has no user agents, but values such as "\/a"/,
    ],
    [
      "a column of times as the user agent",
      both((agent) => `2024-01-01T00:00:00Z\t${agent}`),
      ["--log-format", "tsv", "--field", "1"],
      /has no user agents/,
    ],
    [
      "a list of headers as the user agent",
      both((agent) => json({ httpRequest: { headers: [{ name: "User-Agent", value: agent }] } })),
      ["--field", "httpRequest.headers"],
      /"httpRequest.headers" has no text/,
    ],
    [
      "columns without names",
      both((agent) => `/a\t${agent}`),
      [],
      /column 2 has the user agents: --log-format tsv --field 2/,
    ],
    [
      "LTSV",
      both(
        (agent) => `time:[01/Jan/2024:13:00:05 +0000]\thost:192.0.2.1\treq:GET /a HTTP/1.1\tstatus:200\tua:${agent}`,
      ),
      [],
      /LTSV.*--log-format 'time:\[\$time_local\]\\thost:\$remote_addr\\treq:\$request\\tstatus:\$status\\tua:\$http_user_agent'/,
    ],
    [
      "Caddy's console",
      both(
        (agent) =>
          `2024/01/01 13:00:05.000\tINFO\thttp.log.access\thandled request\t{"request":{"headers":{"User-Agent":["${agent}"]}},"status":200}`,
      ),
      [],
      /format json/,
    ],
    ["carriage returns alone", `${combined(F)}\r`.repeat(50), [], /carriage return alone.*tr '\\r' '\\n'/],
    ["carriage returns in CSV", `user_agent,status\r${F},200\r`.repeat(5), [], /carriage return alone/],
  ];
  for (const [what, text, args, stderr] of rows)
    it(what, async () => {
      const outcome = await scan(text, ...args);
      assert.match(outcome.stderr, stderr);
      assert.equal(outcome.code, 2);
    });
});

it("the format that is advised for LTSV reads it", async () => {
  const text = both(
    (agent) => `time:[01/Jan/2024:13:00:05 +0000]\thost:192.0.2.1\treq:GET /a HTTP/1.1\tstatus:200\tua:${agent}`,
  );
  const advised = /--log-format '([^']*)'/.exec((await scan(text)).stderr)![1]!;
  const { stdout } = await scan(text, "--log-format", advised, "--format", "json");
  assert.deepEqual(
    [(JSON.parse(stdout) as Report).crawlers[0]?.first, (JSON.parse(stdout) as Report).requests],
    [thirteen, 2],
  );
});

describe("what is missing or unreadable in a part of the lines", () => {
  it("is said once, with the names that the log has", async () => {
    const { stderr, code } = await scan(both((agent) => json({ when: thirteen, result: 200, useragent: agent })));
    assert.match(
      stderr,
      /No member is known to be the status, time, path, size, address; .*There are when, result, useragent/,
    );
    assert.equal(code, 0);
  });

  it("is counted and shown with an example, in every output", async () => {
    const good = `${combined(G)}\n`.repeat(95);
    const bad = `${combined(G).replace("+0000", "CEST")}\n`.repeat(5);
    const { stderr, stdout } = await scan(good + bad);
    for (const text of [stderr, stdout.replaceAll("\n", " ")])
      assert.match(
        text,
        /the time of 5 lines could not be read and counts as missing, such as "01\/Jan\/2024:13:00:05 CEST"/,
      );
    const report = JSON.parse((await scan(good + bad, "--format", "json")).stdout) as Report;
    assert.deepEqual(report.unreadable, [{ field: "time", lines: 5, example: "01/Jan/2024:13:00:05 CEST" }]);
    assert.match((await scan(good + bad, "--format", "html")).stdout, /the time of 5 lines could not be read/);
    assert.doesNotMatch((await scan(good + bad.slice(0, 2 * bad.indexOf("\n")), "--format", "json")).stdout, /CEST/);
  });
});
