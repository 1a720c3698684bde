/**
 * The subset construction: from the position automaton to a deterministic one over classes of symbols.
 * The caller chooses the output of states: "a crawler" or "which entry".
 */
import { end, start } from "../../pattern/charset.ts";
import type { Nfa } from "./nfa.ts";
import { createReading, inOrder, type Reading } from "./position-sets.ts";

/** Numbers of states, of 16 bits where all fit: the largest automaton has five million. */
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
  /** Chooses among the outputs (numbers above 0) that hold at once; the default takes the smallest. */
  readonly best?: (a: number, b: number) => number;
  /** Whether reading stops at the first output, so that all states with one are one. Default false. */
  readonly absorbing?: boolean;
  /** More are a TooManyStates error. Default: any number. */
  readonly mostStates?: number;
}

/** Thrown for patterns whose repeats and alternatives multiply. */
export class TooManyStates extends Error {}

/** Builds the automaton that reads any string and reports what `nfa` accepts anywhere in it. */
export function determinize(nfa: Nfa, options: DeterminizeOptions = {}): Dfa {
  const reading = createReading(nfa);
  const { classOf, classes, begun, onward } = reading;
  const { best = Math.min, mostStates = Number.POSITIVE_INFINITY } = options;
  const states = new States(nfa, reading, best, options.absorbing ?? false);
  const startClass = classOf[start]!;
  const endClass = classOf[end]!;

  const initial = states.stateOf(startClass, new Int32Array(0));
  // Most transitions continue only a match that has just begun, or none.
  const usual = new Int32Array(classes.length ** 2).fill(-1);
  const rows = new Numbers();
  const endOutput: number[] = [];
  for (let state = 0; state < states.count; state++) {
    if (states.count > mostStates) throw new TooManyStates(`more than ${mostStates} states`);
    const last = states.lastClass[state]!;
    const isStuck = state === states.accepted;
    const found = onward(states.takeMembers(state));
    const more = (c: number): Int32Array => {
      const positions = found.get(c);
      return positions ? inOrder([...positions, ...begun[last]![c]!]) : begun[last]![c]!;
    };
    for (const c of classes) {
      if (isStuck || c === startClass || c === endClass) rows.push(state);
      else if (found.has(c)) rows.push(states.stateOf(c, more(c)));
      else {
        const at = last * classes.length + c;
        if (usual[at] === -1) usual[at] = states.stateOf(c, more(c));
        rows.push(usual[at]!);
      }
    }
    const here = states.output[state]!;
    const atEnd = isStuck ? 0 : states.outputOf(endClass, more(endClass));
    endOutput.push(here === 0 || atEnd === 0 ? here || atEnd : best(here, atEnd));
  }
  return {
    classOf,
    classCount: classes.length,
    next: rows.taken(),
    stateCount: states.count,
    initial,
    output: Int32Array.from(states.output),
    endOutput: Int32Array.from(endOutput),
  };
}

/** The states found so far. A state is the last class, at which a match can begin, and the positions that continue earlier matches. */
class States {
  /** Undefined once taken: only states that are not processed yet need them. */
  readonly #members: (Int32Array | undefined)[] = [];
  readonly lastClass: number[] = [];
  readonly output: number[] = [];
  /** If reading stops at the first output: the accepting state; -1 while there is none. */
  accepted = -1;
  readonly #ids = new Map<string, number>();
  readonly #nfa: Nfa;
  readonly #best: (a: number, b: number) => number;
  readonly #isAbsorbing: boolean;
  readonly #firstOutput: readonly number[];

  constructor(nfa: Nfa, { firstBy }: Reading, best: (a: number, b: number) => number, isAbsorbing: boolean) {
    this.#nfa = nfa;
    this.#best = best;
    this.#isAbsorbing = isAbsorbing;
    this.#firstOutput = firstBy.map((positions) => this.#bestOf(positions, 0));
  }

  get count(): number {
    return this.#members.length;
  }

  takeMembers(state: number): Int32Array {
    const members = this.#members[state]!;
    this.#members[state] = undefined;
    return members;
  }

  /** The number of the state behind class `c` with the positions `more`, which may be new. */
  stateOf(c: number, more: Int32Array): number {
    const output = this.outputOf(c, more);
    const isAccepted = this.#isAbsorbing && output !== 0;
    const key = isAccepted ? "accepted" : `${c}:${more.join()}`;
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#members.push(isAccepted ? new Int32Array(0) : more) - 1;
      this.lastClass.push(c);
      this.#ids.set(key, id);
      this.output.push(output);
      if (isAccepted) this.accepted = id;
    }
    return id;
  }

  /** The outputs after class `c` with the positions `more`. */
  outputOf(c: number, more: Int32Array): number {
    return this.#bestOf(more, this.#firstOutput[c]!);
  }

  #bestOf(positions: Iterable<number>, from: number): number {
    let found = from;
    for (const position of positions) {
      const id = this.#nfa.accepts[position]!;
      if (id !== 0) found = found === 0 ? id : this.#best(found, id);
    }
    return found;
  }
}

/** Numbers of states, one after another, in as little memory as they need. */
class Numbers {
  #numbers = createStateNumbers(1024, 0);
  #count = 0;
  #below = 0x10000;

  push(value: number): void {
    if (value >= this.#below) this.#copy(this.#numbers.length, Number.POSITIVE_INFINITY);
    if (this.#count === this.#numbers.length) this.#copy(Math.ceil(this.#count * 1.5), this.#below);
    this.#numbers[this.#count++] = value;
  }

  taken(): StateNumbers {
    return this.#numbers.subarray(0, this.#count);
  }

  #copy(length: number, below: number): void {
    const copy = createStateNumbers(length, below);
    copy.set(this.#numbers);
    this.#numbers = copy;
    this.#below = below;
  }
}
