/** Signatures of requests: the vectors of RFC 9421 and of the Web Bot Auth draft, and what must not verify. */
import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { describe, it } from "node:test";
import { type InnerList, parseDictionary } from "structured-headers";
import { isPending } from "../../src/verify/finding.ts";
import { type RequestHeaders, toFields } from "../../src/verify/request-headers.ts";
import { bySignature } from "../../src/verify/signature/by-signature.ts";
import { type Key, toKeys } from "../../src/verify/signature/keys.ts";
import { signatureBase } from "../../src/verify/signature/signature-base.ts";
import type { RequestSignature } from "../../src/verify/signature/signature-fields.ts";
import { createSignatureUses } from "../../src/verify/signature/signature-uses.ts";
import { mark, testGolden } from "../support/golden.ts";
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
  const question = { claim: { crawler: false }, evidence: { headers }, lookupClient: undefined, proof: undefined };
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
  assert.ok(!isPending(finding));
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

const noAgent = "the signature does not cover Signature-Agent, or its type is unknown";
const good = signed(usual);

/** A case: what is signed and how, then what is sent, and when it arrives. */
testGolden("verify/signatures.txt", (input) => {
  let [components, parameters, seconds] = [usual, valid, 30];
  const [fields, sent]: Record<string, string>[] = [{}, {}];
  for (const text of input.split(" & ")) {
    const [, word = "", value = ""] = /^(\S+?):? (.*)$/.exec(text) ?? assert.fail(text);
    const parameter = new RegExp(`;${value.split("=")[0]}=(?:"[^"]*"|\\d+)`);
    if (word === "covers") components = value.replace("usual", usual);
    else if (word === "without") parameters = parameters.replace(parameter, "");
    else if (word === "with")
      parameters = `${parameters.replace(parameter, "")};${value.replace("made", `${created}`)}`;
    else if (word === "expires") parameters = parameters.replace(/expires=\d+/, `expires=${created + Number(value)}`);
    else if (word === "after") seconds = Number(value);
    else if (word.startsWith("sent-")) sent![word.slice(5)] = value.replace("good", good.signature!);
    else if (word === "x-fields") {
      for (let at = 0; at < Number(value); at++) fields![`x-${at}`] = "1";
      components = [usual, ...Object.keys(fields!).map((name) => `"${name}"`)].join(" ");
    } else fields![word] = value;
  }
  const headers: RequestHeaders = { ...signed(components, parameters, fields), ...sent };
  return mark("|", outcomeOf(headers, created + seconds));
});

describe("a signature", () => {
  it("is read from the web's own headers as from an object", () => {
    const headers = signed(usual);
    assert.equal(outcomeOf(new Headers(headers)), "verified");
    for (const name of [":method", "bad name", "", "\u00e9", "@"]) {
      const input = String(headers["signature-input"]).replace('"@authority"', `"@authority" "${name}"`);
      const outcome = /not in the request|cannot be checked|cannot be read/;
      assert.match(outcomeOf({ ...headers, "signature-input": input }), outcome, name);
      if (name !== "\u00e9")
        assert.match(outcomeOf(new Headers({ ...headers, "signature-input": input })), outcome, name);
    }
  });

  it("is not endless, and covers nothing that was not sent here", () => {
    const endless = { ...good, "signature-input": `a=(${'"x" '.repeat(3000)})` };
    assert.match(outcomeOf(endless), /longer than 8192/);
    const withMethod = signed(`${usual} "@method"`, valid, { ":method": "GET" });
    assert.match(outcomeOf({ ...withMethod, ":method": [] }), /@method, which is not in the request/);
  });

  it("counts behind one that cannot be read", () => {
    const others = { "signature-input": `x=("@authority")${valid}`, signature: "y=:YQ==:" };
    for (const [name, value] of Object.entries(others)) {
      const headers = { ...good, "signature-input": `${others["signature-input"]}, ${good["signature-input"]}` };
      assert.equal(outcomeOf({ ...headers, [name]: `${value}, ${good[name]}` }), "verified", name);
    }
  });

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
