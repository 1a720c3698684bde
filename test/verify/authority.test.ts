/** A signature counts at the site that it was made for, by whichever way the site is asked about it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detector } from "../../src/detect/built-in/detector.ts";
import type { Verdict } from "../../src/detect/verdict.ts";
import type { Proof } from "../../src/detect/verification.ts";
import { createForwarded } from "../../src/server/listen/client-address.ts";
import { createService } from "../../src/service.ts";
import { parseAuthority, toAuthority } from "../../src/verify/signature/authority.ts";
import { createVerifier, verify } from "../../src/verify.ts";
import { mark, testGolden } from "../support/golden.ts";
import { rowsOf } from "../support/table.ts";
import { firefox } from "../support/user-agents.ts";
import { openVerifier } from "./open-verifier.ts";
import { createSigningAgent } from "./signing-agent.ts";

/** Names as they are written, and as they are kept. */
const spellings = rowsOf(`
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
  return createService({ detector, verifier, forwarded: createForwarded(hops) });
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

/** Without a proxy that is believed, and where Envoy asks, X-Forwarded-Host is the client's. */
const asks: Readonly<Record<string, Ask>> = {
  check,
  many: checkMany,
  auth: auth(0),
  proxy: auth(1),
  envoy: auth(1, "/auth/a"),
};

testGolden("verify/authority.txt", async (input) => {
  const [, ask = "", signed = "", names = "", host = ""] =
    /^(\w+): signed for (\S+), at (.*?), (.*)$/.exec(input) ?? assert.fail(input);
  const own = names === "none" ? [] : names.split(" ");
  const lines = host === "without host" ? [] : host.split(", ").map((line) => line.split(": "));
  const said = await Promise.all(
    ["@authority", "@target-uri"].map((component) =>
      asks[ask]!(own, { ...signedFor(signed, component), ...Object.fromEntries(lines) }),
    ),
  );
  assert.equal(said[0], said[1]);
  return mark("|", said[0]!);
});

it("a signature is mentioned where there is one, and not where there is none", async () => {
  const said = await check([], { host: "shop.example" });
  assert.equal(
    said,
    "unverifiable: its operator's addresses are not loaded yet; download the current list (verify-refresh)",
  );
});

describe("the library", () => {
  it("verifies signatures for the names it is given", async () => {
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
  });

  it("verifies the signatures of listed agents", async () => {
    const { verify } = createVerifier({ authority: ["shop.example"], signers: ["https://127.0.0.1/keys"] });
    const reasonOf = async (address: string) => {
      const headers = agent.sign(`"${address}";type=jwks_uri`);
      return (await verify(firefox, { ip, headers })).verification?.reason ?? "";
    };
    // Neither leaves this machine: an agent in no list is not fetched, and a private address is not connected to.
    assert.match(await reasonOf("https://127.0.0.2/keys"), /^https:\/\/127\.0\.0\.2\/keys .*\bsigners\b/);
    assert.match(
      await reasonOf("https://127.0.0.1/keys"),
      /cannot be fetched: 127\.0\.0\.1 is not a public address; ask/,
    );
  });
});
