/** Lists of networks are read again from their providers, over HTTPS: every format; what is wrong is refused, and the last good list stays. */
import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { toPrefixText } from "../../../src/address/prefix.ts";
import { readNetworkSources } from "../../../src/detect/built-in/networks.ts";
import type { NetworkSource } from "../../../src/detect/verification.ts";
import { createGet } from "../../../src/verify/https-get.ts";
import { createRangeStore } from "../../../src/verify/lists/range-store.ts";
import { createNetworks, createNetworksRefresher, type Networks } from "../../../src/verify/networks/networks.ts";
import { temporary } from "../../support/temporary.ts";
import { listenHttps, loopback, type TestServer } from "../https-server.ts";

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
    await refresher.refresh("vultr");
    assert.match(reports.join(), why);
    assert.deepEqual([prefixesOf(networks, "vultr"), networks.find("45.32.0.1")], before);
    assert.deepEqual(readdirSync(folder), []);
    reports.length = 0;
  }
});
