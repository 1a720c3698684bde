/** Sets of prefixes, sorted, in 17 bytes each; and the fewest prefixes that cover the same addresses. */
import { type Address, compareAddresses } from "./address.ts";
import type { Prefix } from "./prefix.ts";

export interface PrefixSet {
  /** The address of each prefix, four words each. */
  readonly words: Uint32Array;
  /** The length of each, counted as Prefix does. */
  readonly lengths: Uint8Array;
}

/** The set of these prefixes without repetitions. Their order does not matter, and they may be within each other. */
export function toSortedSet(prefixes: readonly Prefix[]): PrefixSet {
  return pack(inOrder(prefixes).filter((prefix, at, sorted) => at === 0 || compare(sorted[at - 1]!, prefix) !== 0));
}

/** The set of the fewest prefixes that cover the same addresses: without prefixes within others, and with halves joined. */
export function toPrefixSet(prefixes: readonly Prefix[]): PrefixSet {
  const fewest: Prefix[] = [];
  for (const prefix of inOrder(prefixes)) {
    const before = fewest.at(-1);
    if (before !== undefined && isWithin(prefix.address, before)) continue;
    fewest.push(prefix);
    for (let joined = join(fewest.at(-2), fewest.at(-1)); joined !== undefined; ) {
      fewest.splice(-2, 2, joined);
      joined = join(fewest.at(-2), joined);
    }
  }
  return pack(fewest);
}

function pack(sorted: readonly Prefix[]): PrefixSet {
  const words = new Uint32Array(sorted.length * 4);
  sorted.forEach(({ address }, at) => {
    words.set(address, at * 4);
  });
  return { words, lengths: Uint8Array.from(sorted, ({ length }) => length) };
}

/** The prefixes of a set, in order. */
export function toPrefixes({ words, lengths }: PrefixSet): Prefix[] {
  return Array.from(lengths, (length, at) => ({ address: addressAt(words, at), length }));
}

/** The prefix that an address lies in; of a set of the fewest prefixes. */
export function findPrefix({ words, lengths }: PrefixSet, address: Address): Prefix | undefined {
  let low = 0;
  let high = lengths.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareAddresses(addressAt(words, middle), address) <= 0) low = middle + 1;
    else high = middle;
  }
  const length = lengths[low - 1];
  if (length === undefined) return undefined;
  const prefix = { address: addressAt(words, low - 1), length };
  return isWithin(address, prefix) ? prefix : undefined;
}

export function addressAt(words: Uint32Array, at: number): Address {
  return [words[at * 4]!, words[at * 4 + 1]!, words[at * 4 + 2]!, words[at * 4 + 3]!];
}

/** Whether a prefix has an address in it. */
export function isWithin(address: Address, prefix: Prefix): boolean {
  for (let word = 0; word < 4; word++) {
    const bits = Math.min(32, Math.max(0, prefix.length - word * 32));
    if (bits > 0 && (address[word]! ^ prefix.address[word]!) >>> (32 - bits) !== 0) return false;
  }
  return true;
}

function inOrder(prefixes: readonly Prefix[]): readonly Prefix[] {
  const isSorted = prefixes.every((prefix, at) => at === 0 || compare(prefixes[at - 1]!, prefix) <= 0);
  return isSorted ? prefixes : prefixes.toSorted(compare);
}

function compare(one: Prefix, other: Prefix): number {
  return compareAddresses(one.address, other.address) || one.length - other.length;
}

/** The prefix that two halves make, if they are halves of one. */
function join(lower: Prefix | undefined, upper: Prefix | undefined): Prefix | undefined {
  if (lower === undefined || upper === undefined || lower.length !== upper.length || lower.length === 0)
    return undefined;
  const whole = { address: lower.address, length: lower.length - 1 };
  // The lower half begins where the whole begins.
  const bit = 2 ** (31 - ((lower.length - 1) % 32));
  const isLower = (lower.address[Math.floor((lower.length - 1) / 32)]! & bit) >>> 0 === 0;
  return isLower && isWithin(upper.address, whole) ? whole : undefined;
}
