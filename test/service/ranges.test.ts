/** GET /ranges: every format, choices, validators, whose an address is; and what is wrong. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toAddressText } from "../../src/address/address.ts";
import { toPrefix } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readNetworkSources } from "../../src/detect/built-in/networks.ts";
import { networkKinds } from "../../src/detect/verification.ts";
import { rangesFormats } from "../../src/export/ranges/range-formats.ts";
import { createService } from "../../src/service.ts";
import { createNetworks } from "../../src/verify/networks/networks.ts";
import { openEvidence } from "../../src/verify/open-evidence.ts";
import { get } from "./ask.ts";

const { verification } = detector.catalogue;
const { verifier, lists } = openEvidence(detector.catalogue);
const networks = createNetworks(readNetworkSources());
const service = createService({ detector, verifier, networks });
const bodyOf = async (path: string) => (await get(service, path)).text();
const prefixesOf = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

describe("lists", () => {
  it("are all of them, or those of an operator or a crawler, in every format", async () => {
    const all = prefixesOf(await bodyOf("/ranges"));
    assert.deepEqual(
      new Set(all),
      new Set(Object.values(verification.ranges).flatMap(({ prefixes }) => prefixes.split("\n"))),
    );
    const gptbot = verification.ranges.gptbot!.prefixes.split("\n");
    for (const path of ["/ranges?crawler=GPTBot", "/ranges?crawler=gptbot&operator=openai&format=text"])
      assert.deepEqual(prefixesOf(await bodyOf(path)), gptbot);
    const google = prefixesOf(await bodyOf("/ranges?operator=Google"));
    assert.ok(google.length > 1000 && google.length < all.length && google.includes("66.249.66.0/27"));
    for (const format of rangesFormats) {
      const response = await get(service, `/ranges?crawler=GPTBot&format=${format}`);
      const type = format === "json" ? "application/json" : "text/plain; charset=utf-8";
      assert.equal(response.headers.get("content-type"), type);
      const text = await response.text();
      for (const prefix of gptbot) assert.ok(text.includes(prefix), `${format} ${prefix}`);
      assert.ok(text.includes("https://openai.com/gptbot.json") && text.includes("2026-"), format);
    }
  });

  it("are text or JSON by the Accept header, unless `format` says which", async () => {
    for (const [accept, path, type] of [
      ["application/json", "/ranges?crawler=GPTBot", "application/json"],
      ["text/plain;q=0.5, application/json", "/ranges", "application/json"],
      ["text/*", "/ranges?crawler=GPTBot", "text/plain; charset=utf-8"],
      ["*/*", "/ranges?crawler=GPTBot", "text/plain; charset=utf-8"],
      ["application/json", "/ranges?crawler=GPTBot&format=text", "text/plain; charset=utf-8"],
      ["image/png", "/ranges?crawler=GPTBot", "application/problem+json"],
    ] as const) {
      const response = await get(service, path, { accept });
      assert.equal(response.headers.get("content-type"), type, `${accept} ${path}`);
      const isChosen = !path.includes("format");
      assert.equal(response.headers.get("vary")?.split(", ").includes("Accept"), isChosen);
      await response.body?.cancel();
    }
  });

  it("have validators, which change with the list", async () => {
    const path = "/ranges?crawler=Applebot";
    const all = await bodyOf("/ranges");
    assert.equal(await bodyOf("/ranges"), all);
    const first = await get(service, path);
    const etag = first.headers.get("etag")!;
    const asOf = lists.find("apple")!.asOf;
    assert.equal(first.headers.get("last-modified"), new Date(asOf).toUTCString());
    const known = { "if-none-match": etag };
    assert.equal((await get(service, path, known)).status, 304);
    assert.equal((await get(service, `${path}&format=json`, known)).status, 200);
    assert.equal((await get(service, "/ranges?crawler=GPTBot", known)).status, 200);
    lists.replace("apple", [toPrefix("17.241.208.160/27")!], asOf + 1000);
    const second = await get(service, path, known);
    assert.equal(second.status, 200);
    assert.equal(second.headers.get("last-modified"), new Date(asOf + 1000).toUTCString());
    assert.deepEqual(prefixesOf(await second.text()), ["17.241.208.160/27"]);
    const before = verification.ranges.apple!.prefixes.split("\n").length;
    for (const headers of [{}, { "accept-encoding": "gzip" }]) {
      const response = await get(service, "/ranges", headers);
      const body =
        "accept-encoding" in headers ? response.body!.pipeThrough(new DecompressionStream("gzip")) : response.body;
      assert.equal(prefixesOf(await new Response(body).text()).length, prefixesOf(all).length - before + 1);
    }
    const gzip = await get(service, path, { "accept-encoding": "gzip" });
    assert.equal(gzip.headers.get("content-encoding"), "gzip");
  });

  it("are refused by the wrong name", async () => {
    const rows = {
      "?operator=Gogle": 'Did you mean \\"Google\\"?',
      "?crawler=GTPBot": 'Did you mean \\"GPTBot\\"?',
      "?operator=Google&crawler=GPTBot": "both",
      "?operator=": "of the operator",
      "?format=ngnix": "is one of text, json",
      "?operater=Google": 'Did you mean \\"operator\\"?',
      "?ip=66.249.66.1:443": "is an address",
      "?ip=66.249.66": "is an address",
      "?ip=66.249.66.1&operator=Google": "cannot be given with",
      "?operator=Google&operator=OpenAI": "only once",
    };
    for (const [query, message] of Object.entries(rows)) {
      const response = await get(service, `/ranges${query}`);
      assert.equal(response.status, 400, query);
      const text = await response.text();
      assert.ok(text.includes(message), `${query}: ${text}`);
    }
  });
});

describe("an address", () => {
  it("is in lists of operators and networks", async () => {
    const rows: readonly (readonly [ip: string, operators: readonly string[], networks: readonly string[]])[] = [
      ["66.249.66.1", ["Google 66.249.66.0/27"], []],
      ["::ffff:66.249.66.1", ["Google 66.249.66.0/27"], []],
      ["13.66.139.1", ["Microsoft 13.66.139.0/24"], ["Microsoft Azure"]],
      ["3.5.140.2", [], ["Amazon Web Services"]],
      ["104.28.28.1", [], ["iCloud Private Relay"]],
      ["198.51.100.1", [], []],
      ["10.0.0.1", [], []],
    ];
    for (const [ip, operators, providers] of rows) {
      const response = await get(service, `/ranges?ip=${ip}`);
      assert.equal(response.headers.get("content-type"), "application/json");
      assert.equal(response.headers.get("cache-control"), "no-store");
      const answer = await response.json();
      assert.equal(answer.ip, ip.replace("::ffff:", ""));
      assert.deepEqual(
        answer.operators.map(({ operator, prefix }: Record<string, string>) => `${operator} ${prefix}`),
        operators,
      );
      assert.deepEqual(
        answer.networks.map(({ provider }: Record<string, string>) => provider),
        providers,
      );
      for (const { kind, prefix, source, asOf } of answer.networks) {
        assert.ok(
          networkKinds.includes(kind) && toPrefix(prefix) && source.startsWith("https://") && Date.parse(asOf) > 0,
        );
      }
    }
  });

  it("has the longest prefix first, as the network of Check", async () => {
    const addresses = networks.list("proton-vpn")!.prefixes.map(({ address }) => toAddressText(address));
    let both = 0;
    for (const ip of addresses) {
      const answer = await (await get(service, `/ranges?ip=${ip}`)).json();
      assert.equal(answer.networks[0].provider, networks.find(ip)!.provider, ip);
      if (answer.networks.length > 1) both++;
    }
    assert.ok(addresses.length > 500, `${both} of ${addresses.length} are in two networks`);
  });
});

it("without a verifier the lists are those of the catalogue, and no network is known", async () => {
  const plain = createService({ detector });
  const answer = await (await get(plain, "/ranges?ip=13.66.139.1")).json();
  assert.deepEqual([answer.operators.length, answer.networks.length], [1, 0]);
  assert.ok((await (await get(plain, "/ranges?crawler=GPTBot")).text()).includes("openai.com"));
});
