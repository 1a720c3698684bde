/**
 * Whose crawlers have an address: by age of a list, in several lists, in Check and policies; and the shipped lists against a second
 * implementation, and against the lists of networks.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isIpv4, toAddress, toAddressText } from "../../src/address/address.ts";
import type { Prefix } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readNetworkSources } from "../../src/detect/built-in/networks.ts";
import { readRangeCopy } from "../../src/detect/range-copy.ts";
import type { CrawlerAddress, Proof } from "../../src/detect/verification.ts";
import { createForwarded } from "../../src/server/listen/client-address.ts";
import { createNetworks } from "../../src/verify/networks/networks.ts";
import { open } from "../service/open.ts";
import { copyOf } from "../support/copy-of.ts";
import { rowsOf } from "../support/table.ts";
import { firefox, gptbot } from "../support/user-agents.ts";
import { openVerifier } from "./open-verifier.ts";

const { verification, items } = detector.catalogue;
const exclusive = verification.proofs.filter((proof) => proof.exclusive);
const fresh = openVerifier(verification, { now: () => Date.parse("2026-05-06") });
const find = (ip: string): CrawlerAddress | undefined => fresh.crawlerAddress?.(ip);

describe("data/verification.yaml calls lists exclusive", () => {
  it("of crawlers that choose what they request, and never of monitors, people's requests and whole networks", () => {
    const itemOf = new Map(items.map((item) => [item.name, item]));
    assert.ok(exclusive.length >= 12);
    for (const { id, crawlers } of exclusive) {
      assert.ok(!["meta", "telegram", "anthropic", "google-user-triggered", "chatgpt-user"].includes(id), id);
      for (const name of crawlers) assert.notEqual(itemOf.get(name)?.category, "monitor", name);
    }
  });

  it("that share no address with those of relays, VPNs, Tor and CDNs", () => {
    const networks = createNetworks(readNetworkSources());
    const others = networks.sources.filter(({ kind }) => kind !== "hosting");
    const table = others.flatMap(({ id }) => networks.list(id)?.table ?? []);
    assert.ok(table.length > 1);
    for (const { proof, list } of fresh.lists?.() ?? [])
      for (const prefix of proof.exclusive ? list.prefixes : [])
        for (const each of table) assert.equal(each.find(prefix.address), undefined, proof.id);
    for (const { id } of others)
      for (const prefix of networks.list(id)?.prefixes ?? [])
        assert.equal(find(toAddressText(prefix.address)), undefined, id);
  });
});

it("the shipped lists give what a search by hashed prefixes gives, for 100,000 addresses", () => {
  /** By length and first bits: the proofs whose lists have the prefix. */
  const prefixes = new Map<string, Proof[]>();
  const lengths = new Set<number>();
  const listed: Prefix[] = [];
  for (const proof of exclusive) {
    const copy = verification.ranges[proof.id];
    for (const prefix of copy === undefined ? [] : readRangeCopy(copy)) {
      const key = `${prefix.length} ${prefix.address >> BigInt(128 - prefix.length)}`;
      prefixes.set(key, [...(prefixes.get(key) ?? []), proof]);
      lengths.add(prefix.length);
      listed.push(prefix);
    }
  }
  const longestFirst = [...lengths].sort((one, other) => other - one);
  let seed = 60;
  const random = (below: number): number => {
    seed = (seed * 48271) % 2147483647;
    return seed % below;
  };
  const counts = { found: 0, several: 0 };
  for (let times = 0; times < 100_000; times++) {
    const { address, length } = listed[random(listed.length)]!;
    // Near a prefix, anywhere in IPv4, or anywhere in 2000::/3.
    const near =
      address + BigInt(random(3 * 2 ** Math.min(128 - length, 24))) - BigInt(2 ** Math.min(128 - length, 24));
    const any = 0xffff_0000_0000n + BigInt(random(2 ** 31)) * 2n + BigInt(random(2));
    const wide = (0x2n << 124n) + (BigInt(random(2 ** 31)) << 92n) + BigInt(random(2 ** 31));
    const asked = [near, near, any, wide][times % 4]!;
    const matches = longestFirst.flatMap((length) =>
      (prefixes.get(`${length} ${asked >> BigInt(128 - length)}`) ?? []).map((proof) => ({ proof, length })),
    );
    const [longest] = matches;
    const ids = new Set(matches.map(({ proof }) => proof.id));
    const expected = longest && {
      operator: longest.proof.operator,
      crawlers: [...new Set(exclusive.filter(({ id }) => ids.has(id)).flatMap(({ crawlers }) => crawlers))],
      source: longest.proof.ranges?.[0]?.url,
      asOf: `${verification.ranges[longest.proof.id]?.asOf}T00:00:00.000Z`,
    };
    const ip = toAddressText(asked);
    assert.deepEqual(find(ip), expected, ip);
    assert.equal(toAddress(ip), asked);
    if (longest !== undefined) counts.found++;
    if (ids.size > 1) counts.several++;
  }
  assert.ok(counts.found > 10_000, JSON.stringify(counts));
  assert.ok(listed.some(({ address }) => !isIpv4(address)) && listed.some(({ address }) => isIpv4(address)));
});

it("a list says so for 30 days, and in the operator's own networks at any age", () => {
  for (const [day = "", ip = "", operator] of rowsOf(`
    2026-05-06 | 74.7.241.1  | OpenAI
    2026-06-04 | 74.7.241.1  | OpenAI
    2026-06-05 | 74.7.241.1  |
    2026-06-05 | 66.249.66.1 | Google
    2031-01-01 | 66.249.66.1 | Google
    2031-01-01 | ::ffff:66.249.66.1 | Google
    2031-01-01 | 17.241.75.1 | Apple
    2031-01-01 | 17.1.1.1    |
    2026-05-06 | 8.8.8.8     |
    2026-05-06 | 10.0.0.1    |
    2026-05-06 | no address  |
  `)) {
    // Until the end of the 30th day.
    const verifier = openVerifier(verification, { now: () => Date.parse(`${day}T00:00:00Z`) });
    assert.equal(verifier.crawlerAddress?.(ip)?.operator ?? "", operator ?? "", `${day} ${ip}`);
  }
});

it("crawlers are those of all lists with the address, the source is of the longest prefix, then of the first list", () => {
  const proofOf = (id: string, more: Partial<Proof> = {}): Proof => ({
    ...{ id, crawlers: [id, `${id}-image`], operator: "Example", page: "https://example.com/", conclusive: [] },
    ranges: [{ url: `https://example.com/${id}.json`, format: "json" }],
    ...{ exclusive: true, ...more },
  });
  const copy = (prefixes: string, asOf = "2026-11-01") => copyOf(asOf, prefixes);
  const proofs = [proofOf("one"), proofOf("two"), proofOf("three", { exclusive: undefined }), proofOf("none")];
  const ranges = {
    one: copy("45.0.0.0/24\n45.0.2.0/24"),
    two: copy("45.0.0.0/25\n45.0.2.0/24", "2026-11-02"),
    three: copy("45.0.0.0/16"),
  };
  const verifier = openVerifier({ proofs, ranges }, { now: () => Date.parse("2026-11-03") });
  for (const [ip = "", crawlers, source = ""] of rowsOf(`
    45.0.0.1   | one one-image two two-image | two
    45.0.0.200 | one one-image               | one
    45.0.2.1   | one one-image two two-image | one
    45.0.3.1   |                             |
  `)) {
    const found = verifier.crawlerAddress?.(ip);
    assert.equal(found?.crawlers.join(" ") ?? "", crawlers, ip);
    assert.equal(found?.source ?? "", source && `https://example.com/${source}.json`, ip);
    assert.equal(found?.asOf.slice(0, 10), { one: "2026-11-01", two: "2026-11-02" }[source]);
    assert.equal(verifier.crawlerAddress?.(ip), found);
  }
});

describe("in responses", () => {
  const on = open({ verifier: fresh, forwarded: createForwarded(1) });
  const google = find("66.249.66.1")!;

  it("of Check and CheckMany it is there for any user agent, and changes nothing else", async () => {
    const asked = [
      { useragent: firefox, ip: "66.249.66.1" },
      { useragent: gptbot, ip: "66.249.66.1" },
      { useragent: firefox, ip: "8.8.8.8" },
      { useragent: firefox },
    ];
    const expected = [google, google, undefined, undefined];
    for (let times = 0; times < 2; times++)
      for (const [at, item] of asked.entries()) {
        const { crawlerAddress, verification: _, ...verdict } = await on.check(item);
        assert.deepEqual(crawlerAddress, expected[at]);
        assert.deepEqual(verdict, { ...detector.check(item.useragent) });
      }
    const addressOf = ({ crawlerAddress }: { readonly crawlerAddress?: unknown }) => crawlerAddress;
    assert.deepEqual((await on.check(asked)).map(addressOf), expected);
    assert.deepEqual((await on.checkLines(asked)).map(addressOf), expected);
    const xml = await on.text("/RestService/Check/xml", {}, asked[0]);
    assert.match(xml, /<crawlerAddress><operator>Google<\/operator><crawlers><crawler>Googlebot<\/crawler>.*<source>/);
  });

  it("of /auth it decides by crawler-address and operator:X, and allow=operator:X lets nobody through", async () => {
    const rows = rowsOf(`
      block=crawler-address                            | firefox 66.249.66.1 | 403
      block=crawler-address                            | firefox 8.8.8.8     | 204
      block=Crawler-Address&allow=operator:Google      | firefox 66.249.66.1 | 403
      block=crawler-address&allow=verified             | gptbot 74.7.241.1   | 204
      block=crawler-address&allow=verified             | firefox 74.7.241.1  | 403
      block=operator:Google                            | firefox 66.249.66.1 | 403
      block=operator:google                            | firefox 74.7.241.1  | 204
      block=operator:OpenAI                            | firefox 74.7.241.1  | 403
      block=operator:OpenAI                            | gptbot 8.8.8.8      | 403
      block=operator:Google                            | gptbot 66.249.66.1  | 204
      block=operator:Google&allow=crawler-address      | firefox 66.249.66.1 | 204
      block=spoofed&allow=crawler-address              | gptbot 66.249.66.1  | 403
      block=ai                                         | firefox 66.249.66.1 | 204
    `);
    for (const [policy = "", client = "", status] of rows) {
      const [name, address = ""] = client.split(" ");
      const headers = { "user-agent": name === "gptbot" ? gptbot : firefox, "x-forwarded-for": address };
      const { status: actual, headers: sent } = await on.ask(`/auth?${policy}`, headers);
      assert.equal(actual, Number(status), `${policy} ${client}`);
      const found = find(address);
      assert.equal(sent.get("x-crawler-address-operator"), found?.operator ?? "");
      assert.equal(sent.get("x-crawler-address-crawlers"), found?.crawlers.join(",") ?? "");
    }
  });

  it("of /auth it is absent where the address is unknown, and the word cannot be used", async () => {
    const { ask } = open({ verifier: fresh });
    const { status, headers } = await ask("/auth?block=crawler-address", { "user-agent": gptbot });
    assert.equal(status, 429);
    assert.equal(headers.has("x-crawler-address-operator"), false);
  });
});
