/** Networks, signals and signatures in Check, CheckMany and /auth: for people, too, and only where address or header fields are given. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toPrefix } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readNetworkSources } from "../../src/detect/built-in/networks.ts";
import { signalIds } from "../../src/detect/signals.ts";
import type { Proof } from "../../src/detect/verification.ts";
import { createForwarded } from "../../src/server/listen/client-address.ts";
import { createNetworks } from "../../src/verify/networks/networks.ts";
import { rowsOf } from "../support/table.ts";
import { firefox, googlebot } from "../support/user-agents.ts";
import { openVerifier } from "../verify/open-verifier.ts";
import { createSigningAgent } from "../verify/signing-agent.ts";
import { open } from "./open.ts";

const forwarded = createForwarded(1);
const verifier = openVerifier(detector.catalogue.verification, { now: () => Date.parse("2026-05-06") });
const tor = { id: "tor", provider: "Tor", kind: "tor", source: "https://lists.example/tor" } as const;
const networks = createNetworks([tor, ...readNetworkSources().filter(({ id }) => id !== "tor")]);
networks.replace("tor", [toPrefix("3.5.140.1")!], Date.parse("2026-11-22T00:00:00Z"));

const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
const headless = { "sec-ch-ua": '"HeadlessChrome";v="147", "Chromium";v="147"' };

/** A member of verdicts in all formats: the items have the values, undefined for none. */
async function assertEverywhere(
  { check, checkLines, text }: ReturnType<typeof open>,
  member: "network" | "signals",
  items: readonly { readonly useragent: string }[],
  values: readonly unknown[],
): Promise<void> {
  const of = (verdict: Record<string, unknown>) => verdict[member];
  for (let times = 0; times < 2; times++)
    for (const [at, item] of items.entries()) {
      const verdict = await check(item);
      assert.deepEqual([of(verdict), verdict.crawler], [values[at], detector.check(item.useragent).crawler]);
      if (values[at] !== undefined) assert.equal(Object.keys(verdict).at(-1), member);
    }
  assert.deepEqual((await check(items)).map(of), values);
  assert.deepEqual((await checkLines(items)).map(of), values);
  const xml = await text("/RestService/CheckMany", { accept: "application/xml" }, items);
  assert.equal(xml.split(`<${member}>`).length - 1, values.filter((value) => value !== undefined).length);
}

describe("the network of an address", () => {
  const on = open({ verifier, networks });
  const aws = {
    ...{ kind: "hosting", provider: "Amazon Web Services", source: "https://ip-ranges.amazonaws.com/ip-ranges.json" },
    asOf: "2026-08-22T00:00:00.000Z",
  };
  const exit = { kind: "tor", provider: "Tor", source: tor.source, asOf: "2026-11-22T00:00:00.000Z" };

  it("is told for people, too, and only of addresses in a list", async () => {
    const rows = [
      [{ useragent: firefox, ip: "3.5.140.2" }, aws],
      [{ useragent: firefox, ip: "::ffff:3.5.140.2" }, aws],
      [{ useragent: firefox, ip: "3.5.140.1" }, exit],
      [{ useragent: firefox, ip: "198.51.100.1" }, undefined],
      [{ useragent: firefox }, undefined],
      [{ useragent: googlebot, ip: "3.5.140.2" }, aws],
      [{ useragent: "FooBot/1.0", ip: "3.5.140.2" }, aws],
    ] as const;
    const [items, values] = [rows.map(([item]) => item), rows.map(([, network]) => network)];
    await assertEverywhere(on, "network", items, values);
    const { kind, provider, source, asOf } = aws;
    const element = `<network><kind>${kind}</kind><provider>${provider}</provider><source>${source}</source><asOf>${asOf}</asOf></network></check>`;
    assert.ok((await on.text("/RestService/Check/xml", {}, items[0])).endsWith(element));
  });

  it("changes nothing without an address, and outside of all networks", async () => {
    const without = open({ verifier });
    for (const useragent of [firefox, googlebot, ""])
      for (const more of [{}, { headers: { accept: "*/*" } }, { ip: "198.51.100.1" }])
        for (const format of ["json", "xml"]) {
          const asked = [`/RestService/Check/${format}`, {}, { useragent, ...more }] as const;
          assert.equal(await on.text(...asked), await without.text(...asked));
        }
  });

  it("is new once its list is replaced, also for a body that was answered before", async () => {
    const own = createNetworks([tor]);
    const { check } = open({ networks: own });
    const asOfNow = async () => (await check({ useragent: firefox, ip: "3.5.140.9" })).network?.asOf.slice(0, 10);
    const found = [await asOfNow()];
    for (const [address, day] of [
      ["3.5.140.9", "2026-11-21"],
      ["3.5.140.9", "2026-11-22"],
      ["3.5.140.8", "2026-11-22"],
    ]) {
      own.replace("tor", [toPrefix(address!)!], Date.parse(day!));
      found.push(await asOfNow());
    }
    assert.deepEqual(found, [undefined, "2026-11-21", "2026-11-22", undefined]);
  });
});

describe("signals of header fields", () => {
  const signal = { id: "client-hints-headless", because: "Sec-CH-UA has the brand HeadlessChrome" };
  const both = [{ id: "client-hints-unexpected", because: "Firefox sends no Sec-CH-UA" }, signal];

  it("are told for people, too, and only if there are some", async () => {
    const rows = [
      [{ useragent: firefox, headers: headless }, both],
      [{ useragent: googlebot, headers: headless }, [signal]],
      [{ useragent: "", headers: headless }, [signal]],
      [{ useragent: firefox, headers: { "Sec-CH-UA": [headless["sec-ch-ua"], '"x";v="1"'] } }, both],
      [{ useragent: firefox, headers: { accept: "*/*" } }, undefined],
      [{ useragent: firefox }, undefined],
    ] as const;
    const [items, values] = [rows.map(([item]) => item), rows.map(([, signals]) => signals)];
    const on = open({ verifier });
    await assertEverywhere(on, "signals", items, values);
    const elements = both.map(({ id, because }) => `<signal><id>${id}</id><because>${because}</because></signal>`);
    const xml = await on.text("/RestService/Check/xml", {}, items[0]);
    assert.ok(xml.endsWith(`<signals>${elements.join("")}</signals></check>`), xml);
  });
});

describe("/auth by networks and signals", () => {
  const page = { accept: "text/html,application/xhtml+xml", "accept-language": "en" };
  const https = { ...page, "x-forwarded-proto": "https" };
  const from = (address: string) => ({ "x-forwarded-for": address });
  const requests = {
    chrome: { "user-agent": chrome, ...https },
    plain: { "user-agent": chrome, ...page },
    robots: { "user-agent": chrome, ...https, "x-forwarded-uri": "/robots.txt" },
    curl: { "user-agent": "curl/8.5.0", ...headless },
    hosted: { "user-agent": firefox, ...from("::ffff:3.5.140.2") },
    exit: { "user-agent": firefox, ...from("3.5.140.1") },
    home: { "user-agent": firefox, ...from("198.51.100.1") },
    googlebot: { "user-agent": googlebot, ...from("3.5.140.2") },
    bingbot: { "user-agent": "Mozilla/5.0 (compatible; bingbot/2.0)", ...from("13.66.139.1") },
  };
  const none = "client-hints-missing,no-sec-fetch";

  /** A policy, a request, its status, its network and its signals; null for no header. */
  const rows = rowsOf(
    `
    observe | hosted | 204 | hosting | null
    observe | home | 204 |  | null
    block=Network:HOSTING | hosted | 403 | hosting | null
    block=network:tor,network:hosting | exit | 403 | tor | null
    block=network:hosting&observe | hosted | 204 | hosting | null
    block=network:hosting&allow=verified | googlebot | 403 | hosting | null
    block=network:hosting&allow=verified | bingbot | 204 | hosting | null
    block=network:hostng | hosted | 204 | hosting | null
    block=network:hostng | googlebot | 429 | hosting | null
    block=all | chrome | 204 |  | null
    block=Signal:No-Sec-Fetch | chrome | 403 |  | ${none}
    block=signal:no-sec-fetch&observe | chrome | 204 |  | ${none}
    block=signal:no-sec-fetch | robots | 204 |  | ${none}
    block=signal:no-sec-fetch | plain | 204 |  | 
    block=signal:client-hints-headless | curl | 403 |  | client-hints-headless
    block=signal:no-sec-fech | chrome | 204 |  | null
    block=signal:no-sec-fech | curl | 429 |  | null
    block=${signalIds.map((id) => `signal:${id}`).join()} | plain | 204 |  | 
  `,
  );
  const on = open({ verifier, networks, forwarded });
  for (const [policy = "", name = "", ...expected] of rows)
    it(`${policy.slice(0, 60)} of ${name} is ${expected.join(", ")}`, async () => {
      const headers: Record<string, string> = requests[name as keyof typeof requests];
      const answer = await on.ask(`/auth?${policy}`, headers);
      const [network, signals] = ["network", "signals"].map((end) => answer.headers.get(`x-crawler-${end}`));
      assert.deepEqual([answer.status, network ?? "", `${signals}`], [Number(expected[0]), expected[1], expected[2]]);
      if (answer.status === 429)
        assert.match(await answer.text(), /Did you mean \\"(?:network:hosting|signal:no-sec-fetch)\\"\?/);
    });

  it("has neither header nor word where no address or no network is known", async () => {
    for (const [{ auth }, why] of [
      [open({ verifier, networks }), /trust-proxy/],
      [open({ verifier, forwarded }), /setting `networks` is off/],
    ] as const) {
      assert.equal((await auth("", firefox)).headers.has("x-crawler-network"), false);
      assert.equal((await auth("?block=network:tor", firefox)).status, 204);
      const refused = await auth("?block=network:tor", googlebot);
      assert.equal(refused.status, 429);
      assert.match(await refused.text(), why);
    }
  });
});

describe("signed requests with people's user agents", () => {
  const agent = createSigningAgent();
  const listed = "https://agent.example/.well-known/http-message-signatures-directory";
  const proofs: readonly Proof[] = [
    { id: "chatgpt", crawlers: ["ChatGPT-User"], page: "https://a.example/", agents: ["chatgpt.com"], conclusive: [] },
  ];
  const body = JSON.stringify({ keys: [agent.jwk] });
  const get = async () => ({ status: 200, header: () => undefined, body });
  const cloud = { id: "cloud", provider: "Cloud", kind: "hosting", source: "https://cloud.example/" } as const;
  const create = () => {
    const own = createNetworks([cloud]);
    own.replace("cloud", [toPrefix("8.8.8.0/24")!], Date.now());
    const signers = openVerifier({ proofs, ranges: {} }, { authority: ["shop.example"], get, signers: [listed] });
    return open({ verifier: signers, networks: own, forwarded });
  };
  const question = () => ({ useragent: firefox, headers: agent.sign('"https://agent.example"'), wait: 1000 });

  it("are verified by Check, in arrays and in lines", async () => {
    const { check, checkLines, text } = create();
    const asked = { ...question(), ip: "8.8.8.8" };
    const { crawler, verification } = await check(asked);
    assert.deepEqual([crawler, verification.status, verification.agent], [false, "verified", { url: listed }]);
    const xml = await text("/RestService/Check/xml", {}, asked);
    assert.ok(xml.includes(`<agent><url>${listed}</url></agent></verification>`));
    // From an unknown address the signature was used already.
    assert.equal((await check({ ...asked, ip: undefined })).verification.status, "unverifiable");
    assert.equal((await check([{ ...question(), ip: "8.8.8.8" }]))[0].verification.status, "verified");
    assert.equal((await checkLines([{ ...question(), ip: "8.8.8.8" }]))[0].verification.status, "verified");
  });

  it("are answered as without headers where they have no signature", async () => {
    const { check } = open({ verifier: openVerifier({ proofs, ranges: {} }) });
    const agentAlone = { signature: "s=:YQ==:", "signature-agent": 's="https://chatgpt.com"' };
    const headers = { host: "shop.example", accept: "*/*", ...agentAlone };
    for (const more of [{ headers }, { headers: {} }, { ip: "8.8.8.8" }, { ip: "8.8.8.8", headers }])
      assert.deepEqual(await check({ useragent: firefox, ...more }), detector.check(firefox));
  });

  it("pass /auth by `allow=verified`, and others are asked to sign", async () => {
    const policy = "?block=network:hosting&allow=verified&wait=1000&ask=signature";
    const asked = 'sig1=("@authority" "signature-agent";key="sig1");created;expires;tag="web-bot-auth"';
    const { auth } = create();
    const ask = async (query: string, headers: object) => {
      const { status, headers: told } = await auth(query, firefox, { "x-forwarded-for": "8.8.8.8", ...headers });
      return [status, told.get("x-crawler-verification"), told.get("accept-signature")];
    };
    assert.deepEqual(await ask(policy, agent.sign('"https://agent.example"')), [204, "verified", null]);
    assert.deepEqual(await ask(policy, agent.sign('"https://other.example"')), [403, "unverifiable", asked]);
    assert.deepEqual(await ask(policy, {}), [403, "", asked]);
    assert.deepEqual(await ask("?block=network:hosting", {}), [403, "", null]);
    assert.deepEqual(await ask("?block=network:hosting&ask=signature&observe", {}), [204, "", null]);
  });

  it("are described with what /auth asks", async () => {
    const { paths } = JSON.parse(await create().text("/openapi.json"));
    const { parameters, responses } = paths["/auth"].get ?? Object.values(paths["/auth"])[0];
    assert.ok(parameters.some(({ name }: { name: string }) => name === "ask"));
    assert.ok("Accept-Signature" in responses[403].headers);
  });
});
