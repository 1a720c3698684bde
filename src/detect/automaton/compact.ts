/**
 * The identifying automaton in memory, and the loop that runs it. It takes a tenth of the memory of decodeTable's result. A
 * state has cells only for classes in which it differs from its fallback, and the cells of other states are between them.
 * States that are the fallback of many others have cells for all classes.
 */
import { fillRow, type OwnCells, readOwnCells } from "./own-cells.ts";
import { type AutomatonFile, readAutomaton, symbolCount } from "./read-automaton.ts";

/** An automaton that reads a whole string; a state is the offset of its cells. */
export interface CompactTable {
  /** By byte or ASCII character, counted from 1; from 128 on all are alike. */
  readonly classes: Uint8Array;
  /**
   * `cells[state + class]` is of that state and class if its lowest eight bits are the class. Then the higher bits are the
   * next state, and the ninth bit says whether that reports something.
   */
  readonly cells: Int32Array;
  readonly initial: number;
  /** The classes under which a state has its fallback, what it reports at once, and what it reports at the end. */
  readonly fallback: number;
  readonly output: number;
  readonly endOutput: number;
}

/** What an identification found: an output (0: nothing) and the offset just behind the text that gave it. */
export interface Found {
  readonly output: number;
  readonly end: number;
}

const tag = 0xff;
const reports = 0x100;
const shift = 9;

/** Finds the smallest output along `text` and where it is reached first. */
export function find(table: CompactTable, text: string): Found {
  const { classes, cells, fallback, output, endOutput } = table;
  let best = none;
  let end = 0;
  let state = table.initial;
  for (let i = 0; i < text.length; i++) {
    const c = classes[Math.min(text.charCodeAt(i), 128)]!;
    let cell = cells[state + c]!;
    while ((cell & tag) !== c) {
      state = cells[state + fallback]! >> shift;
      cell = cells[state + c]!;
    }
    state = cell >> shift;
    if ((cell & reports) === 0) continue;
    const found = cells[state + output]! >> shift;
    if (found < best) {
      best = found;
      end = i + 1;
    }
  }
  const last = cells[state + endOutput]!;
  if ((last & tag) === endOutput && last >> shift < best) return { output: last >> shift, end: text.length };
  return { output: best === none ? 0 : best, end };
}

const none = 0x10000;

/** Reads what encodeTable wrote; throws RangeError for anything else. */
export function decodeCompact(bytes: Uint8Array): CompactTable {
  const file = readAutomaton(bytes);
  const { classCount, classOf, initial } = file;
  const { cells, places } = pack(file, readOwnCells(file));
  return {
    classes: Uint8Array.from({ length: 256 }, (_, byte) => classOf[Math.min(byte, symbolCount - 1)]! + 1),
    cells,
    initial: places[initial]!,
    fallback: classCount + 1,
    output: classCount + 2,
    endOutput: classCount + 3,
  };
}

/** The distance from the last state within which free cells are searched: further back there are few. */
const reach = 16;
/** A state that is the fallback of at least this many others has a cell for every class, so that fallbacks are rare. */
const popular = 64;

function pack(file: AutomatonFile, own: OwnCells): { cells: Int32Array; places: Int32Array } {
  const { classCount, stateCount, roots } = file;
  const { outputs } = own;
  const width = classCount + 4;
  const places = new Int32Array(stateCount);
  // Far more than needed; unwritten memory is not allocated.
  const cells = new Int32Array((stateCount + 1) * width);
  const taken = new Int32Array(width);
  const row = new Uint16Array(classCount);
  const users = usersOf(own, roots);
  const order = depthFirst(own);
  let last = 0;
  for (let i = 0; i < stateCount; i++) {
    const state = order[i]!;
    if (users[state]! >= popular) fillRow(own, state, roots, row);
    const count = takeCells(own, state, classCount, users[state]! >= popular ? row : undefined, taken);
    const place = placeFor(cells, Math.max(0, last - reach), taken, count);
    places[state] = place;
    if (place > last) last = place;
  }
  // All places are known now, and replace the numbers of states.
  const length = last + width;
  for (let i = 0; i < length; i++) {
    const cell = cells[i]!;
    const of = cell & tag;
    if (of === 0 || of > classCount + 1) continue;
    const state = cell >> shift;
    cells[i] = (places[state]! << shift) | (of <= classCount && outputs[state] !== 0 ? reports : 0) | of;
  }
  return { cells: cells.slice(0, length), places };
}

/** Writes to `into` the classes for which a state has cells: all of `row`, or only its own; returns their number. */
function takeCells(
  own: OwnCells,
  state: number,
  classCount: number,
  row: Uint16Array | undefined,
  into: Int32Array,
): number {
  const { starts, columns, next } = own;
  const output = own.outputs[state]!;
  const endOutput = own.endOutputs[state]!;
  let count = 0;
  into[count++] = (own.fallbacks[state]! << shift) | (classCount + 1);
  if (row !== undefined)
    for (let column = 0; column < classCount; column++) into[count++] = (row[column]! << shift) | (column + 1);
  else
    for (let i = starts[state]!; i < starts[state + 1]!; i++) into[count++] = (next[i]! << shift) | (columns[i]! + 1);
  if (output !== 0) into[count++] = (output << shift) | (classCount + 2);
  if (endOutput !== output) into[count++] = (endOutput << shift) | (classCount + 3);
  return count;
}

/** Writes the cells of a state to the first place from `from` on where all of them are free; returns that place. */
function placeFor(cells: Int32Array, from: number, taken: Int32Array, count: number): number {
  let place = from;
  for (let i = 0; i < count; )
    if (cells[place + (taken[i]! & tag)] === 0) i++;
    else {
      place++;
      i = 0;
    }
  for (let i = 0; i < count; i++) cells[place + (taken[i]! & tag)] = taken[i]!;
  return place;
}

/** By state: the number of states that fall back to it, directly or not. */
function usersOf({ fallbacks }: OwnCells, roots: number): Uint16Array {
  const users = new Uint16Array(fallbacks.length);
  // A state has a higher number than its fallback.
  for (let state = fallbacks.length - 1; state >= roots; state--) users[fallbacks[state]!]! += users[state]! + 1;
  return users;
}

/** All states, each followed by its successors, so that states of one string are near each other in memory. */
function depthFirst({ parents }: OwnCells): Uint16Array {
  const count = parents.length;
  const sizes = new Uint16Array(count).fill(1);
  for (let state = count - 1; state > 0; state--)
    if (parents[state] !== state) sizes[parents[state]!]! += sizes[state]!;
  const order = new Uint16Array(count);
  const next = new Uint16Array(count);
  let first = 0;
  for (let state = 0; state < count; state++) {
    const parent = parents[state]!;
    const at = parent === state ? first : next[parent]!;
    if (parent === state) first += sizes[state]!;
    else next[parent]! += sizes[state]!;
    order[at] = state;
    next[state] = at + 1;
  }
  return order;
}
