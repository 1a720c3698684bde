/**
 * `whocrawls scan` with `--verify` and `--robots` as a process, and with what is asked in the network; their outputs are in
 * test/golden/cli/.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Report } from "../../src/scan/report/report.ts";
import { logLines } from "../support/log-lines.ts";
import { temporary } from "../support/temporary.ts";
import { writeList } from "../support/write-list.ts";
import { runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const folder = temporary();
const from = writeList(folder, "gptbot", ["74.7.241.0/25"], Date.now() - 3_600_000);
const to = writeList(folder, "google-common", undefined, Date.parse(from) + 3_600_000);
const robots = join(folder, "robots.txt");
writeFileSync(robots, "User-agent: *\nDisallow: /private\n");
const environment = { WHOCRAWLS_DATA: folder, WHOCRAWLS_VERIFY_REFRESH: "off" };
const scan = async (...args: string[]) => {
  const { code, stdout, stderr } = await runHere(["scan", "--format", "json", ...args], "", environment);
  return { code, stderr, report: () => JSON.parse(stdout) as Report };
};

/** Enough for several blocks, so that both threads count. */
const spoofed = logLines("400 | gptbot | address=8.8.8.8 path=/private/a");
const path = join(folder, "access.log");
writeFileSync(
  path,
  logLines("9000 | gptbot | address=74.7.241.7") + spoofed + logLines("7 | googlebot | address=66.249.66.1"),
);

for (const [name, runtime] of testedOn())
  describe(`whocrawls scan with evidence as a process on ${name}`, () => {
    const run = (...args: readonly string[]) =>
      runWhocrawls(runtime, ["scan", "--threads", "2", ...args, path], "", environment);

    it("counts requests by whose they are, and what robots.txt says of them", async () => {
      const args = ["--verify", "--robots", robots, "--robots-since", "2026-01-01", "--format", "json"];
      const { code, stdout, stderr } = await run(...args);
      assert.equal(code, 0, stderr);
      const { crawlers } = JSON.parse(stdout) as Report;
      const none = { verified: 0, spoofed: 0, unverifiable: 0, unchecked: 0 };
      assert.deepEqual(
        crawlers.map(({ name, verification, robots }) => [
          name,
          verification,
          robots?.disallowed,
          robots?.verification,
        ]),
        [
          ["GPTBot", { ...none, verified: 9000, spoofed: 400 }, 400, { ...none, spoofed: 400 }],
          ["Googlebot", { ...none, verified: 7 }, 0, none],
        ],
      );
      assert.deepEqual(readdirSync(folder).sort(), ["access.log", "ranges", "robots.txt"]);
    });

    it("passes the lines of spoofed crawlers through", async () =>
      assert.ok((await run("--only", "spoofed")).stdout === spoofed));
  });

describe("whocrawls scan", () => {
  it("says what a verification is based on", async () => {
    const log = join(folder, "basis.log");
    writeFileSync(log, logLines("1 | gptbot | address=8.8.8.8\n1 | googlebot | address=8.8.8.8"));
    const { report, stderr } = await scan("--verify", log);
    const { listsFrom, listsTo, dnsAsked, dnsFailed } = report().verificationBasis!;
    // Of Googlebot; whether DNS answers depends on the machine.
    assert.deepEqual([listsFrom, listsTo, dnsAsked], [from, to, 1]);
    const dns = dnsFailed === 0 ? "DNS answered for 1 address" : "DNS failed for 1 of 1 address";
    const days = [...new Set([from, to].map((date) => date.slice(0, 10)))].join(" to ");
    assert.ok(stderr.includes(`Verified by address lists of ${days}; ${dns}.`), stderr);
  });

  it("gets robots.txt from a site, and takes a missing one for everything is allowed", async () => {
    let status = 200;
    const server = createServer((_, response) => {
      response.writeHead(status, { "content-type": "text/plain" }).end("User-agent: *\nDisallow: /private\n");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const disallowed = async () => (await scan("--robots", url, path)).report().crawlers[0]?.robots?.disallowed;
    assert.equal(await disallowed(), 400);
    status = 404;
    assert.equal(await disallowed(), 0);
    status = 503;
    assert.equal((await scan("--robots", url, path)).code, 2);
    server.close();
    server.closeAllConnections();
  });

  it("refuses a host that has no address", async () => {
    const { code, stderr } = await scan("--robots", "https://name.invalid", path);
    assert.equal(code, 2);
    // Without network, DNS did not answer.
    assert.match(stderr, /name\.invalid: (?:the host has no address|DNS did not answer)$/m);
  });
});
