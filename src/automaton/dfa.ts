/**
 * The subset construction: from the position automaton to a deterministic one over classes of symbols.
 * What a state says (its output) is chosen by the caller: "a crawler" or "which entry".
 */
import { end, endSet, has, start, startSet, symbolCount } from "../pattern/charset.ts";
import { type Nfa, symbolClasses } from "./nfa.ts";

export interface Dfa {
  /** Class of every symbol; the start and end symbols have classes of their own only here, never in a table. */
  readonly classOf: Uint8Array;
  readonly classCount: number;
  /** `next[state * classCount + class]`. */
  readonly next: Int32Array;
  readonly stateCount: number;
  /** The state after the start symbol, where reading begins. */
  readonly initial: number;
  /** Per state: its output once entered; 0 for none. */
  readonly output: Int32Array;
  /** Per state: its output when the string ends there (at least as good as `output`). */
  readonly endOutput: Int32Array;
}

export interface DeterminiseOptions {
  /** Chooses among the outputs (numbers above 0) that hold at once; the default takes the smallest. */
  readonly best?: (a: number, b: number) => number;
  /** Whether reading stops at the first output, so that all states with one are one. Default false. */
  readonly absorbing?: boolean;
}

/** Builds the automaton that reads any string and reports what `nfa` accepts anywhere in it. */
export function determinise(nfa: Nfa, options: DeterminiseOptions = {}): Dfa {
  const { classOf, count } = symbolClasses([startSet, endSet, ...nfa.sets]);
  const best = options.best ?? Math.min;
  const symbolOf = new Int32Array(count).fill(-1);
  for (let symbol = 0; symbol < symbolCount; symbol++)
    if (symbolOf[classOf[symbol]!] === -1) symbolOf[classOf[symbol]!] = symbol;

  // Which positions read which class, so that a step only asks for membership.
  const reads = nfa.sets.map((set) => {
    const row = new Uint8Array(count);
    for (let c = 0; c < count; c++) row[c] = has(set, symbolOf[c]!) ? 1 : 0;
    return row;
  });
  const firstBy: number[][] = [];
  for (let c = 0; c < count; c++) firstBy.push(nfa.first.filter((position) => reads[position]![c]));

  // Of the positions a class may begin with, those that can go on with another class.
  const firstFollow = firstBy.map((positions) =>
    firstBy.map((_, c) => positions.filter((from) => nfa.follow[from]!.some((position) => reads[position]![c]))),
  );

  const startClass = classOf[start]!;
  const endClass = classOf[end]!;
  const ids = new Map<string, number>();
  const none = new Int32Array(0);
  const members: Int32Array[] = [];
  const lastClass: number[] = [];
  const output: number[] = [];
  let acceptState = -1;

  const outputOf = (positions: Iterable<number>, found = 0): number => {
    for (const position of positions) {
      const id = nfa.accepts[position]!;
      if (id !== 0) found = found === 0 ? id : best(found, id);
    }
    return found;
  };
  const firstOutput = firstBy.map((positions) => outputOf(positions));

  // A state is the class just read, at which a match may begin, and the positions that go on from before (`more`).
  const stateOf = (c: number, more: Int32Array): number => {
    const out = outputOf(more, firstOutput[c]);
    const accepted = options.absorbing && out !== 0;
    const key = accepted ? "accepted" : `${c}:${more.join()}`;
    let id = ids.get(key);
    if (id === undefined) {
      id = members.push(accepted ? none : more) - 1;
      lastClass.push(c);
      ids.set(key, id);
      output.push(out);
      if (accepted) acceptState = id;
    }
    return id;
  };

  const mark = new Int32Array(nfa.sets.length).fill(-1);
  let round = 0;
  const step = (state: number, c: number): Int32Array => {
    round++;
    for (const position of firstBy[c]!) mark[position] = round;
    const found: number[] = [];
    const follow = (from: number): void => {
      for (const position of nfa.follow[from]!)
        if (reads[position]![c] && mark[position] !== round) {
          mark[position] = round;
          found.push(position);
        }
    };
    for (const from of members[state]!) follow(from);
    for (const from of firstFollow[lastClass[state]!]![c]!) follow(from);
    return Int32Array.from(found).sort();
  };

  const initial = stateOf(startClass, none);
  // Most classes lead nowhere from most states: there only a new match can begin, whatever was read before.
  const fresh = firstBy.map((_, c) => stateOf(c, none));
  const rows: number[] = [];
  const endOutput: number[] = [];
  const goesOn = new Uint8Array(count);
  for (let state = 0; state < members.length; state++) {
    const stuck = options.absorbing && state === acceptState;
    for (let c = 0; c < count; c++) goesOn[c] = firstFollow[lastClass[state]!]![c]!.length > 0 ? 1 : 0;
    for (const from of members[state]!)
      for (const position of nfa.follow[from]!) for (let c = 0; c < count; c++) goesOn[c]! |= reads[position]![c]!;
    for (let c = 0; c < count; c++) {
      if (stuck || c === startClass || c === endClass) rows.push(state);
      else rows.push(goesOn[c] ? stateOf(c, step(state, c)) : fresh[c]!);
    }
    const here = output[state]!;
    const atEnd = stuck ? 0 : outputOf(step(state, endClass), firstOutput[endClass]);
    endOutput.push(here === 0 || atEnd === 0 ? here || atEnd : best(here, atEnd));
  }
  return {
    classOf,
    classCount: count,
    next: Int32Array.from(rows),
    stateCount: members.length,
    initial,
    output: Int32Array.from(output),
    endOutput: Int32Array.from(endOutput),
  };
}
