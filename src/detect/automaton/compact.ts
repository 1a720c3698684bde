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

/** How far before the last cell a place for a state is looked for: further back there are nearly no free cells. */
const reach = 512;

function pack(automaton: Automaton): { cells: Int32Array; places: Int32Array } {
  const { stateCount, classCount, rows } = automaton;
  const width = classCount + 2;
  const places = new Int32Array(stateCount);
  // Far more than is needed; what is not written takes no memory.
  const cells = new Int32Array(stateCount * (width + 1) + width);
  let past = 0;
  for (let state = 0; state < stateCount; state++) {
    const own = cellsOf(automaton, state);
    let place = Math.max(0, past - reach);
    while (own.some((cell) => cells[place + (cell & tag)] !== 0)) place++;
    for (const cell of own) cells[place + (cell & tag)] = cell;
    places[state] = place;
    past = Math.max(past, place + width + 2);
  }
  // Now that all places are known, they take the place of the numbers.
  for (let i = 0; i < past; i++) {
    const cell = cells[i]!;
    const own = cell & tag;
    if (own === 0 || own > classCount + 1) continue;
    const state = cell >> shift;
    const isReported = own <= classCount && rows[state * width + classCount] !== 0;
    cells[i] = (places[state]! << shift) | (isReported ? reports : 0) | own;
  }
  return { cells: cells.slice(0, past), places };
}

/** What a state has cells for, with the numbers of states instead of their places. */
function cellsOf({ classCount, rows, fallbacks, roots }: Automaton, state: number): number[] {
  const width = classCount + 2;
  const row = state * width;
  const fallback = fallbacks[state]!;
  const cells = [(fallback << shift) | (classCount + 1)];
  for (let column = 0; column < classCount; column++) {
    const next = rows[row + column]!;
    if (state < roots || next !== rows[fallback * width + column]) cells.push((next << shift) | (column + 1));
  }
  const [output, endOutput] = [rows[row + classCount]!, rows[row + classCount + 1]!];
  if (output !== 0) cells.push((output << shift) | (classCount + 2));
  if (endOutput !== output) cells.push((endOutput << shift) | (classCount + 3));
  return cells;
}
