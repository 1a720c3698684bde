/** Check verifies by what it is told beside the user agent; who tells no more sees no difference. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import type { Verification } from "../../src/detect/verification.ts";
import type { IncomingRequest } from "../../src/http/context.ts";
import { createService } from "../../src/service.ts";
import type { Asker, ClaimVerifier, Evidence } from "../../src/verify/evidence.ts";
import { firefox, googlebot } from "../support/user-agents.ts";
import { get, post } from "./ask.ts";

const verified: Verification = {
  status: "verified",
  method: "dns",
  reason: "its name is <a&b>",
  asOf: "2026-11-21T00:00:00.000Z",
};
const pending: Verification = { status: "unverifiable", method: "none", reason: "being looked up" };

/** Remembers what it was asked, and knows nothing until it was waited for once. */
function createVerifier(): ClaimVerifier & { readonly asked: Evidence[]; isKnown: boolean } {
  const asked: Evidence[] = [];
  return {
    asked,
    isKnown: false,
    known(_, evidence) {
      asked.push(evidence);
      return this.isKnown ? verified : pending;
    },
    verify(_, evidence, waitMs) {
      asked.push(evidence);
      if (waitMs === 0) return this.isKnown ? verified : pending;
      this.isKnown = true;
      return Promise.resolve(verified);
    },
  };
}

function create(verifier: ClaimVerifier | undefined = createVerifier()) {
  const noted: Verdict[] = [];
  const record = { note: (verdict: Verdict) => void noted.push(verdict) };
  const service = createService({ detector, record, ...(verifier && { verifier }) });
  const ask = async (body: object, path = "/RestService/Check"): Promise<Response> =>
    post(service, path, JSON.stringify(body));
  return { service, ask, noted };
}

describe("Check", () => {
  it("answers the same with and without a verifier where it is told the user agent alone", async () => {
    const [plain, verifying] = [createService({ detector }), create().service];
    for (const useragent of [googlebot, firefox, "", "FooBot/1.2"]) {
      for (const path of ["/RestService/Check/json", "/RestService/Check/xml"]) {
        for (const body of [{ useragent }, { useragent, wait: "x", other: [1] }]) {
          const [one, other] = await Promise.all(
            [plain, verifying].map(async (service) => (await post(service, path, JSON.stringify(body))).text()),
          );
          assert.equal(one, other);
        }
      }
    }
  });

  it("ignores evidence where there is no verifier", async () => {
    const service = createService({ detector });
    const response = await post(service, "/RestService/Check", JSON.stringify({ useragent: googlebot, ip: 7 }));
    assert.deepEqual(await response.json(), detector.check(googlebot));
  });

  it("says at once what is known, each time anew", async () => {
    const verifier = createVerifier();
    const { ask, noted } = create(verifier);
    const body = { useragent: googlebot, ip: "66.249.66.1" };
    assert.deepEqual(await (await ask(body)).json(), { ...detector.check(googlebot), verification: pending });
    assert.deepEqual(await (await ask(body)).json(), { ...detector.check(googlebot), verification: pending });
    verifier.isKnown = true;
    for (let times = 0; times < 2; times++)
      assert.deepEqual(await (await ask(body)).json(), { ...detector.check(googlebot), verification: verified });
    assert.equal(verifier.asked.length, 4);
    assert.deepEqual(
      noted.map(({ verification }) => verification?.status),
      ["unverifiable", "unverifiable", "verified", "verified"],
    );
  });

  it("waits where it is asked to", async () => {
    const verifier = createVerifier();
    const { ask } = create(verifier);
    const evidence = { ip: "::ffff:66.249.66.1", headers: { Host: "a", X: ["1", "2"] } };
    const answer = await ask({ useragent: googlebot, ...evidence, wait: 5000 });
    assert.deepEqual(((await answer.json()) as Verdict).verification, verified);
    assert.deepEqual(verifier.asked, [{ ...evidence, waitMs: 5000 }]);
  });

  it("writes it in XML", async () => {
    const { ask } = create();
    const body = { useragent: googlebot, ip: "66.249.66.1", wait: 1 };
    const text = await (await ask(body, "/RestService/Check/xml")).text();
    const expected =
      "<verification><status>verified</status><method>dns</method><reason>its name is &lt;a&amp;b&gt;</reason>" +
      "<asOf>2026-11-21T00:00:00.000Z</asOf></verification></check>";
    assert.ok(text.endsWith(expected), text);
  });

  it("verifies no person, and asks nobody about one", async () => {
    const verifier = createVerifier();
    const { ask } = create(verifier);
    for (const wait of [0, 100])
      assert.deepEqual(await (await ask({ useragent: firefox, ip: "66.249.66.1", wait })).json(), {
        useragent: firefox,
        crawler: false,
      });
    assert.deepEqual(verifier.asked, []);
  });

  const wrong: readonly (readonly [detail: RegExp, members: object])[] = [
    ...[
      "",
      " ",
      "x",
      "1.2.3",
      "01.2.3.4",
      "1.2.3.4:80",
      "[::1]",
      "fe80::1%eth0",
      "1.2.3.4, 5.6.7.8",
      16_909_060,
      null,
      true,
      ["1.2.3.4"],
      {},
    ].map(
      (ip) => [/^`ip` is the client's address, .* such as 192\.0\.2\.1; omit it if it is unknown\.$/, { ip }] as const,
    ),
    ...[
      null,
      "Host: a",
      1,
      [],
      ["a"],
      { a: 1 },
      { a: null },
      { a: [1] },
      { a: ["b", 1] },
      { a: "b", c: 1 },
      { a: [["b"]] },
    ].map(
      (headers) =>
        [
          /^`headers` is an object of the request's header fields: strings, or lists of strings\.$/,
          { headers },
        ] as const,
    ),
    ...[
      Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`x-${at}`, "1"])),
      { "X-Some": "1", "x-some": Array(100).fill("1") },
      { a: "b".repeat(32_768) },
    ].map(
      (headers) =>
        [/^`headers` may have 100 fields, and 32768 characters of names and values\.$/, { headers }] as const,
    ),
    ...[-1, 1.5, 0.5, 5001, "100", null, true, 1e300].map(
      (wait) => [/^`wait` is a whole number of milliseconds from 0 to 5000\.$/, { ip: "1.2.3.4", wait }] as const,
    ),
  ];
  it("says nothing of it where the verifier does not", async () => {
    const { ask } = create({ known: () => undefined, verify: async () => undefined });
    for (const wait of [0, 5]) {
      const body = { useragent: googlebot, ip: "66.249.66.1", wait };
      for (let times = 0; times < 2; times++)
        assert.deepEqual(await (await ask(body)).json(), detector.check(googlebot));
      assert.deepEqual(await (await ask([body], "/RestService/CheckMany")).json(), [detector.check(googlebot)]);
    }
  });

  it("says anew what has changed in its reason or time, and nothing of what no longer is known", async () => {
    let said: Verification | undefined;
    const { ask } = create({ known: () => said, verify: async () => said });
    const body = { useragent: googlebot, ip: "66.249.66.1" };
    for (said of [
      verified,
      { ...verified, reason: "another" },
      { ...verified, asOf: "2026-11-22" },
      { ...verified, asOf: "2026-11-22", agent: { url: "https://a.example/" } },
      { ...verified, asOf: "2026-11-22", agent: { url: "https://b.example/" } },
      pending,
      undefined,
    ]) {
      const { verification } = (await (await ask(body)).json()) as Verdict;
      assert.deepEqual(verification, said);
    }
  });

  it("tells the verifier who asks and for how long: the client that the host finds, the same for all of a request", async () => {
    const askers: (Asker | undefined)[] = [];
    const waits: number[] = [];
    const verifier: ClaimVerifier = {
      known: (_verdict, _evidence, asker) => void askers.push(asker),
      async verify(_verdict, _evidence, waitMs, asker) {
        askers.push(asker);
        waits.push(waitMs);
        return undefined;
      },
    };
    const addressOf = ({ headers }: Pick<IncomingRequest, "headers">) => headers.get("x-client") ?? undefined;
    const forwardedAddressOf = ({ headers }: Pick<IncomingRequest, "headers">) => headers.get("x-visitor") ?? undefined;
    const service = createService({ detector, verifier, forwardedAddressOf, guards: { addressOf } });
    const of = (last: number): string => `192.0.2.${last}`;
    const item = { useragent: googlebot, ip: "66.249.66.1" };
    const send = async (path: string, body: unknown, headers: Record<string, string>): Promise<void> => {
      await (await post(service, path, JSON.stringify(body), headers)).text();
    };
    await send("/RestService/Check", item, { "x-client": "192.0.2.1" });
    await send("/RestService/Check", { ...item, wait: 1 }, { "x-client": "192.0.2.2" });
    await send("/RestService/Check", item, {});
    await send("/RestService/CheckMany", [item, { ...item, wait: 7 }], { "x-client": "192.0.2.3" });
    const lines = `${JSON.stringify(item)}\n${JSON.stringify(item)}`;
    const headers = { "content-type": "application/x-ndjson", "x-client": "192.0.2.4" };
    await (await post(service, "/RestService/CheckMany", lines, headers)).text();
    for (const wait of ["", "?wait=1"])
      await get(service, `/auth${wait}`, { "user-agent": googlebot, "x-client": of(8), "x-visitor": of(5) });
    const clients = askers.map((asker) => asker?.client);
    assert.deepEqual(clients, [of(1), of(2), "unknown", of(3), of(3), of(4), of(4), of(5), of(5)]);
    assert.equal(new Set(askers).size, 7);
    assert.deepEqual(waits, [0, 1, 0, 0, 7, 0, 1]);
  });

  it("refuses what is no evidence, and says what would be", async () => {
    const { ask, noted } = create();
    for (const useragent of [googlebot, firefox]) {
      for (const [detail, members] of wrong) {
        const response = await ask({ useragent, ...members });
        const problem = (await response.json()) as { type: string; detail: string };
        assert.equal(response.status, 422, JSON.stringify(members));
        assert.equal(problem.type, "/docs#bad-evidence");
        assert.match(problem.detail, detail, JSON.stringify(members));
        const many = await ask([{ useragent, ...members }], "/RestService/CheckMany");
        assert.equal(many.status, 422);
        assert.deepEqual({ ...((await many.json()) as object), detail: "" }, { ...problem, detail: "" });
      }
    }
    assert.deepEqual(noted, []);
  });
});

describe("CheckMany", () => {
  const path = "/RestService/CheckMany";
  const item = { useragent: googlebot, ip: "66.249.66.1" };
  const wrongItem = { useragent: googlebot, ip: "x" };

  it("verifies lines by what is known, each time anew", async () => {
    const verifier = createVerifier();
    const { service, noted } = create(verifier);
    const send = async (lines: readonly unknown[]): Promise<object[]> => {
      const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      const text = await (await post(service, path, body, { "content-type": "application/x-ndjson" })).text();
      return text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as object);
    };
    const plain = { useragent: googlebot };
    const [first, second, person, bad] = await send([item, plain, { useragent: firefox, ip: "1.2.3.4" }, wrongItem]);
    assert.deepEqual(first, { ...detector.check(googlebot), verification: pending });
    assert.deepEqual(second, detector.check(googlebot));
    assert.deepEqual(person, detector.check(firefox));
    assert.equal((bad as { type: string }).type, "/docs#bad-evidence");
    verifier.isKnown = true;
    assert.deepEqual(await send([item]), [{ ...detector.check(googlebot), verification: verified }]);
    assert.deepEqual(
      noted.map(({ verification }) => verification?.status),
      ["unverifiable", undefined, undefined, "verified"],
    );
  });

  it("verifies arrays by what is known, and tells record and host of each item", async () => {
    const verifier = createVerifier();
    const told: string[] = [];
    const noted: string[] = [];
    const service = createService({
      detector,
      verifier,
      record: { note: ({ useragent }) => void noted.push(useragent) },
      onVerdict: ({ useragent }) => void told.push(useragent),
    });
    const items = [item, { useragent: firefox, ip: "1.2.3.4", wait: 9 }, "bot", { useragent: googlebot, wait: "x" }];
    const answered = (await (await post(service, path, JSON.stringify(items))).json()) as object[];
    assert.deepEqual(answered, [
      { ...detector.check(googlebot), verification: pending },
      ...[firefox, "bot", googlebot].map((useragent) => detector.check(useragent)),
    ]);
    assert.deepEqual(told, [googlebot, firefox, "bot", googlebot]);
    assert.deepEqual(noted, told);
    assert.equal(verifier.asked.length, 1);
  });

  it("verifies arrays, waits where they say so, and refuses one with a wrong item", async () => {
    const { ask } = create();
    const expected = { ...detector.check(googlebot), verification: verified };
    assert.deepEqual(await (await ask([{ ...item, wait: 100 }, googlebot], path)).json(), [
      expected,
      detector.check(googlebot),
    ]);
    const response = await ask([item, wrongItem], path);
    assert.equal(response.status, 422);
    assert.equal(((await response.json()) as { type: string }).type, "/docs#bad-evidence");
  });

  it("ignores evidence where there is no verifier", async () => {
    const service = createService({ detector });
    const response = await post(service, path, JSON.stringify([wrongItem]));
    assert.deepEqual(await response.json(), [detector.check(googlebot)]);
  });
});
