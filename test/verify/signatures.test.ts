/** Signatures of requests: the vectors of RFC 9421 and of the Web Bot Auth draft, and what must not verify. */
import assert from "node:assert/strict";
import { createHash, createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { describe, it } from "node:test";
import { type InnerList, parseDictionary } from "structured-headers";
import { type RequestHeaders, toFields } from "../../src/verify/request-headers.ts";
import { type Key, toKeys } from "../../src/verify/signature/keys.ts";
import { signatureBase } from "../../src/verify/signature/signature-base.ts";
import { refuseSignature, verifySignature } from "../../src/verify/signature/signature-check.ts";
import { parseSignatures, type RequestSignature } from "../../src/verify/signature/signature-fields.ts";

// RFC 9421, Appendix B.1.2 and B.1.4.
const rsaKey = {
  kty: "RSA",
  alg: "PS512",
  e: "AQAB",
  n: "r4tmm3r20Wd_PbqvP1s2-QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct-Lh1GH45x28Rw3Ry53mm-oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHqgDsznjPFmTOtCEcN2Z1FpWgchwuYLPL-Wokqltd11nqqzi-bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4aOT9v6d-nb4bnNkQVklLQ3fVAvJm-xdDOp9LCNCN48V2pnDOkFV6-U9nV5oyc6XI2w",
};
const edwardsKey = {
  kty: "OKP",
  crv: "Ed25519",
  x: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
  d: "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU",
};
const [rsa, edwards] = toKeys({ keys: [rsaKey, edwardsKey] }) as [Key, Key];

/** The request of RFC 9421, Appendix B.2. */
const rfcRequest: RequestHeaders = {
  ":method": "POST",
  ":scheme": "https",
  ":path": "/foo?param=Value&Pet=dog",
  Host: "example.com",
  Date: "Tue, 20 Apr 2021 02:07:55 GMT",
  "Content-Type": "application/json",
  "Content-Digest":
    "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:",
  "Content-Length": "18",
};

function readSignature(input: string, signature: string): RequestSignature {
  const [[label, inner]] = parseDictionary(input) as unknown as [[string, InnerList]];
  const [bytes] = parseDictionary(signature).get(label) as [ArrayBuffer, unknown];
  return { label, input: inner, bytes: new Uint8Array(bytes), agent: undefined };
}

const rfcVectors: readonly (readonly [section: string, key: Key, input: string, signature: string, changed: string])[] =
  [
    [
      "B.2.2",
      rsa,
      'sig-b22=("@authority" "content-digest" "@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss";tag="header-example"',
      "sig-b22=:LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkSowOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw==:",
      ":path",
    ],
    [
      "B.2.6",
      edwards,
      'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
      "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:",
      ":method",
    ],
  ];

describe("RFC 9421", () => {
  for (const [section, key, input, signature, changed] of rfcVectors) {
    it(`${section} verifies, and no longer when what it covers has changed`, () => {
      const read = readSignature(input, signature);
      assert.equal(verifySignature(read, toFields(rfcRequest), key, 0), undefined);
      const other = { ...rfcRequest, [changed]: changed === ":path" ? "/foo?Pet=cat" : "GET" };
      assert.equal(verifySignature(read, toFields(other), key, 0), "the signature does not verify");
    });
  }

  it("writes each component as §2 has it", () => {
    const fields = toFields({
      ":method": "GET",
      ":scheme": "https",
      ":authority": "WWW.Example.com:443",
      ":path": "/path?param=value&foo=bar&baz=bat%2Dman&bar=with+plus%20whitespace&x=1&x=2",
      "X-OWS-Header": "   Leading and trailing whitespace.   ",
      "Cache-Control": ["max-age=60", "   must-revalidate"],
      "Example-Dict": "  a=1,    b=2;x=1;y=2,   c=(a   b    c), d",
      "Example-Header": ["value, with, lots", "of, commas"],
    });
    const base = (components: string): string => signatureBase(readSignature(`s=(${components})`, "s=:YQ==:"), fields);
    const cases: readonly (readonly [component: string, value: string])[] = [
      ['"@method"', "GET"],
      ['"@authority"', "www.example.com"],
      ['"@scheme"', "https"],
      ['"@path"', "/path"],
      ['"@query"', "?param=value&foo=bar&baz=bat%2Dman&bar=with+plus%20whitespace&x=1&x=2"],
      ['"@query-param";name="baz"', "bat-man"],
      ['"@query-param";name="bar"', "with%20plus%20whitespace"],
      ['"@query-param";name="foo"', "bar"],
      ['"x-ows-header"', "Leading and trailing whitespace."],
      ['"cache-control"', "max-age=60, must-revalidate"],
      ['"example-dict"', "a=1,    b=2;x=1;y=2,   c=(a   b    c), d"],
      ['"example-dict";sf', "a=1, b=2;x=1;y=2, c=(a b c), d"],
      ['"example-dict";key="b"', "2;x=1;y=2"],
      ['"example-dict";key="c"', "(a b c)"],
      ['"example-dict";key="d"', "?1"],
      ['"example-header";bs', ":dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:"],
    ];
    for (const [component, value] of cases) assert.equal(base(component).split("\n")[0], `${component}: ${value}`);
    const derived: readonly (readonly [
      scheme: string,
      authority: string,
      path: string,
      component: string,
      value: string,
    ])[] = [
      ["http", "a.example:80", "/", '"@authority"', "a.example"],
      ["http", "a.example:443", "/", '"@authority"', "a.example:443"],
      ["https", "a.example:80", "/", '"@authority"', "a.example:80"],
      ["HTTP", "A.example:80", "/b?c", '"@target-uri"', "http://a.example/b?c"],
      ["https", "a.example:443", "/b", '"@target-uri"', "https://a.example/b"],
      ["https", "a.example", "/b?c=d", '"@path"', "/b"],
      ["https", "a.example", "?c=d", '"@path"', "/"],
      ["https", "a.example", "/b", '"@query"', "?"],
      ["https", "a.example", "/b?", '"@query"', "?"],
      ["https", "a.example", "/b?c", '"@request-target"', "/b?c"],
    ];
    for (const [scheme, authority, path, component, value] of derived) {
      const fields = toFields({ ":scheme": scheme, ":authority": authority, ":path": path, host: "other.example" });
      const [line] = signatureBase(readSignature(`s=(${component})`, "s=:YQ==:"), fields).split("\n");
      assert.equal(line, `${component}: ${value}`);
    }
    for (const missing of [
      '"date"',
      '"@query-param";name="x"',
      '"@query-param";name="none"',
      '"@status"',
      '"@method";req',
      '"example-dict";key="e"',
      '"x-ows-header";tr',
    ]) {
      assert.throws(() => base(missing), /not sent here|cannot be checked/, missing);
    }
    const withoutQuery = toFields({ ":path": "/b" });
    const parameter = readSignature('s=("@query-param";name="b")', "s=:YQ==:");
    assert.throws(() => signatureBase(parameter, withoutQuery), /not sent here/);
  });
});

const agent = "https://signature-agent.test";
const nonce = "n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==";
const legacyNonce = "e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==";
const created = 1_735_689_600;

/** draft-ietf-webbotauth-httpsig-protocol, Appendix E. */
const draftVectors: readonly (readonly [section: string, key: Key, headers: RequestHeaders])[] = [
  [
    "E.1.1, RSA",
    rsa,
    {
      "Signature-Agent": `sig2="${agent}"`,
      "Signature-Input": `sig2=("@authority" "signature-agent";key="sig2");created=1735689600;keyid="oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA";alg="rsa-pss-sha512";expires=4889289600;nonce="wcfPQPh7SzkvrIVvhD00vNk9PkxJNY2NVbYl2PVBB4zmUoluSwE7W6bPtF60QA3k8g06FU7PPCD+J58YofY1zg==";tag="web-bot-auth"`,
      Signature:
        "sig2=:iOCCPgZeV5D5KlfZLXIFQOZR2njqFiCMZIrb5HRRLrFZR5Wtpsn7HwbKfWYHqW3dYU7HV/RohjNg7fuyQ1Mdy2J4mya9JnQCZtCcIcOK/LM9Yc6g6ZTw0onurllrzEzuNQIFFkBTgPJZlA3rHioFrmDmn+nnN7HaC+it/PA2iGfENHYq9D3Ud7ZeDICmF1s5bsMgc+y+MxTPFQHxOEyhbCDjZbT5yeSkGP1Czczg7Cpf0Fz/wuF3mJJ7TL1mzQk3PPizXFr/EnjdUWri1/W8M/f93d389BFF+qbkISzAvOHEk5TqOoyrzzotTn3xmYN6SCGTHG42fK4rA4Ei0qCnnA==:",
    },
  ],
  [
    "E.2.1, Ed25519",
    edwards,
    {
      "Signature-Agent": `sig2="${agent}"`,
      "Signature-Input": `sig2=("@authority" "signature-agent";key="sig2");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=4889289600;nonce="${nonce}";tag="web-bot-auth"`,
      Signature: "sig2=:CGokAoY/FrPpyuzTe1Fb2kLTAH9Idw6qSFd1+D77r1firsMRCxeuLu5e6O+ek3zQgDMAzjiXtLVfqE00xnABCQ==:",
    },
  ],
  [
    "E.2.2, the first form of Signature-Agent",
    edwards,
    {
      "Signature-Agent": `"${agent}"`,
      "Signature-Input": `sig2=("@authority" "signature-agent");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=1735693200;nonce="${legacyNonce}";tag="web-bot-auth"`,
      Signature: "sig2=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==:",
    },
  ],
];

describe("draft-ietf-webbotauth-httpsig-protocol", () => {
  for (const [section, key, headers] of draftVectors) {
    it(`${section}, verifies`, () => {
      const fields = toFields({ ...headers, Host: "example.com" });
      const [signature] = parseSignatures(fields);
      assert.ok(signature);
      assert.deepEqual(signature.agent, { text: agent, type: "directory" });
      assert.equal(refuseSignature(signature, (created + 60) * 1000), undefined);
      assert.equal(verifySignature(signature, fields, key, (created + 60) * 1000), undefined);
      const elsewhere = toFields({ ...headers, Host: "example.org" });
      assert.equal(verifySignature(signature, elsewhere, key, 0), "the signature does not verify");
    });
  }
});

const privateKey = createPrivateKey({ key: edwardsKey, format: "jwk" });
const valid = `;created=${created};keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";expires=${created + 300};tag="web-bot-auth"`;
const usual = '"@authority" "signature-agent";key="a"';

/** Signs, as an agent does; `change` alters the fields afterwards. */
function signed(components: string, parameters = valid, more: Record<string, string> = {}): Record<string, string> {
  const fields = { host: "example.com", "signature-agent": `a="${agent}"`, ...more };
  const input = `a=(${components})${parameters}`;
  const base = signatureBase(readSignature(input, "a=:YQ==:"), toFields(fields));
  const signature = sign(null, Buffer.from(base), privateKey).toString("base64");
  return { ...fields, "signature-input": input, signature: `a=:${signature}:` };
}

/** Signs so many fields more. */
function signedFields(count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, at) => `x-${at}`);
  const components = [usual, ...names.map((name) => `"${name}"`)].join(" ");
  return signed(components, valid, Object.fromEntries(names.map((name) => [name, "1"])));
}

/** What becomes of a request's first signature half a minute after it was made. */
function outcomeOf(headers: RequestHeaders, at = created + 30): string {
  const fields = toFields(headers);
  let signatures: RequestSignature[];
  try {
    signatures = parseSignatures(fields);
  } catch (error) {
    return String((error as Error).message);
  }
  const [signature] = signatures;
  if (signature === undefined) return "unsigned";
  if (signature.agent === undefined) return "no agent";
  return refuseSignature(signature, at * 1000) ?? verifySignature(signature, fields, edwards, at * 1000) ?? "verified";
}

const parametersOf = (text: string): string => valid.replace(/;expires=\d+/, text);
const outcomes: readonly (readonly [what: string, expected: string | RegExp, headers: RequestHeaders, at?: number])[] =
  [
    ["as it should be", "verified", signed(usual)],
    [
      "with more that it covers",
      "verified",
      signed(`${usual} "@method" "@path"`, valid, { ":method": "GET", ":path": "/a?b" }),
    ],
    ["when its time is nearly over, by a slow clock", "verified", signed(usual), created + 350],
    ["when its time is over", "the signature has expired", signed(usual), created + 361],
    ["by a clock that is a little fast", "verified", signed(usual), created - 60],
    ["from a day ago", "verified", signed(usual, parametersOf(`;expires=${created + 1e8}`)), created + 86_460],
    ["that expires when it is made", "verified", signed(usual, parametersOf(`;expires=${created}`))],
    ["without keyid", /lacks created, expires or keyid/, signed(usual, valid.replace(/;keyid="[^"]*"/, ""))],
    [
      "that covers a component twice, with its parameters in another order",
      "the signature covers a component twice",
      signed(`${usual} "x";sf;key="a" "x";key="a";sf`, valid, { x: "a=1" }),
    ],
    ["from the future", "the signature is from the future", signed(usual), created - 61],
    [
      "from yesterday, though it says to be valid for years",
      /older than a day/,
      signed(usual, parametersOf(`;expires=${created + 1e8}`)),
      created + 90_000,
    ],
    ["that expires before it begins", /expires before/, signed(usual, parametersOf(`;expires=${created - 1}`))],
    ["without expires", /lacks created, expires or keyid/, signed(usual, parametersOf(""))],
    ["with a date for created", /lacks created/, signed(usual, valid.replace("created=1735689600", 'created="now"'))],
    ["with another tag", "unsigned", signed(usual, valid.replace("web-bot-auth", "other"))],
    ["without a tag", "unsigned", signed(usual, valid.replace(';tag="web-bot-auth"', ""))],
    ["that covers no authority", "the signature covers no @authority", signed('"signature-agent";key="a"')],
    ["that does not cover its agent", "no agent", signed('"@authority"')],
    [
      "that covers another's agent, beside its own",
      "verified",
      signed(`${usual} "signature-agent";key="b"`, valid, {
        "signature-agent": `a="${agent}", b="https://other.test"`,
      }),
    ],
    [
      "that covers two agents, of which none is its own",
      "no agent",
      signed('"@authority" "signature-agent";key="b" "signature-agent";key="c"', valid, {
        "signature-agent": 'b="https://b.test", c="https://c.test"',
      }),
    ],
    [
      "that covers one agent under another name than its own",
      "verified",
      signed('"@authority" "signature-agent";key="b"', valid, { "signature-agent": `b="${agent}"` }),
    ],
    ["whose agent has parameters", "no agent", signed(usual, valid, { "signature-agent": `a="${agent}";type=x` })],
    [
      "whose agent was exchanged",
      "the signature does not verify",
      { ...signed(usual), "signature-agent": 'a="https://other.test"' },
    ],
    ["that came to another host", "the signature does not verify", { ...signed(usual), host: "example.org" }],
    ["with another port", "the signature does not verify", { ...signed(usual), host: "example.com:8443" }],
    ["with the usual port", "verified", { ...signed(usual), host: "EXAMPLE.com:443" }],
    [
      "with other bytes",
      "the signature does not verify",
      { ...signed(usual), signature: `a=:${Buffer.alloc(64).toString("base64")}:` },
    ],
    ["with too few bytes", "the signature does not verify", { ...signed(usual), signature: "a=:YQ==:" }],
    ["with text for bytes", /Signature has no bytes/, { ...signed(usual), signature: 'a="YQ=="' }],
    [
      "under another label",
      /Signature has no bytes for a/,
      { ...signed(usual), signature: signed(usual).signature!.replace("a=", "b=") },
    ],
    ["without its bytes", /Signature has no bytes/, { ...signed(usual), signature: "" }],
    ["that cannot be read", /signature-input cannot be read/, { ...signed(usual), "signature-input": "a=(" }],
    ["that is endless", /longer than 8192/, { ...signed(usual), "signature-input": `a=(${'"x" '.repeat(3000)})` }],
    ["that covers 20 components", "verified", signedFields(18)],
    ["that covers 21 components", "the signature covers more than 20 components", signedFields(19)],
    [
      "that covers each member of a field",
      "verified",
      signed(`${usual} ${Array.from({ length: 18 }, (_, at) => `"x";key="k${at}"`).join(" ")}`, valid, {
        x: "k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15, k16, k17",
      }),
    ],
    ["that covers a component twice", "the signature covers a component twice", signed(`${usual} "@authority"`)],
    [
      "that covers what was not sent here",
      "the signature covers @method, which was not sent here",
      { ...signed(`${usual} "@method"`, valid, { ":method": "GET" }), ":method": [] },
    ],
    ["with another algorithm's name", "the signature does not verify", signed(usual, `${valid};alg="hmac-sha256"`)],
    [
      "with a line break in what it covers",
      "x has characters that cannot be signed",
      { ...signed(`${usual} "x"`, valid, { x: "1" }), x: "1\u0001" },
    ],
  ];

describe("a signature", () => {
  it("is read from the web's own headers as from an object", () => {
    const headers = signed(usual);
    assert.equal(outcomeOf(new Headers(headers)), "verified");
    for (const name of [":method", "bad name", "", "Host", "\u00e9", "@"]) {
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

  it("is judged on its own where there are several", () => {
    const one = signed(usual);
    const both = {
      host: "example.com",
      "signature-agent": `${one["signature-agent"]}, b="https://other.test"`,
      "signature-input": [
        String(one["signature-input"]),
        'b=("@authority");created=1;tag="web-bot-auth"',
        'c=("@method")',
      ],
      signature: [String(one.signature), "b=:YQ==:", "c=:YQ==:"],
    };
    const signatures = parseSignatures(toFields(both));
    assert.deepEqual(
      signatures.map(({ label, agent }) => [label, agent?.text]),
      [
        ["a", agent],
        ["b", undefined],
      ],
    );
    assert.equal(verifySignature(signatures[0]!, toFields(both), edwards, created * 1000), undefined);
  });

  it("is one of at most four that are looked at", () => {
    const inputs = Array.from({ length: 50 }, (_, at) => `s${at}=("@authority")${valid}`).join(", ");
    const bytes = Array.from({ length: 50 }, (_, at) => `s${at}=:YQ==:`).join(", ");
    assert.equal(parseSignatures(toFields({ "signature-input": inputs, signature: bytes })).length, 4);
  });
});

describe("a key set", () => {
  const data = Buffer.from("data");
  const kinds: readonly (readonly [
    name: string,
    kind: () => ReturnType<typeof generateKeyPairSync>,
    algorithm: string,
    hash: string | null,
    more: object,
  ])[] = [
    ["Ed25519", () => generateKeyPairSync("ed25519"), "ed25519", null, {}],
    [
      "P-256",
      () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
      "ecdsa-p256-sha256",
      "sha256",
      { dsaEncoding: "ieee-p1363" },
    ],
    [
      "P-384",
      () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
      "ecdsa-p384-sha384",
      "sha384",
      { dsaEncoding: "ieee-p1363" },
    ],
    [
      "RSA",
      () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
      "rsa-pss-sha512",
      "sha512",
      { padding: 6, saltLength: 64 },
    ],
  ];
  for (const [name, generate, algorithm, hash, more] of kinds) {
    it(`has keys of ${name}, which verify with ${algorithm} alone`, () => {
      const { publicKey, privateKey } = generate() as ReturnType<typeof generateKeyPairSync> & {
        publicKey: import("node:crypto").KeyObject;
        privateKey: import("node:crypto").KeyObject;
      };
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
    assert.equal(rsa.thumbprint, "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA");
    assert.equal(createHash("sha256").update("").digest("base64url").length, 43);
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
      { ...edwardsKey, use: "enc" },
      { kty: "OKP", crv: "X25519", x: edwardsKey.x },
      { kty: "OKP", crv: "Ed25519", x: "short" },
      { kty: "OKP", crv: "Ed25519" },
      publicKey.export({ format: "jwk" }),
      { ...rsaKey, alg: "RS1" },
      null,
      "key",
      7,
    ];
    assert.deepEqual(toKeys({ keys: none }), []);
    for (const set of [null, undefined, [], "", { keys: {} }, {}]) assert.deepEqual(toKeys(set), []);
  });

  it("has keys that are valid for a time only", () => {
    const fields = toFields(signed(usual));
    const [signature] = parseSignatures(fields);
    const [early] = toKeys({ keys: [{ ...edwardsKey, nbf: created + 1000 }] });
    const [late] = toKeys({ keys: [{ ...edwardsKey, exp: created - 1000 }] });
    assert.equal(verifySignature(signature!, fields, early!, (created + 940) * 1000 - 1), "the key is not valid yet");
    assert.equal(verifySignature(signature!, fields, early!, (created + 940) * 1000), undefined);
    assert.equal(verifySignature(signature!, fields, late!, (created - 940) * 1000), undefined);
    assert.equal(verifySignature(signature!, fields, late!, (created - 940) * 1000 + 1), "the key has expired");
  });
});
