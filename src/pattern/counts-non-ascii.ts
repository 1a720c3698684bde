/** Whether a pattern depends on the number of characters beyond ASCII, which differs between encodings. */
import { has, nonAscii } from "./charset.ts";
import { toNfa } from "./nfa.ts";
import type { Tree } from "./tree.ts";

/**
 * Whether `tree` may match text with one character beyond ASCII and not with several, or the other way round: Latin-1, UTF-8, UTF-16 and
 * code points count them differently. A look at the positions of the pattern; never wrongly false.
 */
export function countsNonAscii(tree: Tree): boolean {
  const { sets, first, follow, accepts } = toNfa(tree);
  const positions = [...sets.keys()];
  const reading = positions.filter((position) => has(sets[position]!, nonAscii));
  const before = (position: number): number[] => positions.filter((other) => follow[other]!.includes(position));
  /** Whether everything that can follow `position` can follow `other`. */
  const goesOnAs = (position: number, other: number): boolean =>
    follow[position]!.every((next) => follow[other]!.includes(next)) && (accepts[other]! || !accepts[position]);
  return reading.some((position) => {
    // Whatever follows, the match is complete.
    if (accepts[position]) return false;
    const nexts = reading.filter((next) => follow[position]!.includes(next));
    const ways = before(position);
    // A match can begin at the last of several characters.
    const isRepeatable = first.includes(position) || nexts.some((next) => goesOnAs(position, next));
    /** Whether one character suffices for `position` and `next`. */
    const isSkippable = (next: number): boolean =>
      next === position ||
      first.includes(next) ||
      goesOnAs(next, position) ||
      (!first.includes(position) && ways.every((way) => follow[way]!.includes(next)));
    return !isRepeatable || !nexts.every(isSkippable);
  });
}

/** What is wrong with such a pattern. */
export const countsNonAsciiProblem =
  "depends on the number of non-ASCII characters, which differs between UTF-8, UTF-16 and code points; write [ -~] instead of a dot or a " +
  "negated class";
