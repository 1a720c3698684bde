/**
 * Encodes sorted, non-overlapping prefixes as bytes: for each its length, and its distance from the end of the previous one, counted in
 * prefixes of its length. Most distances are small numbers, so that a prefix takes two or three bytes.
 */
import { lowBits, maskAddress, type Prefix } from "./prefix.ts";

/** Writes what mergePrefixes returns. */
export function encodePrefixes(prefixes: readonly Prefix[]): Uint8Array {
  const bytes: number[] = [];
  let end = 0n;
  for (const { address, length } of prefixes) {
    bytes.push(length);
    let distance = (address - roundUp(end, length)) >> BigInt(128 - length);
    for (; distance > 127n; distance >>= 7n) bytes.push(Number(distance & 127n) | 128);
    bytes.push(Number(distance));
    end = (address | lowBits[length]!) + 1n;
  }
  return Uint8Array.from(bytes);
}

/** Reads what encodePrefixes wrote. */
export function* decodePrefixes(bytes: Uint8Array): Generator<Prefix, void> {
  let end = 0n;
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at++]!;
    let address = roundUp(end, length);
    for (let bit = 128 - length; ; bit += 7) {
      const byte = bytes[at++]!;
      if ((byte & 127) > 0) address += BigInt(byte & 127) << BigInt(bit);
      if (byte < 128) break;
    }
    yield { address, length };
    end = (address | lowBits[length]!) + 1n;
  }
}

/** The first address from `end` on at which a prefix of this length may begin. */
function roundUp(end: bigint, length: number): bigint {
  return maskAddress(end + lowBits[length]!, length);
}
