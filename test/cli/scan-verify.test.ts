/** `whocrawls scan --verify` tells genuine crawlers in a log from those that use their names; test/golden/cli/scan.txt has its table and CSV. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { Report } from "../../src/scan/report/report.ts";
import { writeList } from "../support/write-list.ts";
import { runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-scan-verify-"));
after(() => rmSync(folder, { recursive: true }));
writeList(folder, "gptbot", ["74.7.241.0/25"]);
const listed = writeList(folder, "google-common");

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
function put(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
const path = put("access.log", log);

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

  it("shows them in a page", async () => {
    const { stdout: page } = await scan("--verify", "--format", "html", path);
    const text = page.replace(/<[^>]*>/g, "|").replace(/[|\s]*\|[|\s]*/g, "|");
    for (const part of [
      "|400 requests in the name of known crawlers are spoofed: GPTBot 400, on ",
      "|GPTBot|9,100|400|31|0|4.2 %|",
      "|8.8.8.0/24|1 address|8.8.8.8: 400|GPTBot|spoofed|1|400|",
    ])
      assert.ok(text.includes(part), `${part} is not in ${text}`);
  });

  it("counts the networks of addresses, if the setting allows it", async () => {
    const own = put("networks.log", line("::ffff:3.5.140.2", gptbot).repeat(6) + line("104.28.28.1", gptbot));
    const networksOf = async (variables: Readonly<Record<string, string>>) =>
      (JSON.parse((await scanWith(variables, "--verify", "--format", "json", own)).stdout) as Report).crawlers[0]!
        .networks;
    assert.deepEqual(await networksOf({}), { tor: 0, vpn: 0, relay: 1, hosting: 6 });
    assert.equal(await networksOf({ WHOCRAWLS_NETWORKS: "off" }), undefined);
  });

  it("refuses variables that are wrong before it reads anything", async () => {
    const { code, stdout, stderr } = await scanWith({ WHOCRAWLS_VERIFY_REFRSH: "off" }, "--verify", path);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^[^\n]*is not a setting\. Did you mean "WHOCRAWLS_VERIFY_REFRESH"/);
  });

  it("says what it is based on", async () => {
    const from = writeList(folder, "gptbot", ["74.7.241.0/25"], Date.parse(listed) - 3_600_000);
    const log = put("basis.log", line("8.8.8.8", gptbot) + line("8.8.8.8", googlebot));
    const report = JSON.parse((await scan("--verify", "--format", "json", log)).stdout) as Report;
    const { listsFrom, listsTo, dnsAsked, dnsFailed } = report.verificationBasis!;
    // Of Googlebot; whether DNS answers depends on the machine.
    assert.deepEqual([listsFrom, listsTo, dnsAsked], [from, listed, 1]);
    const dns = dnsFailed === 0 ? "DNS answered for 1 address" : "DNS failed for 1 of 1 address";
    const days = [...new Set([from, listed].map((date) => date.slice(0, 10)))].join(" to ");
    assert.ok((await scan("--verify", log)).stderr.includes(`Verified by address lists of ${days}; ${dns}.`));
  });

  it("passes the lines of spoofed crawlers through, and all with their verdicts", async () => {
    const { code, stdout } = await scan("--only", "spoofed", "--threads", "2", path);
    assert.equal(code, 0);
    assert.ok(stdout === line("8.8.8.8", gptbot).repeat(400), stdout.slice(0, 500));
    const { stdout: all } = await scan("--annotate", "--verify", path);
    assert.equal(all.split('"status":"verified"').length - 1, 9107);
    assert.equal(all.trimEnd().split("\n").length, log.trimEnd().split("\n").length);
  });

  it("refuses pipes where lines are read twice", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const { code, stderr } = await scan("--only", "spoofed", path, pipe);
    assert.equal(code, 2);
    assert.match(stderr, /name files instead of - and of pipes/);
  });
});
