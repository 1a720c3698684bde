/** What every interface opens: which lists are used, kept and downloaded, and what stays when a catalogue is replaced. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Proof, VerificationFacts } from "../../src/detect/verification.ts";
import { createGet } from "../../src/verify/https-get.ts";
import { openEvidence } from "../../src/verify/open-evidence.ts";
import { copyOf } from "../support/copy-of.ts";
import { until } from "../support/until.ts";
import { listenHttps, loopback, type TestServer } from "./https-server.ts";
import { known } from "./open-verifier.ts";
import { createSigningAgent } from "./signing-agent.ts";

let folder = "";
let server: TestServer;
before(async () => {
  server = await listenHttps((request, response) => {
    if (request.url === "/away") response.writeHead(503).end();
    else response.end('{"prefixes":[{"ipv4Prefix":"45.33.32.0/24"}]}');
  });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "whocrawls-evidence-"));
});
afterEach(() => rmSync(folder, { recursive: true }));
after(() => server.close());

function store(subfolder: string, id: string, asOf: number, prefix: string): void {
  mkdirSync(join(folder, subfolder), { recursive: true });
  const list = { asOf, parts: [{ url: "https://lists.example/", prefixes: [prefix] }] };
  writeFileSync(join(folder, subfolder, `${id}.json`), JSON.stringify(list));
}

/** The facts about one crawler for each path of a list; the copies are old. */
function factsOf(paths: Readonly<Record<string, string>>): { items: []; verification: VerificationFacts } {
  const proofs = Object.entries(paths).map(
    ([id, path]): Proof => ({
      ...{ id, crawlers: [id], page: "https://lists.example/", conclusive: ["ip-range"] },
      ranges: [{ url: `https://lists.example:${server.port}${path}`, format: "json" }],
    }),
  );
  const copy = copyOf("2026-01-01", "45.33.32.0/25");
  return { items: [], verification: { proofs, ranges: Object.fromEntries(proofs.map(({ id }) => [id, copy])) } };
}

const claim = (name: string) => ({ crawler: true, name });

it("downloaded lists are kept in the data folder, or else in the cache, and make imitators spoofed", async () => {
  for (const cacheFolder of [undefined, join(folder, "cache")]) {
    const evidence = openEvidence(factsOf({ one: "/list" }), {
      ...{ dataFolder: folder, cacheFolder, get: createGet(loopback) },
      report: (text) => assert.fail(text),
    });
    const statuses = () =>
      ["45.33.32.200", "8.8.8.8"].map((ip) => known(evidence.verifier, claim("one"), { ip })?.status);
    assert.deepEqual(statuses(), ["unverifiable", "unverifiable"]);
    await evidence.refresh("one");
    assert.deepEqual(statuses(), ["verified", "spoofed"]);
    const path = join(cacheFolder ?? folder, "ranges", "one.json");
    assert.match(readFileSync(path, "utf8"), /45\.33\.32\.0\/24/);
    rmSync(path);
    assert.equal(existsSync(join(folder, "ranges", "one.json")), false);
  }
});

it("lists of the data folder are used once they are adopted or kept up to date, and no earlier", async () => {
  const asOf = Date.now() - 1000;
  store("ranges", "gptbot", asOf, "74.7.241.0/25");
  store("networks", "tor", asOf, "185.220.101.1/32");
  const open = () => openEvidence(detector.catalogue, { dataFolder: folder, get: createGet(loopback) });
  const stateOf = ({ figures }: ReturnType<typeof open>) => figures().lists.find(({ id }) => id === "gptbot");
  const [unread, adopted, started] = [open(), open(), open()];
  await adopted.adopt();
  started.start();
  await until(() => stateOf(started)?.asOf === asOf);
  started.stop();
  assert.deepEqual(stateOf(adopted), { id: "gptbot", asOf, prefixes: 1 });
  assert.notEqual(stateOf(unread)?.asOf, asOf);
  const verdict = detector.check("GPTBot/1");
  for (const { verifier } of [adopted, started]) {
    const { status, asOf: shown } = known(verifier, verdict, { ip: "74.7.241.7" }) ?? {};
    assert.deepEqual([status, shown], ["verified", new Date(asOf).toISOString()]);
  }
  assert.equal(adopted.networks?.find("185.220.101.1")?.kind, "tor");
  assert.equal(unread.networks?.find("185.220.101.1"), undefined);
});

it("lists of networks are downloaded from the first question about an address on", () => {
  const evidence = openEvidence({ items: [], verification: { proofs: [], ranges: {} } }, { get: createGet(loopback) });
  evidence.start();
  assert.deepEqual(evidence.figures(), { refreshed: 0, failed: 0, lists: [] });
  assert.equal(evidence.networks?.find("45.32.0.1")?.provider, "Vultr");
  const ids = evidence.figures().lists.map(({ id }) => id);
  assert.ok(ids.includes("aws") && !ids.includes("azure"), `${ids}`);
  assert.deepEqual(evidence.warnings(), []);
  evidence.stop();
  assert.equal(openEvidence(detector.catalogue, { hasNetworks: false }).networks, undefined);
});

it("a list that cannot be downloaded is reported while lists are kept up to date", async () => {
  const reports: string[] = [];
  const evidence = openEvidence(factsOf({ gone: "/away" }), {
    ...{ get: createGet(loopback), random: () => 0, report: (text: string) => void reports.push(text) },
  });
  evidence.start();
  await until(() => reports.length > 0);
  evidence.stop();
  assert.match(
    reports.join(),
    /^the addresses of gone could not be refreshed; the last good list stays in use: .*\/away responded with status 503$/,
  );
});

it("with the facts of another catalogue, counts go on, and lists of the same addresses stay", async () => {
  const evidence = openEvidence(factsOf({ same: "/list", other: "/list", gone: "/away" }), {
    get: createGet(loopback),
  });
  for (const id of ["same", "other", "gone"]) await evidence.refresh(id);
  const figuresOf = () => {
    const { lists, ...counts } = evidence.figures();
    return { ...counts, lists: Object.fromEntries(lists.map(({ id, asOf }) => [id, asOf > Date.parse("2026-01-01")])) };
  };
  const before = { refreshed: 2, failed: 1 };
  assert.deepEqual(figuresOf(), { ...before, lists: { same: true, other: true, gone: false } });
  assert.match(
    evidence.warnings().join(),
    /^the addresses of gone \(as of 2026-01-01\) could not be refreshed: .*503$/,
  );

  const { verifier } = evidence;
  assert.equal(evidence.use(factsOf({ same: "/list", other: "/list", gone: "/away" })), verifier);
  const next = evidence.use(factsOf({ same: "/list", other: "/elsewhere", new: "/list" }));
  assert.notEqual(next, verifier);
  assert.equal(next, evidence.verifier);
  assert.deepEqual(figuresOf(), { ...before, lists: { same: true, other: false, new: false } });
  assert.deepEqual(evidence.warnings(), []);
  const statusOf = (name: string) => known(next, claim(name), { ip: "45.33.32.200" })?.status;
  assert.deepEqual(["same", "other", "gone"].map(statusOf), ["verified", "unverifiable", "unverifiable"]);
  await evidence.refresh("new");
  assert.deepEqual(figuresOf(), { refreshed: 3, failed: 1, lists: { same: true, other: false, new: true } });
  // An answer that has begun ends with the facts that it began with.
  assert.equal(known(verifier, claim("other"), { ip: "45.33.32.200" })?.status, "verified");
});

it("an operator has the name that the catalogue at the time gives it: of an address, and of who signs", async () => {
  const agent = createSigningAgent();
  const [item] = detector.catalogue.items;
  const proof: Proof = {
    ...{ id: "own", crawlers: ["Own-bot"], operator: "Documented", page: "https://own.example/", conclusive: [] },
    ...{ agents: ["agent.example"], exclusive: true },
    ranges: [{ url: "https://own.example/list", format: "json" }],
  };
  const verification = { proofs: [proof], ranges: { own: copyOf("2026-01-01", "45.33.32.0/24") } };
  const namedBy = (operator?: string) => ({
    items: operator === undefined ? [] : [{ ...item!, name: "Own-bot", operator }],
    verification: structuredClone(verification),
  });
  const evidence = openEvidence(namedBy(), {
    ...{ get: agent.get, authority: ["shop.example"], now: () => Date.parse("2026-01-02") },
  });
  for (const operator of [undefined, "First", "Renamed"]) {
    evidence.use(namedBy(operator));
    const expected = operator ?? "Documented";
    assert.equal(evidence.verifier.crawlerAddress?.("45.33.32.1")?.operator, expected);
    const headers = agent.sign('"https://agent.example"', { at: Date.parse("2026-01-02"), nonce: expected });
    const found = await evidence.verifier.verify(claim("Own-bot"), { headers }, 5000);
    assert.deepEqual([found?.status, found?.agent?.operator], ["verified", expected]);
  }
});
