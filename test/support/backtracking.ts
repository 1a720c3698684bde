/** Bounds the work of engines that backtrack, such as JavaScript's: how many ways a text can be read by a pattern. */
import { anyChar, type CharSet, empty, has } from "../../src/pattern/charset.ts";
import { type Nfa, toNfa } from "../../src/pattern/nfa.ts";
import { alt, nothing, repeat, seq, type Tree } from "../../src/pattern/tree.ts";

/** So many characters of a text are looked at; of an unbounded repeat, more of them tell nothing new. */
const maxTextLength = 128;
/** More pairs of positions than this are too many ways to read a text. */
const maxPairs = 200_000;

/**
 * An upper bound of the characters that such an engine reads when it tries to match at one place of a string. It counts the runs
 * of the position automaton, because an engine that fails has tried all of them. Two runs count together only if some text has
 * both. Returns Infinity above `most`.
 */
export function backtrackingSteps(tree: Tree, most: number): number {
  const { sets, follow, first } = toNfa(asEnginesRead(tree));
  const isTogether = togetherIn(sets, follow, first);
  if (isTogether === undefined) return Number.POSITIVE_INFINITY;
  const sources = sourcesOf(follow);
  // The most runs that end at a position after so many characters.
  let runs = new Float64Array(sets.length);
  for (const position of first) runs[position] = 1;
  let steps = 0;
  for (let length = 1; length <= maxTextLength; length++) {
    const total = maxTogether([...runs.keys()], runs, isTogether);
    if (total === 0) return steps;
    steps += total;
    if (steps > most) return Number.POSITIVE_INFINITY;
    const next = new Float64Array(sets.length);
    for (const [position, from] of sources.entries()) next[position] = maxTogether(from, runs, isTogether);
    runs = next;
  }
  return steps;
}

/** The tree as engines read bounded repeats: `x{1,3}` is `x(?:x(?:x)?)?`, which reads a text in one way. */
export function asEnginesRead(tree: Tree): Tree {
  if (tree.type === "set") return tree;
  if (tree.type !== "repeat") {
    const items = tree.items.map(asEnginesRead);
    return tree.type === "seq" ? seq(...items) : alt(...items);
  }
  const item = asEnginesRead(tree.item);
  const { min, max } = tree;
  if (max === Number.POSITIVE_INFINITY) return repeat(item, min, max);
  let rest: Tree = nothing;
  for (let time = max; time > min; time--) rest = repeat(seq(item, rest), 0, 1);
  return seq(...Array.from({ length: min }, () => item), rest);
}

/** The most runs that one text can have at some positions: at a position, and at all that it can be together with. */
function maxTogether(
  positions: readonly number[],
  runs: Float64Array,
  isTogether: readonly ReadonlySet<number>[],
): number {
  let most = 0;
  for (const one of positions) {
    if (runs[one] === 0) continue;
    let sum = 0;
    for (const other of positions) if (runs[other]! > 0 && isTogether[one]!.has(other)) sum += runs[other]!;
    if (sum > most) most = sum;
  }
  return most;
}

function sourcesOf(follow: Nfa["follow"]): number[][] {
  const sources = follow.map((): number[] => []);
  for (const [from, targets] of follow.entries()) for (const to of targets) sources[to]!.push(from);
  return sources;
}

/** For each position, the positions that the same text leads to, itself included; undefined if there are too many. */
function togetherIn(
  sets: readonly CharSet[],
  follow: Nfa["follow"],
  first: readonly number[],
): ReadonlySet<number>[] | undefined {
  let pairs = 0;
  const together = sets.map(() => new Set<number>());
  const queue: [number, number][] = [];
  const add = (one: number, other: number): void => {
    if ((sets[one]! & sets[other]! & anyChar) === empty && sets[one] !== sets[other]) return;
    if (together[one]!.has(other)) return;
    together[one]!.add(other);
    together[other]!.add(one);
    pairs++;
    queue.push([one, other]);
  };
  for (const one of first) for (const other of first) add(one, other);
  for (let pair = queue.pop(); pair !== undefined && pairs <= maxPairs; pair = queue.pop())
    for (const one of follow[pair[0]]!) for (const other of follow[pair[1]]!) add(one, other);
  return pairs > maxPairs ? undefined : together;
}

/** The runs on the beginnings of a text, as an engine that fails at its end has tried them. */
export function countRuns({ sets, follow, first }: Nfa, text: string): number {
  let positions = [...first];
  let steps = 0;
  for (const character of text) {
    const read = positions.filter((position) => has(sets[position]!, character.charCodeAt(0)));
    steps += read.length;
    positions = read.flatMap((position) => follow[position]!);
  }
  return steps;
}
