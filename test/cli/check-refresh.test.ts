/** `whocrawls check --ip` with lists of a local server: what is downloaded, kept and tried again, and what is said if that fails. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, it } from "node:test";
import { createVerify } from "../../src/cli/verify/evidence.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Detector } from "../../src/detect/verdict.ts";
import { createGet } from "../../src/verify/https-get.ts";
import { copyOf } from "../support/copy-of.ts";
import { temporary } from "../support/temporary.ts";
import { listenHttps, loopback, type TestServer } from "../verify/https-server.ts";

let server: TestServer;
/** The path of the list, which decides how the server answers. */
let path = "/list";
before(async () => {
  server = await listenHttps((request, response) => {
    if (request.url === "/away") response.writeHead(503).end();
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

it("a list that cannot be downloaded leaves the copy in use, is reported, and is tried again after ten minutes", async () => {
  path = "/away";
  const { statuses, said, asked } = await check();
  assert.deepEqual([statuses, asked], [unverifiable, 1]);
  const message =
    /^The address list gptbot could not be downloaded: .*\/away responded with status 503\. The copy from 2026-01-01 is used; the next attempt is possible in 10 minutes\.$/;
  assert.equal(said.length, 2);
  for (const text of said) assert.match(text, message);
  assert.equal((await check()).asked, 1);
  const memory = join(folder, "whocrawls", "failed-downloads.json");
  const failures = JSON.parse(readFileSync(memory, "utf8"));
  failures.gptbot.at -= 10 * 60_000;
  writeFileSync(memory, JSON.stringify(failures));
  path = "/list";
  assert.deepEqual(await check(), { statuses: ["verified", "spoofed"], said: [], asked: 2 });
  assert.equal(readFileSync(memory, "utf8"), "{}");
});

it("a server that does not respond is waited for as long as DNS", async () => {
  path = "/silent";
  const { statuses, said } = await check(50);
  assert.deepEqual(statuses, unverifiable);
  assert.match(said[0] ?? "", /could not be downloaded: no response within 50 ms\. The copy/);
});
