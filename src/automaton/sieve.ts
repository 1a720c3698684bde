/**
 * A sieve for strings in which nothing can be accepted, made of pairs of neighbouring characters. Looked at are the pairs at
 * every second place; what is accepted has, wherever it begins, two such pairs in a row that the sieve holds back.
 * create-sieve.ts chooses them, sift.ts looks.
 */

export interface Sieve {
  /**
   * By `(a << 7) | b`: bit k (0 to 3) says that the pair can be the first of two that group k holds back, bit 4 + k that it
   * can be the second.
   */
  readonly pairs: Uint8Array;
  /** By the groups that hold back, a bit each: how many characters before the second pair a match can have begun at most. */
  readonly back: Uint8Array;
}

/** There are four groups, so that a pair that is rare after one does not hold back what is common after another. */
export const groupCount = 4;
export const pairCount = 1 << 14;

/** Writes a sieve as bytes: the reaches, then the pairs. */
export function encodeSieve({ pairs, back }: Sieve): Uint8Array {
  return Uint8Array.of(...back, ...pairs);
}

/** Reads what encodeSieve wrote. */
export function decodeSieve(bytes: Uint8Array): Sieve {
  return { back: bytes.subarray(0, 1 << groupCount), pairs: bytes.subarray(1 << groupCount) };
}
