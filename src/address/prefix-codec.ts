/**
 * Prefix sets as bytes: of each prefix its length, and its distance from the end of the previous prefix, counted in prefixes of its
 * length. Most distances are small numbers, so that a prefix takes two or three bytes.
 */
import type { Address } from "./address.ts";
import { addressAt, type PrefixSet } from "./prefix-set.ts";

/** Writes a set. */
export function encodePrefixes({ words, lengths }: PrefixSet): Uint8Array {
  const bytes: number[] = [];
  let end = 0n;
  for (const [at, length] of lengths.entries()) {
    const shift = BigInt(128 - length);
    const first = (end + (1n << shift) - 1n) >> shift;
    const number = toNumber(addressAt(words, at)) >> shift;
    bytes.push(length);
    let distance = number - first;
    for (; distance > 127n; distance >>= 7n) bytes.push(Number(distance & 127n) | 128);
    bytes.push(Number(distance));
    end = (number + 1n) << shift;
  }
  return Uint8Array.from(bytes);
}

function toNumber(address: Address): bigint {
  return address.reduce((number, word) => (number << 32n) | BigInt(word), 0n);
}

/** Reads what encodePrefixes wrote. Without BigInt, which takes ten times as long. */
export function decodePrefixes(bytes: Uint8Array): PrefixSet {
  // A prefix takes two bytes at least.
  const words = new Uint32Array(bytes.length * 2);
  const lengths = new Uint8Array(bytes.length / 2);
  let count = 0;
  const place: Place = [0, 0, 0, 0];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at++]!;
    const shift = 128 - length;
    roundUp(place, shift);
    for (let bit = shift; ; bit += 7) {
      const group = bytes[at++]!;
      add(place, group & 127, bit);
      if (group < 128) break;
    }
    for (let word = 0; word < 4; word++) words[count * 4 + word] = place[word]!;
    lengths[count++] = length;
    add(place, 1, shift);
  }
  return { words: words.slice(0, count * 4), lengths: lengths.slice(0, count) };
}

type Place = [number, number, number, number];

/** Adds `value`, less than 128, times 2 to the power of `bit`. */
function add(place: Place, value: number, bit: number): void {
  let carry = value * 2 ** (bit % 32);
  for (let word = 3 - Math.floor(bit / 32); word >= 0 && carry > 0; word--) {
    const sum = place[word]! + carry;
    place[word] = sum % 4_294_967_296;
    carry = Math.floor(sum / 4_294_967_296);
  }
}

/** To the next multiple of 2 to the power of `bits`. */
function roundUp(place: Place, bits: number): void {
  let isBehind = false;
  for (let word = 3; word >= 0; word--) {
    const low = Math.min(32, Math.max(0, bits - (3 - word) * 32));
    const kept = low === 32 ? 0 : ((place[word]! >>> low) << low) >>> 0;
    isBehind ||= kept !== place[word];
    place[word] = kept;
  }
  if (isBehind) add(place, 1, bits);
}
