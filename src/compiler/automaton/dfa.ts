/** The subset construction: from the position automaton to a deterministic one over classes of symbols. */
import { end, start } from "../../pattern/charset.ts";
import type { Nfa } from "../../pattern/nfa.ts";
import { type ClassState, toClassNfa } from "./class-nfa.ts";

/** Accepts the strings in which a match occurs. */
export interface Dfa {
  /** Class of every symbol; the start and end symbols have classes of their own only here, never in a table. */
  readonly classOf: Uint8Array;
  readonly classCount: number;
  /** `next[state * classCount + class]`; a match leads to an accepting state that is never left. */
  readonly next: Int32Array;
  readonly stateCount: number;
  /** The state after the start symbol, where reading begins. */
  readonly initial: number;
  /** The state in which reading may begin inside a string; `initial` if it may not. */
  readonly inner: number;
  /** Per state: 1 if a string that ends there is accepted. */
  readonly accepts: Uint8Array;
}

/** Whether no transition leaves a state. */
export function isSettled({ next, classCount }: Dfa, state: number): boolean {
  return next.subarray(state * classCount, (state + 1) * classCount).every((target) => target === state);
}

/** Thrown for patterns whose repeats and alternatives lead to too many states. */
export class TooManyStates extends Error {}

/** For the automata of a whole catalogue, before they are minimized. */
export const maxStatesOfCatalogue = 1_000_000;
/** For an automaton that is written as a table. */
export const maxStatesOfTable = 0xffff;
/** States between which others may run. */
const statesPerPart = 16;

/**
 * Builds the automaton that accepts a string if `nfa` accepts anything in it. A match can begin at every character: a state is the class
 * that was read last, and a set of states in which matches go on. With `readsInside`, reading may begin inside a string, too. Throws
 * TooManyStates for more than `maxStates`, and for sets of ten times as many members in all. In parts, each of which takes less than a
 * millisecond or two.
 */
export function* determinize(nfa: Nfa, maxStates: number, readsInside = false): Generator<undefined, Dfa> {
  const { classOf, classCount, states } = toClassNfa(nfa);
  const [startClass, endClass] = [classOf[start]!, classOf[end]!];
  const classes = Array.from({ length: classCount }, (_, c) => c);
  const sets = new Sets(states, classCount);
  /**
   * The class and the set of each state, and the state for each class and set. A single state stands for a completed match, whatever the
   * class.
   */
  const found: { readonly last: number; readonly set: number }[] = [];
  const numbers = new Map<number, number>();
  const numberOf = (last: number, set: number): number => {
    const isAccepted = set === accepted || states[last]!.accepts;
    const key = isAccepted ? -1 : set * states.length + last;
    const number = numbers.get(key) ?? found.push({ last, set: isAccepted ? accepted : set }) - 1;
    numbers.set(key, number);
    return number;
  };
  const mayEnd = (members: readonly number[]): boolean =>
    states[endClass]!.accepts || members.some((member) => states[member]!.acceptsAtEnd);
  const next: number[] = [];
  let memberCount = 0;
  const initial = numberOf(startClass, none);
  const inner = readsInside ? numberOf(classCount, none) : initial;
  for (let state = 0; state < found.length; state++) {
    const { last, set } = found[state]!;
    memberCount += 1 + sets.membersOf(set).length;
    if (Math.max(found.length, memberCount / 10) > maxStates) throw new TooManyStates(`more than ${maxStates} states`);
    if (state % statesPerPart === 0) yield;
    const [begun, others] = [sets.after(sets.numberOf([last])), sets.after(set)];
    for (const c of classes) {
      const isEnd = c === startClass || c === endClass;
      next.push(set === accepted || isEnd ? state : numberOf(c, sets.join(begun[c]!, others[c]!)));
    }
  }
  return {
    classOf,
    classCount,
    next: Int32Array.from(next),
    stateCount: found.length,
    initial,
    inner,
    accepts: Uint8Array.from(found, ({ last, set }) =>
      set === accepted || mayEnd([last, ...sets.membersOf(set)]) ? 1 : 0,
    ),
  };
}

/** The numbers of the set without members, and of all sets with a state that accepts. */
const [none, accepted] = [0, 1];

/** Sets of states, by number. */
class Sets {
  readonly #states: readonly ClassState[];
  readonly #classCount: number;
  readonly #members: (readonly number[])[] = [[], []];
  readonly #numbers = new Map([["", none]]);
  readonly #after: (readonly number[] | undefined)[] = [];
  /**
   * A trie of the lists of states that are read, with the set of each. Millions of lists are read, of which few
   * differ: building a string key for each took most of the time.
   */
  readonly #lists: { readonly before: number; readonly state: number; set: number }[] = [
    { before: 0, state: 0, set: none },
  ];
  readonly #longer = new Map<number, number>();

  constructor(states: readonly ClassState[], classCount: number) {
    this.#states = states;
    this.#classCount = classCount;
  }

  numberOf(members: Iterable<number>): number {
    const sorted = [...new Set(members)].sort((a, b) => a - b);
    const key = sorted.join();
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = sorted.some((member) => this.#states[member]!.accepts) ? accepted : this.#members.push(sorted) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  membersOf(set: number): readonly number[] {
    return this.#members[set]!;
  }

  join(a: number, b: number): number {
    if (a === none || b === accepted) return b;
    if (b === none || a === accepted) return a;
    return this.numberOf([...this.membersOf(a), ...this.membersOf(b)]);
  }

  /** By class: the set to which the members lead. */
  after(set: number): readonly number[] {
    this.#after[set] ??= this.#readAll(set);
    return this.#after[set];
  }

  #readAll(set: number): readonly number[] {
    const reached = Array<number>(this.#classCount).fill(0);
    for (const member of this.membersOf(set))
      for (const { by, to } of this.#states[member]!.edges) reached[by] = this.#append(reached[by]!, to);
    return reached.map((list) => this.#setOf(list));
  }

  #append(before: number, state: number): number {
    const key = before * this.#states.length + state;
    let list = this.#longer.get(key);
    if (list === undefined) {
      list = this.#lists.push({ before, state, set: -1 }) - 1;
      this.#longer.set(key, list);
    }
    return list;
  }

  #setOf(list: number): number {
    const found = this.#lists[list]!;
    if (found.set === -1) {
      const members: number[] = [];
      for (let at = list; at !== 0; at = this.#lists[at]!.before) members.push(this.#lists[at]!.state);
      found.set = this.numberOf(members);
    }
    return found.set;
  }
}
