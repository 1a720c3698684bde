/** The deciding automaton in memory, in the form that runs fastest. run.ts runs it. Its rows can be filled when they are first visited. */
import { readAutomaton, symbolCount } from "./read-automaton.ts";

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
  const rows = readRows(bytes);
  fillAll(rows);
  return rows.table;
}

/**
 * A table whose rows are not yet filled: each is a copy of the row of an earlier state, its model, with changes. States have the file's
 * numbers here, and places in the table.
 */
export interface Rows {
  readonly table: Table;
  /** By place: 1 if its row is filled. */
  readonly filled: Uint8Array;
  /** By place: the state; by state: its place. */
  readonly states: Uint16Array;
  readonly places: Uint16Array;
  /** By state: its model, for a root the state itself; and where its changes begin. */
  readonly models: Uint16Array;
  readonly starts: Uint32Array;
  /** By change: the column, and the next state. */
  readonly columns: Uint16Array;
  readonly targets: Uint16Array;
}

/** As decodeTable, but fills no row. */
export function readRows(bytes: Uint8Array): Rows {
  const file = readAutomaton(bytes);
  const { classCount, stateCount, roots, settled, initial, classOf, changes, columns, values } = file;
  const places = placesBy(file.ranks);
  const states = new Uint16Array(stateCount);
  for (let state = 0; state < stateCount; state++) states[places[state]!] = state;
  const models = new Uint16Array(stateCount);
  const starts = new Uint32Array(stateCount + 1);
  const targets = new Uint16Array(columns.length);
  const endOutput = new Uint16Array(stateCount);
  // The rows of roots are asked for again and again.
  const rootRows = Uint16Array.from({ length: roots * classCount }, (_, at) => Math.trunc(at / classCount));
  const fallbacks = new Uint16Array(stateCount).fill(roots - 1);
  let known = Math.max(roots, initial + 1);
  let change = 0;
  for (let state = 0; state < stateCount; state++) {
    const isRoot = state < roots;
    const distance = file.models[state]!;
    const model = isRoot ? state : distance === 0 ? fallbacks[state]! : state - distance;
    models[state] = model;
    let output = endOutput[places[model]!]!;
    for (const last = change + changes[state]!; change < last; change++) {
      const column = columns[change]!;
      const value = values[change]!;
      if (column > classCount) output = value;
      if (column >= classCount) continue;
      let target = known - value;
      if (value === 0) {
        // A state that is met for the first time. Its fallback was met earlier: the fallback of `state` has been read.
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
    endOutput[places[state]!] = output;
    starts[state + 1] = change;
  }
  const table = {
    stateCount,
    classCount,
    columns: Int32Array.from({ length: 256 }, (_, byte) => classOf[Math.min(byte, symbolCount - 1)]! * stateCount),
    next: new Uint16Array(classCount * stateCount),
    initial: places[initial]!,
    settled,
    endOutput,
  };
  return { table, filled: new Uint8Array(stateCount), states, places, models, starts, columns, targets };
}

/** As `accepts` of run.ts; fills the rows that it visits. */
export function acceptsFilling(rows: Rows, text: string): boolean {
  const { filled, states, table } = rows;
  const { columns, next, initial, settled, endOutput } = table;
  let state = initial;
  for (let i = 0; i < text.length && state >= settled; i++) {
    if (filled[state] === 0) fill(rows, states[state]!);
    state = next[columns[Math.min(text.charCodeAt(i), 128)]! + state]!;
  }
  return endOutput[state] !== 0;
}

/** Fills all rows. */
export function fillAll(rows: Rows): void {
  for (let state = 0; state < rows.states.length; state++) fill(rows, state);
}

function fill(rows: Rows, state: number): void {
  const { table, filled, places, models, starts, columns, targets } = rows;
  const { next, stateCount, classCount } = table;
  const place = places[state]!;
  if (filled[place] !== 0) return;
  filled[place] = 1;
  const isRoot = models[state] === state;
  if (!isRoot) fill(rows, models[state]!);
  const from = places[models[state]!]!;
  for (let at = 0; at < next.length; at += stateCount) next[at + place] = isRoot ? place : next[at + from]!;
  for (let change = starts[state]!; change < starts[state + 1]!; change++)
    if (columns[change]! < classCount) next[columns[change]! * stateCount + place] = places[targets[change]!]!;
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
