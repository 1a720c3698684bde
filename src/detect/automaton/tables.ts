/**
 * What an automaton is in memory when it is run, and reading it from its file (docs/automaton.md describes that byte by
 * byte). encode.ts writes the file, run.ts runs the table.
 */
import { crc32 } from "./crc.ts";

/** An automaton as it is run: its transitions as one column for each class of characters. */
export interface Table {
  readonly stateCount: number;
  readonly classCount: number;
  /** Where in `next` the column of a byte or an ASCII character begins; from 128 on all are alike. */
  readonly columns: Uint32Array;
  /** `next[column + state]` is the next state. */
  readonly next: Uint16Array;
  readonly initial: number;
  /** States below this are never left: whatever follows changes nothing. */
  readonly settled: number;
  /** By state: what it reports once entered; 0 for nothing. */
  readonly output: Uint16Array;
  /** By state: what it reports where the string ends. */
  readonly endOutput: Uint16Array;
}

export const magic = [0x57, 0x43, 0x41, 0x32]; // WCA2
/** A table tells the characters of ASCII apart, and takes every other one for the same. */
export const symbolCount = 129;

/** Reads what encodeTable wrote; throws RangeError for anything else. */
export function decodeTable(bytes: Uint8Array): Table {
  if (magic.some((byte, i) => bytes[i] !== byte)) throw new RangeError("not an automaton: it does not begin with WCA2");
  const body = bytes.subarray(0, -4);
  const sum = bytes.subarray(-4).reduceRight((value, byte) => value * 256 + byte, 0);
  // Past this check the bytes are what was written, so that nothing below has to doubt them.
  if (crc32(body) !== sum) throw new RangeError("the automaton is damaged: its checksum is wrong");
  let at = magic.length;
  const read = (): number => {
    let value = 0;
    for (let bits = 0; ; bits += 7) {
      const byte = body[at++]!;
      value |= (byte & 0x7f) << bits;
      if (byte < 0x80) return value;
    }
  };
  const [classCount, stateCount, roots, settled, initial] = [read(), read(), read(), read(), read()];
  const classOf = body.subarray(at, at + symbolCount);
  at += symbolCount;

  const width = classCount + 2;
  const rows = readRows({ read, classCount, stateCount, roots, initial });
  const cells = toColumns(rows, width);
  const part = (from: number, to: number): Uint16Array => cells.subarray(from * stateCount, to * stateCount);
  return {
    stateCount,
    classCount,
    columns: Uint32Array.from({ length: 256 }, (_, byte) => classOf[Math.min(byte, symbolCount - 1)]! * stateCount),
    next: part(0, classCount),
    initial,
    settled,
    output: part(classCount, classCount + 1),
    endOutput: part(classCount + 1, width),
  };
}

interface RowSource extends Pick<Table, "classCount" | "stateCount" | "initial"> {
  readonly read: () => number;
  /** States below this begin with a row that stays where it is; those that are reached from them fall back to the last. */
  readonly roots: number;
}

/** A row is the next states by class, what the state reports at once, and what at the end. */
function readRows({ read, classCount, stateCount, roots, initial }: RowSource): Uint16Array {
  const width = classCount + 2;
  const rows = new Uint16Array(stateCount * width);
  const fallbacks = new Uint16Array(stateCount).fill(roots - 1);
  let known = Math.max(roots, initial + 1);
  for (let state = 0; state < stateCount; state++) {
    const row = state * width;
    const fallback = fallbacks[state]! * width;
    const model = read();
    const from = model === 0 ? fallback : (model - 1) * width;
    if (state < roots) rows.fill(state, row, row + classCount);
    else rows.copyWithin(row, from, from + width);
    for (let changes = read(); changes > 0; changes--) {
      const column = read();
      const value = read();
      if (column >= classCount) rows[row + column] = value;
      else if (value > 0) rows[row + column] = value - 1;
      else {
        // A state that is met for the first time.
        if (state >= roots) fallbacks[known] = rows[fallback + column]!;
        rows[row + column] = known++;
      }
    }
  }
  return rows;
}

function toColumns(rows: Uint16Array, width: number): Uint16Array {
  const columns = new Uint16Array(rows.length);
  let at = 0;
  for (let column = 0; column < width; column++)
    for (let cell = column; cell < rows.length; cell += width) columns[at++] = rows[cell]!;
  return columns;
}
