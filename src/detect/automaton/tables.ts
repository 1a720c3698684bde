/** The deciding automaton in memory, in the form that runs fastest. run.ts runs it. */
import { type AutomatonFile, readAutomaton, symbolCount } from "./read-automaton.ts";

/** An automaton that stops at a match: its transitions as one column for each class of characters. */
export interface Table {
  readonly stateCount: number;
  readonly classCount: number;
  /** The start in `next` of the column of a byte or an ASCII character; from 128 on all are the same. */
  readonly columns: Int32Array;
  /** `next[column + state]` is the next state; states that are often visited stand together. */
  readonly next: Uint16Array;
  readonly initial: number;
  /** No transition leaves the states below this number. */
  readonly settled: number;
  /** By state: the output at the end of the string. */
  readonly endOutput: Uint16Array;
}

/** Reads what encodeTable wrote; throws RangeError for anything else. */
export function decodeTable(bytes: Uint8Array): Table {
  const file = readAutomaton(bytes);
  const { stateCount, classCount, classOf, settled, initial } = file;
  const places = placesBy(file.ranks);
  const cells = toColumns(toRows(file, places), classCount + 2);
  return {
    stateCount,
    classCount,
    columns: Int32Array.from({ length: 256 }, (_, byte) => classOf[Math.min(byte, symbolCount - 1)]! * stateCount),
    next: cells.subarray(0, classCount * stateCount),
    initial: places[initial]!,
    settled,
    endOutput: cells.subarray((classCount + 1) * stateCount),
  };
}

/** Some states at a time, so that the processor's nearest cache holds their rows. */
const atATime = 64;

function toColumns(rows: Uint16Array, width: number): Uint16Array {
  const columns = new Uint16Array(rows.length);
  const count = rows.length / width;
  for (let first = 0; first < count; first += atATime) {
    const past = Math.min(first + atATime, count);
    for (let column = 0; column < width; column++) {
      let cell = first * width + column;
      for (let at = column * count + first; at < column * count + past; at++) {
        columns[at] = rows[cell]!;
        cell += width;
      }
    }
  }
  return columns;
}

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

/** Row after row: the next states by class, the output at once, and the output at the end. */
function toRows(file: AutomatonFile, places: Uint16Array): Uint16Array {
  const { classCount, stateCount, roots, initial, models, changes, columns, values } = file;
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
  return rows;
}
