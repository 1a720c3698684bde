/**
 * What an automaton that identifies is in memory: a tenth of what decodeTable makes, and run here. A state has cells only for
 * the classes for which it does not lead where its fallback leads, and the cells of other states stand between them.
 */
import { type Automaton, readAutomaton, symbolCount } from "./read-automaton.ts";

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
  const automaton = readAutomaton(bytes);
  const { classCount, classOf, initial } = automaton;
  const { cells, places } = pack(automaton);
  return {
    classes: Uint8Array.from({ length: 256 }, (_, byte) => classOf[Math.min(byte, symbolCount - 1)]! + 1),
    cells,
    initial: places[initial]!,
    fallback: classCount + 1,
    output: classCount + 2,
    endOutput: classCount + 3,
  };
}

/** How far before the last state a place for another one is looked for: further back there are few free cells. */
const reach = 16;

function pack(automaton: Automaton): { cells: Int32Array; places: Int32Array } {
  const { stateCount, classCount, rows } = automaton;
  const width = classCount + 2;
  const places = new Int32Array(stateCount);
  // Far more than is needed; what is not written takes no memory.
  const cells = new Int32Array(stateCount * (width + 1) + width);
  const own = new Int32Array(width + 1);
  let last = 0;
  for (let state = 0; state < stateCount; state++) {
    const count = takeCells(automaton, state, own);
    let place = Math.max(0, last - reach);
    for (let i = 0; i < count; )
      if (cells[place + (own[i]! & tag)] === 0) i++;
      else {
        place++;
        i = 0;
      }
    for (let i = 0; i < count; i++) cells[place + (own[i]! & tag)] = own[i]!;
    places[state] = place;
    if (place > last) last = place;
  }
  // Now that all places are known, they take the place of the numbers.
  const length = last + width + 2;
  for (let i = 0; i < length; i++) {
    const cell = cells[i]!;
    const of = cell & tag;
    if (of === 0 || of > classCount + 1) continue;
    const state = cell >> shift;
    const isReported = of <= classCount && rows[state * width + classCount] !== 0;
    cells[i] = (places[state]! << shift) | (isReported ? reports : 0) | of;
  }
  return { cells: cells.slice(0, length), places };
}

/** Writes to `into` what a state has cells for, with numbers of states instead of their places; returns how many. */
function takeCells({ classCount, rows, fallbacks, roots }: Automaton, state: number, into: Int32Array): number {
  const width = classCount + 2;
  const row = state * width;
  const fallback = fallbacks[state]!;
  const usual = fallback * width;
  let count = 0;
  into[count++] = (fallback << shift) | (classCount + 1);
  for (let column = 0; column < classCount; column++) {
    const next = rows[row + column]!;
    if (next !== rows[usual + column]! || state < roots) into[count++] = (next << shift) | (column + 1);
  }
  const output = rows[row + classCount]!;
  const endOutput = rows[row + classCount + 1]!;
  if (output !== 0) into[count++] = (output << shift) | (classCount + 2);
  if (endOutput !== output) into[count++] = (endOutput << shift) | (classCount + 3);
  return count;
}
