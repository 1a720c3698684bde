/** `whocrawls scan --robots`: who disobeys, in each format, apart for crawlers and their imitators; and wrong options and files. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { Report } from "../../src/scan/report/report.ts";
import { writeList } from "../support/write-list.ts";
import { runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-scan-robots-"));
after(() => rmSync(folder, { recursive: true }));
writeList(folder, "gptbot", ["74.7.241.0/25"]);
writeList(folder, "bing", ["40.77.167.0/24"]);

const gptbot = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const line = (address: string, path: string, useragent: string, status = 200): string =>
  `${address} - - [21/Nov/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" ${status} 100 "-" "${useragent}"\n`;
const log = join(folder, "access.log");
writeFileSync(
  log,
  line("74.7.241.7", "/robots.txt", gptbot) +
    line("74.7.241.7", "/open", gptbot).repeat(3000) +
    line("8.8.8.8", "/private/<a>", gptbot).repeat(400) +
    line("8.8.8.8", "/private/b", "Bytespider").repeat(1204) +
    line("8.8.8.8", "/private", "Mozilla/5.0 (compatible; ChatGPT-User/1.0)").repeat(9) +
    line("8.8.8.8", "/private", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
);
const robots = join(folder, "robots.txt");
writeFileSync(robots, "User-agent: *\nDisallow: /private\n");

const environment = { WHOCRAWLS_DATA: folder, WHOCRAWLS_VERIFY_REFRESH: "off" };
const since = ["--robots-since", "2026-01-01"];
const scan = (...args: readonly string[]) => runHere(["scan", ...args, log], "", environment);
const robotsOf = (stdout: string) =>
  Object.fromEntries((JSON.parse(stdout) as Report).crawlers.map(({ name, robots }) => [name, robots]));
const sentence =
  "2 of 3 crawlers requested disallowed paths: Bytespider (unverifiable) 1,204, GPTBot (verified) 0, GPTBot (spoofed) 400; 9 requests of such paths are excused.";

describe("whocrawls scan --robots", () => {
  for (const [name, runtime] of testedOn())
    it(`counts requests of verified and spoofed crawlers apart, as a process on ${name}`, async () => {
      const args = ["scan", "--robots", robots, ...since, "--verify", "--format", "json", "--threads", "2", log];
      const { code, stdout } = await runWhocrawls(runtime, args, "", environment);
      assert.equal(code, 0);
      const none = { verified: 0, spoofed: 0, unverifiable: 0, unchecked: 0 };
      assert.deepEqual(robotsOf(stdout), {
        GPTBot: {
          fetched: true,
          lastStatus: 200,
          applies: true,
          allowed: 3000,
          disallowed: 400,
          excused: 0,
          paths: [{ path: "/private/<a>", requests: 400 }],
          pathsExact: true,
          verification: { ...none, spoofed: 400 },
        },
        Bytespider: {
          fetched: false,
          applies: true,
          allowed: 0,
          disallowed: 1204,
          excused: 0,
          paths: [{ path: "/private/b", requests: 1204 }],
          pathsExact: true,
          verification: { ...none, unverifiable: 1204 },
        },
        "ChatGPT-User": {
          fetched: false,
          applies: false,
          allowed: 0,
          disallowed: 0,
          excused: 9,
          paths: [],
          pathsExact: true,
          verification: none,
        },
      });
    });

  it("has a sentence in the table and the page, and columns in CSV", async () => {
    const options = ["--robots", robots, ...since, "--verify"];
    const table = (await scan(...options)).stdout;
    assert.ok(table.includes(`\n- ${sentence.trim().replace(/\.$/, "")}, on 2026-`));
    assert.ok(table.includes(`\n${sentence}`));
    assert.match(
      table,
      /\n +Bytespider +1,204 +0 +unverifiable 1,204 +not fetched\n +\/private\/b: 1,204\n +GPTBot +400 +3,000 +spoofed 400 +fetched, 200\n/,
    );
    const page = (await scan(...options, "--format", "html")).stdout;
    assert.ok(page.includes("Bytespider (unverifiable) 1,204") && page.includes("/private/&lt;a&gt;"));
    assert.ok(!page.includes("/private/<a>"));
    const csv = (await scan(...options, "--format", "csv")).stdout;
    assert.match(
      csv,
      /,robotsFetched,robotsLastStatus,robotsApplies,robotsAllowed,robotsDisallowed,robotsExcused,robotsPaths,/,
    );
    assert.match(csv, /\nGPTBot,.*,true,200,true,3000,400,0,\/private\/<a>:400,0,400,0,0,/);
  });

  it("says how many requests are excused, because robots.txt is newer than they are", async () => {
    const { stdout } = await scan("--robots", robots);
    assert.match(stdout, /^0 of 3 crawlers requested disallowed paths; 1,613 requests of such paths are excused\.\n/m);
  });

  it("lists the disallowed paths of each crawler by their requests", async () => {
    const log = join(folder, "paths.log");
    const many = (count: number, path: string, name: string) => line("8.8.8.8", path, name).repeat(count);
    const [one, other] = ["GPTBot/1.2", "CCBot/2.0"];
    writeFileSync(log, many(5, "/private/a", one) + many(1, "/private/c", one) + many(3, "/private/b", other));
    const { stdout } = await runHere(["scan", "--robots", robots, ...since, log]);
    assert.match(stdout, / GPTBot .*\n +\/private\/a: 5\n +\/private\/c: 1\n +CCBot .*\n +\/private\/b: 3\n/);
  });

  it("takes neither the fetch of robots.txt nor the pace of an imitator for the crawler's", async () => {
    const [bingbot, here, there] = ["bingbot/2.0", "40.77.167.1", "8.8.8.8"];
    const log = join(folder, "imitated.log");
    const robots = join(folder, "delay.txt");
    writeFileSync(robots, "User-agent: *\nDisallow: /private\nCrawl-delay: 30\n");
    const count = async (ownStatus: number, otherStatus: number) => {
      writeFileSync(
        log,
        line(here, "/robots.txt", bingbot, ownStatus) +
          line(there, "/robots.txt", bingbot, otherStatus) +
          line(here, "/private", bingbot).repeat(5) +
          line(there, "/private", bingbot).repeat(7),
      );
      const options = ["--robots", robots, ...since, "--verify", "--format"];
      const read = async (format: string) => (await runHere(["scan", ...options, format, log], "", environment)).stdout;
      return { robots: robotsOf(await read("json")).bingbot!, csv: await read("csv"), table: await read("table") };
    };
    const none = { verified: 0, spoofed: 0, unverifiable: 0, unchecked: 0 };
    const imitated = await count(200, 404);
    assert.deepEqual(imitated.robots, {
      fetched: true,
      lastStatus: 200,
      applies: true,
      allowed: 0,
      disallowed: 5,
      excused: 7,
      paths: [{ path: "/private", requests: 12 }],
      pathsExact: true,
      verification: { ...none, verified: 5 },
      // Three requests in a minute keep the delay.
      crawlDelay: { seconds: 30, exceeding: 2, exact: true, verification: { ...none, verified: 2 } },
    });
    assert.match(imitated.table, /1 of 1 crawler with a Crawl-delay exceeded it: bingbot \(verified\) 2\./);
    assert.match(imitated.table, /\n +bingbot +2 +30 s +verified 2\n/);
    assert.match(imitated.csv, /,crawlDelay,crawlDelayExceeding,crawlDelayExact,crawlDelayExceedingVerified,/);
    assert.match(imitated.csv, /,30,2,true,2,0,0,0,/);
    const { robots: excused } = await count(404, 200);
    const { verified, ...others } = excused.crawlDelay!.verification!;
    assert.deepEqual([excused.lastStatus, excused.disallowed, excused.excused, verified], [404, 7, 5, 0]);
    assert.equal(others.spoofed + others.unverifiable, 4);
  });

  it("excuses requests before the file was changed, and says so", async () => {
    const { stdout, stderr } = await scan(
      "--robots",
      robots,
      "--robots-since",
      "2026-11-21T10:00:01",
      "--format",
      "json",
    );
    assert.deepEqual([robotsOf(stdout).Bytespider?.disallowed, robotsOf(stdout).Bytespider?.excused], [0, 1204]);
    assert.match(stderr, /The log begins at 2026-11-21T10:00:00Z, before robots\.txt was changed .* 1613 requests/);
    const other = await scan("--robots", robots, "--robots-since", "2026-11-20T10:00:00Z", "--format", "json");
    assert.equal(robotsOf(other.stdout).Bytespider?.disallowed, 1204);
    assert.doesNotMatch(other.stderr, /The log begins/);
    const open = join(folder, "open.txt");
    writeFileSync(open, "User-agent: *\nDisallow: /none\n");
    assert.doesNotMatch((await scan("--robots", open)).stderr, /The log begins/);
  });

  it("gets the file from a site, and takes a missing one for everything is allowed", async () => {
    let status = 200;
    const server = createServer((_, response) => {
      response.writeHead(status, { "content-type": "text/plain" }).end("User-agent: *\nDisallow: /private\n");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      assert.equal(robotsOf((await scan("--robots", url, "--format", "json")).stdout).Bytespider?.disallowed, 1204);
      status = 404;
      assert.equal(robotsOf((await scan("--robots", url, "--format", "json")).stdout).Bytespider?.disallowed, 0);
      status = 503;
      assert.equal((await scan("--robots", url)).code, 2);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it("refuses a host that has no address", async () => {
    const { code, stderr } = await scan("--robots", "https://name.invalid");
    assert.equal(code, 2);
    // Without network, DNS gives no answer.
    assert.match(stderr, /name\.invalid: (?:the host has no address|DNS gives no answer)$/m);
  });
});
