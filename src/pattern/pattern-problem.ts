/** Checks that a pattern (of the catalogue, a custom catalogue or a program) is portable, of limited size, and fast. */
import { PatternError, parseDataPattern } from "./parse.ts";
import {
  alternativesOf,
  countPlaces,
  isAnchoredAtBothEnds,
  isNullable,
  matchesAnchorsOnly,
  type Tree,
} from "./tree.ts";

/** Larger patterns would need automata with millions of states. The longest name has a third of this. */
const [longestPattern, maxPlaces] = [1000, 1000];

/** What is wrong with a pattern, or undefined; `more` tells what else is wrong with its tree. */
export function patternProblem(
  pattern: string,
  more: (tree: Tree) => string | undefined = () => undefined,
): string | undefined {
  if (pattern.length > longestPattern)
    return `the pattern has ${pattern.length} characters; at most ${longestPattern} are allowed`;
  try {
    const tree = parseDataPattern(pattern);
    if (countPlaces(tree) > maxPlaces)
      return `the pattern is too large: with its repetitions written out it has more than ${maxPlaces} characters`;
    // Every string has a start and an end. Only both together say something about a string.
    if (isNullable(tree)) return "the pattern matches the empty string, so it would match everything";
    if (matchesAnchorsOnly(tree) && !isAnchoredAtBothEnds(tree))
      return alternativesOf(tree).every((one) => !matchesAnchorsOnly(one) || isAnchoredAtBothEnds(one))
        ? "one of the alternatives matches the empty string; only a pattern without other alternatives may do that"
        : "the pattern matches the start or the end of every string, so it would match everything";
    return more(tree);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return error.message;
  }
}
