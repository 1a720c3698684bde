/** The ways in which matches of a pattern begin, as far as a sieve looks. */
import { end, members, nonAscii } from "../pattern/charset.ts";
import type { Tree } from "../pattern/tree.ts";
import { toNfa } from "./nfa.ts";

/** What a match reads one after another: all of it, or the first of a longer one. */
export interface Beginning {
  /** Sets of ASCII characters, none of them empty. */
  readonly sets: readonly (readonly number[])[];
  /** Whether the string must end behind them. */
  readonly atEnd: boolean;
}

const depths = [24, 20, 16, 12, 10, 8, 6, 4];
const enough = 400;

/**
 * Every match of `tree` that is all ASCII and not bound to the start of the string begins in one of the ways returned; they
 * are as long as a few hundred of them can be.
 */
export function beginningsOf(tree: Tree): Beginning[] {
  const nfa = toNfa([tree]);
  const symbols = nfa.sets.map(members);
  const sets = symbols.map((set) => set.filter((symbol) => symbol < nonAscii));
  let found: Map<string, Beginning>;

  /** Adds what goes on with `position` behind `before`; false once there are too many. */
  const add = (position: number, before: readonly number[], depth: number, most: number): boolean => {
    if (found.size > most) return false;
    const path = [...before, position];
    const keep = (positions: readonly number[], atEnd: boolean): void => {
      const beginning = { sets: positions.map((each) => sets[each]!), atEnd };
      found.set(`${beginning.sets.join(" ")} ${atEnd}`, beginning);
    };
    if (symbols[position]!.includes(end)) keep(before, true);
    if (sets[position]!.length === 0) return true;
    // Behind a match every longer one that begins alike has been found, too.
    if (nfa.accepts[position] !== 0 || path.length === depth) {
      keep(path, false);
      return true;
    }
    return nfa.follow[position]!.every((next) => add(next, path, depth, most));
  };

  for (const depth of depths) {
    found = new Map();
    const most = depth === depths.at(-1) ? Number.POSITIVE_INFINITY : enough;
    if (nfa.first.every((position) => add(position, [], depth, most))) return [...found.values()];
  }
  throw new RangeError("a last attempt takes whatever there is");
}
