/**
 * The file format of an automaton: a compact form of its transition table, and back. docs/automaton.md describes it byte by
 * byte. A row differs little from that of a state written before it, so it is written as that state and the differences.
 */
import { symbolCount } from "../pattern/charset.ts";
import type { Dfa } from "./dfa.ts";

/** An automaton as it is run: rows of `1 << shift` transitions, one for each class of characters. */
export interface Table {
  /** Class of every ASCII character; at 128 that of every other one. */
  readonly classOf: Uint8Array;
  readonly classCount: number;
  /** Row length is `1 << shift`. */
  readonly shift: number;
  /** `next[(state << shift) + class]` is the next state. */
  readonly next: Uint16Array;
  readonly stateCount: number;
  readonly initial: number;
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
  const { order, place } = stateOrder(dfa);
  const { classOf, kept } = characterClasses(dfa);
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
  const silent = order.filter((state) => dfa.output[state] !== 0).length;
  const silentAtEnd = order.filter((state) => dfa.endOutput[state] !== 0).length;
  for (const value of [kept.length, order.length, place[dfa.initial]!, silent, silentAtEnd]) write(value);
  bytes.push(...classOf);
  for (let i = 0; i < silent; i++) write(dfa.output[order[i]!]!);
  for (let i = 0; i < silentAtEnd; i++) write(dfa.endOutput[order[i]!]!);

  const rows = order.map((state) => kept.map((c) => place[dfa.next[state * dfa.classCount + c]!]!));
  const written: number[] = [];
  for (const { state, model: first } of breadthFirst(rows, place[dfa.initial]!)) {
    const model = first === state ? state : mostAlike(rows, state, [first, ...written.slice(-recent)]);
    const base = rows[model];
    const differing = rows[state]!.map((_, c) => c).filter((c) => model === state || rows[state]![c] !== base![c]);
    written.push(state);
    write(state);
    write(model);
    write(differing.length);
    for (const c of differing) {
      bytes.push(c);
      write(rows[state]![c]!);
    }
  }
  const sum = crc32(bytes);
  bytes.push(sum & 0xff, (sum >>> 8) & 0xff, (sum >>> 16) & 0xff, sum >>> 24);
  return Uint8Array.from(bytes);
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
  const classOf = bytes.slice(at, at + asciiAndOther);
  at += asciiAndOther;
  const output = Uint16Array.from({ length: firstSilent }, read);
  const endOutput = Uint16Array.from({ length: firstSilentAtEnd }, read);
  const shift = Math.ceil(Math.log2(classCount));
  const next = new Uint16Array(stateCount << shift);
  for (let row = 0; row < stateCount; row++) {
    const from = read() << shift;
    const model = read() << shift;
    next.copyWithin(from, model, model + (1 << shift));
    for (let n = read(); n > 0; n--) {
      const c = bytes[at++]!;
      next[from + c] = read();
    }
  }
  return { classOf, classCount, shift, next, stateCount, initial, firstSilent, firstSilentAtEnd, output, endOutput };
}

/** CRC-32 as in zip files and PNG images (ISO 3309): every language has it at hand. */
function crc32(bytes: ArrayLike<number>): number {
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
    return rest;
  });
  let sum = -1;
  for (let i = 0; i < bytes.length; i++) sum = (sum >>> 8) ^ table[(sum ^ bytes[i]!) & 0xff]!;
  return ~sum >>> 0;
}

/** How many of the rows written last may serve as a model: more make the file hardly smaller, and the build slower. */
const recent = 64;

/** Which of `candidates` has the row that differs least from that of `state`; the first of several. */
function mostAlike(rows: readonly (readonly number[])[], state: number, candidates: readonly number[]): number {
  const row = rows[state]!;
  let best = candidates[0]!;
  let fewest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const other = rows[candidate]!;
    let differing = 0;
    for (let c = 0; c < row.length && differing < fewest; c++) if (row[c] !== other[c]) differing++;
    if (differing < fewest) [best, fewest] = [candidate, differing];
  }
  return best;
}

/** States with an output first, then those with one at the end: a single comparison tells them. */
function stateOrder(dfa: Dfa): { order: number[]; place: Int32Array } {
  const rank = (state: number): number => (dfa.output[state] !== 0 ? 0 : dfa.endOutput[state] !== 0 ? 1 : 2);
  const order = [...Array(dfa.stateCount).keys()].sort((a, b) => rank(a) - rank(b) || a - b);
  const place = new Int32Array(dfa.stateCount);
  order.forEach((state, i) => {
    place[state] = i;
  });
  return { order, place };
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

/**
 * The states in an order in which each comes after one whose row is probably alike, its model: where the same text without
 * its first character leads (the failure of Aho and Corasick). The resting state, where most transitions lead, is first and
 * its own model: its row is written whole.
 */
function breadthFirst(rows: readonly (readonly number[])[], initial: number): { state: number; model: number }[] {
  const entered = new Int32Array(rows.length);
  for (const row of rows) for (const target of row) entered[target]!++;
  const resting = entered.indexOf(entered.reduce((a, b) => Math.max(a, b), 0));
  const model = new Int32Array(rows.length).fill(-1);
  model[initial] = resting;
  model[resting] = resting;
  const queue = resting === initial ? [resting] : [resting, initial];
  for (let i = 0; i < queue.length; i++) {
    const state = queue[i]!;
    rows[state]!.forEach((target, c) => {
      if (model[target] !== -1) return;
      const shorter = rows[model[state]!]![c]!;
      model[target] = state === resting || model[shorter] === -1 || shorter === target ? resting : shorter;
      queue.push(target);
    });
  }
  if (queue.length < rows.length) throw new RangeError("some states are never reached: minimise the automaton first");
  return queue.map((state) => ({ state, model: model[state]! }));
}
