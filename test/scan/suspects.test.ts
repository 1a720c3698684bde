/** The networks of addresses in reports. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { networkOf } from "../../src/scan/report/suspects.ts";

const networks: readonly (readonly [address: string, network: string | undefined])[] = [
  ["192.0.2.77", "192.0.2.0/24"],
  ["::ffff:192.0.2.77", "192.0.2.0/24"],
  ["2001:db8:1:2::3", "2001:db8:1::/48"],
  ["2001:0DB8:0001:2:3:4:5:6", "2001:db8:1::/48"],
  ["2001:db8::1", "2001:db8::/48"],
  ["2001:0:0:7::1", "2001::/48"],
  ["::1", "::/48"],
  ["", undefined],
  ["-", undefined],
  ["host.example", undefined],
  ["unix:", undefined],
];

for (const [address, network] of networks)
  it(`the network of ${address || "nothing"} is ${network}`, () => assert.equal(networkOf(address), network));
