/**
 * Sets of symbols, as bit masks. The alphabet is small on purpose: 128 ASCII characters, one symbol for every other character,
 * and the two ends of the string, so that `^` and `$` are ordinary members of a set ("not preceded by u" includes the start).
 */

/** A set of symbols: bit n stands for symbol n. */
export type CharSet = bigint;

/** All non-ASCII characters; a pattern cannot distinguish them. */
export const nonAscii = 128;
export const start = 129;
export const end = 130;
export const symbolCount = 131;

/** The sets of one symbol, created once: otherwise, converting numbers to bigints would take half the build time. */
const single: readonly CharSet[] = Array.from({ length: symbolCount }, (_, symbol) => 1n << BigInt(symbol));

export const empty: CharSet = 0n;
export const anyChar: CharSet = (1n << 129n) - 1n;
export const startSet: CharSet = single[start]!;
export const endSet: CharSet = single[end]!;

/** The set of the given symbols. */
export function setOf(...symbols: number[]): CharSet {
  return symbols.reduce((set, symbol) => set | single[symbol]!, empty);
}

/** The symbols `from` to `to`, both included. */
export function range(from: number, to: number): CharSet {
  return ((1n << BigInt(to - from + 1)) - 1n) << BigInt(from);
}

/** Blanks, control characters, and all characters beyond ASCII. `$` skips these. */
export const unprintable: CharSet = anyChar & ~range(0x21, 0x7e);

export function has(set: CharSet, symbol: number): boolean {
  return (set & single[symbol]!) !== empty;
}

const symbols = Array.from({ length: symbolCount }, (_, symbol) => symbol);
const membersOf = new Map<bigint, readonly number[]>();

/**
 * A set as the key of a map; different sets have different keys. V8 hashes only the low 64 bits of a bigint, and the bits of most letters
 * are above.
 */
export function toMapKey(set: CharSet): bigint {
  return set ^ (set >> 65n);
}

/** The symbols of a set, ascending. Cached: a catalogue has some hundred distinct sets. */
export function members(set: CharSet): readonly number[] {
  const key = toMapKey(set);
  let found = membersOf.get(key);
  if (found === undefined) {
    found = symbols.filter((symbol) => has(set, symbol));
    membersOf.set(key, found);
  }
  return found;
}

const upper = range(0x41, 0x5a);
const lower = range(0x61, 0x7a);
export const letters = upper | lower;

/** The set with the small letter of every capital it has. */
export function foldCapitals(set: CharSet): CharSet {
  return set | ((set & upper) << 32n);
}

/** The set with both cases of every ASCII letter it has. */
export function foldCase(set: CharSet): CharSet {
  return set | ((set & upper) << 32n) | ((set & lower) >> 32n);
}
