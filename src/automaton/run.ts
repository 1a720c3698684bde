/** Runs an automaton over a string or over bytes. Imports nothing but a type: this is all that a detector needs. */
import type { Table } from "./tables.ts";

/** Runs the automaton; both methods give one answer for one text. */
export interface Matcher {
  /** Whether `text` is accepted. */
  test(text: string): boolean;
  /** Whether the bytes from `from` to before `to` are; they are ASCII, Latin-1 or UTF-8, which makes no difference. */
  testBytes(bytes: Uint8Array, from?: number, to?: number): boolean;
}

/** Makes a matcher of the tables of absorbing automata: one searches, one reads the beginning as far as that can decide. */
export function createMatcher(search: Table, opening?: Table): Matcher {
  const searches = createWalk(search);
  if (!opening) return searches;
  const opens = createWalk(opening);
  return {
    test: (text) => opens.test(text) || searches.test(text),
    testBytes: (bytes, from, to) => opens.testBytes(bytes, from, to) || searches.testBytes(bytes, from, to),
  };
}

function createWalk(table: Table): Matcher {
  const { next, shift, initial, firstSilentAtEnd } = table;
  const dead = deadState(table);
  const classOf = new Uint8Array(256).fill(table.classOf[128]!);
  classOf.set(table.classOf.subarray(0, 128));
  const other = table.classOf[128]!;
  return {
    test(text) {
      let state = initial;
      for (let i = 0; i < text.length && state !== dead; i++) {
        const code = text.charCodeAt(i);
        state = next[(state << shift) + (code < 128 ? classOf[code]! : other)]!;
      }
      return state < firstSilentAtEnd;
    },
    testBytes(bytes, from = 0, to = bytes.length) {
      let state = initial;
      for (let i = from; i < to && state !== dead; i++) state = next[(state << shift) + classOf[bytes[i]!]!]!;
      return state < firstSilentAtEnd;
    },
  };
}

/** The state without an output that nothing leaves, or -1: a search has none. */
function deadState({ next, shift, classCount, stateCount, firstSilentAtEnd }: Table): number {
  for (let state = firstSilentAtEnd; state < stateCount; state++) {
    let stays = true;
    for (let c = 0; c < classCount && stays; c++) stays = next[(state << shift) + c] === state;
    if (stays) return state;
  }
  return -1;
}

/** What an identification found: an output (0: nothing) and the offset just behind the text that gave it. */
export interface Found {
  output: number;
  end: number;
}

/** Finds the smallest output along `text` and where it is reached first. */
export function find(table: Table, text: string): Found {
  const { next, shift, classOf, firstSilent, firstSilentAtEnd, output, endOutput } = table;
  const other = classOf[128]!;
  const found: Found = { output: 0, end: 0 };
  let best = 0xffff;
  let state = table.initial;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    state = next[(state << shift) + (code < 128 ? classOf[code]! : other)]!;
    if (state < firstSilent && output[state]! < best) {
      best = output[state]!;
      found.end = i + 1;
    }
  }
  if (state < firstSilentAtEnd && endOutput[state]! < best) {
    best = endOutput[state]!;
    found.end = text.length;
  }
  if (best !== 0xffff) found.output = best;
  return found;
}
