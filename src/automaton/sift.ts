/** Searches with a sieve: looks at two characters a step, and walks an automaton only where the sieve holds something back. */
import { step } from "./run.ts";
import { pairCount, type Sieve } from "./sieve.ts";
import type { Table } from "./tables.ts";

const nothingHeld = -1;
const beyondAscii = -2;

/** How often the automaton is walked in vain before the sieve gives up: so the time stays linear, whatever the text. */
const maxTries = 16;

/**
 * Whether `search`, whose initial state has read nothing wherever that is, accepts something that begins at `at` or later;
 * undefined where the sieve is no help. There must be three characters at least before `at`.
 *
 * Goes from the end to the start, for crawlers that come with a browser's string append their name to it. It must: each walk
 * stops as soon as nothing that began before the pairs it is about can be accepted, and relies on it that what begins later has
 * been looked for already.
 */
export function sift({ pairs, back }: Sieve, search: Table, text: string, at: number): boolean | undefined {
  let i = text.length - 2;
  // Behind the string stand characters 0.
  let second = pairs[0]!;
  for (let tries = 0; tries < maxTries; tries++) {
    // What begins at `at` may do so with the second character of the second pair: 3 before it the first pair begins.
    i = heldAt(pairs, text, i, at - 3, second);
    if (i < 0) return i === beyondAscii ? undefined : false;
    if (i + 4 <= text.length) second = pairs[(text.charCodeAt(i + 2) << 7) | text.charCodeAt(i + 3)]!;
    const first = pairs[(text.charCodeAt(i) << 7) | text.charCodeAt(i + 1)]!;
    const begin = Math.max(0, i + 2 - back[(second >> 4) & first]!);
    if (acceptsBefore(search, text, begin, i + 4, search.initial)) return true;
    second = first;
    i -= 2;
  }
  return undefined;
}

/** Where the first of two pairs stands that are held back, from `from` down to `to`; `last` is what the pair behind says. */
function heldAt(pairs: Uint8Array, text: string, from: number, to: number, last: number): number {
  let second = last;
  let seen = 0;
  for (let i = from; i >= to; i -= 2) {
    const a = text.charCodeAt(i);
    const b = text.charCodeAt(i + 1);
    // Beyond ASCII the index means nothing, but must be one; `seen` tells in the end that the answer means nothing either.
    seen |= a | b;
    const first = pairs[((a << 7) ^ b) & (pairCount - 1)]!;
    if (((second >> 4) & first) !== 0) return seen > 127 ? beyondAscii : i;
    second = first;
  }
  return seen > 127 ? beyondAscii : nothingHeld;
}

/** Reads on from `at` in state `from`: whether something is accepted that begins before `until`. */
export function acceptsBefore(search: Table, text: string, at: number, until: number, from: number): boolean {
  const { classOf, rows, rowCount, chains, initial, firstSilent } = search;
  let state = from;
  for (let i = at; i < text.length; i++) {
    const c = classOf[Math.min(text.charCodeAt(i), 128)]!;
    state = state < rowCount ? rows[c * rowCount + state]! : step(rows, rowCount, chains, state, c);
    if (state < firstSilent) return true;
    // Where the last character alone leads to the same state, nothing that began before it can be accepted any more.
    if (i >= until && state === step(rows, rowCount, chains, initial, c)) return false;
  }
  return state < search.firstSilentAtEnd;
}
