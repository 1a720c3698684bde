/** Networks of the operators themselves: what their lists have there is verified at any age, and no customer of a cloud is there. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { isWithin, type Prefix, toPrefix } from "../../src/address/prefix.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readNetworkSources } from "../../src/detect/built-in/networks.ts";
import { createNetworks } from "../../src/verify/networks/networks.ts";
import { openVerifier } from "./open-verifier.ts";

const { verification } = detector.catalogue;
const own = verification.proofs.flatMap(({ id, ownNetworks = [] }) => ownNetworks.map((text) => ({ id, text })));

it("what old lists have in the operator's own networks is verified, and no more", () => {
  const { known } = openVerifier(verification, { now: () => Date.parse("2031-01-01") });
  for (const [useragent, ip, status] of [
    ["Googlebot/2.1", "66.249.66.1", "verified"],
    ["Applebot/0.1", "17.241.75.1", "verified"],
    ["Applebot/0.1", "17.1.1.1", "unverifiable"],
    ["Googlebot/2.1", "66.249.95.1", "unverifiable"],
    // A list with prefixes within and beside them.
    ["FeedFetcher-Google", "66.249.93.1", "verified"],
    ["FeedFetcher-Google", "107.178.192.1", "unverifiable"],
    ["GPTBot/1.0", "74.7.241.1", "unverifiable"],
    ["bingbot/2.0", "157.55.39.1", "unverifiable"],
  ] as const) {
    const verification = known(detector.check(useragent), { ip });
    assert.equal(verification?.status, status, `${useragent} ${ip}: ${verification?.reason}`);
    if (status === "verified") assert.equal(verification?.asOf, "2026-05-05T00:00:00.000Z");
  }
});

it("they overlap no list of a hosting network", () => {
  const networks = createNetworks(readNetworkSources());
  const overlap = (one: Prefix, other: Prefix): boolean => isWithin(one.address, other) || isWithin(other.address, one);
  const hosting = networks.sources.filter(({ kind }) => kind === "hosting");
  assert.ok(own.length > 3 && hosting.length > 5);
  for (const { id, text } of own)
    for (const source of hosting)
      for (const prefix of networks.list(source.id)?.prefixes ?? [])
        assert.ok(!overlap(prefix, toPrefix(text)!), `${text} of ${id} overlaps ${source.provider}`);
});
