/** The deciding automaton in memory, in the form that runs fastest. run.ts runs it. A few strings are decided without it, by rows. */
import { readAutomaton, symbolCount } from "./read-automaton.ts";

/** An automaton that stops at a match: its transitions as one column for each class of characters. */
export interface Table {
  readonly stateCount: number;
  readonly classCount: number;
  /** The offset in `next` of the column of a byte or an ASCII character; all from 128 on share one column. */
  readonly columns: Int32Array;
  /** `next[column + state]` is the next state; frequently visited states are adjacent. */
  readonly next: Uint16Array;
  /** The state at the start of a string. */
  readonly initial: number;
  /** The state in which reading may begin inside a string; `initial` if it may not. */
  readonly inner: number;
  /** No transition leaves the states below this number. */
  readonly settled: number;
  /** By state: the output at the end of the string. */
  readonly endOutput: Uint16Array;
}

/** Reads what encodeTable wrote; throws RangeError for anything else. */
export function decodeTable(bytes: Uint8Array): Table {
  return fillRows(readRows(bytes));
}

/** A table before its rows are filled: each is a copy of the row of an earlier state, its model, with changes. */
export interface Rows {
  readonly classCount: number;
  readonly initial: number;
  readonly inner: number;
  /** No transition leaves the states below this number. */
  readonly settled: number;
  /** The class of each ASCII character, then the class of all other characters. */
  readonly classOf: ArrayLike<number>;
  /** By state: its place in the table. */
  readonly places: Uint16Array;
  /** By state: its model, for a root the state itself; and where its changes begin. */
  readonly models: Uint16Array;
  readonly starts: Uint16Array | Uint32Array;
  /** By state: the output at the end of the string. */
  readonly outputs: Uint16Array;
  /** By change: the column, and the next state. */
  readonly columns: Uint16Array;
  readonly targets: Uint16Array;
}

/** As decodeTable, but fills no row. */
export function readRows(bytes: Uint8Array): Rows {
  const file = readAutomaton(bytes);
  const { classCount, stateCount, roots, settled, initial, inner, classOf, changes, columns, values } = file;
  const models = new Uint16Array(stateCount);
  const starts = new Uint32Array(stateCount + 1);
  const targets = new Uint16Array(columns.length);
  const outputs = new Uint16Array(stateCount);
  // The rows of roots are needed again and again.
  const rootRows = Uint16Array.from({ length: roots * classCount }, (_, at) => Math.trunc(at / classCount));
  const fallbacks = new Uint16Array(stateCount).fill(roots - 1);
  let known = Math.max(roots, initial + 1, inner + 1);
  let change = 0;
  for (let state = 0; state < stateCount; state++) {
    const isRoot = state < roots;
    const distance = file.models[state]!;
    const model = isRoot ? state : distance === 0 ? fallbacks[state]! : state - distance;
    models[state] = model;
    let output = outputs[model]!;
    for (const last = change + changes[state]!; change < last; change++) {
      const column = columns[change]!;
      const value = values[change]!;
      if (column > classCount) output = value;
      if (column >= classCount) continue;
      let target = known - value;
      if (value === 0) {
        // A state seen for the first time. Its fallback was seen earlier, because the fallback of `state` has been read.
        let from = fallbacks[state]!;
        let at = starts[from]!;
        while (!isRoot && from >= roots && columns[at] !== column)
          if (++at >= starts[from + 1]!) {
            from = models[from]!;
            at = starts[from]!;
          }
        if (!isRoot) fallbacks[known] = from < roots ? rootRows[from * classCount + column]! : targets[at]!;
        target = known++;
      }
      targets[change] = target;
      if (isRoot) rootRows[state * classCount + column] = target;
    }
    outputs[state] = output;
    starts[state + 1] = change;
  }
  const places = placesBy(file.ranks);
  return { classCount, initial, inner, settled, classOf, places, models, starts, outputs, columns, targets };
}

/** How many characters are read by rows before the table is filled: a program that reads more is likely to read many more. */
export const maxCharactersByRows = 4096;

/** As `accepts` of run.ts, by rows: needs no table, and reads several times as slowly. */
export function acceptsByRows(rows: Rows, text: string): boolean {
  const { initial, settled, classOf, models, starts, outputs, columns, targets } = rows;
  let state = initial;
  for (let i = 0; i < text.length && state >= settled; i++) {
    const column = classOf[Math.min(text.charCodeAt(i), symbolCount - 1)]!;
    let row = state;
    let change = starts[row]!;
    for (;;) {
      if (change === starts[row + 1]!) {
        const model = models[row]!;
        state = model;
        if (model === row) break;
        row = model;
        change = starts[row]!;
      } else if (columns[change] === column) {
        state = targets[change]!;
        break;
      } else change++;
    }
  }
  return outputs[state] !== 0;
}

/** Fills all rows. */
export function fillRows(rows: Rows): Table {
  const { classCount, initial, inner, settled, classOf, places, models, starts, outputs, columns, targets } = rows;
  const stateCount = places.length;
  const next = new Uint16Array(classCount * stateCount);
  const endOutput = new Uint16Array(stateCount);
  for (let state = 0; state < stateCount; state++) {
    const place = places[state]!;
    const model = models[state]!;
    const from = places[model]!;
    for (let at = 0; at < next.length; at += stateCount) next[at + place] = model === state ? place : next[at + from]!;
    for (let change = starts[state]!; change < starts[state + 1]!; change++)
      if (columns[change]! < classCount) next[columns[change]! * stateCount + place] = places[targets[change]!]!;
    endOutput[place] = outputs[state]!;
  }
  return {
    stateCount,
    classCount,
    columns: Int32Array.from({ length: 256 }, (_, byte) => classOf[Math.min(byte, symbolCount - 1)]! * stateCount),
    next,
    initial: places[initial]!,
    inner: places[inner]!,
    settled,
    endOutput,
  };
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
