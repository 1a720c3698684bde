/** Reads an automaton from its file, which docs/automaton.md describes byte by byte. tables.ts and compact.ts lay it out in memory. */
import { crc32 } from "./crc.ts";

/** An automaton as its file has it; but states that are often visited have the lowest numbers, so that they stand together. */
export interface Automaton {
  readonly stateCount: number;
  readonly classCount: number;
  /** The class of each ASCII character, and that of all other characters. */
  readonly classOf: Uint8Array;
  readonly initial: number;
  /** States below this are written in full. */
  readonly roots: number;
  /** States below this are never left. */
  readonly settled: number;
  /** Row after row: the next states by class, what the state reports at once, and what it reports at the end. */
  readonly rows: Uint16Array;
  /** By state: one whose row differs little and was read earlier, so that from fallback to fallback a root is reached. */
  readonly fallbacks: Uint16Array;
}

export const magic = [0x57, 0x43, 0x41, 0x34]; // WCA4
/** An automaton tells the characters of ASCII apart, and takes every other one for the same. */
export const symbolCount = 129;

/** Reads what encodeTable wrote; throws RangeError for anything else. */
export function readAutomaton(bytes: Uint8Array): Automaton {
  if (magic.some((byte, i) => bytes[i] !== byte)) throw new RangeError("not an automaton: it does not begin with WCA4");
  const body = bytes.subarray(0, -4);
  const sum = bytes.subarray(-4).reduceRight((value, byte) => value * 256 + byte, 0);
  // Past this check the bytes are what was written, so that no check is needed below.
  if (crc32(body) !== sum) throw new RangeError("the automaton is damaged: its checksum is wrong");
  let at = magic.length;
  // Runs before engines have compiled it: hence as little as can be for each of the numbers, of which most are one byte.
  const readMany = (count: number): Uint16Array => {
    const values = new Uint16Array(count);
    let next = at;
    for (let i = 0; i < count; i++) {
      let byte = body[next++]!;
      let value = byte & 0x7f;
      for (let bits = 7; byte >= 0x80; bits += 7) {
        byte = body[next++]!;
        value |= (byte & 0x7f) << bits;
      }
      values[i] = value;
    }
    at = next;
    return values;
  };
  const [classCount, stateCount, roots, settled, initial] = readMany(5) as unknown as Five;
  const classOf = body.subarray(at, at + symbolCount);
  at += symbolCount;
  const places = placesBy(readMany(stateCount));
  const models = readMany(stateCount);
  const changes = readMany(stateCount);
  const changed = changes.reduce((total, count) => total + count, 0);
  const differences = { places, models, changes, columns: readMany(changed), values: readMany(changed) };
  const rows = readRows({ classCount, stateCount, roots, initial }, differences);
  return { classCount, stateCount, roots, settled, initial: places[initial]!, classOf, ...rows };
}

type Five = readonly [number, number, number, number, number];

/** By number in the file: the number by rank. Ranks are few: counting them takes a fraction of the time of sorting. */
function placesBy(ranks: Uint16Array): Uint16Array {
  let highest = 0;
  for (let i = 0; i < ranks.length; i++) if (ranks[i]! > highest) highest = ranks[i]!;
  const next = new Uint16Array(highest + 2);
  for (let i = 0; i < ranks.length; i++) next[ranks[i]! + 1]!++;
  for (let rank = 1; rank < next.length; rank++) next[rank]! += next[rank - 1]!;
  const places = new Uint16Array(ranks.length);
  for (let i = 0; i < ranks.length; i++) places[i] = next[ranks[i]!]!++;
  return places;
}

type Shape = Pick<Automaton, "classCount" | "stateCount" | "roots" | "initial">;

/** How each row differs from the one that it is a copy of. */
interface Differences {
  /** By number in the file: the number in memory. */
  readonly places: Uint16Array;
  /** By state: 0 for the row of its fallback, else how far before it the state is whose row is copied. */
  readonly models: Uint16Array;
  /** By state: how many columns differ. */
  readonly changes: Uint16Array;
  /** One after the other for all states: which columns, and what they have (0: a new state; else how far before the next new one). */
  readonly columns: Uint16Array;
  readonly values: Uint16Array;
}

function readRows(shape: Shape, { places, models, changes, columns, values }: Differences) {
  const { classCount, stateCount, roots, initial } = shape;
  const width = classCount + 2;
  const rows = new Uint16Array(stateCount * width);
  const fallbacks = new Uint16Array(stateCount).fill(places[roots - 1]!);
  let known = Math.max(roots, initial + 1);
  let change = 0;
  for (let state = 0; state < stateCount; state++) {
    const place = places[state]!;
    const row = place * width;
    const fallback = fallbacks[place]! * width;
    const model = models[state]!;
    const from = model === 0 ? fallback : places[state - model]! * width;
    if (state < roots) rows.fill(place, row, row + classCount);
    else rows.copyWithin(row, from, from + width);
    for (const last = change + changes[state]!; change < last; change++) {
      const column = columns[change]!;
      const value = values[change]!;
      if (column >= classCount) rows[row + column] = value;
      else if (value > 0) rows[row + column] = places[known - value]!;
      else {
        // A state that is met for the first time. Its fallback was met earlier: the fallback of `state` has been read.
        const met = places[known++]!;
        if (state >= roots) fallbacks[met] = rows[fallback + column]!;
        rows[row + column] = met;
      }
    }
  }
  return { rows, fallbacks };
}
