/** Check and CheckMany with evidence of who asks: the verification of the answer; who tells no more sees no difference. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verification } from "../../src/detect/verification.ts";
import type { IncomingRequest } from "../../src/http/context.ts";
import type { ClaimVerifier, Evidence, LookupClient } from "../../src/verify/evidence.ts";
import { rowsOf } from "../support/table.ts";
import { firefox, googlebot } from "../support/user-agents.ts";
import { openVerifier } from "../verify/open-verifier.ts";
import { open } from "./open.ts";

const asOf = "2026-11-21T00:00:00.000Z";
const verified: Verification = { status: "verified", method: "dns", reason: "its name is <a&b>", asOf };
const pending: Verification = {
  status: "unverifiable",
  method: "none",
  reason: "being looked up; ask again, or wait longer",
};
const item = { useragent: googlebot, ip: "66.249.66.1" };
const plain = detector.check(googlebot);

/** Remembers what it was asked, and knows nothing until it was waited for once. */
function create() {
  const state = { isKnown: false, asked: [] as Evidence[] };
  const verifier: ClaimVerifier = {
    verify(_, evidence, waitMs) {
      state.asked.push(evidence);
      if (waitMs === 0) return state.isKnown ? verified : pending;
      state.isKnown = true;
      return Promise.resolve(verified);
    },
  };
  return { ...open({ verifier }), state };
}

describe("evidence", () => {
  it("changes nothing where there is none, or no verifier", async () => {
    const [without, verifying] = [open(), create()];
    for (const useragent of [googlebot, firefox, "", "FooBot/1.2"])
      for (const format of ["json", "xml"])
        for (const body of [{ useragent }, { useragent, wait: "x", other: [1] }]) {
          const path = `/RestService/Check/${format}`;
          assert.equal(await verifying.text(path, {}, body), await without.text(path, {}, body));
        }
    const wrong = { useragent: googlebot, ip: 7 };
    assert.deepEqual([await without.check(wrong), await without.check([wrong])], [plain, [plain]]);
  });

  it("is answered with what is known, each time anew, and waited for where that is asked", async () => {
    const { check, noted, state } = create();
    const evidence = { ip: "::ffff:66.249.66.1", headers: { Host: "a", X: ["1", "2"] } };
    for (let times = 0; times < 2; times++)
      assert.deepEqual(await check({ ...item, ...evidence }), { ...plain, verification: pending });
    for (const wait of [5000, 0])
      assert.deepEqual(await check({ ...item, ...evidence, wait }), { ...plain, verification: verified });
    assert.deepEqual(state.asked[2], { ...evidence, waitMs: 5000 });
    assert.equal(state.asked.length, 4);
    assert.deepEqual(
      noted.map(({ verification }) => verification?.status),
      ["unverifiable", "unverifiable", "verified", "verified"],
    );
  });

  it("is answered in XML, too", async () => {
    const end = `<verification><status>verified</status><method>dns</method><reason>its name is &lt;a&amp;b&gt;</reason><asOf>${asOf}</asOf></verification></check>`;
    const text = await create().text("/RestService/Check/xml", {}, { ...item, wait: 1 });
    assert.ok(text.endsWith(end), text);
  });

  it("of a person is not looked at", async () => {
    const { check, state } = create();
    for (const wait of [0, 100])
      assert.deepEqual(await check({ ...item, useragent: firefox, wait }), detector.check(firefox));
    assert.deepEqual(state.asked, []);
  });

  it("of lines is answered with what is known", async () => {
    const page = "https://developers.google.com/";
    const proof = { ...{ id: "google", crawlers: ["Googlebot"], page }, dns: ["googlebot.com"], conclusive: [] };
    const resolver = {
      names: async () => ["crawl.googlebot.com"],
      addresses: async () => [item.ip],
      exists: async () => true,
    };
    const verifier = openVerifier({ proofs: [proof], ranges: {} }, { resolver, now: () => Date.parse(asOf) });
    const { checkLines, noted } = open({ verifier });
    const [first, second, person, bad] = await checkLines([
      item,
      { useragent: googlebot },
      { ...item, useragent: firefox },
      { ...item, ip: "x" },
    ]);
    assert.deepEqual([first, second, person], [{ ...plain, verification: pending }, plain, detector.check(firefox)]);
    assert.equal(bad.type, "/docs#bad-evidence");
    await verifier.verify(plain, { ip: item.ip }, 60_000);
    const named = { ...verified, reason: "its name is crawl.googlebot.com" };
    assert.deepEqual(await checkLines([item]), [{ ...plain, verification: named }]);
    assert.deepEqual(
      noted.map(({ verification }) => verification?.status),
      ["unverifiable", undefined, undefined, "verified"],
    );
  });

  it("of arrays is waited for where an item says so; record and host are told of each item", async () => {
    const told: string[] = [];
    const verifier: ClaimVerifier = { verify: (_, __, waitMs) => (waitMs ? verified : pending) };
    const { check, noted } = open({ verifier, onVerdict: ({ useragent }) => void told.push(useragent) });
    const items = [
      item,
      { ...item, wait: 9 },
      { ...item, useragent: firefox },
      "bot",
      { useragent: googlebot, wait: "x" },
    ];
    assert.deepEqual(await check(items), [
      { ...plain, verification: pending },
      { ...plain, verification: verified },
      ...[firefox, "bot", googlebot].map((useragent) => detector.check(useragent)),
    ]);
    assert.deepEqual(told, [googlebot, googlebot, firefox, "bot", googlebot]);
    assert.deepEqual(
      noted.map(({ useragent }) => useragent),
      told,
    );
  });

  it("is answered anew where reason or time have changed, and not where no more is known", async () => {
    let said: Verification | undefined;
    const { check } = open({ verifier: { verify: async () => said } });
    const later = { ...verified, asOf: "2026-11-22" };
    const agent = (host: string) => ({ ...later, agent: { url: `https://${host}.example/` } });
    for (said of [verified, { ...verified, reason: "another" }, later, agent("a"), agent("b"), pending, undefined])
      for (const wait of [0, 5]) {
        assert.deepEqual((await check({ ...item, wait })).verification, said);
        assert.deepEqual((await check([{ ...item, wait }]))[0].verification, said);
      }
  });

  it("comes with who asks and for how long: the client that the host finds, the same for all of a request", async () => {
    const lookupClients: (LookupClient | undefined)[] = [];
    const waits: number[] = [];
    const verifier: ClaimVerifier = {
      async verify(_verdict, _evidence, waitMs, lookupClient) {
        lookupClients.push(lookupClient);
        waits.push(waitMs);
        return undefined;
      },
    };
    const by =
      (name: string) =>
      ({ headers }: Pick<IncomingRequest, "headers">) =>
        headers.get(name) ?? undefined;
    const guards = { addressOf: by("x-client") };
    const { text, auth } = open({
      verifier,
      forwarded: { addressOf: by("x-visitor"), hostOf: () => undefined, originOf: () => undefined },
      guards,
    });
    const lines = `${JSON.stringify(item)}\n${JSON.stringify(item)}`;
    await text("/RestService/Check", { "x-client": "192.0.2.1" }, item);
    await text("/RestService/Check", { "x-client": "192.0.2.2" }, { ...item, wait: 1 });
    await text("/RestService/Check", {}, item);
    await text("/RestService/CheckMany", { "x-client": "192.0.2.3" }, [item, { ...item, wait: 7 }]);
    const headers = { "content-type": "application/x-ndjson", "x-client": "192.0.2.4" };
    await text("/RestService/CheckMany", headers, lines);
    for (const wait of ["", "?wait=1"])
      await auth(wait, googlebot, { "x-client": "192.0.2.8", "x-visitor": "192.0.2.5" });
    assert.deepEqual(
      lookupClients.map((lookupClient) => lookupClient?.client.split(".").at(-1)),
      ["1", "2", "unknown", "3", "3", "4", "4", "5", "5"],
    );
    assert.equal(new Set(lookupClients).size, 7);
    assert.deepEqual(waits, [0, 1, 0, 0, 7, 0, 0, 0, 1]);
  });
});

describe("evidence that is none", () => {
  const { ask, noted } = create();
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`x-${at}`, "1"]));
  const rows = rowsOf(`
    ip | ["", " ", "x", "1.2.3", "01.2.3.4", "1.2.3.4:80", "[::1]", "fe80::1%eth0", "1.2.3.4, 5.6.7.8"] | such as 192.0.2.1;
    ip | [16909060, null, true, ["1.2.3.4"], {}] | \`ip\` must be the client's IPv4 or IPv6 address,
    headers | [null, "Host: a", 1, [], ["a"], { "a": 1 }, { "a": null }, { "a": [1] }] | strings, or lists of strings.
    headers | [{ "a": ["b", 1] }, { "a": "b", "c": 1 }, { "a": [["b"]] }] | strings, or lists of strings.
    headers | [${JSON.stringify(many)}] | \`headers\` may have at most 100 fields,
    headers | [{ "X-Some": "1", "x-some": ${JSON.stringify(Array(100).fill("1"))} }] | \`headers\` may have at most 100 fields,
    headers | [{ "a": "${"b".repeat(32_768)}" }] | and 32768 characters of names and values.
    wait | [-1, 1.5, 0.5, 5001, "100", null, true, 1e300] | a whole number of milliseconds from 0 to 5000.
  `);
  for (const [name = "", values = "", detail = ""] of rows)
    it(`is refused: ${name} of ${values.slice(0, 80)}`, async () => {
      for (const value of JSON.parse(values))
        for (const useragent of [googlebot, firefox]) {
          const body = { useragent, ip: "1.2.3.4", [name]: value };
          const response = await ask("/RestService/Check", {}, body);
          const problem = (await response.json()) as { type: string; detail: string };
          assert.deepEqual([response.status, problem.type], [422, "/docs#bad-evidence"], JSON.stringify(value));
          assert.ok(problem.detail.includes(detail), problem.detail);
          const ofArray = await ask("/RestService/CheckMany", {}, [body]);
          assert.deepEqual({ ...((await ofArray.json()) as object), detail: "" }, { ...problem, detail: "" });
        }
      assert.deepEqual(noted, []);
    });
});
