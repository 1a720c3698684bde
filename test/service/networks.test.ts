/** The network of a client's address in Check, CheckMany and /auth, for people and crawlers; without an address answers are the same. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toPrefix } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readNetworkSources } from "../../src/detect/built-in/networks.ts";
import { createForwardedAddressOf } from "../../src/server/listen/client-address.ts";
import { createService } from "../../src/service.ts";
import { createNetworks } from "../../src/verify/networks/networks.ts";
import { firefox, googlebot } from "../support/user-agents.ts";
import { openVerifier } from "../verify/open-verifier.ts";
import { post } from "./ask.ts";

const tor = { id: "tor", provider: "Tor", kind: "tor", source: "https://lists.example/tor" } as const;
const networks = createNetworks([tor, ...readNetworkSources().filter(({ id }) => id !== "tor")]);
networks.replace("tor", [toPrefix("3.5.140.1")!], Date.parse("2026-11-22T00:00:00Z"));

const verifier = openVerifier(detector.catalogue.verification, { now: () => Date.parse("2026-05-06") });
const service = createService({ detector, verifier, networks });
const plain = createService({ detector, verifier });

const aws = {
  kind: "hosting",
  provider: "Amazon Web Services",
  source: "https://ip-ranges.amazonaws.com/ip-ranges.json",
  asOf: "2026-08-22T00:00:00.000Z",
};
const exit = { kind: "tor", provider: "Tor", source: "https://lists.example/tor", asOf: "2026-11-22T00:00:00.000Z" };

const ask = async (body: unknown, path = "/RestService/Check", on = service): Promise<string> =>
  (await post(on, path, JSON.stringify(body))).text();

describe("Check", () => {
  it("has the network behind verification, for people, too, and only for addresses in a list", async () => {
    const rows = [
      [firefox, "3.5.140.2", aws],
      [firefox, "::ffff:3.5.140.2", aws],
      [firefox, "3.5.140.1", exit],
      [firefox, "198.51.100.1", undefined],
      [firefox, "192.168.1.1", undefined],
      [googlebot, "3.5.140.2", aws],
      ["FooBot/1.0", "3.5.140.2", aws],
    ] as const;
    for (const [useragent, ip, network] of rows) {
      const answer = JSON.parse(await ask({ useragent, ip })) as {
        readonly network?: unknown;
        readonly crawler: unknown;
      };
      assert.deepEqual(answer.network, network, `${useragent} ${ip}`);
      assert.equal(answer.crawler, detector.check(useragent).crawler);
      if (network === undefined) continue;
      const last = Object.keys(answer).slice(-2);
      assert.deepEqual(last, [useragent === firefox ? "crawler" : "verification", "network"]);
      const xml = await ask({ useragent, ip }, "/RestService/Check/xml");
      const { kind, provider, source, asOf } = network;
      const element = `<network><kind>${kind}</kind><provider>${provider}</provider><source>${source}</source><asOf>${asOf}</asOf></network></check>`;
      assert.ok(xml.endsWith(element), xml);
    }
  });

  it("answers the same without an address, and without networks", async () => {
    for (const useragent of [firefox, googlebot, "", "FooBot/1.0"]) {
      for (const path of ["/RestService/Check/json", "/RestService/Check/xml"]) {
        assert.equal(await ask({ useragent }, path), await ask({ useragent }, path, plain));
        const headers = { accept: "*/*" };
        assert.equal(await ask({ useragent, headers }, path), await ask({ useragent, headers }, path, plain));
        const withAddress = await ask({ useragent, ip: "198.51.100.1" }, path);
        assert.equal(withAddress, await ask({ useragent, ip: "198.51.100.1" }, path, plain));
      }
    }
  });

  it("has a new network once its list is replaced, also for a body that was answered before", async () => {
    const own = createNetworks([tor]);
    const changing = createService({ detector, networks: own });
    const body = { useragent: firefox, ip: "3.5.140.9" };
    assert.equal(JSON.parse(await ask(body, undefined, changing)).network, undefined);
    own.replace("tor", [toPrefix("3.5.140.9")!], Date.parse("2026-11-21T00:00:00Z"));
    assert.equal(JSON.parse(await ask(body, undefined, changing)).network.asOf, "2026-11-21T00:00:00.000Z");
    own.replace("tor", [toPrefix("3.5.140.9")!], Date.parse("2026-11-22T00:00:00Z"));
    assert.equal(JSON.parse(await ask(body, undefined, changing)).network.asOf, "2026-11-22T00:00:00.000Z");
    own.replace("tor", [toPrefix("3.5.140.8")!], Date.parse("2026-11-22T00:00:00Z"));
    assert.equal(JSON.parse(await ask(body, undefined, changing)).network, undefined);
  });
});

describe("CheckMany", () => {
  const items = [
    { useragent: firefox, ip: "3.5.140.2" },
    { useragent: firefox },
    { useragent: googlebot, ip: "3.5.140.1" },
    { useragent: firefox, ip: "3.5.140.2" },
    firefox,
  ];
  const expected = [aws, undefined, exit, aws, undefined];

  it("has it in arrays, in XML and in lines", async () => {
    const many = "/RestService/CheckMany";
    const array = JSON.parse(await ask(items, many)) as { readonly network?: unknown }[];
    assert.deepEqual(
      array.map(({ network }) => network),
      expected,
    );
    const request = new Request(`http://localhost${many}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: items.map((item) => JSON.stringify(item)).join("\n"),
    });
    const lines = (await (await service.fetch(request)).text()).trim().split("\n");
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { readonly network?: unknown }).network),
      expected,
    );
    const xml = await (await post(service, many, JSON.stringify(items), { accept: "application/xml" })).text();
    assert.equal(xml.split("<network>").length - 1, 3);
  });
});

describe("/auth", () => {
  const rows: readonly (readonly [query: string, useragent: string, ip: string, status: number, kind: string])[] = [
    ["", firefox, "3.5.140.2", 204, "hosting"],
    ["", firefox, "198.51.100.1", 204, ""],
    ["?block=Network:HOSTING", firefox, "::ffff:3.5.140.2", 403, "hosting"],
    ["?block=network:tor,network:hosting", firefox, "3.5.140.1", 403, "tor"],
    ["?block=network:hosting&observe", firefox, "3.5.140.2", 204, "hosting"],
    ["?block=network:hosting&allow=verified", googlebot, "3.5.140.2", 403, "hosting"],
    ["?block=network:hosting&allow=verified", "Mozilla/5.0 (compatible; bingbot/2.0)", "13.66.139.1", 204, "hosting"],
    // A word that cannot be used refuses crawlers alone.
    ["?block=network:hostng", firefox, "3.5.140.2", 204, "hosting"],
    ["?block=network:hostng", googlebot, "3.5.140.2", 429, "hosting"],
    ["?block=network:", googlebot, "3.5.140.2", 429, "hosting"],
  ];

  it("answers every client by its network", async () => {
    const proxied = createService({ detector, verifier, networks, forwardedAddressOf: createForwardedAddressOf(1) });
    for (const [query, useragent, ip, status, kind] of rows) {
      const headers = { "user-agent": useragent, "x-forwarded-for": ip };
      const answer = await proxied.fetch(new Request(`http://localhost/auth${query}`, { headers }));
      assert.equal(answer.status, status, `${query} ${useragent} ${ip}`);
      assert.equal(answer.headers.get("x-crawler-network"), kind, `${query} ${ip}`);
      if (status === 429 && query.includes("hostng"))
        assert.match(await answer.text(), /Did you mean \\"network:hosting\\"\?/);
    }
  });

  it("has neither header nor word where no address or no network is known", async () => {
    const request = (query: string, useragent = firefox) =>
      new Request(`http://localhost/auth${query}`, { headers: { "user-agent": useragent } });
    const forwardedAddressOf = createForwardedAddressOf(1);
    for (const [on, why] of [
      [createService({ detector, verifier, networks }), /trust-proxy/],
      [createService({ detector, verifier, forwardedAddressOf }), /setting `networks` is off/],
    ] as const) {
      assert.equal((await on.fetch(request(""))).headers.has("x-crawler-network"), false);
      assert.equal((await on.fetch(request("?block=network:tor"))).status, 204);
      const refused = await on.fetch(request("?block=network:tor", googlebot));
      assert.equal(refused.status, 429);
      assert.match(await refused.text(), why);
    }
  });
});
