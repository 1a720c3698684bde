/** A signature counts at the site that it was made for, by whichever way the site is asked about it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import type { Proof } from "../../src/detect/verification.ts";
import { createForwardedAddressOf, createForwardedHostOf } from "../../src/server/listen/client-address.ts";
import { createService } from "../../src/service.ts";
import { parseAuthority, toAuthority } from "../../src/verify/signature/authority.ts";
import { createVerifier, verify } from "../../src/verify.ts";
import { toRows } from "../support/rows.ts";
import { firefox } from "../support/user-agents.ts";
import { openVerifier } from "./open-verifier.ts";
import { createSigningAgent } from "./signing-agent.ts";

/** Names as they are written, and as they are kept. */
const spellings = toRows(`
  shop.example          | shop.example
  Shop.EXAMPLE          | shop.example
  shop.example.         | shop.example
  shop.example.:443     | shop.example
  shop.example:443      | shop.example
  shop.example:80       | shop.example
  shop.example:0443     | shop.example
  shop.example:         | shop.example
  shop.example:8443     | shop.example:8443
  shop.example:65535    | shop.example:65535
  xn--mnchen-3ya.de     | xn--mnchen-3ya.de
  a_b.example           | a_b.example
  192.0.2.1:8080        | 192.0.2.1:8080
  [2001:DB8:0::1]       | [2001:db8::1]
  [2001:db8::1]:443     | [2001:db8::1]
  [2001:db8::1]:8443    | [2001:db8::1]:8443
  2001:db8::1           | [2001:db8::1]
`);
const refused = [
  ...["", ".", ":443", "shop.example:65536", "shop.example:000443", "shop.example:-1", "shop.example, evil.example"],
  ...["shop.example evil.example", " shop.example", "shop.example\n", "https://shop.example", "shop.example/"],
  ...["user@shop.example", "shop.example#", "shop%2eexample", "münchen.de", "shop.example:443:443", "[2001:db8::1"],
  ...["[shop.example]", "[2001:db8::1%eth0]", "[::1]x", "a".repeat(300)],
];

describe("an authority", () => {
  for (const [text = "", expected = ""] of spellings)
    it(`${text} is ${expected}`, () => {
      assert.equal(toAuthority(text), expected);
      // What is kept of the site's own names is compared as it is.
      assert.equal(toAuthority(expected), expected);
    });
  it("is nothing else", () => {
    for (const text of refused) assert.equal(toAuthority(text), undefined, text);
  });
});

const proof: Proof = {
  id: "openai-chatgpt-user",
  crawlers: ["ChatGPT-User"],
  page: "https://example.com/",
  agents: ["chatgpt.com"],
  conclusive: [],
};
const useragent =
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot";
const agent = createSigningAgent();
const ip = "8.8.8.8";

/** What an agent sends to a site: signed for it, of its address or of the host alone. */
function signedFor(authority: string, component = "@authority"): Record<string, string> {
  const covers = { [component]: component === "@authority" ? authority : `https://${authority}/a` };
  const { host: _, ...headers } = agent.sign('"https://chatgpt.com"', { covers });
  return headers;
}

/** How a request that an agent has sent reaches the service: the headers that say the host, and the answer's verification. */
type Ask = (authority: readonly string[], headers: Readonly<Record<string, string>>) => Promise<string>;

function create(authority: readonly string[], hops: number) {
  const verifier = openVerifier(
    { proofs: [proof], ranges: {} },
    { authority: authority.map(parseAuthority), get: agent.get },
  );
  const forwardedAddressOf = createForwardedAddressOf(hops);
  return createService({ detector, verifier, forwardedAddressOf, forwardedHostOf: createForwardedHostOf(hops) });
}

const post = (body: unknown, path: string) =>
  new Request(`http://localhost/RestService/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const said = ({ verification }: Verdict) => `${verification?.status}: ${verification?.reason}`;

const auth =
  (hops: number, path = "/auth?wait=5000"): Ask =>
  async (authority, headers) => {
    const forwarded = { "x-forwarded-for": ip, "x-forwarded-uri": "/a", "x-forwarded-method": "GET" };
    const request = new Request(`http://localhost${path}`, {
      headers: { "user-agent": useragent, ...forwarded, "x-crawler-policy": "wait=5000", ...headers },
    });
    const { headers: told } = await create(authority, hops).fetch(request);
    return `${told.get("x-crawler-verification")}: ${told.get("x-crawler-verification-reason")}`;
  };
const check: Ask = async (authority, headers) => {
  const body = { useragent, ip, headers: { ":path": "/a", ...headers }, wait: 5000 };
  return said((await (await create(authority, 0).fetch(post(body, "Check"))).json()) as Verdict);
};
const checkMany: Ask = async (authority, headers) => {
  const body = [{ useragent, ip, headers: { ":path": "/a", ...headers }, wait: 5000 }];
  return said(((await (await create(authority, 0).fetch(post(body, "CheckMany"))).json()) as Verdict[])[0]!);
};

const verified = /^verified: signed by chatgpt\.com$/;
const unset = /^unverifiable: signatures are not verified, because the setting authority has no names of this site; /;
const other = (name: string) =>
  new RegExp(`^unverifiable: the request is for ${name}, which is not in the setting authority; `);

/** By the host that is signed for, the site's names, the headers that say the host, and what is said. */
const requests: readonly (readonly [
  ask: string,
  signed: string,
  authority: readonly string[],
  host: Record<string, string>,
  outcome: RegExp,
])[] = [
  ["check", "shop.example", ["www.example", "SHOP.example.:443"], { host: "Shop.Example:443" }, verified],
  ["check", "shop.example:8443", ["shop.example:8443"], { host: "shop.example:8443" }, verified],
  ["check", "[2001:db8::1]", ["2001:DB8::1"], { host: "[2001:db8::1]:443" }, verified],
  ["check", "shop.example", [], { host: "shop.example" }, unset],
  ["check", "shop.example", ["shop.example"], { host: "shop.example:8443" }, other("shop.example:8443")],
  ["check", "evil.example", ["shop.example"], { host: "shop.example" }, /the signature does not verify/],
  ...["check", "checkMany", "auth", "auth behind a proxy", "auth of Envoy"].flatMap((name) => [
    [name, "shop.example", ["shop.example"], { host: "shop.example" }, verified] as const,
    [name, "evil.example", ["shop.example"], { host: "evil.example" }, other("evil.example")] as const,
  ]),
  ...["check", "checkMany"].flatMap((name) => [
    [name, "shop.example", ["shop.example"], { ":authority": "shop.example", host: "x" }, verified] as const,
    [name, "evil.example", ["x"], { ":authority": "evil.example", host: "x" }, other("evil.example")] as const,
    [name, "shop.example", ["shop.example"], {}, /^unverifiable: the host of the request is unknown/] as const,
  ]),
  ...["auth behind a proxy"].flatMap((name) => [
    [name, "shop.example", ["shop.example"], { "x-forwarded-host": "shop.example", host: "x" }, verified] as const,
    [name, "x", ["x"], { "x-forwarded-host": "evil.example", host: "x" }, other("evil.example")] as const,
    // A client's, and what the proxy has added.
    [name, "x", ["x"], { "x-forwarded-host": "x, evil.example", host: "x" }, other("an invalid host")] as const,
    [name, "x", ["x"], { "x-forwarded-host": "x, x", host: "x" }, other("an invalid host")] as const,
  ]),
  // Without a proxy that is believed, and where Envoy asks, X-Forwarded-Host is the client's.
  ...["auth", "auth of Envoy"].flatMap((name) => [
    [name, "x", ["x"], { "x-forwarded-host": "evil.example", host: "x" }, verified] as const,
    [name, "x", ["x"], { "x-forwarded-host": "x", host: "evil.example" }, other("evil.example")] as const,
  ]),
];
const asks: Readonly<Record<string, Ask>> = {
  check,
  checkMany,
  auth: auth(0),
  "auth behind a proxy": auth(1),
  "auth of Envoy": auth(1, "/auth/a"),
};

describe("a signature", () => {
  for (const [ask, signed, authority, host, outcome] of requests)
    for (const component of ["@authority", "@target-uri"])
      it(`of ${component} for ${signed}, asked by ${ask} at ${authority} with ${JSON.stringify(host)}: ${outcome}`, async () => {
        assert.match(await asks[ask]!(authority, { ...signedFor(signed, component), ...host }), outcome);
      });

  it("is mentioned where there is one, and not where there is none", async () => {
    assert.equal(
      await check([], { host: "shop.example" }),
      "unverifiable: its operator's addresses are not loaded yet",
    );
  });
});

describe("the library", () => {
  it("verifies signatures for the names it is given, and refuses what is no list of names", async () => {
    const headers = { ...signedFor("shop.example"), host: "shop.example" };
    const reasonOf = async (own: { readonly verify: typeof verify }) =>
      (await own.verify(useragent, { ip, headers }, { waitMs: 0 })).verification?.reason ?? "";
    assert.match(
      await reasonOf({ verify }),
      /^signatures are not verified, because the setting authority has no names/,
    );
    assert.match(await reasonOf(createVerifier({ authority: ["www.example"] })), /^the request is for shop\.example/);
    // Its own names are no reason any more: the key would be fetched from chatgpt.com.
    assert.doesNotMatch(await reasonOf(createVerifier({ authority: ["shop.example"] })), /authority/);
    for (const authority of ["shop.example", ["https://shop.example"], [""], null, [7, "a/b"]])
      assert.throws(
        () => createVerifier({ authority: authority as string[] }),
        /^TypeError: authority is .*; (?:it|each) must/,
      );
  });

  it("verifies the signatures of listed agents, and refuses what is no list of their addresses", async () => {
    const { verify } = createVerifier({ authority: ["shop.example"], signers: ["https://127.0.0.1/keys"] });
    const reasonOf = async (address: string) => {
      const headers = agent.sign(`"${address}";type=jwks_uri`);
      return (await verify(firefox, { ip, headers })).verification?.reason ?? "";
    };
    // Neither leaves this machine: an agent in no list is not fetched, and a private address is not connected to.
    assert.match(await reasonOf("https://127.0.0.2/keys"), /^https:\/\/127\.0\.0\.2\/keys .*\bsigners\b/);
    assert.match(await reasonOf("https://127.0.0.1/keys"), /cannot be fetched: 127\.0\.0\.1 is not a public address$/);
    for (const signers of ["https://agent.example", ["http://agent.example"], [""], null, [7]])
      assert.throws(
        () => createVerifier({ signers: signers as string[] }),
        /^TypeError: signers is .*; (?:it|each) must/,
      );
  });

  it("refuses options and evidence that it would not read", async () => {
    assert.throws(() => createVerifier({ autority: ["www.example"] } as object), /Did you mean "authority"\?/);
    await assert.rejects(verify(useragent, { ip }, { wait: 300 } as object), /no option "wait"/);
    await assert.rejects(verify(useragent, { IP: ip } as object), /no option "IP". Did you mean "ip"\?/);
    await assert.rejects(verify(useragent, { ip }, { waitMs: "1" } as object), /^TypeError: `waitMs` must be a number/);
    for (const wrong of ["66.249.66.1:443", "[2001:db8::1]", "fe80::1%eth0", "066.249.66.1", "", 1, null])
      await assert.rejects(verify(useragent, { ip: wrong as string }), /^TypeError: `ip` is .*; it must be an IPv4/);
    for (const [options, error] of [
      [{ refresh: "on" }, /`refresh` must be true or false/],
      [{ data: "" }, /`data` must be the path of a folder/],
      [{ report: true }, /`report` must be a function/],
      [{ refesh: true }, /no option "refesh"\. Did you mean "refresh"\?/],
    ] as const)
      assert.throws(() => createVerifier(options as object), error);
    for (const evidence of ["66.249.66.1", undefined, null])
      await assert.rejects(
        verify(useragent, evidence as never),
        /^TypeError: The second argument of verify\(\) takes an object/,
      );
  });
});
