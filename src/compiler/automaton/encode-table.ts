/**
 * Writes an automaton as a file (docs/automaton.md). The row of a state differs little from the row of its failure state
 * (Aho and Corasick: the state for the same text without its first character), so only the differences are written.
 */
import { crc32 } from "../../detect/automaton/crc.ts";
import { magic, symbolCount } from "../../detect/automaton/read-automaton.ts";
import { type Dfa, isSettled } from "./dfa.ts";

/** By state: next states by class, then whether a match has been read, and whether the string may end there. */
interface Rows {
  readonly cells: Uint16Array;
  readonly width: number;
  readonly count: number;
}

/**
 * Writes a minimal automaton, with ranks that say how often reading `texts` leads to a state; throws RangeError for more than 65,535
 * states.
 */
export function encodeTable(dfa: Dfa, texts: readonly string[] = []): Uint8Array {
  if (dfa.stateCount > 0xffff) throw new RangeError(`${dfa.stateCount} states do not fit into 16 bits`);
  const { classOf, kept } = characterClasses(dfa);
  const rows = rowsOf(dfa, kept);
  const { roots, settled } = rootsOf(rows);
  const entries = [...new Set([...roots, dfa.initial, dfa.inner])];
  const { order, models, changes, columns, values } = differencesOf(rows, roots, entries);
  const visits = visitsOf(dfa, texts);
  const ranks = order.map((state, i) => (i < entries.length ? 0 : rankOf(visits[state]!)));
  const bytes = [...magic];
  const [initial, inner] = [dfa.initial, dfa.inner].map((state) => entries.indexOf(state)) as [number, number];
  for (const value of [kept.length, rows.count, roots.length, settled, initial, inner]) writeNumber(bytes, value);
  bytes.push(...classOf);
  // Grouping values by kind compresses 15% better than writing row after row.
  for (const section of [ranks, models, changes, columns, values])
    for (const value of section) writeNumber(bytes, value);
  const sum = crc32(Uint8Array.from(bytes));
  bytes.push(sum & 0xff, (sum >>> 8) & 0xff, (sum >>> 16) & 0xff, sum >>> 24);
  return Uint8Array.from(bytes);
}

function rowsOf(dfa: Dfa, kept: readonly number[]): Rows {
  const { stateCount, classCount, next, accepts } = dfa;
  const cells = new Uint16Array(stateCount * (kept.length + 2));
  let at = 0;
  for (let state = 0; state < stateCount; state++) {
    for (let column = 0; column < kept.length; column++) cells[at++] = next[state * classCount + kept[column]!]!;
    cells[at++] = isSettled(dfa, state) ? accepts[state]! : 0;
    cells[at++] = accepts[state]!;
  }
  return { cells, width: kept.length + 2, count: stateCount };
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

/** Powers of two are precise enough, and nearly all visits lead to states with sixteen or more: exact ranks would take ten times the bytes. */
function rankOf(visits: number): number {
  return 1 + Math.clz32(visits >>> 4);
}

/** The states in the order of their numbers in the file, and how the row of each differs from the one it is a copy of. */
function differencesOf(rows: Rows, roots: readonly number[], entries: readonly number[]) {
  const { cells, width } = rows;
  const [models, changes, columns, values]: [number[], number[], number[], number[]] = [[], [], [], []];
  const order = [...entries];
  /** By state: its number in the file or -1, and its failure state. */
  const place = new Int32Array(rows.count).fill(-1);
  for (const [i, state] of order.entries()) place[state] = i;
  const resting = roots.at(-1)!;
  const fallbacks = new Int32Array(rows.count).fill(resting);
  const written = new Models(rows);
  // The loop appends newly found states to the list that it iterates.
  for (let i = 0; i < order.length; i++) {
    const state = order[i]!;
    const isRoot = i < roots.length;
    const own = isRoot ? rootColumns(rows, state) : ownColumns(rows, state, fallbacks[state]!);
    const model = isRoot ? undefined : written.find(state, own);
    if (!isRoot) written.add(state, own);
    const changed = model === undefined ? own : ownColumns(rows, state, model);
    models.push(model === undefined ? 0 : i - place[model]!);
    changes.push(changed.length);
    for (const column of changed) {
      const value = cells[state * width + column]!;
      columns.push(column);
      if (column >= width - 2) values.push(value);
      // Written as distances, most of which are short, because the next state is often the newest one.
      else if (place[value] !== -1) values.push(order.length - place[value]!);
      else {
        values.push(0);
        place[value] = order.push(value) - 1;
        fallbacks[value] = isRoot ? resting : cells[fallbacks[state]! * width + column]!;
      }
    }
  }
  if (order.length < rows.count) throw new RangeError("some states are never reached: minimize the automaton first");
  return { order, models, changes, columns, values };
}

/** Finds the row already written that differs least from a given row. */
class Models {
  /** By column and value: the states whose rows have it and whose fallbacks' rows do not. */
  readonly #having = new Map<number, number[]>();
  /** By state: how many cells of a row it shares; all 0 between calls of `find`. */
  readonly #shared: Uint16Array;
  readonly #rows: Rows;

  constructor(rows: Rows) {
    this.#rows = rows;
    this.#shared = new Uint16Array(rows.count);
  }

  /** A state whose row is closer to the row of `state` than the fallback's is, by more than the cost of naming it. `own`: as for `add`. */
  find(state: number, own: readonly number[]): number | undefined {
    let fewest = own.length - 2;
    let best: number | undefined;
    if (fewest < 2) return undefined;
    const shared = this.#shared;
    const found: number[] = [];
    for (const column of own)
      for (const other of this.#having.get(this.#keyOf(state, column)) ?? [])
        if (shared[other]!++ === 0) found.push(other);
    const nearest = found.sort((a, b) => shared[b]! - shared[a]! || a - b).slice(0, most);
    for (const other of found) shared[other] = 0;
    for (const other of nearest) {
      const count = differences(this.#rows, state, other, fewest);
      if (count >= fewest) continue;
      best = other;
      fewest = count;
    }
    return best;
  }

  /** Adds the row of `state`, which differs from the fallback's in the columns `own`. */
  add(state: number, own: readonly number[]): void {
    for (const column of own) {
      const key = this.#keyOf(state, column);
      const states = this.#having.get(key);
      if (states) states.push(state);
      else this.#having.set(key, [state]);
    }
  }

  #keyOf(state: number, column: number): number {
    return column * 0x10000 + this.#rows.cells[state * this.#rows.width + column]!;
  }
}

/** How many rows are compared in full. */
const most = 4;

/** The columns in which the rows of two states differ. */
function ownColumns({ cells, width }: Rows, state: number, other: number): number[] {
  const columns: number[] = [];
  for (let column = 0; column < width; column++)
    if (cells[state * width + column] !== cells[other * width + column]) columns.push(column);
  return columns;
}

/** The columns of a root that do not lead to it, or have an output. */
function rootColumns({ cells, width }: Rows, root: number): number[] {
  const row = [...cells.subarray(root * width, (root + 1) * width)];
  return row.flatMap((value, column) => (value === (column < width - 2 ? root : 0) ? [] : column));
}

/** In how many columns two rows differ; stops counting at `enough`. */
function differences({ cells, width }: Rows, a: number, b: number, enough: number): number {
  let count = 0;
  for (let column = 0; column < width && count < enough; column++)
    if (cells[a * width + column] !== cells[b * width + column]) count++;
  return count;
}

/** A number in groups of seven bits, the least first (LEB128). */
function writeNumber(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
}

/** The states that no transition leaves. The last one has no output and is the target of most transitions. */
function rootsOf({ cells, width, count }: Rows): { roots: readonly number[]; settled: number } {
  const entered = new Int32Array(count);
  const settled: number[] = [];
  for (let state = 0; state < count; state++) {
    let isLeft = false;
    for (let at = state * width; at < (state + 1) * width - 2; at++) {
      entered[cells[at]!]!++;
      if (cells[at] !== state) isLeft = true;
    }
    if (!isLeft) settled.push(state);
  }
  for (let state = 0; state < count; state++) if (cells[(state + 1) * width - 2] !== 0) entered[state] = 0;
  const resting = entered.indexOf(entered.reduce((a, b) => Math.max(a, b), 0));
  return { roots: [...settled.filter((state) => state !== resting), resting], settled: settled.length };
}

/** Keeps only classes of characters: the start has already been read, and `endOutput` has the result at the end. */
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
