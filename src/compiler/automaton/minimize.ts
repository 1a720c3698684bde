/**
 * The smallest automaton with the same outputs: states that no string distinguishes become one.
 * The result numbers its states in breadth-first order, so equal languages give equal automata, byte for byte.
 */
import { groupBy } from "../../text/group-by.ts";
import { createStateNumbers, type Dfa, type StateNumbers } from "./dfa.ts";

/** Returns the minimal automaton for `dfa`; outputs are kept. */
export function minimize(dfa: Dfa): Dfa {
  return renumber(dfa, blocksOf(dfa));
}

/**
 * By state: the number of its block. Hopcroft, "An n log n algorithm for minimizing states in a finite automaton" (1971): each
 * block that splits others does so once for every class. It needs twice the memory of the automaton, little beside it: the
 * largest has three million transitions.
 */
function blocksOf(dfa: Dfa): Int32Array {
  const { stateCount, classCount, next } = dfa;
  const blocks = new Partition(stateCount);
  blocks.divideBy((state) => dfa.output[state]! * 65_536 + dfa.endOutput[state]!);
  const { from, sources } = incoming(dfa);
  // All blocks but the largest: the others already distinguish the same states.
  let largest = 0;
  for (let block = 1; block < blocks.count; block++) if (blocks.sizeOf(block) > blocks.sizeOf(largest)) largest = block;
  const queue = Array.from({ length: blocks.count }, (_, block) => block).filter((block) => block !== largest);
  const read = new Int32Array(stateCount);
  for (let block = queue.pop(); block !== undefined; block = queue.pop()) {
    // A copy, because the block may be split on its own.
    const states = blocks.elements.slice(blocks.first[block]!, blocks.past[block]!);
    for (const state of states) read[state] = from[state]!;
    for (let c = 0; c < classCount; c++) {
      for (const state of states) {
        let at = read[state]!;
        const past = from[state + 1]!;
        // Those of one class ascend, and no other source has a transition of this class to this state.
        for (let last = -1; at < past; at++) {
          const source = sources[at]!;
          if (source <= last || next[source * classCount + c] !== state) break;
          blocks.mark(source);
          last = source;
        }
        read[state] = at;
      }
      // The smaller part is the new block. The larger part is already in the queue or is not needed there.
      const known = blocks.count;
      blocks.split();
      for (let fresh = known; fresh < blocks.count; fresh++) queue.push(fresh);
    }
  }
  return blocks.setOf;
}

/** For each state where transitions into it come from: `sources` from `from[state]` on, class by class, ascending in each class. */
function incoming({ stateCount, classCount, next }: Dfa): { from: Int32Array; sources: StateNumbers } {
  const from = new Int32Array(stateCount + 1);
  for (let edge = 0; edge < next.length; edge++) from[next[edge]! + 1]!++;
  for (let state = 0; state < stateCount; state++) from[state + 1]! += from[state]!;
  const sources = createStateNumbers(next.length, stateCount);
  const filled = from.slice();
  for (let c = 0; c < classCount; c++)
    for (let source = 0; source < stateCount; source++) sources[filled[next[source * classCount + c]!]!++] = source;
  return { from, sources };
}

/** A division of the numbers 0 … n-1 into sets that can only be split further. */
class Partition {
  count = 1;
  readonly elements: Int32Array;
  readonly setOf: Int32Array;
  readonly first: Int32Array;
  readonly past: Int32Array;
  private readonly place: Int32Array;
  private readonly marked: Int32Array;
  private readonly touched: number[] = [];

  constructor(size: number) {
    this.elements = Int32Array.from({ length: size }, (_, i) => i);
    this.place = this.elements.slice();
    this.setOf = new Int32Array(size);
    this.first = new Int32Array(size + 1);
    this.past = new Int32Array(size + 1);
    this.marked = new Int32Array(size + 1);
    this.past[0] = size;
  }

  /** The first division, by a number each element has. */
  divideBy(keyOf: (element: number) => number): void {
    const groups = groupBy(this.elements, keyOf);
    let at = 0;
    this.count = 0;
    for (const group of groups.values()) {
      this.first[this.count] = at;
      for (const element of group) {
        this.elements[at] = element;
        this.place[element] = at++;
        this.setOf[element] = this.count;
      }
      this.past[this.count++] = at;
    }
  }

  sizeOf(set: number): number {
    return this.past[set]! - this.first[set]!;
  }

  /** Moves an element to the marked front of its set. */
  mark(element: number): void {
    const set = this.setOf[element]!;
    const from = this.place[element]!;
    const to = this.first[set]! + this.marked[set]!;
    if (from < to) return;
    const other = this.elements[to]!;
    this.elements[from] = other;
    this.place[other] = from;
    this.elements[to] = element;
    this.place[element] = to;
    if (this.marked[set]!++ === 0) this.touched.push(set);
  }

  /** Makes the smaller part of every half-marked set a set of its own. */
  split(): void {
    for (let set = this.touched.pop(); set !== undefined; set = this.touched.pop()) {
      const boundary = this.first[set]! + this.marked[set]!;
      const markedCount = this.marked[set]!;
      this.marked[set] = 0;
      if (boundary === this.past[set]!) continue;
      const fresh = this.count++;
      if (markedCount <= this.past[set]! - boundary) {
        this.first[fresh] = this.first[set]!;
        this.past[fresh] = boundary;
        this.first[set] = boundary;
      } else {
        this.first[fresh] = boundary;
        this.past[fresh] = this.past[set]!;
        this.past[set] = boundary;
      }
      for (let i = this.first[fresh]!; i < this.past[fresh]!; i++) this.setOf[this.elements[i]!] = fresh;
    }
  }
}

/** Numbers states in breadth-first order and classes by their first symbols, so the numbers depend on the language only. */
function renumber(dfa: Dfa, group: Int32Array): Dfa {
  const classes = Array.from({ length: dfa.classCount }, (_, c) => c);
  const { classOf, kept } = mergeClasses(dfa, group, statesInOrder(dfa, group, classes));
  const states = statesInOrder(dfa, group, kept);
  const place = new Int32Array(dfa.stateCount);
  for (let i = 0; i < states.length; i++) place[group[states[i]!]!] = i;
  const next = createStateNumbers(states.length * kept.length, states.length);
  let at = 0;
  for (const state of states) for (const c of kept) next[at++] = place[group[dfa.next[state * dfa.classCount + c]!]!]!;
  return {
    classOf,
    classCount: kept.length,
    next,
    stateCount: states.length,
    initial: 0,
    output: Int32Array.from(states, (state) => dfa.output[state]!),
    endOutput: Int32Array.from(states, (state) => dfa.endOutput[state]!),
  };
}

/** Of each group that is reached one state, in breadth-first order. */
function statesInOrder({ initial, next, classCount }: Dfa, group: Int32Array, classes: readonly number[]): Int32Array {
  const isReached = new Uint8Array(group.length);
  const states = new Int32Array(group.length);
  let count = 0;
  const reach = (state: number): void => {
    if (isReached[group[state]!] !== 0) return;
    isReached[group[state]!] = 1;
    states[count++] = state;
  };
  reach(initial);
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
