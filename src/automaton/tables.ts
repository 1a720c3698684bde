/**
 * The file format of an automaton, and what it becomes in memory. docs/automaton.md describes the file byte by byte. A row
 * differs little from that of a state written before it, its model: so it is written as that state and the differences.
 */
import { symbolCount } from "../pattern/charset.ts";
import { crc32 } from "./crc.ts";
import type { Dfa } from "./dfa.ts";
import { few, inOrderOfModels, type ModelledState } from "./models.ts";
import { step } from "./run.ts";

/**
 * An automaton as it is run. States below `rowCount` have a row with a transition for each class. The others, most of them
 * along a word that is about to be found, differ from a model in at most two transitions: those are all that is kept.
 */
export interface Table {
  /** Class of every byte and every ASCII character; from 128 on all are alike. */
  readonly classOf: Uint8Array;
  readonly classCount: number;
  /** `rows[class * rowCount + state]` is the next state. */
  readonly rows: Uint16Array;
  readonly rowCount: number;
  /**
   * From `(state - rowCount) * 8` on: a class, where it leads, another class, where that leads, and the model, which
   * answers for all other classes.
   */
  readonly chains: Uint16Array;
  readonly stateCount: number;
  readonly initial: number;
  /** The state without an output that nothing leaves, or -1: a search has none. */
  readonly dead: number;
  /** States below this have an output once entered. */
  readonly firstSilent: number;
  /** States below this have an output when the string ends there. */
  readonly firstSilentAtEnd: number;
  /** Outputs of the states below `firstSilent`. */
  readonly output: Uint16Array;
  /** Outputs of the states below `firstSilentAtEnd` when the string ends there. */
  readonly endOutput: Uint16Array;
}

const magic = [0x57, 0x43, 0x41, 0x31]; // WCA1
const asciiAndOther = 129;

/** Writes a minimal automaton; throws RangeError beyond 65,535 states or outputs. */
export function encodeTable(dfa: Dfa): Uint8Array {
  if (dfa.stateCount > 0xffff) throw new RangeError(`${dfa.stateCount} states do not fit into 16 bits`);
  if (dfa.endOutput.some((output) => output > 0xffff)) throw new RangeError("an output does not fit into 16 bits");
  const { classOf, kept } = characterClasses(dfa);
  const rows = Array.from({ length: dfa.stateCount }, (_, state) =>
    kept.map((c) => dfa.next[state * dfa.classCount + c]!),
  );
  const records = inOrderOfModels(rows, dfa.initial);
  if (records.length < rows.length) throw new RangeError("some states are never reached: minimise the automaton first");

  const rank = ranks(dfa, records);
  const order = inOrderOfRanks(rows, records, rank);
  const place = new Int32Array(dfa.stateCount);
  order.forEach((state, i) => {
    place[state] = i;
  });

  const bytes: number[] = [...magic];
  const write = (value: number): void => {
    for (let rest = value; ; rest >>>= 7) {
      if (rest < 0x80) {
        bytes.push(rest);
        return;
      }
      bytes.push((rest & 0x7f) | 0x80);
    }
  };
  const silent = rank.filter((r) => r === 0).length;
  const silentAtEnd = rank.filter((r) => r <= 1).length;
  for (const value of [kept.length, order.length, place[dfa.initial]!, silent, silentAtEnd]) write(value);
  bytes.push(...classOf);
  for (let i = 0; i < silent; i++) write(dfa.output[order[i]!]!);
  for (let i = 0; i < silentAtEnd; i++) write(dfa.endOutput[order[i]!]!);
  for (const { state, model, changed } of records) {
    for (const value of [place[state]!, place[model]!, changed.length]) write(value);
    for (const c of changed) {
      bytes.push(c);
      write(place[rows[state]![c]!]!);
    }
  }
  const sum = crc32(Uint8Array.from(bytes));
  bytes.push(sum & 0xff, (sum >>> 8) & 0xff, (sum >>> 16) & 0xff, sum >>> 24);
  return Uint8Array.from(bytes);
}

/** States with an output come first, then those with one at the end, others that have rows, and at last the chains. */
function ranks(dfa: Dfa, records: readonly ModelledState[]): Uint8Array {
  const rank = new Uint8Array(dfa.stateCount);
  for (const { state, model, depth, changed } of records)
    if (dfa.output[state] !== 0) rank[state] = 0;
    else if (dfa.endOutput[state] !== 0) rank[state] = 1;
    // A row is quicker, so that the states which any text leads to have one; a reader knows by the higher ones that follow.
    else if (depth <= shallow) rank[state] = 2;
    else rank[state] = needsRow(state, model, changed.length) ? 3 : chained;
  return rank;
}

const shallow = 4;
const chained = 4;

const needsRow = (state: number, model: number, changes: number): boolean =>
  state === model || changes === 0 || changes > few;

/** Along a chain the states follow one another, so that a word is read from one place in memory. */
function inOrderOfRanks(
  rows: readonly (readonly number[])[],
  records: readonly ModelledState[],
  rank: Uint8Array,
): number[] {
  const order = records.map(({ state }) => state).filter((state) => rank[state]! < chained);
  order.sort((a, b) => rank[a]! - rank[b]!);
  const inChains = new Set<number>();
  const ahead = new Map(records.map(({ state, changed }) => [state, rows[state]![changed.at(-1) ?? 0]!]));
  for (const record of records)
    for (let state = record.state; rank[state] === chained && !inChains.has(state); state = ahead.get(state)!)
      inChains.add(state);
  return [...order, ...inChains];
}

/** Classes of characters only: the ends of the string have been read or are told by `endOutput`. */
function characterClasses(dfa: Dfa): { classOf: number[]; kept: number[] } {
  const kept: number[] = [];
  const classOf: number[] = [];
  for (let symbol = 0; symbol < Math.min(asciiAndOther, symbolCount); symbol++) {
    const c = dfa.classOf[symbol]!;
    if (!kept.includes(c)) kept.push(c);
    classOf.push(kept.indexOf(c));
  }
  return { classOf, kept };
}

/** Reads what encodeTable wrote; throws RangeError for anything else. */
export function decodeTable(bytes: Uint8Array): Table {
  if (magic.some((byte, i) => bytes[i] !== byte)) throw new RangeError("not an automaton: it does not begin with WCA1");
  const body = bytes.subarray(0, -4);
  const sum = bytes.subarray(-4).reduceRight((value, byte) => value * 256 + byte, 0);
  // Past this check the bytes are what was written, so that nothing below has to doubt them.
  if (crc32(body) !== sum) throw new RangeError("the automaton is damaged: its check sum is wrong");
  let at = magic.length;
  const read = (): number => {
    let value = 0;
    for (let bits = 0; ; bits += 7) {
      const byte = body[at++]!;
      value |= (byte & 0x7f) << bits;
      if (byte < 0x80) return value;
    }
  };
  const classCount = read();
  const stateCount = read();
  const initial = read();
  const firstSilent = read();
  const firstSilentAtEnd = read();
  const classOf = new Uint8Array(256).fill(body[at + asciiAndOther - 1]!);
  classOf.set(body.subarray(at, at + asciiAndOther - 1));
  at += asciiAndOther;
  const output = Uint16Array.from({ length: firstSilent }, read);
  const endOutput = Uint16Array.from({ length: firstSilentAtEnd }, read);

  // How many states need a row is only known when all have been seen.
  const states = new Uint16Array(stateCount);
  const models = new Uint16Array(stateCount);
  const changes: Uint16Array = new Uint16Array(body.length);
  const begins = new Uint32Array(stateCount + 1);
  let rowCount = firstSilentAtEnd;
  let filled = 0;
  for (let record = 0; record < stateCount; record++) {
    const state = read();
    states[record] = state;
    models[record] = read();
    const count = read();
    if (state >= rowCount && needsRow(state, models[record]!, count)) rowCount = state + 1;
    for (let n = count; n > 0; n--) {
      changes[filled++] = body[at++]!;
      changes[filled++] = read();
    }
    begins[record + 1] = filled;
  }

  const byState = new Uint16Array(rowCount * classCount);
  const chains = new Uint16Array((stateCount - rowCount) * 8);
  for (let record = 0; record < stateCount; record++) {
    const state = states[record]!;
    let model = models[record]!;
    const from = begins[record]!;
    const to = begins[record + 1]!;
    if (state >= rowCount) {
      const chain = (state - rowCount) * 8;
      // A single change stands there twice.
      chains[chain] = changes[from]!;
      chains[chain + 1] = changes[from + 1]!;
      chains[chain + 2] = changes[to - 2]!;
      chains[chain + 3] = changes[to - 1]!;
      chains[chain + 4] = model;
      continue;
    }
    const row = state * classCount;
    const links: number[] = [];
    for (; model >= rowCount; model = chains[links.at(-1)! + 4]!) links.push((model - rowCount) * 8);
    byState.copyWithin(row, model * classCount, (model + 1) * classCount);
    for (let link = links.pop(); link !== undefined; link = links.pop()) {
      byState[row + chains[link + 2]!] = chains[link + 3]!;
      byState[row + chains[link]!] = chains[link + 1]!;
    }
    for (let i = from; i < to; i += 2) byState[row + changes[i]!] = changes[i + 1]!;
  }
  const rows = transpose(byState, rowCount, classCount);
  const table = { classOf, classCount, rows, rowCount, chains, stateCount, initial };
  return { ...table, firstSilent, firstSilentAtEnd, output, endOutput, dead: deadState(table, firstSilentAtEnd) };
}

function transpose(byState: Uint16Array, rowCount: number, classCount: number): Uint16Array {
  const byClass = new Uint16Array(byState.length);
  let at = 0;
  for (let state = 0; state < rowCount; state++)
    for (let c = 0; c < classCount; c++) byClass[c * rowCount + state] = byState[at++]!;
  return byClass;
}

function deadState(
  table: Pick<Table, "classCount" | "rows" | "rowCount" | "chains" | "stateCount">,
  from: number,
): number {
  const { classCount, rows, rowCount, chains, stateCount } = table;
  for (let state = from; state < stateCount; state++) {
    let c = 0;
    while (c < classCount && step(rows, rowCount, chains, state, c) === state) c++;
    if (c === classCount) return state;
  }
  return -1;
}
