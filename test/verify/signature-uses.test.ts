/** A signature counts for the client that used it first, for as long as it is valid; a captured one does not count. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import { check } from "../../src/index.ts";
import type { Get } from "../../src/verify/https-get.ts";
import {
  createSignatureUses,
  type SignatureUse,
  type SignatureUses,
} from "../../src/verify/signature/signature-uses.ts";
import { openVerifier } from "./open-verifier.ts";
import { createSigningAgent } from "./signing-agent.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
let now = start;

describe("the memory of signatures", () => {
  const use = (name: string, by: string | undefined = "a", untilMs = start + 60_000): SignatureUse => ({
    name,
    by,
    untilMs,
  });
  const create = (limit?: number) => {
    now = start;
    return createSignatureUses(() => now, limit);
  };

  it("has room for 50,000", () => {
    const uses = create();
    for (let at = 0; at < 50_000; at++) assert.equal(uses.note(use(`${at}`)), "counts");
    assert.equal(uses.note(use("50000")), "full");
  });

  it("lets the first client use one again, and no other client", () => {
    const uses = create();
    const asked = [use("1"), use("1"), use("1", "b"), use("2", "b"), use("1"), use("2")].map(uses.note);
    assert.deepEqual(asked, ["counts", "counts", "replay", "counts", "counts", "replay"]);
  });

  it("takes each use without an address for another client's", () => {
    const uses = create();
    const unknown: SignatureUse = { name: "1", untilMs: start + 60_000 };
    assert.deepEqual([unknown, unknown, use("1")].map(uses.note), ["counts", "replay", "replay"]);
    assert.deepEqual([use("2"), { ...unknown, name: "2" }].map(uses.note), ["counts", "replay"]);
  });

  it("remembers one to the last moment of its validity", () => {
    const uses = create();
    uses.note(use("1"));
    now = start + 60_000;
    assert.equal(uses.note(use("1", "b")), "replay");
    const small = createSignatureUses(() => now, 1);
    assert.deepEqual([use("1", "a", now), use("2", "b", now + 1)].map(small.note), ["counts", "full"]);
    now++;
    assert.equal(uses.note(use("1", "b", now)), "counts");
  });

  it("takes in no more than fit, and forgets none for them until they expire", () => {
    const uses = create(1000);
    for (let at = 0; at < 1000; at++) assert.equal(uses.note(use(`${at}`)), "counts");
    for (let at = 1000; at < 3000; at++) assert.equal(uses.note(use(`${at}`)), "full");
    for (let at = 0; at < 1000; at++) assert.equal(uses.note(use(`${at}`, "b")), "replay");
    assert.equal(uses.note(use("0")), "counts");
    now = start + 60_001;
    assert.equal(uses.note(use("new", "a", now)), "counts");
    assert.equal(uses.note(use("other", "a", now)), "counts");
  });
});

const agents = { Ed25519: createSigningAgent(), "P-256": createSigningAgent("p-256") };
const jwks = Object.values(agents).map(({ jwk }) => jwk);
const get: Get = async () => ({ status: 200, header: () => undefined, body: JSON.stringify({ keys: jwks }) });
const verdict = check(
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ExaSearchBot/1.0; +https://crawler.exa.ai",
);

interface Signing {
  readonly nonce?: string;
  readonly path?: string;
  readonly lifetime?: number;
  readonly algorithm?: keyof typeof agents;
}

function signed({ nonce, path = "/", lifetime: seconds = 60, algorithm = "Ed25519" }: Signing = {}) {
  const covers = { "@authority": "shop.example", "@path": path };
  const signing = { at: start, seconds, covers, ...(nonce !== undefined && { nonce }) };
  return { ":path": path, ...agents[algorithm].sign('"https://crawler.exa.ai"', signing) };
}

type Headers = ReturnType<typeof signed>;

/** The other signature of ECDSA that verifies where one does: with the order of P-256 less its second half. */
function mirrored(headers: Headers): Headers {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const bytes = Buffer.from(headers.signature.slice(3, -1), "base64").toString("hex");
  const second = (order - BigInt(`0x${bytes.slice(64)}`)).toString(16).padStart(64, "0");
  return { ...headers, signature: `s=:${Buffer.from(bytes.slice(0, 64) + second, "hex").toString("base64")}:` };
}

async function create(uses?: SignatureUses) {
  now = start;
  const verifier = openVerifier(detector.catalogue.verification, {
    authority: ["shop.example"],
    get,
    now: () => now,
    ...(uses && { uses }),
  });
  // Fetches the keys.
  await verifier.verify(verdict, { headers: { ...signed(), signature: "s=:YQ==:" } }, 1000);
  const from = async (ip: string | undefined, headers: Headers, waitMs = 1000): Promise<string> => {
    const { status, reason } = (await verifier.verify(verdict, { ip, headers }, waitMs))!;
    return status === "verified" ? "verified" : reason.split(";")[0]!;
  };
  return { verifier, from };
}

const replayed = "the signature was used before, by another client or by one with an unknown address";

describe("a signature", () => {
  for (const [what, nonce] of [
    ["with a nonce", "once"],
    ["without a nonce", undefined],
    ["with an empty nonce", ""],
  ] as const)
    it(`${what} counts for one client`, async () => {
      const { from } = await create();
      const headers = signed(nonce === undefined ? {} : { nonce });
      assert.equal(await from("8.8.8.8", headers), "verified");
      assert.equal(await from("8.8.8.8", headers), "verified");
      assert.equal(await from("::ffff:8.8.8.8", headers), "verified");
      for (const other of ["8.8.4.4", "2001:4860::1", "10.0.0.1", undefined, "8.8.8.8:80"])
        assert.equal(await from(other, headers), replayed);
      assert.equal(await from("8.8.8.8", headers), "verified");
    });

  it("is not taken for another one", async () => {
    const { from } = await create();
    for (let at = 0; at < 300; at++) assert.equal(await from("8.8.8.8", signed({ path: `/${at}` })), "verified");
    for (let at = 0; at < 300; at++) assert.equal(await from("8.8.8.8", signed({ nonce: `${at}` })), "verified");
  });

  it("of an unknown client counts once", async () => {
    const { from } = await create();
    for (const headers of [signed(), signed({ nonce: "once" })]) {
      assert.equal(await from(undefined, headers), "verified");
      for (const ip of [undefined, "8.8.8.8"]) assert.equal(await from(ip, headers), replayed);
    }
  });

  it("with the nonce of another one does not count, not even for the same client", async () => {
    const { from } = await create();
    assert.equal(await from("8.8.8.8", signed({ nonce: "once" })), "verified");
    assert.equal(await from("8.8.8.8", signed({ nonce: "once", path: "/other" })), replayed);
    assert.equal(await from("8.8.8.8", signed({ nonce: "twice", path: "/other" })), "verified");
    // The nonces of keys are their own.
    assert.equal(await from("8.8.8.8", signed({ nonce: "once", algorithm: "P-256" })), "verified");
  });

  it("counts for one client, too, in other bytes that verify as well", async () => {
    const { from } = await create();
    const headers = signed({ algorithm: "P-256" });
    assert.equal(await from("8.8.8.8", headers), "verified");
    assert.notEqual(mirrored(headers).signature, headers.signature);
    assert.equal(await from("8.8.4.4", mirrored(headers)), replayed);
    // It does verify.
    assert.equal(await from("8.8.8.8", mirrored(headers)), "verified");
  });

  it("cannot be used by another client while it is valid, however long it claims to be", async () => {
    for (const [lifetime, lastSecond] of [
      [60, 120],
      [3600, 3660],
      [1e8, 86_460],
    ] as const) {
      const { from } = await create();
      const headers = signed({ lifetime });
      assert.equal(await from("8.8.8.8", headers), "verified");
      now = start + lastSecond * 1000;
      assert.equal(await from("8.8.8.8", headers), "verified");
      assert.equal(await from("8.8.4.4", headers), replayed);
      now++;
      assert.match(await from("8.8.4.4", headers), /has expired|older than a day/);
    }
  });

  it("is remembered only when it has been verified, and in a name of the same size", async () => {
    const noted: SignatureUse[] = [];
    const { from } = await create({
      note(use) {
        noted.push(use);
        return "counts";
      },
    });
    const headers = signed({ nonce: "n".repeat(4000) });
    const wrong: readonly Headers[] = [
      { ...headers, signature: "s=:YQ==:" },
      { ...headers, host: "evil.example" },
      { ...headers, ":path": "/other" },
      { ...headers, "signature-agent": 's="https://evil.example"' },
      signed({ lifetime: -1000 }),
    ];
    for (const headers of wrong) assert.notEqual(await from("8.8.8.8", headers), "verified");
    assert.equal(noted.length, 0);
    assert.equal(await from("8.8.8.8", headers), "verified");
    assert.deepEqual(
      noted.map(({ untilMs }) => untilMs),
      [start + 120_000],
    );
    await from("8.8.8.8", signed({ lifetime: 1e8 }));
    assert.equal(noted.pop()?.untilMs, start + 86_460_000);
    assert.ok(JSON.stringify(noted).length < 120);
  });

  it("does not count where there is no more room to remember it", async () => {
    const { from } = await create(createSignatureUses(() => now, 1));
    assert.equal(await from("8.8.8.8", signed({ nonce: "1" })), "verified");
    assert.equal(await from("8.8.8.8", signed({ nonce: "2" })), "too many signatures are stored already");
    assert.equal(await from("8.8.8.8", signed({ nonce: "1" })), "verified");
  });
});
