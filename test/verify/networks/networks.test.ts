/** Networks of addresses: every spelling, precedence, the shipped lists against a plain search, lists read in steps. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { toAddressText } from "../../../src/address/address.ts";
import { toFewest, toPrefix, toPrefixText } from "../../../src/address/prefix.ts";
import { encodePrefixes } from "../../../src/address/prefix-codec.ts";
import { readNetworkSources } from "../../../src/detect/built-in/networks.ts";
import { toBytesText } from "../../../src/detect/text.ts";
import { networkRules, readRanges } from "../../../src/verify/lists/parse-ranges.ts";
import { createNetworks } from "../../../src/verify/networks/networks.ts";
import { toRows } from "../../support/rows.ts";

test("every spelling of an address is in its network", () => {
  const networks = createNetworks(readNetworkSources());
  const rows = toRows(`
    3.5.140.1 | Amazon Web Services
    ::ffff:3.5.140.1 | Amazon Web Services
    ::FFFF:305:8c01 | Amazon Web Services
    0:0:0:0:0:ffff:0305:8C01 | Amazon Web Services
    0000:0000:0000:0000:0000:FFFF:3.5.140.1 | Amazon Web Services
    ::3.5.140.1 |
    104.28.28.1 | iCloud Private Relay
    2606:54c3::1 | iCloud Private Relay
    2606:54C3:0:0:0:0:0:1 | iCloud Private Relay
    2.58.241.66 | Proton VPN
    10.0.0.1 |
    192.0.2.1 |
    ::1 |
    3.5.140.1:443 |
    no address |
  `);
  for (const [ip = "", provider] of [...rows, ["", ""]]) assert.equal(networks.find(ip)?.provider ?? "", provider, ip);
});

test("the longest prefix wins, then tor, vpn, relay, hosting", () => {
  const copy = (...prefixes: readonly string[]) => ({
    asOf: "2026-01-31",
    prefixes: toBytesText(encodePrefixes(toFewest(prefixes.map((text) => toPrefix(text)!)))),
  });
  const source = (kind: "tor" | "vpn" | "relay" | "hosting", ...prefixes: readonly string[]) => ({
    ...{ id: kind, provider: kind, kind, source: "https://lists.example/" },
    copy: copy(...prefixes),
  });
  const networks = createNetworks([
    source("tor", "198.18.0.1/32", "198.18.2.0/24"),
    source("vpn", "198.18.0.1/32", "198.18.1.0/25", "198.18.2.0/23"),
    source("relay", "198.18.0.1/32", "198.18.0.2/32", "2001:db8::/48"),
    source("hosting", "198.18.0.0/15", "198.18.1.1/32", "198.18.2.0/24", "2001:db8::/48", "2001:db8::/32"),
  ]);
  // One list is its fewest prefixes: the /32 of 198.18.1.1 is within the /15.
  const rows = toRows(`
    tor     | 198.18.0.1 198.18.2.1
    vpn     | 198.18.1.1 198.18.3.1
    relay   | 198.18.0.2 2001:db8::1
    hosting | 198.18.0.3 198.18.1.200 198.19.255.255 2001:db8:1::
            | 198.20.0.0 198.17.255.255 2001:db9::
  `);
  for (const [kind, ips = ""] of rows)
    for (const ip of ips.split(" ")) assert.equal(networks.find(ip)?.kind ?? "", kind, ip);
  assert.deepEqual(networks.find("198.18.0.1"), {
    ...{ kind: "tor", provider: "tor", source: "https://lists.example/", asOf: "2026-01-31T00:00:00.000Z" },
  });
});

test("the copies are read in steps, between which others have their turns", async () => {
  const networks = createNetworks(readNetworkSources());
  let turns = 0;
  let isPrepared = false;
  const prepared = networks.prepare().then(() => {
    isPrepared = true;
  });
  for (; !isPrepared; turns++) await new Promise((resolve) => setImmediate(resolve));
  await prepared;
  assert.ok(turns >= 9, `${turns}`);
  assert.equal(networks.find("3.5.140.1")?.provider, "Amazon Web Services");
  // A question that comes meanwhile is answered at once.
  const asked = createNetworks(readNetworkSources());
  const preparing = asked.prepare();
  await new Promise((resolve) => setImmediate(resolve));
  for (const ip of ["3.5.140.1", "104.28.28.1", "192.0.2.1"]) assert.deepEqual(asked.find(ip), networks.find(ip));
  await preparing;
  assert.equal(asked.find("3.5.140.1")?.provider, "Amazon Web Services");
});

test("the shipped lists are those of data/networks", () => {
  const networks = createNetworks(readNetworkSources());
  let prefixes = 0;
  for (const { id, copy, format } of networks.sources) {
    const list = networks.list(id);
    if (copy === undefined) {
      assert.equal(list, undefined);
      assert.notEqual(format, undefined, `${id} has neither a copy nor a list to read`);
      continue;
    }
    const lines = readFileSync(new URL(`../../../data/networks/${id}.txt`, import.meta.url), "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    prefixes += lines.length;
    for (const line of lines) {
      const { address, length } = toPrefix(line)!;
      const found = list!.table.find(address);
      assert.ok(found !== undefined && found.length <= length, line);
      // Whose it is: this list, or one with a prefix as long.
      assert.notEqual(networks.find(toAddressText(address)), undefined, line);
    }
  }
  assert.equal(prefixes, 21_027);
});

test("a list of a quarter of a million lines is read in steps, reduced in each", async () => {
  const line = (at: number): string =>
    `172.${224 + (at >> 14)}.${(at >> 6) & 255}.${(at & 63) * 4}/30,GB,GB-EN,London,`;
  let turns = 0;
  const text = Array.from({ length: 2 ** 18 }, (_, at) => line(at)).join("\n");
  const prefixes = await readRanges(text, { format: "geofeed" }, networkRules, async () => void turns++);
  assert.deepEqual(prefixes.map(toPrefixText), ["172.224.0.0/12"]);
  assert.ok(turns > 100);
});
