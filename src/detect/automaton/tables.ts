/** What an automaton that decides is in memory: the fastest to run. run.ts runs it. */
import { readAutomaton, symbolCount } from "./read-automaton.ts";

/** An automaton that stops at a match: its transitions as one column for each class of characters. */
export interface Table {
  readonly stateCount: number;
  readonly classCount: number;
  /** Where in `next` the column of a byte or an ASCII character begins; from 128 on all are alike. */
  readonly columns: Int32Array;
  /** `next[column + state]` is the next state; states that are often visited stand together. */
  readonly next: Uint16Array;
  readonly initial: number;
  /** States below this are never left: whatever follows changes nothing. */
  readonly settled: number;
  /** By state: what it reports where the string ends. */
  readonly endOutput: Uint16Array;
}

/** Reads what encodeTable wrote; throws RangeError for anything else. */
export function decodeTable(bytes: Uint8Array): Table {
  const { stateCount, classCount, classOf, settled, initial, rows } = readAutomaton(bytes);
  const cells = toColumns(rows, classCount + 2);
  return {
    stateCount,
    classCount,
    columns: Int32Array.from({ length: 256 }, (_, byte) => classOf[Math.min(byte, symbolCount - 1)]! * stateCount),
    next: cells.subarray(0, classCount * stateCount),
    initial,
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
