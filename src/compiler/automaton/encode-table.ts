/**
 * Writes an automaton as a file (docs/automaton.md). The row of a state differs little from the row of its failure state
 * (Aho and Corasick: the state for the same text without its first character), so only the differences are written.
 */
import { crc32 } from "../../detect/automaton/crc.ts";
import { magic, symbolCount } from "../../detect/automaton/read-automaton.ts";
import { decodeTable, type Table } from "../../detect/automaton/tables.ts";
import type { Dfa } from "./dfa.ts";

/** Next states by class, then the output at once and the output at the end. */
type Row = Uint16Array;

/**
 * Writes a minimal automaton, with ranks that say how often reading `texts` leads to a state; throws RangeError beyond 65,535
 * states or outputs.
 */
export function encodeTable(dfa: Dfa, texts: readonly string[] = []): Uint8Array {
  if (dfa.stateCount > 0xffff) throw new RangeError(`${dfa.stateCount} states do not fit into 16 bits`);
  if (dfa.endOutput.some((output) => output > 0xffff)) throw new RangeError("an output does not fit into 16 bits");
  const { classOf, kept } = characterClasses(dfa);
  const rows = rowsOf(dfa, kept);
  const { roots, settled } = rootsOf(rows);
  const initial = roots.includes(dfa.initial) ? roots.indexOf(dfa.initial) : roots.length;
  const { order, models, changes, columns, values } = differencesOf(rows, roots, dfa.initial);
  const visits = visitsOf(dfa, texts);
  const ranks = order.map((state, i) => (i < roots.length ? 0 : rankOf(visits[state]!)));
  const bytes = [...magic];
  for (const value of [kept.length, rows.length, roots.length, settled, initial]) writeNumber(bytes, value);
  bytes.push(...classOf);
  // Values of one kind together compress 15 % better than row after row.
  for (const section of [ranks, models, changes, columns, values])
    for (const value of section) writeNumber(bytes, value);
  const sum = crc32(Uint8Array.from(bytes));
  bytes.push(sum & 0xff, (sum >>> 8) & 0xff, (sum >>> 16) & 0xff, sum >>> 24);
  return Uint8Array.from(bytes);
}

/** By state: its row, a part of one array. */
function rowsOf({ stateCount, classCount, next, output, endOutput }: Dfa, kept: readonly number[]): Row[] {
  const width = kept.length + 2;
  const cells = new Uint16Array(stateCount * width);
  return Array.from({ length: stateCount }, (_, state) => {
    const row = cells.subarray(state * width, (state + 1) * width);
    for (const [column, c] of kept.entries()) row[column] = next[state * classCount + c]!;
    row[width - 2] = output[state]!;
    row[width - 1] = endOutput[state]!;
    return row;
  });
}

/** The table of a minimal automaton, as reading its file gives it. */
export function toTable(dfa: Dfa): Table {
  return decodeTable(encodeTable(dfa));
}

/** By state: how often reading `texts` leads there. */
function visitsOf({ initial, next, classOf, classCount, stateCount }: Dfa, texts: readonly string[]): Uint32Array {
  const visits = new Uint32Array(stateCount);
  for (const text of texts) {
    let state = initial;
    for (let i = 0; i < text.length; i++) {
      state = next[state * classCount + classOf[Math.min(text.charCodeAt(i), symbolCount - 1)]!]!;
      visits[state]!++;
    }
  }
  return visits;
}

/** Powers of two are exact enough, and take a tenth of the bytes. */
function rankOf(visits: number): number {
  return 1 + Math.clz32(visits);
}

/** The states in the order of their numbers in the file, and how the row of each differs from the one it is a copy of. */
function differencesOf(rows: readonly Row[], roots: readonly number[], initial: number) {
  const [models, changes, columns, values]: [number[], number[], number[], number[]] = [[], [], [], []];
  const order = roots.includes(initial) ? [...roots] : [...roots, initial];
  const place = new Map(order.map((state, i) => [state, i]));
  const resting = roots.at(-1)!;
  const fallbacks = new Map([[initial, resting]]);
  const written = new Models(rows);
  // The loop appends newly found states to the list that it iterates.
  for (let i = 0; i < order.length; i++) {
    const state = order[i]!;
    const row = rows[state]!;
    const isRoot = i < roots.length;
    const fallback = isRoot
      ? row.map((_, column) => (column < row.length - 2 ? state : 0))
      : rows[fallbacks.get(state)!]!;
    const model = isRoot ? undefined : written.find(row, fallback);
    if (!isRoot) written.add(state, fallback);
    const usual = model === undefined ? fallback : rows[model]!;
    const changed = ownColumns(row, usual);
    models.push(model === undefined ? 0 : i - place.get(model)!);
    changes.push(changed.length);
    for (const column of changed) {
      const value = row[column]!;
      columns.push(column);
      if (column >= row.length - 2) values.push(value);
      // Distances, because most are short: the next state is often the newest one.
      else if (place.has(value)) values.push(order.length - place.get(value)!);
      else {
        values.push(0);
        place.set(value, order.push(value) - 1);
        fallbacks.set(value, isRoot ? resting : fallback[column]!);
      }
    }
  }
  if (order.length < rows.length) throw new RangeError("some states are never reached: minimize the automaton first");
  return { order, models, changes, columns, values };
}

/** Finds the written row that differs least from another row. */
class Models {
  /** By column and value: the states whose rows have it and whose fallbacks' rows do not. */
  readonly #having = new Map<number, number[]>();
  readonly #rows: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  /** The state whose row is nearer to `row` than that of the fallback, by more than it costs to name it. */
  find(row: Row, fallback: Row): number | undefined {
    const own = ownColumns(row, fallback);
    let fewest = own.length - 2;
    let best: number | undefined;
    if (fewest < 2) return undefined;
    const shared = new Map<number, number>();
    for (const column of own)
      for (const state of this.#having.get(keyOf(row, column)) ?? []) shared.set(state, (shared.get(state) ?? 0) + 1);
    const nearest = [...shared].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, most);
    for (const [state] of nearest) {
      const count = differences(row, this.#rows[state]!, fewest);
      if (count >= fewest) continue;
      best = state;
      fewest = count;
    }
    return best;
  }

  add(state: number, fallback: Row): void {
    const row = this.#rows[state]!;
    for (const column of ownColumns(row, fallback)) {
      const key = keyOf(row, column);
      const states = this.#having.get(key);
      if (states) states.push(state);
      else this.#having.set(key, [state]);
    }
  }
}

/** How many rows are compared in full. */
const most = 4;

function ownColumns(row: Row, fallback: Row): number[] {
  const columns: number[] = [];
  for (let column = 0; column < row.length; column++) if (row[column] !== fallback[column]) columns.push(column);
  return columns;
}

function keyOf(row: Row, column: number): number {
  return column * 0x10000 + row[column]!;
}

/** In how many places two rows differ; counts no further than `enough`. */
function differences(a: Row, b: Row, enough: number): number {
  let count = 0;
  for (let column = 0; column < a.length && count < enough; column++) if (a[column] !== b[column]) count++;
  return count;
}

/** A number in groups of seven bits, the least first (LEB128). */
function writeNumber(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
}

/** The states that no transition leaves. The last one has no output and is the target of most transitions. */
function rootsOf(rows: readonly Row[]): { roots: readonly number[]; settled: number } {
  const entered = new Int32Array(rows.length);
  for (const row of rows) for (let column = 0; column < row.length - 2; column++) entered[row[column]!]!++;
  for (const [state, row] of rows.entries()) if (row.at(-2) !== 0) entered[state] = 0;
  const resting = entered.indexOf(entered.reduce((a, b) => Math.max(a, b), 0));
  const settled = [...rows.keys()].filter((state) => rows[state]!.subarray(0, -2).every((next) => next === state));
  return { roots: [...settled.filter((state) => state !== resting), resting], settled: settled.length };
}

/** Classes of characters only: the start has been read, and `endOutput` has the result of the end. */
function characterClasses(dfa: Dfa): { classOf: number[]; kept: number[] } {
  const kept: number[] = [];
  const classOf: number[] = [];
  for (let symbol = 0; symbol < symbolCount; symbol++) {
    const c = dfa.classOf[symbol]!;
    if (!kept.includes(c)) kept.push(c);
    classOf.push(kept.indexOf(c));
  }
  return { classOf, kept };
}
