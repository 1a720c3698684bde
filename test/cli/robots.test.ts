/** `whocrawls robots` and `export robots.txt`: files and addresses, exit codes, and what is wrong with them. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const folder = mkdtempSync(join(tmpdir(), "whocrawls-robots-"));
after(() => rmSync(folder, { recursive: true }));

function put(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const site = put("site.txt", "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n\nDisalow: /x\n");
const blocked = put("blocked.txt", "User-agent: *\nDisallow: /\n");

interface Row {
  readonly args: readonly string[];
  readonly code?: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
}

const rows: readonly Row[] = [
  { args: [site], stdout: /^ {2}GPTBot +blocked +group GPTBot, line 5: Disallow: \/$/m },
  { args: [site], stdout: /^ {2}Googlebot +allowed +group \*, line 2: Disallow: \/private$/m },
  { args: [site], stdout: /^ {2}ChatGPT-User +does not apply +https:\/\/developers\.openai\.com\//m },
  { args: [site], stdout: /^Warnings:\n {2}.*site\.txt:7: "disalow" is no rule/m },
  { args: [site, "--crawler", "gptbot"], stdout: /^ai\n {2}GPTBot {2}blocked .*\n\nWarnings:/ },
  {
    args: [site, "--expect", "gptbot=blocked,Bytespider=allowed"],
    stdout: /\nAll crawlers have the expected status\.\n$/,
  },
  {
    args: [site, "--expect", "GPTBot=allowed"],
    code: 1,
    stdout: /\nNot as expected:\n {2}GPTBot is expected to be allowed: blocked, group GPTBot, line 5: Disallow: \/\n$/,
  },
  { args: [blocked, "--expect", "ai:training=blocked,search-engine=blocked"], stdout: /expected status/ },
  {
    args: [blocked, "--expect", "ai=blocked"],
    code: 1,
    stdout: /ChatGPT-User is expected to be blocked: does not apply/,
  },
  {
    args: [blocked, "--expect", "ai=blocked", "--expect", "ChatGPT-User=allowed"],
    code: 1,
    stdout: /Perplexity-User is/,
  },
  { args: [put("page.txt", "<!doctype html><p>Sign in")], stdout: /page\.txt:1: the text is a web page/ },
  { args: [put("binary.txt", Buffer.from([0xff, 0xfe, 0x55, 0]))], stdout: /binary\.txt:1: the line is not UTF-8/ },
  { args: [put("empty.txt", "")], stdout: /GPTBot +allowed +no group applies/ },
  { args: [], code: 2, stderr: /Name one robots\.txt/ },
  { args: [site, site], code: 2, stderr: /Name one robots\.txt/ },
  { args: [join(folder, "none")], code: 2, stderr: /none: there is no such file/ },
  { args: [folder], code: 2, stderr: /it is a folder/ },
  { args: [put("large.txt", "#".repeat(1_000_001))], code: 2, stderr: /large\.txt: the file is larger than 1 MB/ },
  { args: ["/dev/zero"], code: 2, stderr: /\/dev\/zero: the file is larger than 1 MB/ },
  { args: ["a\nb"], code: 2, stderr: /^whocrawls robots: a\\u\{000a\}b: there is no such file$/m },
  { args: [site, "--format", "xml"], code: 2, stderr: /--format takes text, json; not "xml"/ },
  { args: [site, "--all", "--crawler", "ai"], code: 2, stderr: /Choose one of/ },
  { args: [site, "--crawler", "gptbt"], code: 2, stderr: /Did you mean "GPTBot"/ },
  { args: [site, "--expect", "ai:training"], code: 2, stderr: /"ai:training" must be a word and allowed/ },
  { args: [site, "--expct", "ai=blocked"], code: 2, stderr: /Did you mean "--expect"/ },
  { args: ["ftp://example.com"], code: 2, stderr: /is not http or https/ },
  { args: ["https://"], code: 2, stderr: /https:\/\/ is no address/ },
];

describe("whocrawls robots", () => {
  for (const { args, code = 0, stdout = /^/, stderr = /^$/ } of rows)
    it(args.join(" ").replaceAll(folder, "").slice(0, 80), async () => {
      const outcome = await runHere(["robots", ...args]);
      assert.match(outcome.stderr, stderr);
      assert.match(outcome.stdout, stdout);
      assert.equal(outcome.code, code);
      assert.doesNotMatch(outcome.stderr, /^\s+at /m);
    });

  it("--all has more crawlers, each once", async () => {
    const read = async (...args: string[]) =>
      JSON.parse((await runHere(["robots", site, "--format", "json", ...args])).stdout) as {
        crawlers: { name: string; status: string }[];
        warnings: { line: number }[];
      };
    const [known, all] = [await read(), await read("--all")];
    const names = all.crawlers.map(({ name }) => name);
    assert.ok(known.crawlers.length > 30 && all.crawlers.length > 500);
    assert.equal(new Set(names).size, names.length);
    assert.ok(known.crawlers.every(({ name }) => names.includes(name)));
    assert.deepEqual(
      known.warnings.map(({ line }) => line),
      [7],
    );
  });

  for (const [name, runtime] of testedOn())
    it(`${name} runs it as a process`, async () => {
      const { code, stdout } = await runWhocrawls(runtime, ["robots", site, "--expect", "GPTBot=allowed"]);
      assert.equal(code, 1);
      assert.match(stdout, /GPTBot is expected/);
    });
});

describe("whocrawls robots with an address", () => {
  const answers: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
    "/robots.txt": (response) =>
      response.setHeader("content-type", "text/plain").end("User-agent: GPTBot\nDisallow: /"),
    "/html": (response) => response.setHeader("content-type", "text/html").end("<html><form>Sign in</form>"),
    "/404": (response) =>
      response.writeHead(404, { "content-type": "text/html" }).end("User-agent: GPTBot\nDisallow: /"),
    "/503": (response) => response.writeHead(503).end(),
    "/moved": (response) => response.writeHead(301, { location: "/robots.txt" }).end(),
    "/gzip": (response) =>
      response
        .writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" })
        .end(gzipSync("User-agent: GPTBot\nDisallow: /")),
    "/bomb": (response) => response.setHeader("content-encoding", "gzip").end(gzipSync("#".repeat(1_000_001))),
    "/loop": (response) => response.writeHead(302, { location: "/loop" }).end(),
    "/file": (response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
    "/bad": (response) => response.writeHead(302, { location: "http://[" }).end(),
    "/endless": (response) => {
      const more = (): unknown => response.destroyed || response.write("#".repeat(65_536), () => setImmediate(more));
      more();
    },
    "/cut": (response) => response.writeHead(200, { "content-length": "100" }).write("User", () => response.destroy()),
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ""];
    if (answer === undefined) response.writeHead(400).end();
    else answer(response);
  });
  let origin = "";
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  for (const [path, code, says] of [
    ["", 0, /GPTBot +blocked[\s\S]*No warnings/],
    ["/robots.txt", 0, /GPTBot +blocked/],
    ["/moved", 0, /GPTBot +blocked/],
    ["/gzip", 0, /GPTBot +blocked/],
    ["/bomb", 2, /more than 1000000 bytes/],
    [
      "/html",
      0,
      /GPTBot +allowed[\s\S]*:1: the text is a web page[\s\S]*content type text\/html; it should be text\/plain/,
    ],
    ["/404", 0, /GPTBot +allowed[\s\S]*status 404: for crawlers everything is allowed/],
    ["/503", 2, /status 503; crawlers that obey robots\.txt fetch nothing/],
    ["/loop", 2, /more than 5 redirects/],
    ["/file", 2, /file:\/\/ is not http or https/],
    ["/bad", 2, /a redirect to "http:\/\/\[", which is no address/],
    ["/endless", 2, /more than 1000000 bytes/],
    ["/cut", 2, /\/cut: the connection was closed/],
  ] as const)
    for (const [name, runtime] of testedOn())
      it(`${path || "without a path"} on ${name}`, async () => {
        const outcome = await runWhocrawls(runtime, ["robots", origin + path, "--crawler", "GPTBot"]);
        assert.match(outcome.stdout + outcome.stderr, says);
        assert.equal(outcome.code, code);
        assert.doesNotMatch(outcome.stderr, /^\s+at /m);
      });
});

describe("export robots.txt", () => {
  const own = put("own.txt", "User-agent: GPTBot\r\nDisallow: /private\r\nSitemap: https://example.com/s.xml");
  for (const { args, code = 0, stdout = /^/, stderr = /^$/ } of [
    {
      args: ["--name", "GPTBot,CCBot", "--file", own],
      stdout: /s\.xml\n\n# Crawlers .*\n.*\n\n# Common Crawl Foundation\nUser-agent: CCBot\nDisallow: \/\n$/,
    },
    { args: ["--name", "GPTBot", "--file", own], stdout: /a group of its own above/ },
    { args: ["--signals", "search=yes"], stdout: /^User-agent: \*\nContent-Signal: search=yes\nDisallow:\n$/m },
    { args: ["--signals", "search=perhaps"], code: 2, stderr: /signal search is yes or no/ },
    { args: ["--file", put("damaged.txt", "a\n\0")], code: 2, stderr: /damaged\.txt: line 2: the file is not text/ },
    { args: ["--file", join(folder, "none")], code: 2, stderr: /none: there is no such file/ },
    { args: ["--file", folder], code: 2, stderr: /: it is a folder/ },
    {
      args: ["--signals", "search=yes", "--file", put("signal.txt", "User-agent: *\nContent-Signal: search=no\n")],
      stdout: /^User-agent: \*\nContent-Signal: search=no\n/,
      stderr: /signal\.txt:2: The file has a Content-Signal for \*, which stays/,
    },
  ] as readonly Row[])
    it(args.join(" ").replaceAll(folder, ""), async () => {
      const outcome = await runHere(["export", "robots.txt", ...args]);
      assert.match(outcome.stderr, stderr);
      assert.match(outcome.stdout, stdout);
      assert.equal(outcome.code, code);
      if (args.includes(own)) assert.ok(outcome.stdout.startsWith(readFileSync(own, "utf8")));
    });

  for (const target of ["nginx", "automaton", "ranges"])
    for (const option of ["--file", "--signals"])
      it(`has ${option}, ${target} does not`, async () => {
        const { code, stderr } = await runHere(["export", target, option, "x"]);
        assert.equal(code, 2);
        assert.match(stderr, new RegExp(option));
      });
});
