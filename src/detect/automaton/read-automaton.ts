/** Reads the file of an automaton, which docs/automaton.md describes byte by byte. tables.ts lays it out in memory. */

/** The content of the file, in its order. */
export interface AutomatonFile {
  readonly classCount: number;
  readonly stateCount: number;
  /** States below this are written in full. */
  readonly roots: number;
  /** No transition leaves the states below this number. */
  readonly settled: number;
  readonly initial: number;
  /** Where reading may begin inside a string. */
  readonly inner: number;
  /** The class of each ASCII character, then the class of all other characters. */
  readonly classOf: Uint8Array;
  /** By state: the lower the rank, the more often crawlers' strings lead there. */
  readonly ranks: Uint16Array;
  /** By state: 0 for a copy of its fallback's row, else how far before it the state is whose row is copied. */
  readonly models: Uint16Array;
  /** By state: in how many columns its row differs from the copy. */
  readonly changes: Uint16Array;
  /** One after the other for all states: which columns, and what they have (0: a new state; else how far before the next new one). */
  readonly columns: Uint16Array;
  readonly values: Uint16Array;
}

export const magic = [0x57, 0x43, 0x41, 0x35]; // WCA5
/** An automaton distinguishes the characters of ASCII; all others are one. */
export const symbolCount = 129;

/**
 * Reads what encodeTable wrote; throws RangeError for bytes that do not begin with the magic number. The checksum is for other readers: the
 * bytes are a part of a module, or of a file that has one of its own.
 */
export function readAutomaton(bytes: Uint8Array): AutomatonFile {
  if (magic.some((byte, i) => bytes[i] !== byte)) throw new RangeError("not an automaton: it does not begin with WCA5");
  let at = magic.length;
  // Runs before engines have optimized it, so it does as little as possible per number. Most numbers are one byte.
  const readMany = (count: number): Uint16Array => {
    const values = new Uint16Array(count);
    let next = at;
    for (let i = 0; i < count; i++) {
      let byte = bytes[next++]!;
      let value = byte & 0x7f;
      for (let bits = 7; byte >= 0x80; bits += 7) {
        byte = bytes[next++]!;
        value |= (byte & 0x7f) << bits;
      }
      values[i] = value;
    }
    at = next;
    return values;
  };
  const [classCount, stateCount, roots, settled, initial, inner] = readMany(6) as unknown as Six;
  const classOf = bytes.subarray(at, at + symbolCount);
  at += symbolCount;
  const [ranks, models, changes] = [readMany(stateCount), readMany(stateCount), readMany(stateCount)];
  let changed = 0;
  for (let state = 0; state < stateCount; state++) changed += changes[state]!;
  const [columns, values] = [readMany(changed), readMany(changed)];
  return { classCount, stateCount, roots, settled, initial, inner, classOf, ranks, models, changes, columns, values };
}

type Six = readonly [number, number, number, number, number, number];
