/** Networks of addresses: every spelling, precedence, the shipped lists against a plain search, lists as bytes, hostile lists. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { toAddressText } from "../../../src/address/address.ts";
import { toFewest, toPrefix, toPrefixText } from "../../../src/address/prefix.ts";
import { encodePrefixes } from "../../../src/address/prefix-codec.ts";
import { readNetworkSources } from "../../../src/detect/built-in/networks.ts";
import { toBytesText } from "../../../src/detect/text.ts";
import { networkRules, parseRanges, readRanges } from "../../../src/verify/lists/parse-ranges.ts";
import { createNetworks } from "../../../src/verify/networks/networks.ts";

test("every spelling of an address is in its network", () => {
  const networks = createNetworks(readNetworkSources());
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["3.5.140.1", "Amazon Web Services"],
    ["::ffff:3.5.140.1", "Amazon Web Services"],
    ["::FFFF:305:8c01", "Amazon Web Services"],
    ["0:0:0:0:0:ffff:0305:8C01", "Amazon Web Services"],
    ["0000:0000:0000:0000:0000:FFFF:3.5.140.1", "Amazon Web Services"],
    ["::3.5.140.1", undefined],
    ["104.28.28.1", "iCloud Private Relay"],
    ["2606:54c3::1", "iCloud Private Relay"],
    ["2606:54C3:0:0:0:0:0:1", "iCloud Private Relay"],
    ["2.58.241.66", "Proton VPN"],
    ["10.0.0.1", undefined],
    ["192.0.2.1", undefined],
    ["::1", undefined],
    ["3.5.140.1:443", undefined],
    ["no address", undefined],
    ["", undefined],
  ];
  for (const [ip, provider] of rows) assert.equal(networks.find(ip)?.provider, provider, ip);
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
  const rows = {
    "198.18.0.1": "tor",
    "198.18.0.2": "relay",
    "198.18.0.3": "hosting",
    // One list is its fewest prefixes: this /32 is within the /15.
    "198.18.1.1": "vpn",
    "198.18.1.200": "hosting",
    "198.18.2.1": "tor",
    "198.18.3.1": "vpn",
    "198.19.255.255": "hosting",
    "198.20.0.0": undefined,
    "198.17.255.255": undefined,
    "2001:db8::1": "relay",
    "2001:db8:1::": "hosting",
    "2001:db9::": undefined,
  };
  for (const [ip, kind] of Object.entries(rows)) assert.equal(networks.find(ip)?.kind, kind, ip);
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

const providers = {
  aws: [
    "json",
    '{"syncToken":"1","createDate":"2026-08-22-00-00-00","prefixes":[{"ip_prefix":"3.4.12.4/32","region":"eu-west-1","service":"AMAZON","network_border_group":"eu-west-1"},{"ip_prefix":"3.4.12.5/32","region":"eu-west-1","service":"EC2"}],"ipv6_prefixes":[{"ipv6_prefix":"2600:1f00::/40","service":"EC2"}]}',
    ["3.4.12.4/31", "2600:1f00::/40"],
  ],
  google: [
    "json",
    '{"syncToken":"1","creationTime":"2026-08-22T00:00:00.000000","prefixes":[{"ipv4Prefix":"34.1.208.0/20","service":"Google Cloud","scope":"africa-south1"},{"ipv6Prefix":"2600:1900:8000::/44"}]}',
    ["34.1.208.0/20", "2600:1900:8000::/44"],
  ],
  oracle: [
    "json",
    '{"last_updated_timestamp":"2026-08-22T00:00:00.000000","regions":[{"region":"uk-cardiff-1","cidrs":[{"cidr":"129.151.40.0/22","tags":["OCI"]}]}]}',
    ["129.151.40.0/22"],
  ],
  digitalocean: ["geofeed", "5.101.96.0/24,NL,NL-NH,Amsterdam,1105 AT\r\n5.101.97.0/24,NL,,,\r\n", ["5.101.96.0/23"]],
  linode: [
    "geofeed",
    "# Linode\n\n2600:3c00::/32,US,US-TX,Richardson,\n45.33.0.0/17,US,,,",
    ["45.33.0.0/17", "2600:3c00::/32"],
  ],
  vultr: ["geofeed", `${"45.32.0.0/20,US\n".repeat(20)}192.0.2.0/24,US\n2001:db8::/32,US\n`, ["45.32.0.0/20"]],
  icloud: ["geofeed", "172.224.224.0/31,GB,GB-EN,London,\n172.224.224.2/31,GB,GB-EN,Leeds,\n", ["172.224.224.0/30"]],
  tor: ["lines", "185.220.101.1\n185.220.101.2\n", ["185.220.101.1/32", "185.220.101.2/32"]],
} as const;

test("providers' formats", () => {
  for (const [id, [format, text, prefixes]] of Object.entries(providers)) {
    assert.deepEqual(parseRanges(text, { format }, networkRules).map(toPrefixText), prefixes, id);
  }
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

test("hostile lists are refused", () => {
  const rows: readonly (readonly [string, "json" | "lines" | "geofeed", RegExp])[] = [
    ["0.0.0.0/0\n", "lines", /0\.0\.0\.0\/0 is wider/],
    ["::/0\n", "lines", /::\/0 is wider/],
    ["2000::/3\n", "lines", /wider/],
    ["3.0.0.0/7\n", "lines", /wider/],
    [Array.from({ length: 40 }, (_, at) => `${at + 20}.0.0.0/8`).join("\n"), "lines", /IPv4 addresses, more than any/],
    ["10.0.0.0/8\n192.168.0.0/16\n", "lines", /2 of its 2 prefixes are not public/],
    ["fe80::/10\nfc00::/7\n127.0.0.1\n45.32.0.0/20", "lines", /3 of its 4/],
    ["<!doctype html><title>Sign in</title>", "geofeed", /is not a prefix/],
    ["<!doctype html>", "json", /not JSON/],
    ["{}", "json", /no prefix/],
    ["", "lines", /no prefix/],
    ["45.32.0.0/20\nexample.com\n", "lines", /"example\.com" is not a prefix/],
    ['{"prefixes":[{"ip_prefix":"45.32.0.0/33"}]}', "json", /is not a prefix/],
  ];
  for (const [text, format, message] of rows)
    assert.throws(() => parseRanges(text, { format }, networkRules), { message }, text);
});
