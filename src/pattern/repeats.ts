/** The repeats that a pattern may have: engines that backtrack take linear time, and few steps at each place of a string. */

import { backtrackingSteps } from "./backtracking.ts";
import { type CharSet, empty, range, setOf, startSet, unprintable } from "./charset.ts";
import { isLinear } from "./linear.ts";
import { isAnchoredAtStart, type Tree } from "./tree.ts";

/** What is wrong with the repeats of a pattern, or undefined. `mostSteps` is the limit for an engine that backtracks. */
export function repeatProblem(
  tree: Tree,
  mostSteps = isAnchoredAtStart(tree) ? mostStepsOnce : mostStepsAtEachPlace,
): string | undefined {
  if (repeatsGroup(tree))
    return (
      "a repeat without bound (*, +, {n,}) must repeat one character, not a group: some engines keep a place on their " +
      "stack for every round, and overflow it; give it a bound, such as {0,9}"
    );
  if (!isAllowed(tree))
    return (
      "a repeat without bound (*, +, {n,}) is allowed over digits and dots only, or in a pattern that begins with ^: " +
      "elsewhere it costs quadratic time; give it a bound, such as {1,20}"
    );
  if (!isLinear(tree))
    return (
      "two repeats without bound can read the same text, or a match can begin within one: that costs quadratic time; " +
      "give them bounds, such as {1,20}"
    );
  if (backtrackingSteps(tree, mostSteps) > mostSteps)
    return (
      "repeats that follow each other, or a repeat in a repeat, can read the same text in too many ways: engines that backtrack " +
      `would take more than ${mostSteps} steps at each place of a string; separate the repeats by a character that neither reads, or repeat less often`
    );
  return undefined;
}

/** At each place of a string; at 16 kB, as long as headers usually may be, this takes less than 0.1 s. */
const mostStepsAtEachPlace = 500;

/** For a pattern that begins with `^`; and for a rule, whose hundreds of alternatives end at the first characters nearly everywhere. */
export const mostStepsOnce = 50_000;

function repeatsGroup(tree: Tree): boolean {
  if (tree.type === "set") return false;
  if (tree.type !== "repeat") return tree.items.some(repeatsGroup);
  return (tree.max === Number.POSITIVE_INFINITY && tree.item.type !== "set") || repeatsGroup(tree.item);
}

function isAllowed(tree: Tree): boolean {
  const versions = range(0x30, 0x39) | setOf(0x2e);
  switch (tree.type) {
    case "set":
      return true;
    case "alt":
      return tree.items.every(isAllowed);
    case "seq": {
      const [first] = tree.items;
      return (first?.type === "set" && first.set === startSet) || tree.items.every(isAllowed);
    }
    case "repeat":
      if (tree.max !== Number.POSITIVE_INFINITY) return isAllowed(tree.item);
      // The blanks before the end belong to `$`.
      return tree.item.type === "set" && (isWithin(tree.item.set, versions) || tree.item.set === unprintable);
  }
}

function isWithin(set: CharSet, other: CharSet): boolean {
  return (set & ~other) === empty;
}
