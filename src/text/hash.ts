/** A hash for telling contents apart, not for security: whoever knows it can construct two texts with the same one. */

/** The number of bits of a hash; all are in a number. */
export const hashBits = 53;

/** Hashes `bytes[from … to)`: two rounds of FNV-1a with the final mixing of MurmurHash3, because FNV's upper bits depend little on the last bytes. */
export function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let high = 0x811c9dc5;
  let low = 0x9e3779b1;
  for (let at = from; at < to; at++) {
    high = Math.imul(high ^ bytes[at]!, 0x01000193);
    low = Math.imul(low ^ bytes[at]!, 0x85ebca6b);
  }
  return mix(high) * 2 ** (hashBits - 32) + (mix(low) >>> (64 - hashBits));
}

function mix(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
