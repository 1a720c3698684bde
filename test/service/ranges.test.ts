/** GET /ranges: every format, choices, validators, whose an address is; and what is wrong. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toAddressText } from "../../src/address/address.ts";
import { toPrefix, toPrefixText } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readNetworkSources } from "../../src/detect/built-in/networks.ts";
import { networkKinds } from "../../src/detect/verification.ts";
import { rangesFormats } from "../../src/export/ranges/range-formats.ts";
import { createNetworks } from "../../src/verify/networks/networks.ts";
import { openEvidence } from "../../src/verify/open-evidence.ts";
import { readDocument } from "../support/document.ts";
import { rowsOf } from "../support/table.ts";
import { open } from "./open.ts";

const { ranges } = detector.catalogue.verification;
const { verifier, lists } = openEvidence(detector.catalogue);
const networks = createNetworks(readNetworkSources());
const { ask, text, json, fieldsOf, statusOf } = open({ verifier, networks });
const prefixesIn = (list: string) => list.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
const prefixesOf = async (query: string) => prefixesIn(await text(`/ranges${query}`));
/** What an operator published, in its order. */
const publishedIn = (id: string) =>
  prefixesIn(readDocument(`data/ranges/${id}.txt`)).map((line) => toPrefixText(toPrefix(line)!));
const plain = "text/plain; charset=utf-8";

describe("lists", () => {
  it("are all of them, or those of an operator or a crawler, in every format", async () => {
    const all = await prefixesOf("");
    assert.deepEqual(new Set(all), new Set(Object.keys(ranges).flatMap(publishedIn)));
    const gptbot = publishedIn("gptbot");
    for (const query of ["?crawler=GPTBot", "?crawler=gptbot&operator=openai&format=text"])
      assert.deepEqual(await prefixesOf(query), gptbot);
    const google = await prefixesOf("?operator=Google");
    assert.ok(google.length > 1000 && google.length < all.length && google.includes("66.249.66.0/27"));
    for (const format of rangesFormats) {
      const path = `/ranges?crawler=GPTBot&format=${format}`;
      assert.deepEqual(await fieldsOf("content-type", path), [format === "json" ? "application/json" : plain]);
      const list = await text(path);
      for (const part of [...gptbot, "https://openai.com/gptbot.json", "2026-"])
        assert.ok(list.includes(part), `${format} ${part}`);
    }
  });

  for (const [accept = "", query, type] of rowsOf(`
    application/json | ?crawler=GPTBot | application/json
    text/plain;q=0.5, application/json | | application/json
    text/* | ?crawler=GPTBot | ${plain}
    */* | ?crawler=GPTBot | ${plain}
    application/json | ?crawler=GPTBot&format=text | ${plain}
    image/png | ?crawler=GPTBot | application/problem+json
  `))
    it(`are text or JSON by the Accept header, unless \`format\` says which: ${accept} ${query}`, async () => {
      const [found, vary] = await fieldsOf("content-type vary", `/ranges${query}`, { accept });
      assert.deepEqual([found, vary?.split(", ").includes("Accept")], [type, !query?.includes("format")]);
    });

  it("have validators, which change with the list", async () => {
    const path = "/ranges?crawler=Applebot";
    const gzip = { "accept-encoding": "gzip" };
    const all = await prefixesOf("");
    assert.deepEqual(await prefixesOf(""), all);
    const [etag, modified] = await fieldsOf("etag last-modified", path);
    const { asOf } = lists.find("apple")!;
    assert.equal(modified, new Date(asOf).toUTCString());
    const known = { "if-none-match": etag! };
    const statuses = [];
    for (const each of [path, `${path}&format=json`, "/ranges?crawler=GPTBot"])
      statuses.push(await statusOf(each, known));
    assert.deepEqual(statuses, [304, 200, 200]);
    lists.replace("apple", [toPrefix("17.241.208.160/27")!], asOf + 1000);
    const second = await ask(path, known);
    assert.deepEqual(
      [second.status, second.headers.get("last-modified"), prefixesIn(await second.text())],
      [200, new Date(asOf + 1000).toUTCString(), ["17.241.208.160/27"]],
    );
    const left = all.length - ranges.apple!.size + 1;
    assert.equal((await prefixesOf("")).length, left);
    const coded = (await ask("/ranges", gzip)).body!.pipeThrough(new DecompressionStream("gzip"));
    assert.equal(prefixesIn(await new Response(coded).text()).length, left);
    assert.deepEqual(await fieldsOf("content-encoding", path, gzip), ["gzip"]);
  });

  for (const [query, message = ""] of rowsOf(`
    ?operator=Gogle | Did you mean "Google"?
    ?crawler=GTPBot | Did you mean "GPTBot"?
    ?operator=Google&crawler=GPTBot | both
    ?operator= | of the operator
    ?format=ngnix | must be one of text, json
    ?operater=Google | Did you mean "operator"?
    ?ip=66.249.66.1:443 | must be an IPv4 or IPv6 address
    ?ip=66.249.66 | must be an IPv4 or IPv6 address
    ?ip=66.249.66.1&operator=Google | cannot be combined with
    ?operator=Google&operator=OpenAI | only once
  `))
    it(`are refused by the wrong name: ${query}`, async () => {
      const { status, detail } = await json(`/ranges${query}`);
      assert.equal(status, 400);
      assert.ok(detail.includes(message), detail);
    });
});

describe("an address", () => {
  for (const [ip = "", operators, providers] of rowsOf(`
    66.249.66.1 | Google 66.249.66.0/27 |
    ::ffff:66.249.66.1 | Google 66.249.66.0/27 |
    13.66.139.1 | Microsoft 13.66.139.0/24 | Microsoft Azure
    3.5.140.2 | | Amazon Web Services
    104.28.28.1 | | iCloud Private Relay
    198.51.100.1 | |
    10.0.0.1 | |
  `))
    it(`is in lists of operators and networks: ${ip}`, async () => {
      const path = `/ranges?ip=${ip}`;
      assert.deepEqual(await fieldsOf("content-type cache-control", path), ["application/json", "no-store"]);
      const answer = await json(path);
      const found = answer.operators.map(({ operator, prefix }: Record<string, string>) => `${operator} ${prefix}`);
      const known = answer.networks.map(({ provider }: Record<string, string>) => provider);
      assert.deepEqual([answer.ip, `${found}`, `${known}`], [ip.replace("::ffff:", ""), operators, providers]);
      for (const { kind, prefix, source, asOf } of answer.networks)
        assert.ok(networkKinds.includes(kind) && toPrefix(prefix) && /^https:/.test(source) && Date.parse(asOf) > 0);
    });

  it("has the longest prefix first, as the network of Check", async () => {
    const addresses = networks.list("proton-vpn")!.prefixes.map(({ address }) => toAddressText(address));
    let both = 0;
    for (const ip of addresses) {
      const answer = await json(`/ranges?ip=${ip}`);
      assert.equal(answer.networks[0].provider, networks.find(ip)!.provider, ip);
      if (answer.networks.length > 1) both++;
    }
    assert.ok(addresses.length > 500, `${both} of ${addresses.length} are in two networks`);
  });
});

it("without a verifier the lists are those of the catalogue, and no network is known", async () => {
  const own = open();
  const answer = await own.json("/ranges?ip=13.66.139.1");
  assert.deepEqual([answer.operators.length, answer.networks.length], [1, 0]);
  assert.match(await own.text("/ranges?crawler=GPTBot"), /openai\.com/);
});

it("a problem with a name has the name of the parameter", async () => {
  for (const [query, parameter] of rowsOf(`
    ?operator=Gogle | operator
    ?operator= | operator
    ?crawler=GTPBot | crawler
    ?operator=Google&crawler=GTPBot | crawler
    ?operator=Google&crawler=GPTBot | crawler
  `))
    assert.equal((await json(`/ranges${query}`)).parameter, parameter, query);
});

it("a client that has the list of a time gets 304", async () => {
  const path = "/ranges?crawler=GPTBot";
  const [etag = "", modified = ""] = await fieldsOf("etag last-modified", path);
  const second = (change: number) => new Date(Date.parse(modified!) + 1000 * change).toUTCString();
  for (const [headers, status] of [
    [{ "if-modified-since": modified }, 304],
    [{ "if-modified-since": second(1) }, 304],
    [{ "if-modified-since": second(-1) }, 200],
    [{ "if-modified-since": "yesterday" }, 200],
    [{ "if-modified-since": modified, "if-none-match": '"other"' }, 200],
    [{ "if-modified-since": second(-1), "if-none-match": etag }, 304],
  ] as const)
    assert.equal(await statusOf(path, headers as Record<string, string>), status, JSON.stringify(headers));
});

it("a detector without verification has no list, and no list of a name", async () => {
  const { verification, ...rest } = detector.catalogue;
  const catalogue = { ...rest, verification: { ...verification, proofs: [], ranges: {} } };
  const own = open({ detector: { ...detector, catalogue } });
  for (const format of rangesFormats) assert.equal(await own.statusOf(`/ranges?format=${format}`), 200, format);
  assert.deepEqual(prefixesIn(await own.text("/ranges")), []);
  assert.equal((await own.json("/ranges?crawler=GPTBot")).parameter, "crawler");
});
