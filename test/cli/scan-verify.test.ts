/** `whocrawls scan --verify` tells genuine crawlers in a log from those that use their names. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, describe, it } from "node:test";
import type { Report } from "../../src/scan/report/report.ts";
import { writeList } from "../support/write-list.ts";
import { runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-scan-verify-"));
after(() => rmSync(folder, { recursive: true }));
writeList(folder, "gptbot", ["74.7.241.0/25"]);
writeList(folder, "google-common");

const gptbot = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const line = (address: string, useragent: string): string =>
  `${address} - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 100 "-" "${useragent}"\n`;
/** Enough for several blocks, so that both threads count. */
const log =
  line("74.7.241.7", gptbot).repeat(9000) +
  line("::ffff:74.7.241.8", gptbot).repeat(100) +
  line("8.8.8.8", gptbot).repeat(400) +
  line("10.0.0.1", gptbot).repeat(30) +
  line("-", gptbot) +
  line("66.249.66.1", googlebot).repeat(7) +
  line("66.249.66.1", "InventedBot/1.0").repeat(5) +
  line("8.8.8.8", firefox).repeat(1000);
const path = join(folder, "access.log");
writeFileSync(path, log);

const environment = { WHOCRAWLS_DATA: folder, WHOCRAWLS_VERIFY_REFRESH: "off" };
const scan = (...args: readonly string[]) => scanWith({}, ...args);
const scanWith = (variables: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  runHere(["scan", ...args], "", { ...environment, ...variables });
const verificationsOf = (report: Report) =>
  Object.fromEntries(report.crawlers.map(({ name, verification }) => [name, verification]));

describe("whocrawls scan --verify", () => {
  for (const [name, runtime] of testedOn())
    it(`counts requests by whose they are, as a process on ${name}`, async () => {
      const args = ["scan", "--verify", "--threads", "2", "--format", "json", path];
      const { code, stdout, stderr } = await runWhocrawls(runtime, args, "", environment);
      assert.equal(code, 0);
      assert.match(
        stderr,
        /Requests of crawlers: 9,107 verified, 400 spoofed, 31 unverifiable, 0 unchecked\. Verified by /,
      );
      const report = JSON.parse(stdout) as Report;
      assert.deepEqual(verificationsOf(report), {
        GPTBot: { verified: 9100, spoofed: 400, unverifiable: 31, unchecked: 0 },
        Googlebot: { verified: 7, spoofed: 0, unverifiable: 0, unchecked: 0 },
        InventedBot: undefined,
      });
      assert.deepEqual(readdirSync(folder).sort(), ["access.log", "ranges"]);
    });

  it("shows them in a table and in CSV", async () => {
    const { stdout: table } = await scan("--verify", path);
    assert.match(
      table,
      /Verified by address\n +crawler +verified +spoofed +unverifiable +unchecked +spoofed share\n +GPTBot +9,100 +400 +31 +0 +4\.2 %\n +Googlebot +7 +0 +0 +0 /,
    );
    const { stdout: csv } = await scan("--verify", "--format", "csv", path);
    const [head = "", first = ""] = csv.split("\r\n");
    assert.match(
      head,
      /,verified,spoofed,unverifiable,unchecked,listsFrom,listsTo,dnsAsked,dnsFailed,tor,vpn,relay,hosting,spoofedAddresses,spoofedNetworks,unverifiableAddresses,unverifiableNetworks$/,
    );
    assert.match(first, /^GPTBot,.*,9100,400,31,0,[\dT:.Z-]+,[\dT:.Z-]+,0,0,0,0,0,9100,8\.8\.8\.8 400 /);
    const { stdout: page } = await scan("--verify", "--format", "html", path);
    assert.match(
      page,
      /<li class="alarm"><bdi>400 requests in the name of known crawlers are spoofed: GPTBot 400, on [\d-]+\.<\/bdi> <a href="#verification">/,
    );
    assert.match(
      page,
      /<bdi>GPTBot<\/bdi><\/td>.*"Verified"><bdi>9,100<.*"Spoofed"><b class="alarm"><bdi>400<.*"Unverifiable"><bdi>31<.*"Unchecked"><bdi>0</,
    );
  });

  it("counts the networks of addresses, if the setting allows it", async () => {
    const own = join(folder, "networks.log");
    writeFileSync(
      own,
      line("3.5.140.2", gptbot).repeat(4) +
        line("::ffff:3.5.140.2", gptbot).repeat(2) +
        line("104.28.28.1", gptbot) +
        line("8.8.8.8", gptbot) +
        line("66.249.66.1", googlebot),
    );
    try {
      const { stdout } = await scan("--verify", "--format", "json", own);
      const networks = (JSON.parse(stdout) as Report).crawlers.map(({ name, networks }) => [name, networks]);
      assert.deepEqual(networks, [
        ["GPTBot", { tor: 0, vpn: 0, relay: 1, hosting: 6 }],
        ["Googlebot", undefined],
      ]);
      const { stdout: table } = await scan("--verify", own);
      assert.match(table, /Networks of crawlers' addresses\n +crawler +tor +vpn +relay +hosting\n +GPTBot +0 +0 +1 +6/);
      const { stdout: csv } = await scan("--verify", "--format", "csv", own);
      assert.match(csv, /,tor,vpn,relay,hosting,.*\r\nGPTBot,.*,0,0,1,6,/);
      const { stdout: page } = await scan("--verify", "--format", "html", own);
      assert.match(page, /relay 1 · hosting 6/);
      const { stdout: off } = await scanWith({ WHOCRAWLS_NETWORKS: "off" }, "--verify", "--format", "json", own);
      assert.ok((JSON.parse(off) as Report).crawlers.every(({ networks }) => networks === undefined));
    } finally {
      rmSync(own);
    }
  });

  it("says that a log has no addresses, or no crawlers", async () => {
    const agents = join(folder, "..", `${basename(folder)}.agents`);
    for (const [text, said] of [
      [gptbot, /cannot be verified: it has no client addresses/],
      [firefox, /no crawlers to verify/],
    ] as const) {
      writeFileSync(agents, `${text}\n`);
      assert.match((await scan("--verify", agents)).stderr, said);
    }
    rmSync(agents);
  });

  it("refuses variables that are wrong before it reads anything", async () => {
    for (const [variables, said] of [
      [{ WHOCRAWLS_VERIFY_REFRESH: "of" }, /WHOCRAWLS_VERIFY_REFRESH is "of"; it must be true or false/],
      [{ WHOCRAWLS_VERIFY_REFRSH: "off" }, /is not a setting\. Did you mean "WHOCRAWLS_VERIFY_REFRESH"/],
    ] as const) {
      const { code, stdout, stderr } = await scanWith(variables, "--verify", path);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, said);
      assert.doesNotMatch(stderr, /combined format/);
    }
  });

  it("says in every format what it is based on", async () => {
    const own = mkdtempSync(join(tmpdir(), "whocrawls-scan-basis-"));
    try {
      const from = writeList(own, "gptbot", ["192.0.2.0/24"], Date.now() - 3_600_000);
      const to = writeList(own, "google-common", ["192.0.2.0/24"]);
      const logs = join(own, "access.log");
      writeFileSync(logs, line("8.8.8.8", gptbot) + line("8.8.8.8", googlebot));
      const here = (...args: readonly string[]) =>
        scanWith({ WHOCRAWLS_DATA: own, WHOCRAWLS_VERIFY_REFRESH: "off" }, "--verify", ...args, logs);
      const report = JSON.parse((await here("--format", "json")).stdout) as Report;
      const { listsFrom, listsTo, dnsAsked, dnsFailed } = report.verificationBasis!;
      assert.deepEqual([listsFrom, listsTo], [from, to]);
      // Of Googlebot; whether DNS answers depends on the machine.
      assert.equal(dnsAsked, 1);
      const dns = dnsFailed === 0 ? "DNS answered for 1 address" : "DNS failed for 1 of 1 address";
      const days = [...new Set([from, to].map((date) => date.slice(0, 10)))].join(" to ");
      const basis = `Verified by address lists of ${days}; ${dns}.`;
      const results = /Requests: 0 verified, \d spoofed, \d unverifiable, 0 unchecked\./;
      for (const format of ["table", "html"]) {
        const { stdout, stderr } = await here("--format", format);
        assert.match(stdout, results);
        for (const text of [stdout, stderr]) assert.ok(text.includes(basis), text);
      }
      const [head = "", ...rows] = (await here("--format", "csv")).stdout.trimEnd().split("\r\n");
      assert.match(head, /,unchecked,listsFrom,listsTo,dnsAsked,dnsFailed,/);
      assert.equal(rows.length, 2);
      for (const row of rows) assert.ok(row.includes(`,${listsFrom},${listsTo},1,${dnsFailed},`), row);
    } finally {
      rmSync(own, { recursive: true });
    }
  });

  it("says nothing of it where it was not asked", async () => {
    const { stdout } = await scan("--format", "json", path);
    assert.doesNotMatch(stdout, /verif/);
  });

  it("names the addresses behind spoofed and unverifiable names, with networks and times, in all formats", async () => {
    const { stdout } = await scan("--verify", "--format", "json", path);
    const { crawlers } = JSON.parse(stdout) as Report;
    const at = { first: "2026-11-21T10:00:00Z", last: "2026-11-21T10:00:00Z" };
    const { addresses, networks } = crawlers.find((crawler) => crawler.name === "GPTBot")!.suspects!;
    assert.deepEqual(
      addresses.map(({ reason: _, ...address }) => address),
      [
        { status: "spoofed", address: "8.8.8.8", requests: 400, ...at },
        { status: "unverifiable", address: "10.0.0.1", requests: 30, ...at },
        { status: "unverifiable", address: null, requests: 1, ...at },
      ],
    );
    assert.deepEqual(networks, [
      { status: "spoofed", network: "8.8.8.0/24", addresses: 1, requests: 400, ...at },
      { status: "unverifiable", network: "10.0.0.0/24", addresses: 1, requests: 30, ...at },
    ]);
    assert.equal(crawlers.find((crawler) => crawler.name === "Googlebot")!.suspects, undefined);
    const { stdout: table } = await scan("--verify", path);
    assert.match(
      table,
      /Networks behind spoofed.*\n.*\n +8\.8\.8\.0\/24 +GPTBot +spoofed +1 +400 .*\n +8\.8\.8\.8: 400\n/,
    );
    const { stdout: csv } = await scan("--verify", "--format", "csv", path);
    assert.match(csv, /,8\.8\.8\.8 400 2026-11-21T10:00:00Z 2026-11-21T10:00:00Z,8\.8\.8\.0\/24 400 /);
    const { stdout: page } = await scan("--verify", "--format", "html", path);
    assert.match(
      page,
      /Networks behind[\s\S]*>8\.8\.8\.0\/24<.*<summary>1 address<\/summary><div><bdi>8\.8\.8\.8: 400</,
    );
  });

  it("passes the lines of spoofed crawlers through, with their verdict if asked", async () => {
    const { code, stdout } = await scan("--only", "spoofed", "--threads", "2", path);
    assert.equal(code, 0);
    assert.ok(stdout === line("8.8.8.8", gptbot).repeat(400), stdout.slice(0, 500));
    const { stdout: annotated } = await scan("--only", "spoofed", "--annotate", path);
    const lines = annotated.trimEnd().split("\n");
    assert.equal(lines.length, 400);
    const verdict = JSON.parse(lines[0]!.split("\t")[1]!) as { name: string; verification: { status: string } };
    assert.deepEqual([verdict.name, verdict.verification.status], ["GPTBot", "spoofed"]);
    const { stdout: all } = await scan("--annotate", "--verify", path);
    assert.equal(all.split('"status":"verified"').length - 1, 9107);
    assert.equal(all.trimEnd().split("\n").length, log.trimEnd().split("\n").length);
    const table = join(folder, "requests.csv");
    writeFileSync(table, `ip,useragent\n8.8.8.8,"${gptbot}"\n8.8.8.8,"${firefox}"\n`);
    const { stdout: rows } = await scan("--annotate", "--verify", table);
    rmSync(table);
    assert.deepEqual(
      rows.split("\n").map((row) => row.replace(/^([^,]*),.*",/, "$1,")),
      [
        "ip,useragent,crawler,name,operator,category,purposes,verification",
        "8.8.8.8,true,GPTBot,OpenAI,ai,training,spoofed",
        "8.8.8.8,false,,,,,",
        "",
      ],
    );
  });

  it("refuses what it would not do", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const [args, said] of [
      [["--verify", "--only", "crawlers", path], /leave out --verify, or add --annotate/],
      [["--only", "spoofed", "-"], /name files instead of - and of pipes/],
      [["--only", "spoofed", path, pipe], /name files instead of - and of pipes/],
      [["--only", "spoof", path], /--only takes crawlers, people, spoofed; not "spoof"/],
      [["--verify-limit", "5", path], /--verify-limit limits --verify/],
    ] as const) {
      const { code, stderr } = await scan(...args);
      assert.equal(code, 2);
      assert.match(stderr, said);
    }
  });
});
