/**
 * Networks of addresses: every spelling, precedence, the shipped lists against a plain search, lists read in steps, and read again from
 * their providers over HTTPS.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { toAddressText } from "../../src/address/address.ts";
import { mergePrefixes, toPrefix, toPrefixText } from "../../src/address/prefix.ts";
import { readNetworkSources } from "../../src/detect/built-in/networks.ts";
import { toRangeCopy } from "../../src/detect/range-copy.ts";
import type { NetworkKind, NetworkSource } from "../../src/detect/verification.ts";
import { finish } from "../../src/pattern/finish.ts";
import { createGet } from "../../src/verify/https-get.ts";
import { networkRules, readRanges } from "../../src/verify/lists/parse-ranges.ts";
import { createRangeStore } from "../../src/verify/lists/range-store.ts";
import { createNetworks, createNetworksRefresher, type Networks } from "../../src/verify/networks/networks.ts";
import { rowsOf } from "../support/table.ts";
import { temporary } from "../support/temporary.ts";
import { listenHttps, loopback, type TestServer } from "./https-server.ts";

it("every spelling of an address is in its network", () => {
  const networks = createNetworks(readNetworkSources());
  const rows = rowsOf(`
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
    172.64.0.1 | Cloudflare
    2606:4700::1 | Cloudflare
    151.101.1.1 | Fastly
    130.176.88.1 | Amazon CloudFront
    3.5.140.1:443 |
    no address |
  `);
  for (const [ip = "", provider] of [...rows, ["", ""]]) assert.equal(networks.find(ip)?.provider ?? "", provider, ip);
});

it("the longest prefix wins, then tor, vpn, relay, cdn, hosting", () => {
  const source = (kind: NetworkKind, ...prefixes: readonly string[]) => ({
    ...{ id: kind, provider: kind, kind, source: "https://lists.example/" },
    copy: toRangeCopy("2026-01-31", finish(mergePrefixes(prefixes.map((text) => toPrefix(text)!)))),
  });
  const networks = createNetworks([
    source("tor", "198.18.0.1/32", "198.18.2.0/24"),
    source("vpn", "198.18.0.1/32", "198.18.1.0/25", "198.18.2.0/23"),
    source("relay", "198.18.0.1/32", "198.18.0.2/32", "2001:db8::/48"),
    source("cdn", "198.18.0.2/32", "198.18.4.0/24"),
    source(
      "hosting",
      "198.18.4.0/24",
      "198.18.0.0/15",
      "198.18.1.1/32",
      "198.18.2.0/24",
      "2001:db8::/48",
      "2001:db8::/32",
    ),
  ]);
  // One list is its fewest prefixes: the /32 of 198.18.1.1 is within the /15.
  const rows = rowsOf(`
    tor     | 198.18.0.1 198.18.2.1
    vpn     | 198.18.1.1 198.18.3.1
    relay   | 198.18.0.2 2001:db8::1
    cdn     | 198.18.4.1
    hosting | 198.18.0.3 198.18.1.200 198.19.255.255 2001:db8:1::
            | 198.20.0.0 198.17.255.255 2001:db9::
  `);
  for (const [kind, ips = ""] of rows)
    for (const ip of ips.split(" ")) assert.equal(networks.find(ip)?.kind ?? "", kind, ip);
  assert.deepEqual(networks.find("198.18.0.1"), {
    ...{ kind: "tor", provider: "tor", source: "https://lists.example/", asOf: "2026-01-31T00:00:00.000Z" },
  });
});

it("the copies are read in steps", () => {
  const networks = createNetworks(readNetworkSources());
  assert.ok([...networks.prepare()].length > 20);
  assert.equal(networks.find("3.5.140.1")?.provider, "Amazon Web Services");
  // A question that comes meanwhile is answered at once.
  const asked = createNetworks(readNetworkSources());
  const preparing = asked.prepare();
  preparing.next();
  for (const ip of ["3.5.140.1", "104.28.28.1", "192.0.2.1"]) assert.deepEqual(asked.find(ip), networks.find(ip));
  finish(preparing);
  assert.equal(asked.find("3.5.140.1")?.provider, "Amazon Web Services");
});

it("the shipped lists are those of data/networks", () => {
  const networks = createNetworks(readNetworkSources());
  let prefixes = 0;
  for (const { id, copy, format } of networks.sources) {
    const list = networks.list(id);
    if (copy === undefined) {
      assert.equal(list, undefined);
      assert.notEqual(format, undefined, `${id} has neither a copy nor a list to read`);
      continue;
    }
    const lines = readFileSync(new URL(`../../data/networks/${id}.txt`, import.meta.url), "utf8")
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
  assert.equal(prefixes, 21_119);
});

/** The address so many addresses after 172.224.0.0. */
const after172 = (count: number): string => `172.${224 + (count >> 16)}.${(count >> 8) & 255}.${count & 255}`;

it("a list of 260,000 lines is merged while it is read", () => {
  // Each prefix is split, and part of it is there twice; between two of them is a gap.
  const lines = Array.from({ length: 13_745 * 19 }, (_, at) => {
    const first = Math.floor(at / 19) * 64 + ((at % 19) % 16) * 2;
    return `${after172(first)}/31,GB,GB-EN,London,`;
  });
  const steps = readRanges(lines.join("\n"), { format: "geofeed" }, networkRules);
  const prefixes = finish(steps);
  assert.equal(prefixes.length, 13_745);
  assert.deepEqual(prefixes.slice(0, 2).map(toPrefixText), ["172.224.0.0/27", "172.224.0.64/27"]);
});

it("a list of more prefixes than memory should be used for is refused while it is read", () => {
  const lines = Array.from({ length: 300_000 }, (_, at) => `${after172(at * 2)}/32`);
  const steps = readRanges(`${lines.join("\n")}\nthe end`, { format: "lines" }, networkRules);
  assert.throws(() => finish(steps), /^Error: it has more than 200000 prefixes$/);
});

type Page = (request: IncomingMessage, response: ServerResponse) => void;

const folder = temporary();
let server: TestServer;
let now = Date.parse("2026-11-22T00:00:00Z");
let page: Page = (_, response) => void response.writeHead(404).end();
const reports: string[] = [];

before(async () => {
  server = await listenHttps((request, response) => page(request, response));
});
after(() => server.close());
beforeEach(() => {
  for (const file of readdirSync(folder)) rmSync(join(folder, file));
  reports.length = 0;
  now += 7 * 86_400_000;
});

const text =
  (body: string, headers: Readonly<Record<string, string>> = {}): Page =>
  (_, response) =>
    void response.writeHead(200, headers).end(body);

function create(id: string, change: Partial<NetworkSource> = {}) {
  const shipped = readNetworkSources().find((source) => source.id === id)!;
  const source = { ...shipped, source: `https://lists.example:${server.port}/${id}`, ...change };
  const networks = createNetworks([source]);
  const refresher = createNetworksRefresher(networks, {
    get: createGet(loopback),
    store: createRangeStore(folder),
    now: () => now,
    random: () => 0.5,
    report: (text) => reports.push(text),
    counts: { refreshed: 0, failed: 0 },
  });
  return { networks, refresher };
}

const prefixesOf = (networks: Networks, id: string): string[] => networks.list(id)!.prefixes.map(toPrefixText);

/** As many /24 as there are prefixes in the shipped list, so that the growth is none. */
const manyOf = (count: number, line: (prefix: string) => string): string =>
  Array.from({ length: count }, (_, at) => line(`45.${(at * 2) >> 8}.${(at * 2) & 255}.0/24`)).join("\n");

const formats: Readonly<Record<string, (prefixes: string) => string>> = {
  aws: (lines) =>
    JSON.stringify({
      ...{ syncToken: "1", createDate: "2026-11-22-00-00-00" },
      prefixes: lines.split("\n").map((ip_prefix) => ({ ip_prefix, region: "x", service: "EC2" })),
      ipv6_prefixes: [{ ipv6_prefix: "2600:1f00::/40", service: "EC2" }],
    }),
  cloudflare: (lines) =>
    JSON.stringify({
      result: {
        ipv4_cidrs: lines.split("\n"),
        ipv6_cidrs: ["2400:cb00::/32"],
        etag: "38f79d050aa027e3be3865e495dcc9bc",
      },
      ...{ success: true, errors: [], messages: [] },
    }),
  fastly: (lines) => JSON.stringify({ addresses: lines.split("\n"), ipv6_addresses: ["2a04:4e40::/32"] }),
  cloudfront: (lines) =>
    JSON.stringify({
      ...{ syncToken: "1", createDate: "2026-11-22-00-00-00" },
      prefixes: [
        ...lines.split("\n").map((ip_prefix) => ({ ip_prefix, service: "CLOUDFRONT_ORIGIN_FACING" })),
        { ip_prefix: "45.0.1.0/24", service: "CLOUDFRONT" },
        { ip_prefix: "45.0.1.0/24", service: "EC2" },
      ],
      ipv6_prefixes: [],
    }),
  "google-cloud": (lines) =>
    JSON.stringify({
      ...{ syncToken: "1", creationTime: "2026-11-22T00:00:00" },
      prefixes: lines.split("\n").map((ipv4Prefix) => ({ ipv4Prefix, service: "Google Cloud" })),
    }),
  oracle: (lines) =>
    JSON.stringify({
      last_updated_timestamp: "2026-11-22T00:00:00",
      regions: [{ region: "x", cidrs: lines.split("\n").map((cidr) => ({ cidr, tags: ["OCI"] })) }],
    }),
  digitalocean: (lines) => lines.replace(/$/gm, ",NL,NL-NH,Amsterdam,1105 AT\r"),
  linode: (lines) => `# Linode\n${lines.replace(/$/gm, ",US,US-TX,Richardson,")}`,
  vultr: (lines) => lines.replace(/$/gm, ",US,US-NJ,Piscataway,"),
  "icloud-private-relay": (lines) => lines.replace(/$/gm, ",GB,GB-EN,London,"),
  tor: () => "45.0.0.1\n45.0.2.1\n",
};

describe("lists of providers", () => {
  it("have a format or a copy, and every format is tried here", () => {
    const refreshed = readNetworkSources().filter(({ format }) => format !== undefined);
    assert.deepEqual(refreshed.map(({ id }) => id).toSorted(), Object.keys(formats).toSorted());
    assert.deepEqual(
      readNetworkSources().flatMap(({ id, format }) => (format === undefined ? [id] : [])),
      ["proton-vpn", "azure"],
    );
  });

  for (const [id, write] of Object.entries(formats)) {
    it(`of ${id} are read`, async () => {
      const { networks, refresher } = create(id);
      assert.equal(networks.find("45.0.0.1"), undefined);
      page = text(write(manyOf(networks.list(id)?.size ?? 20, (prefix) => prefix)));
      await refresher.refresh(id);
      assert.deepEqual(reports, []);
      const { asOf, source } = networks.find("45.0.0.1")!;
      assert.deepEqual([asOf, source], [new Date(now).toISOString(), `https://lists.example:${server.port}/${id}`]);
      assert.equal(networks.find("45.0.1.1"), undefined);
      assert.deepEqual(readdirSync(folder), [`${id}.json`]);
    });
  }

  it("are reduced before their growth is judged", async () => {
    const { networks, refresher } = create("icloud-private-relay");
    const { size } = networks.list("icloud-private-relay")!;
    // Twenty times as many lines as the shipped list has prefixes; they make fewer.
    const lines = Array.from({ length: 20 * size }, (_, at) => {
      const address = at * 2 + (Math.floor(at / 64) % 2) * 128;
      return `172.${224 + (address >> 16)}.${(address >> 8) & 255}.${address & 255}/31,GB,,,`;
    });
    page = text(lines.join("\n"));
    await refresher.refresh("icloud-private-relay");
    assert.deepEqual(reports, []);
    assert.ok(networks.list("icloud-private-relay")!.size < size);
  });
});

it("hostile lists are refused by the rules for networks, and the last good one stays", async () => {
  const rows = { "0.0.0.0/0": /0\.0\.0\.0\/0 is wider/, "45.32.0.0/20": /more than 32000000 bytes/ };
  for (const [line, why] of Object.entries(rows)) {
    const { networks, refresher } = create("vultr");
    const before = [prefixesOf(networks, "vultr"), networks.find("45.32.0.1")];
    page = text(`${line}\n`.repeat(line.endsWith("/0") ? 1 : 2_600_000));
    assert.match((await refresher.refresh("vultr")) ?? "", why);
    assert.deepEqual([prefixesOf(networks, "vultr"), networks.find("45.32.0.1")], before);
    assert.deepEqual(readdirSync(folder), []);
  }
});
