/**
 * The position automaton over classes of symbols, reduced for the subset construction: equivalent positions share one state,
 * as do all positions at which a match can begin with the same class. Used by dfa.ts.
 */
import { end, endSet, members, rememberedBySet, start, startSet } from "../../pattern/charset.ts";
import { type Nfa, symbolClasses } from "../../pattern/nfa.ts";

export interface ClassNfa {
  readonly classOf: Uint8Array;
  readonly classCount: number;
  /**
   * A state c below `classCount` means that a match has begun with class c, the state `classCount` that none has begun. In the other
   * states, a match continues.
   */
  readonly states: readonly ClassState[];
}

export interface ClassState {
  /** Whether a match is complete there, and whether the end of the string completes one. */
  accepts: boolean;
  acceptsAtEnd: boolean;
  /** Which class leads to which state; without the ends of the string. */
  readonly edges: { readonly by: number; readonly to: number }[];
}

/** Reads `nfa` by class, and joins its positions. */
export function toClassNfa(nfa: Nfa): ClassNfa {
  const { sets, follow, first } = nfa;
  const { classOf, count: classCount } = symbolClasses([startSet, endSet, ...sets]);
  const [startClass, endClass] = [classOf[start]!, classOf[end]!];
  const classesOf = rememberedBySet((set) => [...new Set(members(set).map((symbol) => classOf[symbol]!))]);
  const classes = sets.map(classesOf);

  const { stateOf, positions } = equivalentPositions(nfa, classCount + 1);
  /** By class: the positions that a match can begin with, and their states. */
  const beginning = Array.from({ length: classCount }, (_, c) => first.filter((p) => classes[p]!.includes(c)));
  const begun = beginning.map((begins) => new Set(begins.map((position) => stateOf[position]!)));
  const toState = (group: readonly number[]): ClassState => {
    const state: ClassState = { accepts: false, acceptsAtEnd: false, edges: [] };
    for (const position of group) {
      state.accepts ||= nfa.accepts[position]!;
      for (const next of follow[position]!)
        for (const by of classes[next]!) {
          if (by === endClass) state.acceptsAtEnd ||= nfa.accepts[next]!;
          // A match can begin here, too: the state of the class stands for this position.
          else if (by !== startClass && !begun[by]!.has(stateOf[next]!)) state.edges.push({ by, to: stateOf[next]! });
        }
    }
    return state;
  };
  return { classOf, classCount, states: [...beginning, [], ...positions.map((position) => [position])].map(toState) };
}

/**
 * By position: its state, from `firstState` on; and by state: one of its positions. Positions are equivalent if they accept the
 * same and have the same followers (Ilie and Yu, "Follow automata", 2003); equivalent followers that read the same set are the
 * same here. Thus patterns with equal endings share states, which halves the number of states in the subset construction. One pass from the
 * last position to the first suffices, because only repeats lead back: a position that repeats more than itself stays alone.
 */
function equivalentPositions({ sets, follow, accepts }: Nfa, firstState: number) {
  const stateOf = new Int32Array(sets.length);
  const positions: number[] = [];
  const known = new Map<string, number>();
  let setCount = 0;
  const setOf = sets.map(rememberedBySet(() => setCount++));
  for (let position = sets.length - 1; position >= 0; position--) {
    // The state of the position itself is still 0, in each position that repeats itself.
    const followers = follow[position]!.map((next) => setOf[next]! * 2 ** 24 + stateOf[next]!);
    const isInLoop = follow[position]!.some((next) => next < position);
    const key = isInLoop ? `${position}` : `${accepts[position]}: ${[...new Set(followers)].sort().join()}`;
    let state = known.get(key);
    if (state === undefined) {
      state = firstState + positions.push(position) - 1;
      known.set(key, state);
    }
    stateOf[position] = state;
  }
  return { stateOf, positions };
}
