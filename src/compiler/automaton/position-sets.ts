/** The transitions of a position automaton by class: matches that begin with a class, and matches that continue with it. For dfa.ts. */
import { endSet, has, startSet, symbolCount } from "../../pattern/charset.ts";
import { type Nfa, symbolClasses } from "./nfa.ts";

export interface Reading {
  readonly classOf: Uint8Array;
  readonly classes: readonly number[];
  /** By class: the positions that a match may begin with. */
  readonly firstBy: readonly (readonly number[])[];
  /** By last class and next class: the positions that continue a match that has just begun. */
  readonly begun: readonly (readonly Int32Array[])[];
  /** The positions after `positions`, by the next class, without those at which a match can begin anyway. */
  onward(positions: Iterable<number>): Map<number, number[]>;
}

export function createReading(nfa: Nfa): Reading {
  const { classOf, count } = symbolClasses([startSet, endSet, ...nfa.sets]);
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
  const begun = firstBy.map((positions) => {
    const found = onward(positions);
    return classes.map((c) => inOrder(found.get(c) ?? []));
  });
  return { classOf, classes, firstBy, begun, onward };
}

/** Each position once, ascending. */
export function inOrder(positions: readonly number[]): Int32Array {
  return Int32Array.from(new Set(positions)).sort();
}
