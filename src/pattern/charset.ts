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

/**
 * A set as the key of a map; different sets have different keys. V8 hashes only the low 64 bits of a bigint, and the bits of most letters
 * are above.
 */
export function toMapKey(set: CharSet): bigint {
  return set ^ (set >> 65n);
}

/** A function of sets that remembers its results: thousands of patterns have some hundred distinct sets. */
export function rememberedBySet<Value>(make: (set: CharSet) => Value): (set: CharSet) => Value {
  const made = new Map<bigint, Value>();
  return (set) => {
    const key = toMapKey(set);
    let value = made.get(key);
    if (value === undefined) {
      value = make(set);
      made.set(key, value);
    }
    return value;
  };
}

/** The symbols of a set, ascending. */
export const members: (set: CharSet) => readonly number[] = /* @__PURE__ */ rememberedBySet((set) =>
  symbols.filter((symbol) => has(set, symbol)),
);

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
