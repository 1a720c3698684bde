/**
 * Whose an address is, among the prefixes of several sets: the set with the longest prefix around it, and of equally long ones
 * the first set. The sets are cut into stretches that do not overlap, so that one binary search answers.
 */
import { type Address, isIpv4 } from "../../address/address.ts";
import type { PrefixSet } from "../../address/prefix-set.ts";
import { last, lastIpv4 } from "../../address/prefix-table.ts";

export interface NetworkTable {
  /** How many bytes its arrays take. */
  readonly byteLength: number;
  /** The index of the set, or -1. */
  find(address: Address): number;
}

const none = 255;

/** Makes a table of at most 255 sets. All prefixes must be public. */
export function createNetworkTable(sets: readonly PrefixSet[]): NetworkTable {
  const { words, owners } = toStretches(sets);
  // Public addresses of IPv6 are behind the IPv4-mapped ones.
  let ipv4 = 0;
  while (ipv4 < owners.length && isMapped(words, ipv4)) ipv4++;
  // An IPv4 address is only the last word: a quarter of the comparisons and of the memory.
  const ipv4Starts = Uint32Array.from({ length: ipv4 }, (_, at) => words[at * 4 + 3]!);
  const ipv4Owners = owners.slice(0, ipv4);
  const starts = words.slice(ipv4 * 4);
  const others = owners.slice(ipv4);
  return {
    byteLength: ipv4Starts.byteLength + ipv4Owners.byteLength + starts.byteLength + others.byteLength,
    find(address) {
      const owner = isIpv4(address) ? ipv4Owners[lastIpv4(ipv4Starts, address[3])] : others[last(starts, address)];
      return owner === undefined || owner === none ? -1 : owner;
    },
  };
}

interface Stretches {
  /** Where each begins, four words each. */
  readonly words: Uint32Array;
  /** The index of the set, or `none`. */
  readonly owners: Uint8Array;
}

/** Merges the sets, each of which is sorted. Typed arrays only: objects would take three times as long and ten times the memory. */
function toStretches(sets: readonly PrefixSet[]): Stretches {
  const total = sets.reduce((sum, { lengths }) => sum + lengths.length, 0);
  const words = new Uint32Array((2 * total + 1) * 4);
  const owners = new Uint8Array(2 * total + 1);
  let count = 0;
  const begin = (from: ArrayLike<number>, at: number, owner: number): void => {
    if (count > 0 && compare(words, (count - 1) * 4, from, at) === 0) count--;
    if (owner === (count > 0 ? owners[count - 1] : none)) return;
    for (let word = 0; word < 4; word++) words[count * 4 + word] = from[at + word]!;
    owners[count++] = owner;
  };

  /** The prefixes around the place that has been reached, the shortest first: their owners, and the first address behind each. */
  const openOwners: number[] = [];
  const openEnds = new Uint32Array(129 * sets.length * 4);
  const closeUntil = (from: ArrayLike<number> | undefined, at: number): void => {
    while (openOwners.length > 0) {
      const end = (openOwners.length - 1) * 4;
      if (from !== undefined && compare(openEnds, end, from, at) > 0) return;
      openOwners.pop();
      begin(openEnds, end, openOwners.at(-1) ?? none);
    }
  };

  const cursors = sets.map(() => 0);
  for (let set = nextSet(sets, cursors); set !== -1; set = nextSet(sets, cursors)) {
    const { words: from, lengths } = sets[set]!;
    const at = cursors[set]!++;
    closeUntil(from, at * 4);
    begin(from, at * 4, set);
    writeEnd(openEnds, openOwners.length * 4, from, at * 4, lengths[at]!);
    openOwners.push(set);
  }
  closeUntil(undefined, 0);
  return { words: words.slice(0, count * 4), owners: owners.slice(0, count) };
}

/** The set with the next prefix: the lowest, then the shortest, then that of the last set, so that the first is the innermost. */
function nextSet(sets: readonly PrefixSet[], cursors: readonly number[]): number {
  let next = -1;
  for (let set = sets.length - 1; set >= 0; set--) {
    const { words, lengths } = sets[set]!;
    const at = cursors[set]!;
    if (at >= lengths.length) continue;
    if (next === -1) {
      next = set;
      continue;
    }
    const best = sets[next]!;
    const bestAt = cursors[next]!;
    if ((compare(words, at * 4, best.words, bestAt * 4) || lengths[at]! - best.lengths[bestAt]!) < 0) next = set;
  }
  return next;
}

function compare(one: ArrayLike<number>, oneAt: number, other: ArrayLike<number>, otherAt: number): number {
  for (let word = 0; word < 4; word++) {
    const difference = one[oneAt + word]! - other[otherAt + word]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Writes the first address behind a prefix. */
function writeEnd(to: Uint32Array, toAt: number, from: ArrayLike<number>, at: number, length: number): void {
  let carry = 2 ** (31 - ((length - 1) % 32));
  const lowest = Math.floor((length - 1) / 32);
  for (let word = 3; word >= 0; word--) {
    if (word > lowest) to[toAt + word] = from[at + word]!;
    else {
      const sum = from[at + word]! + carry;
      to[toAt + word] = sum % 4_294_967_296;
      carry = sum < 4_294_967_296 ? 0 : 1;
    }
  }
}

function isMapped(words: Uint32Array, at: number): boolean {
  return words[at * 4] === 0 && words[at * 4 + 1] === 0 && words[at * 4 + 2] === 0xffff;
}
