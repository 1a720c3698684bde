/**
 * Runs automata over strings and over bytes: a look-up per character. Imports only types, so that it can be copied into
 * other programs. docs/matching.md lists the alternatives.
 *
 * No function here has a default parameter: with one, JavaScriptCore runs its loop two to three times slower.
 */
import type { Table } from "./tables.ts";

/** Whether an automaton that stops at a match accepts `text`. */
export function accepts(table: Table, text: string): boolean {
  const { columns, next, initial, settled, endOutput } = table;
  let state = initial;
  for (let i = 0; i < text.length && state >= settled; i++)
    state = next[columns[Math.min(text.charCodeAt(i), 128)]! + state]!;
  return endOutput[state] !== 0;
}

/**
 * Whether an unanchored automaton that stops at a match accepts `text`, reading from `at` in state `from`. It reads both
 * halves in parallel, because each look-up depends only on the previous look-up of the same half.
 */
export function acceptsHalves(table: Table, text: string, at: number, from: number): boolean {
  const { columns, next, inner, settled, endOutput } = table;
  const { length } = text;
  const middle = (at + length) >> 1;
  let first = from;
  let second = inner;
  let i = at;
  let j = middle;
  for (; i < middle && first >= settled && second >= settled; i++, j++) {
    first = next[columns[Math.min(text.charCodeAt(i), 128)]! + first]!;
    second = next[columns[Math.min(text.charCodeAt(j), 128)]! + second]!;
  }
  if (first < settled) return endOutput[first] !== 0;
  // The second half may be longer by one.
  if (j < length && second >= settled) second = next[columns[Math.min(text.charCodeAt(j), 128)]! + second]!;
  if (endOutput[second] !== 0) return true;
  // Find a match across the middle: read on until the state equals the one that the second half alone had at the same position.
  let fresh = inner;
  for (; i < length && first !== fresh && first >= settled; i++) {
    const column = columns[Math.min(text.charCodeAt(i), 128)]!;
    first = next[column + first]!;
    fresh = next[column + fresh]!;
  }
  return first !== fresh && endOutput[first] !== 0;
}

/** As `accepts`, of the bytes from `from` to before `to`: ASCII, Latin-1 or UTF-8, which makes no difference. */
export function acceptsBytes(table: Table, bytes: Uint8Array, from: number, to: number): boolean {
  const { columns, next, initial, settled, endOutput } = table;
  let state = initial;
  for (let i = from; i < to && state >= settled; i++) state = next[columns[bytes[i]!]! + state]!;
  return endOutput[state] !== 0;
}

/** As `acceptsHalves`, of the bytes from `from` to before `to`. */
export function acceptsHalvesOfBytes(table: Table, bytes: Uint8Array, from: number, to: number): boolean {
  const { columns, next, initial, inner, settled, endOutput } = table;
  const middle = (from + to) >> 1;
  let first = initial;
  let second = inner;
  let i = from;
  let j = middle;
  for (; i < middle && first >= settled && second >= settled; i++, j++) {
    first = next[columns[bytes[i]!]! + first]!;
    second = next[columns[bytes[j]!]! + second]!;
  }
  if (first < settled) return endOutput[first] !== 0;
  if (j < to && second >= settled) second = next[columns[bytes[j]!]! + second]!;
  if (endOutput[second] !== 0) return true;
  let fresh = inner;
  for (; i < to && first !== fresh && first >= settled; i++) {
    const column = columns[bytes[i]!]!;
    first = next[column + first]!;
    fresh = next[column + fresh]!;
  }
  return first !== fresh && endOutput[first] !== 0;
}
