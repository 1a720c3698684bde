/** Sets of prefixes and the table of prefixes, against their definitions. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Address, compareAddresses, toAddressText } from "../../src/address/address.ts";
import { maskAddress, type Prefix, toPrefix, toPrefixText } from "../../src/address/prefix.ts";
import { decodePrefixes, encodePrefixes } from "../../src/address/prefix-codec.ts";
import { findPrefix, isWithin, toPrefixes, toPrefixSet } from "../../src/address/prefix-set.ts";
import { createLengthTable, createSetTable } from "../../src/address/prefix-table.ts";

const anyPrefix = fc
  .tuple(fc.constantFrom("198.18", "198.19", "2001:db8:1", "2001:db8:ffff"), fc.nat(15), fc.nat(3), fc.nat(1))
  .map(([start, part, length, low]) =>
    start.includes(":")
      ? toPrefix(`${start}:${part.toString(16)}::${low}/${[40, 61, 64, 128][length]}`)!
      : toPrefix(`${start}.${part}.${low * 128}/${[12, 22, 25, 32][length]}`)!,
  );

/** Inside and beside each prefix. */
function around(prefixes: readonly Prefix[]): Address[] {
  return prefixes.flatMap(({ address: [a, b, c, d], length }): Address[] => {
    const step = 2 ** Math.max(0, 128 - length);
    const moves = length > 96 ? [0, step - 1, step, -1] : [0, 1, -1];
    return moves.map((move): Address => [a, b, c, (d + move) >>> 0]);
  });
}

it("a set covers what its prefixes cover, is the smallest, and is the same after encoding", () => {
  fc.assert(
    fc.property(fc.array(anyPrefix, { maxLength: 40 }), (prefixes) => {
      const fewest = toPrefixSet(prefixes);
      const list = toPrefixes(fewest);
      for (const address of around(prefixes)) {
        const expected = prefixes.some((prefix) => isWithin(address, prefix));
        assert.equal(findPrefix(fewest, address) !== undefined, expected, toAddressText(address));
      }
      for (const [at, prefix] of list.entries()) {
        const next = list[at + 1];
        if (next === undefined) continue;
        assert.ok(compareAddresses(prefix.address, next.address) < 0 && !isWithin(next.address, prefix));
        const whole = maskAddress(next.address, next.length - 1);
        const areHalves = prefix.length === next.length && compareAddresses(whole, prefix.address) === 0;
        assert.ok(!areHalves, `${toPrefixText(prefix)} and ${toPrefixText(next)} are halves of one prefix`);
      }
      assert.deepEqual(decodePrefixes(encodePrefixes(fewest)), fewest);
    }),
  );
});

it("a table finds what a search of all prefixes finds", () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyPrefix, { maxLength: 15 }), { maxLength: 5 }), (lists) => {
      const sets = lists.map(toPrefixSet);
      const table = createSetTable(sets);
      for (const address of around(lists.flat())) {
        const found = sets.map((set) => findPrefix(set, address)?.length ?? -1);
        const longest = Math.max(-1, ...found);
        assert.equal(table.find(address), longest === -1 ? undefined : found.indexOf(longest), toAddressText(address));
      }
    }),
  );
});

/** The definition: the longest of the prefixes whose bits are the address's. */
function findNaively(prefixes: readonly Prefix[], address: Address): number | undefined {
  let longest: number | undefined;
  for (const prefix of prefixes) {
    if (longest !== undefined && prefix.length <= longest) continue;
    if (contains(prefix, address)) longest = prefix.length;
  }
  return longest;
}

function contains({ address: start, length }: Prefix, address: Address): boolean {
  for (let word = 0; word * 32 < length; word++) {
    const shift = Math.max(0, 32 - (length - word * 32));
    if (start[word]! >>> shift !== address[word]! >>> shift) return false;
  }
  return true;
}

describe("the table of prefixes", () => {
  /** The same numbers in each run (xorshift). */
  let state = 20_261_121;
  const random = (below: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
  // Few values, so that prefixes nest, touch, repeat, and reach both ends of the address space.
  const byte = (): number => [0, 1, 2, 127, 128, 254, 255][random(7)]!;
  const word = (): number => ((byte() << 24) | (byte() << 16) | (byte() << 8) | byte()) >>> 0;
  // IPv4, beside IPv4, and anywhere.
  const randomAddress = (): Address =>
    random(3) > 0
      ? [0, 0, 0xffff, word()]
      : random(3) > 0
        ? [word(), random(2) * word(), random(2) * word(), word()]
        : [0, 0, 0xfffe + random(3), [0, 0xffff_ffff, word()][random(3)]!];
  const randomPrefix = (): Prefix => {
    const address = randomAddress();
    const from = address[2] === 0xffff && address[0] === 0 && address[1] === 0 ? 96 : 0;
    return toPrefix(`${toAddressText(address)}/${random(from === 96 ? 33 : 129)}`)!;
  };

  it("finds what the definition finds, for a million addresses", () => {
    for (let round = 0; round < 500; round++) {
      const prefixes = Array.from({ length: random(24) }, randomPrefix);
      const table = createLengthTable(prefixes);
      for (let count = 0; count < 2000; count++) {
        const address = randomAddress();
        if (table.find(address) === findNaively(prefixes, address)) continue;
        assert.fail(`${toAddressText(address)} in ${prefixes.map(toPrefixText).join(" ")}`);
      }
    }
  });

  it("holds 50,000 prefixes in less than 4 MB", () => {
    const prefixes = Array.from({ length: 50_000 }, (): Prefix => {
      const address: Address = [0x2000_0000 + random(0x1000_0000), random(0xffff_ffff), random(0xffff_ffff), 0];
      return toPrefix(`${toAddressText(address)}/${64 + random(65)}`)!;
    });
    assert.ok(createLengthTable(prefixes).byteLength < 4_000_000);
  });
});
