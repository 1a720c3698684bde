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
import { rowsOf } from "../support/table.ts";
import { openVerifier } from "./open-verifier.ts";
import { createSigningAgent } from "./signing-agent.ts";

const start = Date.parse("2026-11-21T12:00:00Z");
let now = start;

describe("the memory of signatures", () => {
  it("has room for 50,000", () => {
    const uses = createSignatureUses(() => start);
    const note = (name: number) => uses.note({ name: `${name}`, by: "a", untilMs: start });
    for (let at = 0; at < 50_000; at++) assert.equal(note(at), "counts");
    assert.equal(note(50_000), "full");
  });

  it("lets the first client use one again to its last moment, and no other client, and forgets none for another one", () => {
    const uses = createSignatureUses(() => now, 3);
    // By time, name, client ("?" without an address), and how long it is valid.
    for (const [at, name = "", by, until, expected] of rowsOf(`
      0     | 1 | a | 60000 | counts
      0     | 1 | a | 60000 | counts
      0     | 1 | b | 60000 | replay
      0     | 1 | ? | 60000 | replay
      0     | 2 | b | 60000 | counts
      0     | 3 | ? | 60000 | counts
      0     | 3 | ? | 60000 | replay
      0     | 3 | a | 60000 | replay
      0     | 4 | a | 60000 | full
      60000 | 1 | b | 60000 | replay
      60000 | 1 | a | 60000 | counts
      60000 | 4 | a | 90000 | full
      61001 | 1 | b | 90000 | counts
      61001 | 4 | a | 90000 | counts
      61001 | 4 | b | 90000 | replay
    `)) {
      now = start + Number(at);
      const use = { name, by: by === "?" ? undefined : by, untilMs: start + Number(until) };
      assert.equal(uses.note(use), expected, `${at} ${name} ${by}`);
    }
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
  await verifier.verify(verdict, { headers: { ...signed(), signature: "s=:YQ==:" } }, 60_000);
  const from = async (ip: string | undefined, headers: Headers, waitMs = 60_000): Promise<string> => {
    const { status, reason } = (await verifier.verify(verdict, { ip, headers }, waitMs))!;
    return status === "verified" ? "verified" : reason.split(";")[0]!;
  };
  return { verifier, from };
}

const replayed = "the signature was used before, by another client or by one with an unknown address";

describe("a signature", () => {
  for (const [what, signing] of Object.entries({
    with: { nonce: "once" },
    without: {},
    "with an empty": { nonce: "" },
  }))
    it(`${what} nonce counts for one client`, async () => {
      const { from } = await create();
      const headers = signed(signing);
      assert.equal(await from("8.8.8.8", headers), "verified");
      assert.equal(await from("8.8.8.8", headers), "verified");
      assert.equal(await from("::ffff:8.8.8.8", headers), "verified");
      for (const other of ["8.8.4.4", "2001:4860::1", "10.0.0.1", undefined, "8.8.8.8:80"])
        assert.equal(await from(other, headers), replayed);
      assert.equal(await from("8.8.8.8", headers), "verified");
    });

  it("of an unknown client counts once", async () => {
    const { from } = await create();
    for (const headers of [signed(), signed({ path: "/other" }), signed({ nonce: "once" })]) {
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
    for (const [lifetime, lastSecond] of Object.entries({ 60: 120, 3600: 3660, 100000000: 86_460 })) {
      const { from } = await create();
      const headers = signed({ lifetime: Number(lifetime) });
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
