/**
 * Finds all occurrences of a tree by the definition; an engine returns only the one that it prefers. Slower than an
 * automaton; for explanations and tests.
 */
import { type CharSet, end, members, nonAscii, start, symbolCount } from "./charset.ts";
import type { Tree } from "./tree.ts";

/** A part of a string read as symbols, of which the first is the start and the last the end of the string. */
export interface Occurrence {
  readonly from: number;
  /** The symbol behind the last one. */
  readonly to: number;
}

/** The symbols of `text`, with its two ends. */
export function symbolsOf(text: string): number[] {
  const symbols = [start];
  for (let i = 0; i < text.length; i++) symbols.push(Math.min(text.charCodeAt(i), nonAscii));
  symbols.push(end);
  return symbols;
}

/** The longest occurrence at each symbol, in order. Every other occurrence is inside one of these. */
export function longestOccurrences(tree: Tree, symbols: readonly number[]): Occurrence[] {
  const found: Occurrence[] = [];
  for (let from = 0; from < symbols.length; from++) {
    let to = from;
    for (const end of endsOf(tree, symbols, new Set([from]))) if (end > to) to = end;
    if (to > from) found.push({ from, to });
  }
  return found;
}

/** Where a match that begins at one of `from` may end. */
function endsOf(tree: Tree, symbols: readonly number[], from: ReadonlySet<number>): ReadonlySet<number> {
  switch (tree.type) {
    case "set": {
      const table = tableOf(tree.set);
      const ends = new Set<number>();
      for (const at of from) if (at < symbols.length && table[symbols[at]!] === 1) ends.add(at + 1);
      return ends;
    }
    case "seq":
      return tree.items.reduce((ends, item) => (ends.size === 0 ? ends : endsOf(item, symbols, ends)), from);
    case "alt":
      return new Set(tree.items.flatMap((item) => [...endsOf(item, symbols, from)]));
    case "repeat":
      return endsOfRepeat(tree.item, tree.min, tree.max, symbols, from);
  }
}

function endsOfRepeat(
  item: Tree,
  min: number,
  max: number,
  symbols: readonly number[],
  from: ReadonlySet<number>,
): ReadonlySet<number> {
  let last = from;
  for (let times = 0; times < min && last.size > 0; times++) last = endsOf(item, symbols, last);
  const ends = new Set(last);
  // Ends that were reached with fewer repeats add nothing, so only new ones are followed.
  for (let times = min; times < max && last.size > 0; times++) {
    last = new Set([...endsOf(item, symbols, last)].filter((at) => !ends.has(at)));
    for (const at of last) ends.add(at);
  }
  return ends;
}

const tables = new Map<CharSet, Uint8Array>();

/** A set as one byte a symbol: looking into a big integer takes twenty times as long. */
function tableOf(set: CharSet): Uint8Array {
  let table = tables.get(set);
  if (!table) {
    table = new Uint8Array(symbolCount);
    for (const symbol of members(set)) table[symbol] = 1;
    tables.set(set, table);
  }
  return table;
}
