/**
 * The smallest automaton with the same answers: states that no string can tell apart become one.
 * The result numbers its states in breadth-first order, so equal languages give equal automata, byte for byte.
 */
import type { Dfa } from "./dfa.ts";

/** Returns the minimal automaton for `dfa`; outputs are kept. */
export function minimise(dfa: Dfa): Dfa {
  const { stateCount, classCount, next } = dfa;
  const edges = stateCount * classCount;
  const blocks = new Partition(stateCount);
  const cords = new Partition(edges);

  // The first division: states by what they say, edges by their class.
  blocks.divideBy((state) => dfa.output[state]! * 65_536 + dfa.endOutput[state]!);
  cords.divideBy((edge) => edge % classCount);

  // Edges by the state they lead to.
  const into = new Int32Array(stateCount + 1);
  for (let edge = 0; edge < edges; edge++) into[next[edge]! + 1]!++;
  for (let state = 0; state < stateCount; state++) into[state + 1]! += into[state]!;
  const incoming = new Int32Array(edges);
  const filled = into.slice();
  for (let edge = 0; edge < edges; edge++) incoming[filled[next[edge]!]!++] = edge;

  // Valmari and Lehtinen, "Efficient minimization of DFAs with partial transition functions" (STACS 2008): each split of
  // the edges may split the states they leave, each split of the states may split the edges that enter them.
  let block = 1;
  for (let cord = 0; cord < cords.count; cord++) {
    for (let i = cords.first[cord]!; i < cords.past[cord]!; i++)
      blocks.mark(Math.trunc(cords.elements[i]! / classCount));
    blocks.split();
    for (; block < blocks.count; block++) {
      for (let i = blocks.first[block]!; i < blocks.past[block]!; i++) {
        const state = blocks.elements[i]!;
        for (let j = into[state]!; j < into[state + 1]!; j++) cords.mark(incoming[j]!);
      }
      cords.split();
    }
  }
  return renumber(dfa, blocks.setOf);
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
    const groups = Map.groupBy(this.elements, keyOf);
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

/** States in breadth-first order, and classes in the order of their first symbols: so the numbers follow from the language. */
function renumber(dfa: Dfa, group: Int32Array): Dfa {
  const representative = new Map<number, number>();
  group.forEach((id, state) => {
    if (!representative.has(id)) representative.set(id, state);
  });
  const reached = new Set([group[dfa.initial]!]);
  for (const id of reached)
    for (let c = 0; c < dfa.classCount; c++)
      reached.add(group[dfa.next[representative.get(id)! * dfa.classCount + c]!]!);
  const { classOf, kept } = mergeClasses(
    dfa,
    group,
    [...reached].map((id) => representative.get(id)!),
  );
  const order = [group[dfa.initial]!];
  const place = new Map([[order[0]!, 0]]);
  const next: number[] = [];
  const output: number[] = [];
  const endOutput: number[] = [];
  for (let i = 0; i < order.length; i++) {
    const state = representative.get(order[i]!)!;
    output.push(dfa.output[state]!);
    endOutput.push(dfa.endOutput[state]!);
    for (const c of kept) {
      const target = group[dfa.next[state * dfa.classCount + c]!]!;
      if (!place.has(target)) {
        place.set(target, order.length);
        order.push(target);
      }
      next.push(place.get(target)!);
    }
  }
  return {
    classOf,
    classCount: kept.length,
    next: Int32Array.from(next),
    stateCount: order.length,
    initial: 0,
    output: Int32Array.from(output),
    endOutput: Int32Array.from(endOutput),
  };
}

/** Classes that lead to the same states from everywhere become one: the patterns told them apart, their language does not. */
function mergeClasses(
  { classOf, classCount, next }: Dfa,
  group: Int32Array,
  states: readonly number[],
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
