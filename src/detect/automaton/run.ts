/**
 * Runs automata over strings and over bytes: a look-up a character. Imports nothing but types, so that it can be copied into
 * other programs. docs/measurements/matching.md lists the alternatives.
 */
import type { Table } from "./tables.ts";

/** Whether an automaton that stops at a match accepts `text`; read on from `at` in state `from`, where they are given. */
export function accepts(table: Table, text: string, at = 0, from = table.initial): boolean {
  const { columns, next, settled, endOutput } = table;
  let state = from;
  for (let i = at; i < text.length && state >= settled; i++)
    state = next[columns[Math.min(text.charCodeAt(i), 128)]! + state]!;
  return endOutput[state] !== 0;
}

/** The same of the bytes from `from` to before `to`: ASCII, Latin-1 or UTF-8, which makes no difference. */
export function acceptsBytes(table: Table, bytes: Uint8Array, from: number, to: number): boolean {
  const { columns, next, initial, settled, endOutput } = table;
  let state = initial;
  for (let i = from; i < to && state >= settled; i++) state = next[columns[bytes[i]!]! + state]!;
  return endOutput[state] !== 0;
}

/** What an identification found: an output (0: nothing) and the offset just behind the text that gave it. */
export interface Found {
  readonly output: number;
  readonly end: number;
}

/** Finds the smallest output along `text` and where it is reached first, with an automaton that does not stop at one. */
export function find({ columns, next, initial, output, endOutput }: Table, text: string): Found {
  let best = none;
  let end = 0;
  let state = initial;
  for (let i = 0; i < text.length; i++) {
    state = next[columns[Math.min(text.charCodeAt(i), 128)]! + state]!;
    // 0 is nothing: less one it is the largest number of all.
    const found = (output[state]! - 1) & none;
    if (found < best) {
      best = found;
      end = i + 1;
    }
  }
  const last = (endOutput[state]! - 1) & none;
  if (last < best) return { output: last + 1, end: text.length };
  return { output: (best + 1) & none, end };
}

const none = 0xffff;
