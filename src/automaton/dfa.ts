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

  const classes = [...symbolOf.keys()];
  // Few sets are distinct: nearly all positions read one letter.
  const classesOf = new Map(
    [...new Set(nfa.sets)].map((set) => [set, classes.filter((c) => has(set, symbolOf[c]!))] as const),
  );
  const readBy = nfa.sets.map((set) => classesOf.get(set)!);
  const firstBy: number[][] = classes.map(() => []);
  const isFirstBy = classes.map(() => new Uint8Array(nfa.sets.length));
  for (const position of nfa.first)
    for (const c of readBy[position]!) {
      firstBy[c]!.push(position);
      isFirstBy[c]![position] = 1;
    }

  /** What goes on behind `positions`, by the class that comes next; but for those where a match may begin in any case. */
  const onward = (positions: Iterable<number>): Map<number, number[]> => {
    const found = new Map<number, number[]>();
    for (const from of positions)
      for (const position of nfa.follow[from]!)
        for (const c of readBy[position]!) {
          if (isFirstBy[c]![position] !== 0) continue;
          const list = found.get(c);
          if (list) list.push(position);
          else found.set(c, [position]);
        }
    return found;
  };
  // Behind the matches that have just begun with a class.
  const begun = firstBy.map((positions) => {
    const found = onward(positions);
    return classes.map((c) => inOrder(found.get(c) ?? []));
  });

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

  const initial = stateOf(startClass, none);
  // From most states most classes lead on with nothing but the match that has just begun, if with any.
  const usual = new Int32Array(count * count).fill(-1);
  const rows: number[] = [];
  const endOutput: number[] = [];
  for (let state = 0; state < members.length; state++) {
    const last = lastClass[state]!;
    const stuck = options.absorbing && state === acceptState;
    const found = onward(members[state]!);
    const more = (c: number): Int32Array => {
      const positions = found.get(c);
      return positions ? inOrder([...positions, ...begun[last]![c]!]) : begun[last]![c]!;
    };
    for (const c of classes) {
      if (stuck || c === startClass || c === endClass) rows.push(state);
      else if (found.has(c)) rows.push(stateOf(c, more(c)));
      else {
        const at = last * count + c;
        if (usual[at] === -1) usual[at] = stateOf(c, more(c));
        rows.push(usual[at]!);
      }
    }
    const here = output[state]!;
    const atEnd = stuck ? 0 : outputOf(more(endClass), firstOutput[endClass]);
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

function inOrder(positions: readonly number[]): Int32Array {
  return Int32Array.from(new Set(positions)).sort();
}
