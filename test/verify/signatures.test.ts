/** Signatures of requests: the vectors of RFC 9421 and of the Web Bot Auth draft, and what must not verify. */
import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { describe, it } from "node:test";
import { type InnerList, parseDictionary } from "structured-headers";
import { type RequestHeaders, toFields } from "../../src/verify/request-headers.ts";
import { bySignature } from "../../src/verify/signature/by-signature.ts";
import { type Key, toKeys } from "../../src/verify/signature/keys.ts";
import { signatureBase } from "../../src/verify/signature/signature-base.ts";
import type { RequestSignature } from "../../src/verify/signature/signature-fields.ts";
import { createSignatureUses } from "../../src/verify/signature/signature-uses.ts";
import vectors from "./signature-vectors.json" with { type: "json" };

const keys = {
  rsa: toKeys({ keys: [vectors.keys.rsa] })[0]!,
  ed25519: toKeys({ keys: [vectors.keys.ed25519] })[0]!,
};

function readSignature(input: string, signature = "s=:YQ==:"): RequestSignature {
  const [[label, inner]] = parseDictionary(input) as unknown as [[string, InnerList]];
  const [bytes] = parseDictionary(signature).get(label) as [ArrayBuffer, unknown];
  return { input: inner, bytes: new Uint8Array(bytes), agent: undefined };
}

/** What becomes of a request that is signed for one of these sites, half a minute after it was made. */
function outcomeOf(headers: RequestHeaders, at = created + 30, key: Key = keys.ed25519): string {
  const now = () => at * 1000;
  const question = { claim: { crawler: false }, evidence: { headers }, asker: undefined, proof: undefined };
  const finding = bySignature(
    { ...question, address: undefined, refusal: undefined },
    {
      authority: new Set(["example.com", "example.org", "example.com:8443"]),
      keys: { find: () => key },
      uses: createSignatureUses(now),
      expectSigner: () => {},
      now,
    },
  );
  return finding === undefined ? "unsigned" : finding.status === "verified" ? "verified" : finding.reason;
}

for (const { section, key, input, signature, changed } of vectors.signatures)
  it(`${section} verifies, and not when what it covers has changed`, () => {
    const read = readSignature(input, signature);
    const verifies = (headers: RequestHeaders) =>
      keys[key as keyof typeof keys].verify(
        new TextEncoder().encode(signatureBase(read, toFields(headers)!)),
        read.bytes,
        undefined,
      );
    assert.equal(verifies(vectors.request), true);
    if (changed !== undefined) assert.equal(verifies({ ...vectors.request, ...changed } as RequestHeaders), false);
  });

for (const { section, key, agent, input, signature } of vectors.requests)
  it(`${section} verifies, for the host that it was signed for`, () => {
    const headers = { "Signature-Agent": agent, "Signature-Input": input, Signature: signature };
    const outcomeAt = (host: string) => outcomeOf({ ...headers, host }, created + 60, keys[key as keyof typeof keys]);
    assert.equal(outcomeAt("example.com"), "verified");
    assert.equal(outcomeAt("example.org"), "the signature does not verify");
  });

for (const { fields, component, value, error } of vectors.components)
  it(`a component ${component} is ${value ?? error}`, () => {
    const base = () => signatureBase(readSignature(`s=(${component})`), toFields(fields ?? vectors.fields)!);
    if (error === undefined) assert.equal(base().split("\n")[0], `${component}: ${value}`);
    else assert.throws(base, { message: error });
  });

const agent = "https://signature-agent.test";
const created = 1_735_689_600;
const privateKey = createPrivateKey({ key: vectors.keys.ed25519, format: "jwk" });
const valid = `;created=${created};keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";expires=${created + 300};tag="web-bot-auth"`;
const usual = '"@authority" "signature-agent";key="a"';

/** Signs, as an agent does; `change` alters the fields afterwards. */
function signed(components: string, parameters = valid, more: Record<string, string> = {}): Record<string, string> {
  const fields = { host: "example.com", "signature-agent": `a="${agent}"`, ...more };
  const input = `a=(${components})${parameters}`;
  const base = signatureBase(readSignature(input, "a=:YQ==:"), toFields(fields)!);
  const signature = sign(null, Buffer.from(base), privateKey).toString("base64");
  return { ...fields, "signature-input": input, signature: `a=:${signature}:` };
}

/** Signs so many fields more. */
function signedFields(count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, at) => `x-${at}`);
  const components = [usual, ...names.map((name) => `"${name}"`)].join(" ");
  return signed(components, valid, Object.fromEntries(names.map((name) => [name, "1"])));
}

const noAgent = "the signature does not cover Signature-Agent, or its type is unknown";
const wrong = "the signature does not verify";
const noTimes = /lacks created, expires or keyid/;
const noBytes = /Signature has no bytes for a/;
const year = created + 1e8;
const expiring = (at: number): string => valid.replace(/;expires=\d+/, `;expires=${at}`);
const without = (parameter: RegExp, by = ""): string => valid.replace(parameter, by);
const agents = (text: string) => ({ "signature-agent": text });
const good = signed(usual);
const keyed = (key: string): string => `"@authority" "signature-agent";key="${key}"`;
const eighteen = Array.from({ length: 18 }, (_, at) => `k${at}`);
const members = `${usual} ${eighteen.map((key) => `"x";key="${key}"`).join(" ")}`;
const sent = { ":method": "GET", ":path": "/a?b" };
const outcomes: readonly (readonly [what: string, expected: string | RegExp, headers: RequestHeaders, at?: number])[] =
  [
    ["as it should be", "verified", good],
    ["with more that it covers", "verified", signed(`${usual} "@method" "@path"`, valid, sent)],
    ["when its time is nearly over, by a slow clock", "verified", good, created + 350],
    ["when its time is over", "the signature has expired", good, created + 361],
    ["by a clock that is a little fast", "verified", good, created - 60],
    ["from the future", "the signature is from the future", good, created - 61],
    ["from a day ago", "verified", signed(usual, expiring(year)), created + 86_460],
    ["from yesterday, but valid for years", /older than a day/, signed(usual, expiring(year)), created + 90_000],
    ["that expires when it is made", "verified", signed(usual, expiring(created))],
    ["that expires before it begins", /expires before/, signed(usual, expiring(created - 1))],
    ["without keyid", noTimes, signed(usual, without(/;keyid="[^"]*"/))],
    ["without expires", noTimes, signed(usual, without(/;expires=\d+/))],
    ["with a date for created", noTimes, signed(usual, without(/created=\d+/, 'created="now"'))],
    ["with another tag", "unsigned", signed(usual, without(/web-bot-auth/, "other"))],
    ["without a tag", "unsigned", signed(usual, without(/;tag="web-bot-auth"/))],
    ["that covers no authority", "the signature covers no @authority", signed('"signature-agent";key="a"')],
    ["that does not cover its agent", noAgent, signed('"@authority"')],
    [
      "of two agents, both covered",
      "verified",
      signed(`${usual} "signature-agent";key="b"`, valid, agents(`a="${agent}", b="https://o.test"`)),
    ],
    [
      "of two others' agents",
      noAgent,
      signed(`${keyed("b")} "signature-agent";key="c"`, valid, agents('b="https://b.test", c="https://c.test"')),
    ],
    ["of an agent under another name", "verified", signed(keyed("b"), valid, agents(`b="${agent}"`))],
    ["whose agent has parameters", noAgent, signed(usual, valid, agents(`a="${agent}";type=x`))],
    ["whose agent was exchanged", wrong, { ...good, ...agents('a="https://other.test"') }],
    ["that came to another host", wrong, { ...good, host: "example.org" }],
    ["with another port", wrong, { ...good, host: "example.com:8443" }],
    ["with the usual port", "verified", { ...good, host: "EXAMPLE.com:443" }],
    ["with other bytes", wrong, { ...good, signature: `a=:${Buffer.alloc(64).toString("base64")}:` }],
    ["with too few bytes", wrong, { ...good, signature: "a=:YQ==:" }],
    ["with text for bytes", noBytes, { ...good, signature: 'a="YQ=="' }],
    ["under another label", noBytes, { ...good, signature: good.signature!.replace("a=", "b=") }],
    ["without its bytes", noBytes, { ...good, signature: "" }],
    ["that cannot be read", /signature-input cannot be read/, { ...good, "signature-input": "a=(" }],
    ["that is endless", /longer than 8192/, { ...good, "signature-input": `a=(${'"x" '.repeat(3000)})` }],
    ["that covers 20 components", "verified", signedFields(18)],
    ["that covers 21 components", "the signature covers more than 20 components", signedFields(19)],
    ["that covers each member of a field", "verified", signed(members, valid, { x: eighteen.join(", ") })],
    ["that covers a component twice", "the signature covers a component twice", signed(`${usual} "@authority"`)],
    [
      "of what was not sent here",
      /@method, which was not sent here/,
      { ...signed(`${usual} "@method"`, valid, sent), ":method": [] },
    ],
    ["with another algorithm's name", wrong, signed(usual, `${valid};alg="hmac-sha256"`)],
  ];

describe("a signature", () => {
  it("is read from the web's own headers as from an object", () => {
    const headers = signed(usual);
    assert.equal(outcomeOf(new Headers(headers)), "verified");
    for (const name of [":method", "bad name", "", "\u00e9", "@"]) {
      const input = String(headers["signature-input"]).replace('"@authority"', `"@authority" "${name}"`);
      const outcome = /not sent here|cannot be checked|cannot be read/;
      assert.match(outcomeOf({ ...headers, "signature-input": input }), outcome, name);
      if (name !== "\u00e9")
        assert.match(outcomeOf(new Headers({ ...headers, "signature-input": input })), outcome, name);
    }
  });

  for (const [what, expected, headers, at] of outcomes) {
    it(`${what}: ${expected}`, () => {
      const outcome = outcomeOf(headers, at);
      if (typeof expected === "string") assert.equal(outcome, expected);
      else assert.match(outcome, expected);
    });
  }

  it("is one of at most four that are looked at", () => {
    const manyThen = (count: number) => {
      const labels = Array.from({ length: count }, (_, at) => `s${at}`);
      return {
        ...good,
        "signature-input": [...labels.map((label) => `${label}=("@authority")${valid}`), good["signature-input"]!],
        signature: [...labels.map((label) => `${label}=:YQ==:`), good.signature!],
      };
    };
    assert.equal(outcomeOf(manyThen(3)), "verified");
    assert.equal(outcomeOf(manyThen(4)), noAgent);
  });
});

describe("a key set", () => {
  const data = Buffer.from("data");
  const p1363 = { dsaEncoding: "ieee-p1363" };
  const kinds: readonly (readonly [() => object, algorithm: string, hash: string | null, more: object])[] = [
    [() => generateKeyPairSync("ed25519"), "ed25519", null, {}],
    [() => generateKeyPairSync("ec", { namedCurve: "P-256" }), "ecdsa-p256-sha256", "sha256", p1363],
    [() => generateKeyPairSync("ec", { namedCurve: "P-384" }), "ecdsa-p384-sha384", "sha384", p1363],
    [
      () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
      "rsa-pss-sha512",
      "sha512",
      { padding: 6, saltLength: 64 },
    ],
  ];
  for (const [generate, algorithm, hash, more] of kinds) {
    it(`has keys that verify with ${algorithm} alone`, () => {
      const { publicKey, privateKey } = generate() as { publicKey: KeyObject; privateKey: KeyObject };
      const [key] = toKeys({ keys: [publicKey.export({ format: "jwk" })] });
      assert.ok(key);
      const signature = sign(hash, data, { key: privateKey, ...more });
      for (const named of [algorithm, undefined]) assert.equal(key.verify(data, signature, named), true);
      for (const named of ["hmac-sha256", "rsa-v1_5-sha256", "none", ""])
        assert.equal(key.verify(data, signature, named), false);
      assert.equal(key.verify(Buffer.from("date"), signature, algorithm), false);
    });
  }

  it("names keys by their thumbprints (RFC 8037, Appendix A.3), whatever it calls them", () => {
    const [key] = toKeys({
      keys: [{ kty: "OKP", crv: "Ed25519", kid: "mine", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }],
    });
    assert.equal(key?.thumbprint, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    assert.equal(keys.rsa.thumbprint, "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA");
  });

  it("has keys of RSA whose algorithm has the name of JOSE or of RFC 9421", () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pss = sign("sha512", data, { key: privateKey, padding: 6, saltLength: 64 });
    const old = sign("sha256", data, privateKey);
    for (const [alg, isOld] of [
      ["PS512", false],
      ["rsa-pss-sha512", false],
      ["RS256", true],
      ["rsa-v1_5-sha256", true],
    ] as const) {
      const [key] = toKeys({ keys: [{ ...publicKey.export({ format: "jwk" }), alg }] });
      assert.deepEqual([key?.verify(data, old, undefined), key?.verify(data, pss, undefined)], [isOld, !isOld], alg);
    }
  });

  it("passes over what is no key to verify with", () => {
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const none: readonly unknown[] = [
      { kty: "oct", k: "c2VjcmV0" },
      { ...vectors.keys.ed25519, use: "enc" },
      { kty: "OKP", crv: "X25519", x: vectors.keys.ed25519.x },
      { kty: "OKP", crv: "Ed25519", x: "short" },
      { kty: "OKP", crv: "Ed25519" },
      publicKey.export({ format: "jwk" }),
      { ...vectors.keys.rsa, alg: "RS1" },
      null,
      "key",
      7,
    ];
    assert.deepEqual(toKeys({ keys: none }), []);
    for (const set of [null, undefined, [], "", { keys: {} }, {}]) assert.deepEqual(toKeys(set), []);
  });

  it("has keys that are valid for a time only", () => {
    const headers = signed(usual);
    const outcomeAt = (limits: object, seconds: number) => {
      const [key] = toKeys({ keys: [{ ...vectors.keys.ed25519, ...limits }] });
      return outcomeOf(headers, seconds, key);
    };
    const early = { nbf: created + 200 };
    const late = { exp: created + 100 };
    assert.deepEqual(
      [139.999, 140].map((after) => outcomeAt(early, created + after)),
      ["the key is not valid yet", "verified"],
    );
    assert.deepEqual(
      [160, 160.001].map((after) => outcomeAt(late, created + after)),
      ["verified", "the key has expired"],
    );
    // Some directories write milliseconds.
    assert.equal(outcomeAt({ exp: (created + 100) * 1000 }, created + 160.001), "the key has expired");
  });
});
