/** Sets of prefixes and the table of prefixes, against definitions that neither sort nor compare. */
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { type Address, toAddress, toAddressText } from "../../src/address/address.ts";
import { maskAddress, mergePrefixes, type Prefix, toPrefix, toPrefixText } from "../../src/address/prefix.ts";
import { PrefixTable } from "../../src/address/prefix-table.ts";
import { detector } from "../../src/detect/built-in/detector.ts";
import { readNetworkSources } from "../../src/detect/built-in/networks.ts";
import { readRangeCopy, toRangeCopy } from "../../src/detect/range-copy.ts";
import { finish } from "../../src/pattern/finish.ts";

/** An address by its 128 bits as text, in which an IPv4 address is mapped. */
function toBits(text: string): string {
  if (!text.includes(":")) {
    const bytes = text.split(".").map((part) => Number(part).toString(2).padStart(8, "0"));
    return `${"0".repeat(80)}${"1".repeat(16)}${bytes.join("")}`;
  }
  const [first = "", last = ""] = text.split("::").map((part) =>
    part
      .split(":")
      .filter((group) => group !== "")
      .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, "0"))
      .join(""),
  );
  return first + last.padStart(128 - first.length, "0");
}

/** Prefixes by their bits: the longest prefix around an address is the longest beginning of its bits that is one. */
function findByBits(prefixes: ReadonlySet<string>, address: string): number | undefined {
  for (let length = 128; length >= 0; length--) if (prefixes.has(address.slice(0, length))) return length;
  return undefined;
}

const toBitsOfPrefix = (prefix: Prefix): string => toBits(toAddressText(prefix.address)).slice(0, prefix.length);

// Few values, so that prefixes nest, touch, repeat, are beside IPv4, and reach both ends of the address space.
const word = fc.constantFrom("0", "1", "7fff", "8000", "fffe", "ffff");
const anyAddress = fc.oneof(
  fc.tuple(word, word).map((words) => `::ffff:${words.join(":")}`),
  fc.tuple(word, word, word).map((words) => `::${words.join(":")}`),
  fc.array(word, { minLength: 8, maxLength: 8 }).map((words) => words.join(":")),
  fc
    .tuple(fc.constantFrom("2a02:26f7:c3c4", "2a02:26f7:c3c5"), word, word)
    .map(([start, ...ends]) => `${start}::${ends.join(":")}`),
);
const anyPrefix = fc.tuple(anyAddress, fc.nat(128)).map(([text, length]) => toPrefix(`${text}/${length}`)!);
const anyPrefixes = fc.array(anyPrefix, { maxLength: 24 });

/** The ends of each prefix, and the addresses beside them. */
const around = (prefixes: readonly Prefix[]): Address[] =>
  prefixes.flatMap(({ address, length }) => {
    const end = address + (1n << BigInt(128 - length));
    return [address - 1n, address, end - 1n, end].filter((at) => at >= 0n && at < 1n << 128n);
  });

it("a set covers what its prefixes cover, is the smallest", () => {
  fc.assert(
    fc.property(anyPrefixes, (prefixes) => {
      const fewest = finish(mergePrefixes(prefixes));
      const [bits, fewestBits] = [prefixes, fewest].map((list) => new Set(list.map(toBitsOfPrefix)));
      for (const address of around(prefixes)) {
        const text = toBits(toAddressText(address));
        assert.equal(findByBits(fewestBits!, text) !== undefined, findByBits(bits!, text) !== undefined, text);
      }
      for (const one of fewestBits!) {
        if (one === "") continue;
        assert.equal(findByBits(fewestBits!, one.slice(0, -1)), undefined, `${one} is within another`);
        const other = `${one.slice(0, -1)}${one.endsWith("0") ? 1 : 0}`;
        assert.ok(!fewestBits!.has(other), `${one} and its neighbour are halves of one prefix`);
      }
    }),
  );
});

it("a copy has the prefixes of its list in their order", () => {
  const all = readNetworkSources().flatMap(({ copy }) => copy ?? []);
  const { ranges } = detector.catalogue.verification;
  for (const copy of [...all, ...Object.values(ranges)]) assert.equal([...readRangeCopy(copy)].length, copy.size);
  fc.assert(
    fc.property(anyPrefixes, (prefixes) => {
      assert.deepEqual([...readRangeCopy(toRangeCopy("2026-01-31", prefixes))], prefixes);
    }),
  );
});

it("a table finds what the definition finds, in the order from inside to outside", () => {
  fc.assert(
    fc.property(anyPrefixes, fc.array(anyAddress), (prefixes, addresses) => {
      const table = new PrefixTable(prefixes.map((prefix, order) => ({ ...prefix, order })));
      const bits = new Set(prefixes.map(toBitsOfPrefix));
      for (const address of [...around(prefixes), ...addresses.map((text) => toAddress(text)!)]) {
        const text = toAddressText(address);
        const where = `${text} in ${prefixes.map(toPrefixText).join(" ")}`;
        assert.equal(table.find(address)?.length, findByBits(bits, toBits(text)), where);
        const all = prefixes
          .map((prefix, order) => ({ ...prefix, order }))
          .filter((prefix) => maskAddress(address, prefix.length) === prefix.address)
          // The last of equal ones is the innermost.
          .sort((one, other) => other.length - one.length || other.order - one.order);
        assert.deepEqual(table.findAll(address), all, where);
      }
    }),
    { numRuns: 300 },
  );
});

it("a table of all networks finds what the definition finds, for 20,000 addresses", () => {
  const prefixes = readNetworkSources().flatMap(({ copy }) => (copy === undefined ? [] : [...readRangeCopy(copy)]));
  const table = new PrefixTable(prefixes);
  const bits = new Set(prefixes.map(toBitsOfPrefix));
  assert.ok(prefixes.length > 20_000);
  const addresses = around(prefixes).filter((_, at) => at % 4 === Math.floor(at / 4) % 4);
  assert.ok(addresses.length > 20_000);
  for (const address of addresses) {
    const text = toAddressText(address);
    if (table.find(address)?.length === findByBits(bits, toBits(text))) continue;
    assert.fail(text);
  }
});

it("long lists are merged and made into tables in steps that look at a bounded number of prefixes", () => {
  let looks = 0;
  // In an order far from sorted.
  const prefixes = Array.from({ length: 100_000 }, (_, at) => ({
    get address() {
      looks++;
      return BigInt((at * 7919) % 100_000) << 8n;
    },
    length: 122,
  }));
  for (const steps of [mergePrefixes(prefixes), PrefixTable.inSteps(prefixes)] as Iterator<undefined>[]) {
    let most = 0;
    for (let isDone = false; !isDone; most = Math.max(most, looks)) {
      looks = 0;
      isDone = steps.next().done === true;
    }
    assert.ok(most < 100_000, `${most}`);
  }
});
