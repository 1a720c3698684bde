/**
 * Runs automata over strings and over bytes. Imports nothing but types, so that it can be copied into other programs.
 * shortcuts.ts gets to the same answers without reading most of the characters one by one.
 *
 * What loops takes all it needs as arguments, as engines are slow with variables of closures of which there are several, and
 * looks a state's row up itself, as a call for each character would cost a fifth more.
 */
import type { Table } from "./tables.ts";

/** Answers for one text after another; both methods give one answer for one text. */
export interface Matcher {
  /** Whether `text` is accepted. */
  test(text: string): boolean;
  /**
   * Whether the bytes from `from` to before `to` are; they are ASCII, Latin-1 or UTF-8, which makes no difference. Offsets
   * beyond the bytes mean their ends.
   */
  testBytes(bytes: Uint8Array, from?: number, to?: number): boolean;
}

/** Makes a matcher of the tables of absorbing automata: one searches, one reads the beginning as far as that can decide. */
export function createMatcher(search: Table, opening?: Table): Matcher {
  const tables = opening ? [search, opening] : [search];
  return {
    test: (text) => tables.some((table) => accepts(table, text, 0, table.initial)),
    testBytes(bytes, from = 0, to = bytes.length) {
      const [first, last] = [Math.max(0, from), Math.min(to, bytes.length)];
      return tables.some((table) => acceptsBytes(table, bytes, first, last));
    },
  };
}

/** Whether an absorbing automaton accepts `text`, read on from `at` in state `from`; reads as far as that can decide. */
export function accepts(table: Table, text: string, at: number, from: number): boolean {
  const { classOf, rows, rowCount, chains, firstSilent, dead } = table;
  let state = from;
  for (let i = at; i < text.length && state >= firstSilent && state !== dead; i++) {
    const c = classOf[Math.min(text.charCodeAt(i), 128)]!;
    state = state < rowCount ? rows[c * rowCount + state]! : step(rows, rowCount, chains, state, c);
  }
  return state < table.firstSilentAtEnd;
}

function acceptsBytes(table: Table, bytes: Uint8Array, from: number, to: number): boolean {
  const { classOf, rows, rowCount, chains, firstSilent, dead } = table;
  let state = table.initial;
  for (let i = from; i < to && state >= firstSilent && state !== dead; i++) {
    const c = classOf[bytes[i]!]!;
    state = state < rowCount ? rows[c * rowCount + state]! : step(rows, rowCount, chains, state, c);
  }
  return state < table.firstSilentAtEnd;
}

/** From a state and a class of characters to the next state: by the state's row, or by a chain and the models behind it. */
export function step(rows: Uint16Array, rowCount: number, chains: Uint16Array, from: number, c: number): number {
  let state = from;
  while (state >= rowCount) {
    const chain = (state - rowCount) << 3;
    if (chains[chain] === c) return chains[chain + 1]!;
    if (chains[chain + 2] === c) return chains[chain + 3]!;
    state = chains[chain + 4]!;
  }
  // The class is known before the state is: nothing is waited for but an addition and a look-up.
  return rows[c * rowCount + state]!;
}

/** The state after reading `text` from the beginning. */
export function stateAfter({ classOf, rows, rowCount, chains, initial }: Table, text: string): number {
  let state = initial;
  for (let i = 0; i < text.length; i++)
    state = step(rows, rowCount, chains, state, classOf[Math.min(text.charCodeAt(i), 128)]!);
  return state;
}

/** What an identification found: an output (0: nothing) and the offset just behind the text that gave it. */
export interface Found {
  output: number;
  end: number;
}

/** Finds the smallest output along `text` and where it is reached first, with an automaton that does not stop at one. */
export function find(table: Table, text: string): Found {
  const { classOf, rows, rowCount, chains, firstSilent, firstSilentAtEnd, output, endOutput } = table;
  let best = none;
  let end = 0;
  let state = table.initial;
  for (let i = 0; i < text.length; i++) {
    const c = classOf[Math.min(text.charCodeAt(i), 128)]!;
    state = state < rowCount ? rows[c * rowCount + state]! : step(rows, rowCount, chains, state, c);
    if (state < firstSilent && output[state]! < best) {
      best = output[state]!;
      end = i + 1;
    }
  }
  if (state < firstSilentAtEnd && endOutput[state]! < best) {
    best = endOutput[state]!;
    end = text.length;
  }
  return { output: best === none ? 0 : best, end };
}

const none = 0xffff;
