/** Addresses and prefixes in every spelling. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toAddress, toAddressText, toClient, toReverseName } from "../../src/address/address.ts";
import { toPrefix, toPrefixText } from "../../src/address/prefix.ts";
import { isPublic } from "../../src/address/public-address.ts";
import { rowsOf } from "../support/table.ts";

/** What is written, and how it is written by the rules. */
const spellings = rowsOf(`
  192.0.2.1                  | 192.0.2.1
  0.0.0.0                    | 0.0.0.0
  255.255.255.255            | 255.255.255.255
  ::ffff:192.0.2.1           | 192.0.2.1
  ::FFFF:C000:201            | 192.0.2.1
  0:0:0:0:0:ffff:c000:0201   | 192.0.2.1
  ::192.0.2.1                | ::c000:201
  64:ff9b::192.0.2.33        | 64:ff9b::c000:221
  2001:DB8::1                | 2001:db8::1
  2001:db8:0:0:1:0:0:1       | 2001:db8::1:0:0:1
  1:2:3:4:5:6:7:8            | 1:2:3:4:5:6:7:8
  1:2:3:4:5:6:7::            | 1:2:3:4:5:6:7:0
  ::                         | ::
  ::1                        | ::1
  1::                        | 1::
`);
const noAddresses = [
  // Octal, hexadecimal, short and decimal spellings, which inet_aton takes and which hide who is meant.
  ..."0192.0.2.1 192.00.2.1 192.0.2.01 0300.0.2.1 0xc0.0.2.1 192.0.513 192.2 3221225985".split(" "),
  // Zones, ports, brackets, blanks, lists and names.
  ..."fe80::1%eth0 fe80::1%25eth0 192.0.2.1:80 [::1] [::1]:80 192.0.2.1, localhost １.2.3.4 unknown _hidden".split(" "),
  ...[" 192.0.2.1", "192.0.2.1 ", "192.0.2.1\n", ""],
  ...". 1.2.3 1.2.3.4.5 1.2.3.256 1.2.3. .1.2.3 1..2.3 -1.2.3.4 +1.2.3.4".split(" "),
  ...": ::: 1: :1 1::2::3 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9 ::1:2:3:4:5:6:7:8 12345:: g::".split(" "),
  ..."1.2.3.4:: ::1.2.3.4:5 ::1.2.3 ::01.2.3.4".split(" "),
];

describe("an address", () => {
  for (const [text = "", canonical = ""] of spellings)
    it(`is read from ${text}`, () => {
      const address = toAddress(text)!;
      assert.equal(toAddressText(address), canonical);
      assert.deepEqual(toAddress(canonical), address);
    });
  for (const text of noAddresses)
    it(`is not read from ${JSON.stringify(text)}`, () => assert.equal(toAddress(text), undefined));

  it("has a name in the reverse tree", () => {
    assert.equal(toReverseName(toAddress("192.0.2.1")!), "1.2.0.192.in-addr.arpa");
    assert.equal(toReverseName(toAddress("::ffff:192.0.2.1")!), "1.2.0.192.in-addr.arpa");
    const expected = `${"1".padEnd(24, "0")}8bd01002`.split("").join(".");
    assert.equal(toReverseName(toAddress("2001:db8::1")!), `${expected}.ip6.arpa`);
  });

  it("is public or not", () => {
    const isPublicText = (text: string): boolean => isPublic(toAddress(text)!);
    for (const text of "8.8.8.8 66.249.66.1 2001:4860:4860::8888 2a02:6b8::1 ::ffff:8.8.8.8 172.32.0.1".split(" "))
      assert.ok(isPublicText(text), text);
    const others =
      `0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.31.255.255 192.168.0.1 :: ::1 ::ffff:127.0.0.1
      ::ffff:a9fe:a9fe fe80::1 fc00::1 fd12::1 ff02::1 224.0.0.1 255.255.255.255 192.0.2.1 2001:db8::1 2002:7f00:1:: 64:ff9b::7f00:1
      ::127.0.0.1`.split(/\s+/);
    for (const text of others) assert.ok(!isPublicText(text), text);
  });
});

describe("the client behind an address", () => {
  for (const [address, client] of [
    ["::ffff:192.0.2.123", "192.0.2.123"],
    ["::FFFF:10.11.12.13", "10.11.12.13"],
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:0001:0A02::", "2001:db8:1:a02::/64"],
    ["2001::5:6:7:8:9", "2001:0:0:5::/64"],
    ["2001::4:5:6:7:8:9", "2001:0:4:5::/64"],
    ["::9", "::/64"],
    ["::1:2:3:4:5", "0:0:0:1::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["fe80::1:2:3:4:5:6%a::b", "fe80:0:1:2::/64"],
    // No address is a client of its own.
    ["x::ffff:192.0.2.1", "x::ffff:192.0.2.1"],
    ["::ffff:192.0.2.1x", "::ffff:192.0.2.1x"],
    ["unknown%x", "unknown%x"],
  ] as const) {
    it(`${address} is ${client}`, () => assert.equal(toClient(address), client));
  }
});

describe("a prefix", () => {
  it("is read strictly and written by the rules", () => {
    for (const [text = "", canonical = ""] of rowsOf(`
      192.0.2.0/24         | 192.0.2.0/24
      192.0.2.77/24        | 192.0.2.0/24
      192.0.2.77           | 192.0.2.77/32
      0.0.0.0/0            | 0.0.0.0/0
      ::ffff:192.0.2.0/120 | 192.0.2.0/24
      2001:DB8:ffff::/32   | 2001:db8::/32
      ::/0                 | ::/0
    `))
      assert.equal(toPrefixText(toPrefix(text)!), canonical, text);
    const none = [
      "2001:db8::/32 ",
      ..."192.0.2.0/33 192.0.2.0/ 192.0.2.0/024 192.0.2.0/-1 192.0.2.0/24/8 ::/129 /8".split(" "),
    ];
    for (const text of none) assert.equal(toPrefix(text), undefined, text);
  });
});
