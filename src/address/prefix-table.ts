/**
 * A table of prefixes: which is the longest that an address lies in? The prefixes are cut into the stretches between their
 * beginnings and ends, which no longer overlap, so that a binary search finds the one stretch of an address. Against a tree
 * this needs a quarter of the memory and no more time.
 */
import { type Address, compareAddresses, isIpv4 } from "./address.ts";
import type { Prefix } from "./prefix.ts";

export interface PrefixTable {
  /** How many prefixes it was made of. */
  readonly size: number;
  /** How many bytes its arrays take. */
  readonly byteLength: number;
  /** The length of the longest prefix that `address` lies in, counted as Prefix does, or undefined. */
  find(address: Address): number | undefined;
}

/** No prefix: one more than the longest. */
const none = 129;

/** Makes a table; the order of prefixes and repetitions do not matter. */
export function createPrefixTable(prefixes: readonly Prefix[]): PrefixTable {
  const isShort = ({ address, length }: Prefix): boolean => isIpv4(address) && length >= 96;
  // Where the last of them ends, IPv4 ends.
  const ipv4 = toStretches(prefixes.filter(isShort)).filter(({ start }) => isIpv4(start));
  const others = toStretches(prefixes.filter((prefix) => !isShort(prefix)));
  // An IPv4 address is only the last word, so it needs a quarter of the comparisons and of the memory.
  const ipv4Starts = Uint32Array.from(ipv4, ({ start }) => start[3]);
  const ipv4Lengths = Uint8Array.from(ipv4, ({ length }) => length);
  const starts = Uint32Array.from(others.flatMap(({ start }) => start));
  const lengths = Uint8Array.from(others, ({ length }) => length);

  return {
    size: prefixes.length,
    byteLength: ipv4Starts.byteLength + ipv4Lengths.byteLength + starts.byteLength + lengths.byteLength,
    find(address) {
      const isMapped = isIpv4(address);
      const length = isMapped ? ipv4Lengths[lastIpv4(ipv4Starts, address[3])] : lengths[last(starts, address)];
      // A prefix of IPv6 may be so wide that it has the mapped addresses in it.
      if (isMapped && (length === undefined || length === none)) return known(lengths[last(starts, address)]);
      return known(length);
    },
  };
}

function known(length: number | undefined): number | undefined {
  return length === none ? undefined : length;
}

interface Stretch {
  readonly start: Address;
  /** Of the longest prefix around it, or `none`. */
  readonly length: number;
}

function toStretches(prefixes: readonly Prefix[]): Stretch[] {
  const sorted = [...prefixes].sort(
    (one, other) => compareAddresses(one.address, other.address) || one.length - other.length,
  );
  const stretches: Stretch[] = [];
  const begin = (start: Address, length: number): void => {
    const before = stretches.at(-1);
    if (before !== undefined && compareAddresses(before.start, start) === 0) stretches.pop();
    if ((stretches.at(-1)?.length ?? none) !== length) stretches.push({ start, length });
  };
  /** The prefixes around the place that has been reached, the shortest first. */
  const open: { readonly end: Address | undefined; readonly length: number }[] = [];
  const closeUntil = (place: Address): void => {
    for (let inner = open.at(-1); inner?.end && compareAddresses(inner.end, place) <= 0; inner = open.at(-1)) {
      open.pop();
      begin(inner.end, open.at(-1)?.length ?? none);
    }
  };
  for (const { address, length } of sorted) {
    closeUntil(address);
    begin(address, length);
    open.push({ end: firstBehind(address, length), length });
  }
  closeUntil(lastAddress);
  return stretches;
}

const lastAddress: Address = [0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff];

/** The first address behind a prefix; undefined if that ends with the last address of all. */
function firstBehind(address: Address, length: number): Address | undefined {
  const words: [number, number, number, number] = [...address];
  let carry = length === 0 ? 0 : 2 ** (31 - ((length - 1) % 32));
  for (let word = Math.floor((length - 1) / 32); word >= 0; word--) {
    const sum = words[word]! + carry;
    words[word] = sum % 4_294_967_296;
    carry = sum < 4_294_967_296 ? 0 : 1;
    if (carry === 0) return words;
  }
  return undefined;
}

/** The index of the last start that is not greater than `value`, or -1. */
export function lastIpv4(starts: Uint32Array, value: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The same of starts of four words each. */
export function last(starts: Uint32Array, address: Address): number {
  let low = 0;
  let high = starts.length >>> 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAtMost(starts, middle << 2, address)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function isAtMost(starts: Uint32Array, at: number, address: Address): boolean {
  for (let word = 0; word < 4; word++) {
    const start = starts[at + word]!;
    if (start !== address[word]) return start < address[word]!;
  }
  return true;
}
