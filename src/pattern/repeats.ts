/**
 * The repeats that a pattern may have: backtracking engines must need few steps at each position of a string. What comes before and after a
 * repeat determines how many ways there are to match it.
 */
import { anyChar, type CharSet, empty } from "./charset.ts";
import { firstOf, isAnchoredAtStart, lastOf, seq, type Tree } from "./tree.ts";

/** At each place of a string; at 16 kB, as long as headers usually may be, this takes less than 0.1 s. */
const maxStepsAtEachPlace = 500;
/** For a pattern that begins with `^`. */
const maxStepsOnce = 50_000;
/** The steps of an unbounded repeat: two of them multiplied exceed the limit. */
const unbounded = 1000;

/** What is wrong with the repeats of a pattern, or undefined. */
export function repeatProblem(tree: Tree): string | undefined {
  if (repeatsGroup(tree))
    return (
      "an unbounded repeat (*, +, {n,}) must repeat one character, not a group: some engines use stack space for " +
      "every iteration and overflow; give it a bound, such as {0,9}"
    );
  const [before, most] = isAnchoredAtStart(tree) ? [empty, maxStepsOnce] : [anyChar, maxStepsAtEachPlace];
  if (costOf(tree, before, empty).steps <= most) return undefined;
  return (
    "its repetitions can match the same text in too many ways: backtracking engines would take more than " +
    `${most} steps at each position of a string; put a character that the repetition does not match before and after it, or give it ` +
    "a smaller bound, such as {1,20}"
  );
}

function repeatsGroup(tree: Tree): boolean {
  if (tree.type === "set") return false;
  if (tree.type !== "repeat") return tree.items.some(repeatsGroup);
  return (tree.max === Number.POSITIVE_INFINITY && tree.item.type !== "set") || repeatsGroup(tree.item);
}

interface Cost {
  /** The number of characters read by an engine that tries all ways. */
  readonly steps: number;
  /** How many ends a match can have. */
  readonly ways: number;
}

/** The cost of a part of a pattern; `before` has the characters that can stand before it, `after` those behind it. Never too low. */
function costOf(tree: Tree, before: CharSet, after: CharSet): Cost {
  switch (tree.type) {
    case "set":
      return { steps: 1, ways: 1 };
    case "seq": {
      let [steps, ways] = [0, 1];
      for (const [i, item] of tree.items.entries()) {
        const left = lastOf(seq(...tree.items.slice(0, i)), before);
        const cost = costOf(item, left, firstOf(seq(...tree.items.slice(i + 1)), after));
        steps += ways * cost.steps;
        ways *= cost.ways;
      }
      return { steps, ways };
    }
    case "alt": {
      const costs = tree.items.map((item) => costOf(item, before, after));
      const begin = tree.items.map((item) => firstOf(item, after));
      const isClear = begin.every((one, i) => begin.every((other, j) => i === j || (one & other) === empty));
      const ways = costs.map((cost) => cost.ways);
      return {
        steps: costs.reduce((sum, cost) => sum + cost.steps, 0),
        ways: isClear ? Math.max(...ways) : ways.reduce((sum, way) => sum + way, 0),
      };
    }
    case "repeat":
      return costOfRepeat(tree, before, after);
  }
}

function costOfRepeat({ item, min, max }: Tree & { type: "repeat" }, before: CharSet, after: CharSet): Cost {
  const [first, last] = [firstOf(item), lastOf(item)];
  // The next character tells whether there is another round.
  const isClear = (first & after) === empty;
  if (max === Number.POSITIVE_INFINITY)
    // If the preceding character must be a different one, the repeat can begin at only one position in a text.
    return { steps: (first & before) === empty ? 1 : unbounded, ways: isClear ? 1 : unbounded };
  const round = costOf(item, before | last, after | first);
  let [steps, ways, rounds] = [0, 0, 1];
  for (let time = 0; time < max; time++) {
    if (time >= min) ways += rounds;
    steps += rounds * round.steps;
    rounds *= round.ways;
  }
  return { steps, ways: isClear ? rounds : ways + rounds };
}
