/** Automata from patterns, and a slow independent way to the smallest one. */
import type { Dfa } from "../../src/compiler/automaton/dfa.ts";
import { encodeTable } from "../../src/compiler/automaton/encode-table.ts";
import { toMinimalDfa } from "../../src/compiler/automaton/minimize.ts";
import { decodeTable, type Table } from "../../src/detect/automaton/tables.ts";
import { end, nonAscii, start } from "../../src/pattern/charset.ts";
import { toNfa } from "../../src/pattern/nfa.ts";
import { alt, type Tree } from "../../src/pattern/tree.ts";

/** The minimal deciding automaton. */
export function decisionOf(...trees: Tree[]): Dfa {
  return toMinimalDfa(toNfa(alt(...trees)), 1_000_000);
}

/** The table of a minimal automaton, as reading its file gives it. */
export function toTable(dfa: Dfa): Table {
  return decodeTable(encodeTable(dfa));
}

export function tableOf(...trees: Tree[]): Table {
  return toTable(decisionOf(...trees));
}

/** Whether a DFA accepts `text`. */
export function isAccepted({ initial, next, classOf, classCount, accepts }: Dfa, text: string): boolean {
  let state = initial;
  for (let i = 0; i < text.length; i++)
    state = next[state * classCount + classOf[Math.min(text.charCodeAt(i), nonAscii)]!]!;
  return accepts[state] === 1;
}

/**
 * The number of states of the smallest automaton, by Brzozowski's way: reverse, make deterministic, and the same once more. Shares
 * nothing with minimize.ts.
 */
export function smallestStateCount(dfa: Dfa): number {
  const letters = [...new Set(dfa.classOf.subarray(0, Math.min(start, end)))];
  const accepting = (state: number): boolean => dfa.accepts[state] !== 0;
  const states = [...Array(dfa.stateCount).keys()];
  const forward = (state: number, c: number): number[] => [dfa.next[state * dfa.classCount + c]!];
  const once = subsets(reversed(states, letters, forward), letters, states.filter(accepting), (set) =>
    set.includes(dfa.initial),
  );
  const backward = (state: number, c: number): number[] => [once.next[state]!.get(c)!];
  const numbers = once.next.map((_, state) => state);
  const finals = numbers.filter((state) => once.accepting[state]);
  const twice = subsets(reversed(numbers, letters, backward), letters, finals, (set) => set.includes(0));
  return twice.next.length;
}

type Moves = (state: number, letter: number) => readonly number[];

function reversed(states: readonly number[], letters: readonly number[], moves: Moves): Moves {
  const sources = new Map<string, number[]>();
  for (const from of states)
    for (const letter of letters)
      for (const to of moves(from, letter)) {
        const key = `${to} ${letter}`;
        sources.set(key, [...(sources.get(key) ?? []), from]);
      }
  return (state, letter) => sources.get(`${state} ${letter}`) ?? [];
}

function subsets(
  moves: Moves,
  letters: readonly number[],
  initial: readonly number[],
  accepts: (set: readonly number[]) => boolean,
): { next: Map<number, number>[]; accepting: boolean[] } {
  const ids = new Map([[String(initial), 0]]);
  const sets: (readonly number[])[] = [initial];
  const next: Map<number, number>[] = [];
  for (let id = 0; id < sets.length; id++) {
    const row = new Map<number, number>();
    for (const letter of letters) {
      const reached = [...new Set(sets[id]!.flatMap((state) => moves(state, letter)))].sort((a, b) => a - b);
      const key = String(reached);
      if (!ids.has(key)) ids.set(key, sets.push(reached) - 1);
      row.set(letter, ids.get(key)!);
    }
    next.push(row);
  }
  return { next, accepting: sets.map(accepts) };
}
