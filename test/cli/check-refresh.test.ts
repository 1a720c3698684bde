/** `whocrawls check --ip` with lists of a local server: what is downloaded, kept and tried again, and what is said if that fails. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, it } from "node:test";
import { createVerify } from "../../src/cli/verify/evidence.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Detector } from "../../src/detect/verdict.ts";
import { createGet } from "../../src/verify/https-get.ts";
import { copyOf } from "../support/copy-of.ts";
import { temporary } from "../support/temporary.ts";
import { listenHttps, loopback, type TestServer } from "../verify/https-server.ts";

const prefixes = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `45.${32 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}/32`);

/** What a server may send in place of the list, and what is said about it. */
const unusable: readonly (readonly [path: string, answer: (response: ServerResponse) => void, why: RegExp])[] = [
  ["/away", (response) => response.writeHead(503).end(), /\/away responded with status 503/],
  ["/missing", (response) => response.writeHead(404).end("Not found"), /\/missing responded with status 404/],
  ["/broken", (response) => response.writeHead(500).end(), /\/broken responded with status 500/],
  ["/page", (response) => response.end("<!doctype html><p>Sign in</p>"), /JSON/],
  ["/empty", (response) => response.end('{"prefixes":[]}'), /it contains no prefixes/],
  ["/words", (response) => response.end('{"prefixes":[{"ipv4Prefix":"soon"}]}'), /"soon" is not a prefix/],
  ["/all", (response) => response.end('{"prefixes":[{"ipv4Prefix":"0.0.0.0/0"}]}'), /0\.0\.0\.0\/0 is wider than/],
  [
    "/inside",
    (response) => response.end('{"prefixes":[{"ipv4Prefix":"10.1.0.0/24"}]}'),
    /1 of its 1 prefixes are not public/,
  ],
  ["/large", (response) => response.end(" ".repeat(8_000_001)), /more than 8000000 bytes/],
  ["/many", (response) => response.end(JSON.stringify({ prefixes: prefixes(200_001) })), /more than 200000 prefixes/],
  ["/grown", (response) => response.end(JSON.stringify({ prefixes: prefixes(101) })), /grows from 1 to 101 prefixes/],
  ["/round", (response) => response.writeHead(302, { location: "/round" }).end(), /more than 3 redirects/],
  [
    "/cut",
    (response) => response.writeHead(200, { "content-length": 100 }).write("{", () => response.destroy()),
    /aborted|hang up|closed|reset/i,
  ],
];

let server: TestServer;
/** The path of the list, which decides how the server answers. */
let path = "/list";
before(async () => {
  server = await listenHttps((request, response) => {
    const bad = unusable.find(([path]) => path === request.url);
    if (bad !== undefined) bad[1](response);
    else if (request.url !== "/silent") response.end('{"prefixes":[{"ipv4Prefix":"45.33.32.0/24"}]}');
  });
});
after(() => server.close());

const { env } = process;
const parent = temporary();
let folder = "";
let requests = 0;
beforeEach(() => {
  folder = mkdtempSync(join(parent, "cache-"));
  requests = server.requests;
  process.env = { ...env, XDG_CACHE_HOME: folder, WHOCRAWLS_DATA: join(folder, "data") };
});
afterEach(() => {
  process.env = env;
});

/** GPTBot's list is on the local server; its copy is too old to decide. */
function oldDetector(): Detector {
  const { proofs, ranges } = detector.catalogue.verification;
  const source = { url: `https://lists.example:${server.port}${path}`, format: "json" } as const;
  const verification = {
    proofs: proofs.map((proof) => (proof.id === "gptbot" ? { ...proof, ranges: [source] } : proof)),
    ranges: { ...ranges, gptbot: copyOf("2026-01-01", "45.33.32.0/25") },
  };
  return { ...detector, catalogue: { ...detector.catalogue, verification } };
}

/** The statuses of two addresses of GPTBot, what is said, and how many requests were sent. */
async function check(waitMs = 60_000, downloads = true) {
  const said: string[] = [];
  const say = (text: string) => said.push(text);
  const verify = createVerify(oldDetector(), { waitMs, downloads, say, get: createGet(loopback) });
  const statuses = [];
  for (const ip of ["45.33.32.200", "8.8.8.8"])
    statuses.push((await verify([detector.check("GPTBot/1.2")], () => ({ ip })))[0]?.verification?.status);
  return { statuses, said, asked: server.requests - requests };
}

const unverifiable = ["unverifiable", "unverifiable"];

it("an old list is downloaded once, and kept in the cache, not in the data folder", async () => {
  path = "/list";
  for (const _ of ["the first command", "the next command"])
    assert.deepEqual(await check(), { statuses: ["verified", "spoofed"], said: [], asked: 1 });
  assert.deepEqual(readdirSync(join(folder, "whocrawls", "ranges")), ["gptbot.json"]);
  assert.equal(existsSync(join(folder, "data")), false);
});

it("nothing is downloaded for lines of standard input, without time, and with WHOCRAWLS_VERIFY_REFRESH=off", async () => {
  path = "/list";
  assert.deepEqual(await check(60_000, false), { statuses: unverifiable, said: [], asked: 0 });
  assert.deepEqual(await check(0), { statuses: unverifiable, said: [], asked: 0 });
  process.env.WHOCRAWLS_VERIFY_REFRESH = "off";
  assert.deepEqual(await check(), { statuses: unverifiable, said: [], asked: 0 });
});

for (const [place, , why] of unusable)
  it(`a server's ${place} leaves the copy in use, and is reported`, async () => {
    path = place;
    const { statuses, said } = await check();
    assert.deepEqual(statuses, unverifiable);
    const end = ". The copy from 2026-01-01 is used; the next attempt is possible in 10 minutes.";
    assert.equal(said.length, 2);
    for (const text of said) {
      assert.ok(text.startsWith("The address list gptbot could not be downloaded: ") && text.endsWith(end), text);
      assert.match(text, why);
    }
  });

it("a failed download is tried again after ten minutes, and at once after the clock went back", async () => {
  const memory = join(folder, "whocrawls", "failed-downloads.json");
  path = "/away";
  assert.equal((await check()).asked, 1);
  assert.equal((await check()).asked, 1);
  for (const [asked, minutes] of [
    [2, -10],
    [3, 1],
  ] as const) {
    const failures = JSON.parse(readFileSync(memory, "utf8"));
    failures.gptbot.at = Date.now() + minutes * 60_000;
    writeFileSync(memory, JSON.stringify(failures));
    assert.equal((await check()).asked, asked, `${minutes} minutes`);
  }
  for (const text of ["", "[]", "null", '{"gptbot":null}', '{"gptbot":{"at":"now","why":1}}']) {
    writeFileSync(memory, text);
    assert.equal((await check()).said.length, 2, text);
  }
  rmSync(memory);
  path = "/list";
  const found = await check();
  assert.deepEqual([found.statuses, found.said], [["verified", "spoofed"], []]);
});

it("a list in the cache is used for 7 days, then downloaded; one from the future is from now", async () => {
  path = "/list";
  await check();
  const kept = join(folder, "whocrawls", "ranges", "gptbot.json");
  for (const [days, asked] of [
    [6, 1],
    [8, 2],
    [-365, 2],
  ] as const) {
    const list = JSON.parse(readFileSync(kept, "utf8"));
    writeFileSync(kept, JSON.stringify({ ...list, asOf: Date.now() - days * 86_400_000 }));
    assert.deepEqual(await check(), { statuses: ["verified", "spoofed"], said: [], asked }, `${days} days`);
    assert.ok(JSON.parse(readFileSync(kept, "utf8")).asOf <= Date.now());
  }
});

it("a server that does not respond is waited for as long as DNS", async () => {
  path = "/silent";
  const { statuses, said } = await check(50);
  assert.deepEqual(statuses, unverifiable);
  assert.match(said[0] ?? "", /could not be downloaded: no response within 50 ms\. The copy/);
});
