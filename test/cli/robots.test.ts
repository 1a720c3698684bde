/** `whocrawls robots` with addresses and bytes; test/golden/cli/robots.txt has its options and outputs. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { temporary } from "../support/temporary.ts";
import { runWhocrawls, testedOn } from "./command-line.ts";
import { runHere } from "./run-here.ts";

const folder = temporary();

function put(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const site = put("site.txt", "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n\nDisalow: /x\n");

describe("whocrawls robots", () => {
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
      assert.match(stdout, /GPTBot: expected allowed/);
    });
});

describe("whocrawls robots with an address", () => {
  const blocked = "User-agent: GPTBot\nDisallow: /";
  const html = { "content-type": "text/html" };
  const gzip = { "content-type": "text/plain", "content-encoding": "gzip" };
  const endless = (response: ServerResponse): void => {
    const more = (): unknown => response.destroyed || response.write("#".repeat(65_536), () => setImmediate(more));
    more();
  };
  type Body = string | Uint8Array | ((response: ServerResponse) => void);
  const isPage =
    /GPTBot +allowed[\s\S]*:1: the text is a web page[\s\S]*content type text\/html; it should be text\/plain/;
  const moreBytes = /more than 1000000 bytes/;
  const answers: readonly [string, number, OutgoingHttpHeaders, body: Body, code: number, says: RegExp][] = [
    ["/robots.txt", 200, { "content-type": "text/plain" }, blocked, 0, /GPTBot +blocked[\s\S]*No warnings/],
    ["/moved", 301, { location: "/robots.txt" }, "", 0, /GPTBot +blocked/],
    ["/gzip", 200, gzip, gzipSync(blocked), 0, /GPTBot +blocked/],
    ["/bomb", 200, gzip, gzipSync("#".repeat(1_000_001)), 2, moreBytes],
    ["/html", 200, html, "<html><form>Sign in</form>", 0, isPage],
    ["/404", 404, html, blocked, 0, /GPTBot +allowed[\s\S]*status 404: crawlers treat everything as allowed/],
    ["/503", 503, {}, "", 2, /status 503; crawlers that obey robots\.txt fetch nothing/],
    ["/loop", 302, { location: "/loop" }, "", 2, /more than 5 redirects/],
    ["/file", 302, { location: "file:///etc/passwd" }, "", 2, /file:\/\/ is not http or https/],
    ["/bad", 302, { location: "http://[" }, "", 2, /a redirect to "http:\/\/\[", which is not a valid URL/],
    ["/endless", 200, {}, endless, 2, moreBytes],
    [
      "/cut",
      200,
      { "content-length": "100" },
      (response) => response.write("User", () => response.destroy()),
      2,
      /closed/,
    ],
  ];
  const server = createServer((request, response) => {
    const [, status, headers, body] = answers.find(([path]) => path === request.url)!;
    response.writeHead(status, headers);
    if (typeof body === "function") body(response);
    else response.end(body);
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

  for (const [path, , , , code, says] of answers)
    for (const [name, runtime] of testedOn())
      it(`${path} on ${name}`, async () => {
        // The address of a site is that of its robots.txt.
        const address = origin + path.replace("/robots.txt", "");
        const outcome = await runWhocrawls(runtime, ["robots", address, "--crawler", "GPTBot"]);
        assert.match(outcome.stdout + outcome.stderr, says);
        assert.equal(outcome.code, code);
        assert.doesNotMatch(outcome.stderr, /^\s+at /m);
      });
});

it("export robots.txt keeps the bytes of a file", async () => {
  const own = "User-agent: GPTBot\r\nDisallow: /private\r\nSitemap: https://example.com/s.xml";
  const { stdout } = await runHere(["export", "robots.txt", "--name", "CCBot", "--file", put("own.txt", own)]);
  assert.ok(stdout.startsWith(`${own}\n\n# Crawlers`));
});
