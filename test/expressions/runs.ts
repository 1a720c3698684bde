/**
 * The ways in which a backtracking engine can read a text: the position automaton of an expression, with the number of ways
 * between two positions, and with the positions from which a match is certain.
 */
import type { Expression } from "./parse-expression.ts";

/** One state per set of the expression, and at the end one for the text before a match. */
export interface Runs {
  /** The characters that a state reads, as a bit mask. */
  readonly sets: readonly bigint[];
  /** For each state its next ones, with 1 for one way and 2 for several. */
  readonly follow: readonly ReadonlyMap<number, number>[];
  /** States after which the rest may be empty, whatever comes: the engine never goes back behind one of them. */
  readonly certain: ReadonlySet<number>;
}

type Ways = Map<number, number>;

interface Part {
  readonly first: Ways;
  readonly last: Ways;
  /** Those of `last` after which nothing can fail. */
  readonly certain: ReadonlySet<number>;
  /** Ways to read nothing, and whether one of them cannot fail. */
  readonly empty: number;
  readonly isEmptyCertain: boolean;
}

const mostStates = 1500;
const nothing: Part = { first: new Map(), last: new Map(), certain: new Set(), empty: 1, isEmptyCertain: true };

/** Makes the runs of an expression; `maskOf` tells the characters of a set. Throws an Error where they are too many. */
export function toRuns(expression: Expression, maskOf: (set: string) => bigint): Runs {
  const sets: bigint[] = [];
  const follow: Ways[] = [];
  const starts = new Set<number>();

  function connect(from: Ways, to: Ways): void {
    for (const [state, ways] of from)
      for (const [next, more] of to)
        follow[state]!.set(next, Math.min(2, (follow[state]!.get(next) ?? 0) + ways * more));
  }

  function state(set: bigint): number {
    if (sets.length === mostStates) throw new Error(`more than ${mostStates} states`);
    follow.push(new Map());
    return sets.push(set) - 1;
  }

  function single(set: bigint): Part {
    const at = state(set);
    const own = new Map([[at, 1]]);
    return { first: own, last: own, certain: new Set([at]), empty: 0, isEmptyCertain: false };
  }

  function build(item: Expression): Part {
    switch (item.type) {
      case "set":
        return single(maskOf(item.text));
      case "start": {
        // It reads a symbol that stands before the text alone.
        const part = single(0n);
        for (const at of part.first.keys()) starts.add(at);
        return part;
      }
      case "assertion": {
        // What a lookahead reads leads nowhere; what is behind it goes on from before.
        const first = item.ahead === undefined ? new Map() : build(item.ahead).first;
        return { ...nothing, first, isEmptyCertain: false };
      }
      case "seq":
        return item.items.map(build).reduce(join, nothing);
      case "alt":
        return item.items.map(build).reduce(either);
      case "repeat":
        return repeat(item.item, item.min, item.max);
    }
  }

  function join(one: Part, other: Part): Part {
    connect(one.last, other.first);
    return {
      first: sum(one.first, one.empty === 0 ? new Map() : times(other.first, one.empty)),
      last: sum(other.last, other.empty === 0 ? new Map() : times(one.last, other.empty)),
      certain: new Set([...other.certain, ...(other.isEmptyCertain ? one.certain : [])]),
      empty: Math.min(2, one.empty * other.empty),
      isEmptyCertain: one.isEmptyCertain && other.isEmptyCertain,
    };
  }

  function either(one: Part, other: Part): Part {
    return {
      first: sum(one.first, other.first),
      last: sum(one.last, other.last),
      certain: new Set([...one.certain, ...other.certain]),
      empty: Math.min(2, one.empty + other.empty),
      isEmptyCertain: one.isEmptyCertain || other.isEmptyCertain,
    };
  }

  /** Rounds beyond `min` that read nothing are refused by JavaScript. */
  function repeat(item: Expression, min: number, max: number): Part {
    let whole = nothing;
    for (let round = 0; round < min; round++) {
      const part = build(item);
      whole = join(whole, part);
      if (round === min - 1 && max === Infinity) connect(part.last, part.first);
    }
    if (max === Infinity && min > 0) return whole;
    // Each further round is within the one before.
    let rest: Part | undefined;
    const more = max === Infinity ? 1 : max - min;
    const rounds = Array.from({ length: more }, () => build(item));
    if (max === Infinity) connect(rounds[0]!.last, rounds[0]!.first);
    for (const round of rounds.reverse()) {
      const full = { ...round, empty: 0, isEmptyCertain: false };
      rest = either(rest === undefined ? full : join(full, rest), nothing);
    }
    return rest === undefined ? whole : join(whole, rest);
  }

  const whole = build(expression);
  const before = state(~0n);
  follow[before]!.set(before, 1);
  for (const [at, ways] of whole.first) if (!starts.has(at)) follow[before]!.set(at, ways);
  return { sets, follow, certain: whole.certain };
}

function sum(one: Ways, other: Ways): Ways {
  const all = new Map(one);
  for (const [state, ways] of other) all.set(state, Math.min(2, (all.get(state) ?? 0) + ways));
  return all;
}

function times(ways: Ways, factor: number): Ways {
  return new Map([...ways].map(([state, count]) => [state, Math.min(2, count * factor)]));
}
