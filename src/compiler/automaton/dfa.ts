/** The subset construction: from the position automaton to a deterministic one over classes of symbols. */
import { end, start } from "../../pattern/charset.ts";
import type { Nfa } from "../../pattern/nfa.ts";
import { type ClassNfa, least, toClassNfa } from "./class-nfa.ts";
import { HashTable, mix } from "./hash-table.ts";

/** Numbers of states, of 16 bits where all fit: the largest automaton has three million. */
export type StateNumbers = Uint16Array | Int32Array;

/** Room for numbers below `below`. */
export function createStateNumbers(length: number, below: number): StateNumbers {
  return below <= 0x10000 ? new Uint16Array(length) : new Int32Array(length);
}

export interface Dfa {
  /** Class of every symbol; the start and end symbols have classes of their own only here, never in a table. */
  readonly classOf: Uint8Array;
  readonly classCount: number;
  /** `next[state * classCount + class]`. */
  readonly next: StateNumbers;
  readonly stateCount: number;
  /** The state after the start symbol, where reading begins. */
  readonly initial: number;
  /** Per state: its output once entered; 0 for none. */
  readonly output: Int32Array;
  /** Per state: its output when the string ends there (at least as good as `output`). */
  readonly endOutput: Int32Array;
}

export interface DeterminizeOptions {
  /** Whether reading stops at the first output, so that all states with one are one. Default false. */
  readonly absorbing?: boolean;
  /** More, or sets of ten times as many members in all, are a TooManyStates error. Default: any number. */
  readonly mostStates?: number;
}

/** Thrown for patterns whose repeats and alternatives multiply. */
export class TooManyStates extends Error {}

/**
 * Builds the automaton that reads any string and reports what `nfa` accepts anywhere in it; of several outputs the least. A
 * match can begin at every character: each set of states has the one for the class that was read last as its first member.
 */
export function determinize(nfa: Nfa, options: DeterminizeOptions = {}): Dfa {
  const { absorbing = false, mostStates = Number.POSITIVE_INFINITY } = options;
  const small = toClassNfa(nfa);
  const { classOf, classCount, from, by, to, accepts } = small;
  const [startClass, endClass] = [classOf[start]!, classOf[end]!];
  const isEnd = (c: number): boolean => c === startClass || c === endClass;
  const states = new Subsets(small, absorbing);
  const next = new Numbers();
  /** By class: where the members of a state lead; the lists are used again for every state. */
  const lists = Array.from({ length: classCount }, () => new NumberList());
  /** By class: the next states of the set with no member but the one for this class. */
  const rows: (readonly number[] | undefined)[] = [];
  const rowAfter = (last: number): readonly number[] => {
    for (let i = from[last]!; i < from[last + 1]!; i++) lists[by[i]!]!.push(to[i]!);
    return lists.map((list, c) => (isEnd(c) ? -1 : states.numberOf(c, list)));
  };
  const initial = states.numberOf(startClass, new NumberList());
  for (let state = 0; state < states.count; state++) {
    // A set of many members takes as long as many sets.
    if (Math.max(states.count, states.members.count / 10) > mostStates)
      throw new TooManyStates(`more than ${mostStates} states`);
    if (state === states.accepted) {
      for (let c = 0; c < classCount; c++) next.push(state);
      continue;
    }
    const begin = states.from[state]!;
    const past = states.from[state + 1]!;
    const last = states.members.at(begin);
    rows[last] ??= rowAfter(last);
    const row = rows[last];
    for (let at = begin + 1; at < past; at++) {
      const member = states.members.at(at);
      for (let i = from[member]!; i < from[member + 1]!; i++) lists[by[i]!]!.push(to[i]!);
    }
    // By nine of ten classes, only the first member leads on: to where it leads alone.
    for (let i = from[last]!; i < from[last + 1]!; i++) if (lists[by[i]!]!.count > 0) lists[by[i]!]!.push(to[i]!);
    for (let c = 0; c < classCount; c++)
      next.push(isEnd(c) ? state : lists[c]!.count > 0 ? states.numberOf(c, lists[c]!) : row[c]!);
  }
  return {
    classOf,
    classCount,
    next: next.taken(),
    stateCount: states.count,
    initial,
    output: Int32Array.from(states.output),
    endOutput: Int32Array.from(states.endOutput, (output) => least(output, accepts[endClass]!)),
  };
}

/** The sets of NFA states that have been found, numbered: the states of the DFA. */
class Subsets {
  /** The members of set s are `members` from `from[s]` to before `from[s + 1]`: one for a class, then others, ascending. */
  readonly members = new Numbers();
  readonly from: number[] = [0];
  readonly output: number[] = [];
  readonly endOutput: number[] = [];
  /** If reading stops at the first output: the accepting state; -1 while there is none. */
  accepted = -1;
  readonly #nfa: ClassNfa;
  readonly #isAbsorbing: boolean;
  readonly #table = new HashTable();

  constructor(nfa: ClassNfa, isAbsorbing: boolean) {
    this.#nfa = nfa;
    this.#isAbsorbing = isAbsorbing;
  }

  get count(): number {
    return this.output.length;
  }

  /** The number of the set of the member for class `c` and the members in `list`; the set may be new. Empties the list. */
  numberOf(c: number, list: NumberList): number {
    const { accepts, acceptsAtEnd } = this.#nfa;
    const others = list.numbers;
    const count = list.sort();
    list.count = 0;
    let hash = mix(0, c);
    let output = accepts[c]!;
    for (let i = 0; i < count; i++) {
      hash = mix(hash, others[i]!);
      output = least(output, accepts[others[i]!]!);
    }
    const isAccepted = this.#isAbsorbing && output !== 0;
    if (isAccepted && this.accepted !== -1) return this.accepted;
    const known = this.#table.find(hash, (set) => {
      const from = this.from[set]!;
      if (this.members.at(from) !== c || this.from[set + 1]! - from - 1 !== count) return false;
      for (let i = 0; i < count; i++) if (this.members.at(from + 1 + i) !== others[i]) return false;
      return true;
    });
    if (known !== -1) return known;
    const set = this.count;
    let atEnd = least(output, acceptsAtEnd[c]!);
    this.members.push(c);
    for (let i = 0; i < count; i++) {
      this.members.push(others[i]!);
      atEnd = least(atEnd, acceptsAtEnd[others[i]!]!);
    }
    this.from.push(this.members.count);
    this.output.push(output);
    this.endOutput.push(atEnd);
    this.#table.add(hash, set);
    if (isAccepted) this.accepted = set;
    return set;
  }
}

/** A list whose memory is used again once it has been emptied. */
class NumberList {
  numbers = new Int32Array(16);
  count = 0;

  push(number: number): void {
    if (this.count === this.numbers.length) {
      const { numbers } = this;
      this.numbers = new Int32Array(numbers.length * 2);
      this.numbers.set(numbers);
    }
    this.numbers[this.count++] = number;
  }

  /** Sorts the numbers, each once, and returns how many are left. */
  sort(): number {
    const { numbers, count } = this;
    // A call of the built-in sort takes longer than sorting a short list, as nearly all are.
    if (count > 24) numbers.subarray(0, count).sort();
    else
      for (let i = 1; i < count; i++) {
        const number = numbers[i]!;
        let at = i;
        for (; at > 0 && numbers[at - 1]! > number; at--) numbers[at] = numbers[at - 1]!;
        numbers[at] = number;
      }
    let kept = 0;
    for (let i = 0; i < count; i++) if (i === 0 || numbers[i] !== numbers[kept - 1]) numbers[kept++] = numbers[i]!;
    return kept;
  }
}

/** Numbers, one after another, in as little memory as they need. */
class Numbers {
  count = 0;
  #numbers = createStateNumbers(1024, 0);
  #below = 0x10000;

  at(index: number): number {
    return this.#numbers[index]!;
  }

  push(number: number): void {
    if (number >= this.#below) this.#copy(this.#numbers.length, Number.POSITIVE_INFINITY);
    if (this.count === this.#numbers.length) this.#copy(Math.ceil(this.count * 1.5), this.#below);
    this.#numbers[this.count++] = number;
  }

  taken(): StateNumbers {
    return this.#numbers.subarray(0, this.count);
  }

  #copy(length: number, below: number): void {
    const copy = createStateNumbers(length, below);
    copy.set(this.#numbers);
    this.#numbers = copy;
    this.#below = below;
  }
}
