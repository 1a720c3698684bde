/**
 * A table of prefixes: which is the longest prefix around an address? The prefixes are cut into the stretches between their
 * beginnings and ends, which do not overlap, so that one binary search finds the stretch of an address
 * (docs/decisions/0014-prefix-table.md).
 */
import { type Address, isIpv4 } from "./address.ts";
import type { Prefix } from "./prefix.ts";
import { type PrefixSet, toSortedSet } from "./prefix-set.ts";

export interface PrefixTable {
  /** How many bytes its arrays take. */
  readonly byteLength: number;
  /** What the table says about the longest prefix around an address; undefined if the address is in no prefix. */
  find(address: Address): number | undefined;
}

/** No prefix. Greater than each length and each index of a set. */
const none = 255;

/** Makes a table that finds the length of the longest prefix, counted as Prefix does. The order of prefixes and repetitions do not matter. */
export function createLengthTable(prefixes: readonly Prefix[]): PrefixTable {
  return createTable([toSortedSet(prefixes)], (_, length) => length);
}

/** Makes a table that finds the index of the set with the longest prefix; of equally long prefixes, the first set. There may be 255 sets. */
export function createSetTable(sets: readonly PrefixSet[]): PrefixTable {
  return createTable(sets, (set) => set);
}

function createTable(sets: readonly PrefixSet[], toValue: (set: number, length: number) => number): PrefixTable {
  const { words, values } = toStretches(sets, toValue);
  // An IPv4 address is the last word alone, so it needs a quarter of the comparisons and of the memory.
  const first = last(words, firstIpv4);
  const end = last(words, lastIpv4) + 1;
  const ipv4 = Math.max(first, 0);
  const ipv4Starts = Uint32Array.from({ length: end - ipv4 }, (_, at) => words[(ipv4 + at) * 4 + 3]!);
  const ipv4Values = values.slice(ipv4, end);
  // The stretch around the first IPv4 address may begin before it.
  if (first >= 0) ipv4Starts[0] = 0;
  // It is a stretch of IPv6, too; and the stretch around the last IPv4 address may go on.
  const before = first + 1;
  const starts = new Uint32Array((before + 1) * 4 + words.length - end * 4);
  starts.set(words.subarray(0, before * 4));
  starts.set(behindIpv4, before * 4);
  starts.set(words.subarray(end * 4), (before + 1) * 4);
  const others = new Uint8Array(before + 1 + values.length - end);
  others.set(values.subarray(0, before));
  others[before] = values[end - 1] ?? none;
  others.set(values.subarray(end), before + 1);
  return {
    byteLength: ipv4Starts.byteLength + ipv4Values.byteLength + starts.byteLength + others.byteLength,
    find(address) {
      const value = isIpv4(address) ? ipv4Values[lastWord(ipv4Starts, address[3])] : others[last(starts, address)];
      return value === none ? undefined : value;
    },
  };
}

const firstIpv4: Address = [0, 0, 0xffff, 0];
const lastIpv4: Address = [0, 0, 0xffff, 0xffff_ffff];
const behindIpv4: Address = [0, 0, 0x1_0000, 0];

interface Stretches {
  /** Where each begins, four words each. */
  readonly words: Uint32Array;
  /** The value of the longest prefix around each, or `none`. */
  readonly values: Uint8Array;
}

/** Merges the sets, each of which is sorted. Typed arrays only: objects would take three times as long and ten times the memory. */
function toStretches(sets: readonly PrefixSet[], toValue: (set: number, length: number) => number): Stretches {
  const total = sets.reduce((sum, { lengths }) => sum + lengths.length, 0);
  const words = new Uint32Array(2 * total * 4);
  const values = new Uint8Array(2 * total);
  let count = 0;
  const begin = (from: Uint32Array, at: number, value: number): void => {
    if (count > 0 && compare(words, (count - 1) * 4, from, at) === 0) count--;
    if (value === (count > 0 ? values[count - 1] : none)) return;
    for (let word = 0; word < 4; word++) words[count * 4 + word] = from[at + word]!;
    values[count++] = value;
  };

  /** The prefixes around the place that has been reached, the shortest first: their values, and the last address of each. */
  const openValues: number[] = [];
  const openEnds = new Uint32Array(129 * sets.length * 4);
  const closeUntil = (from: Uint32Array | undefined, at: number): void => {
    while (openValues.length > 0) {
      const end = (openValues.length - 1) * 4;
      if (from !== undefined && compare(openEnds, end, from, at) >= 0) return;
      openValues.pop();
      if (increment(openEnds, end)) begin(openEnds, end, openValues.at(-1) ?? none);
    }
  };

  const cursors = sets.map(() => 0);
  for (let set = nextSet(sets, cursors); set !== -1; set = nextSet(sets, cursors)) {
    const { words: from, lengths } = sets[set]!;
    const at = cursors[set]!++;
    const value = toValue(set, lengths[at]!);
    closeUntil(from, at * 4);
    begin(from, at * 4, value);
    writeLast(openEnds, openValues.length * 4, from, at * 4, lengths[at]!);
    openValues.push(value);
  }
  closeUntil(undefined, 0);
  return { words: words.subarray(0, count * 4), values: values.subarray(0, count) };
}

/** The set with the next prefix: the lowest, then the shortest, then the prefix of the last set, so that the first set is the innermost. */
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

function compare(one: Uint32Array, oneAt: number, other: Uint32Array, otherAt: number): number {
  for (let word = 0; word < 4; word++) {
    const difference = one[oneAt + word]! - other[otherAt + word]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Writes the last address of a prefix. */
function writeLast(to: Uint32Array, toAt: number, from: Uint32Array, at: number, length: number): void {
  for (let word = 0; word < 4; word++) {
    const bits = Math.min(32, Math.max(0, length - word * 32));
    to[toAt + word] = bits === 32 ? from[at + word]! : from[at + word]! | (0xffff_ffff >>> bits);
  }
}

/** Turns an address into the next one; false if there is none. */
function increment(words: Uint32Array, at: number): boolean {
  for (let word = at + 3; word >= at; word--) {
    words[word] = words[word]! + 1;
    if (words[word] !== 0) return true;
  }
  return false;
}

/** The index of the last start that is not greater than `value`, or -1. */
function lastWord(starts: Uint32Array, value: number): number {
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
function last(starts: Uint32Array, address: Address): number {
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
