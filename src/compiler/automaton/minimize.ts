/**
 * The smallest automaton that accepts the same strings: states that no string distinguishes become one.
 * The result numbers its states in breadth-first order, so equal languages give equal automata, byte for byte.
 */

import { finish } from "../../pattern/finish.ts";
import type { Nfa } from "../../pattern/nfa.ts";
import { type Dfa, determinize } from "./dfa.ts";

/** The smallest automaton that accepts the strings in which a match of `nfa` occurs. Throws TooManyStates as determinize does. */
export function toMinimalDfa(nfa: Nfa, maxStates: number): Dfa {
  return minimize(finish(determinize(nfa, maxStates)));
}

/** Returns the minimal automaton for `dfa`. */
export function minimize(dfa: Dfa): Dfa {
  return renumber(dfa, blocksOf(dfa));
}

/** By state: the number of its block (Moore): states that read and accept alike, distinguished by increasingly long strings. */
function blocksOf({ stateCount, classCount, next, accepts }: Dfa): Int32Array {
  let blocks = Int32Array.from(accepts);
  const isAlike = (a: number, b: number): boolean => {
    if (blocks[a] !== blocks[b]) return false;
    for (let c = 0; c < classCount; c++)
      if (blocks[next[a * classCount + c]!] !== blocks[next[b * classCount + c]!]) return false;
    return true;
  };
  for (let known = 0; ; ) {
    const refined = new Int32Array(stateCount);
    /** By hash of a row: a state of each block. */
    const found = new Map<number, number[]>();
    let count = 0;
    for (let state = 0; state < stateCount; state++) {
      let hash = blocks[state]!;
      for (let at = state * classCount; at < (state + 1) * classCount; at++)
        hash = Math.imul(hash ^ blocks[next[at]!]!, 0x9e3779b1) ^ (hash >>> 15);
      const others = found.get(hash);
      const alike = others?.find((other) => isAlike(state, other));
      refined[state] = alike === undefined ? count++ : refined[alike]!;
      if (others === undefined) found.set(hash, [state]);
      else if (alike === undefined) others.push(state);
    }
    if (count === known) return blocks;
    blocks = refined;
    known = count;
  }
}

/** Numbers states in breadth-first order and classes by their first symbols, so the numbers depend on the language only. */
function renumber(dfa: Dfa, group: Int32Array): Dfa {
  const classes = Array.from({ length: dfa.classCount }, (_, c) => c);
  const { classOf, kept } = mergeClasses(dfa, group, statesInOrder(dfa, group, classes));
  const states = statesInOrder(dfa, group, kept);
  const place = new Int32Array(dfa.stateCount);
  for (let i = 0; i < states.length; i++) place[group[states[i]!]!] = i;
  const next = new Int32Array(states.length * kept.length);
  let at = 0;
  for (const state of states) for (const c of kept) next[at++] = place[group[dfa.next[state * dfa.classCount + c]!]!]!;
  return {
    classOf,
    classCount: kept.length,
    next,
    stateCount: states.length,
    initial: 0,
    inner: place[group[dfa.inner]!]!,
    accepts: Uint8Array.from(states, (state) => dfa.accepts[state]!),
  };
}

/** One state of each reachable group, in breadth-first order. */
function statesInOrder(dfa: Dfa, group: Int32Array, classes: readonly number[]): Int32Array {
  const { initial, inner, next, classCount } = dfa;
  const isReached = new Uint8Array(group.length);
  const states = new Int32Array(group.length);
  let count = 0;
  const reach = (state: number): void => {
    if (isReached[group[state]!] !== 0) return;
    isReached[group[state]!] = 1;
    states[count++] = state;
  };
  reach(initial);
  reach(inner);
  // The loop appends to the list that it iterates.
  for (let i = 0; i < count; i++) for (const c of classes) reach(next[states[i]! * classCount + c]!);
  return states.subarray(0, count);
}

/** Joins classes that have the same transitions in every state: the patterns distinguish them, the language does not. */
function mergeClasses(
  { classOf, classCount, next }: Dfa,
  group: Int32Array,
  states: Int32Array,
): { classOf: Uint8Array; kept: number[] } {
  const kept: number[] = [];
  const merged = new Map<number, number>();
  for (const c of classOf) {
    if (merged.has(c)) continue;
    const alike = kept.findIndex((other) =>
      states.every((state) => group[next[state * classCount + c]!] === group[next[state * classCount + other]!]),
    );
    merged.set(c, alike >= 0 ? alike : kept.push(c) - 1);
  }
  return { classOf: classOf.map((c) => merged.get(c)!), kept };
}
