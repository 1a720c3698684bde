/** A signature without its exceptions, as one tree: what is compiled, matched and printed. */
import { determinise } from "../automaton/dfa.ts";
import { minimise } from "../automaton/minimise.ts";
import { toNfa } from "../automaton/nfa.ts";
import { toTree } from "../automaton/to-tree.ts";
import { except } from "../pattern/difference.ts";
import { isAnchoredAtBothEnds, type Tree } from "../pattern/tree.ts";

/**
 * The occurrences of `pattern` that stand in no occurrence of an exception. A pattern of whole strings may repeat without
 * bound: there the difference is taken between automata. Throws RangeError for other patterns and exceptions that do.
 */
export function withoutExceptions(pattern: Tree, exceptions: readonly Tree[]): Tree {
  if (exceptions.length === 0 || !isAnchoredAtBothEnds(pattern)) return except(pattern, exceptions);
  const whole = determinise(toNfa([pattern, ...exceptions]), { best: Math.max });
  const counts = (output: number): number => (output === 1 ? 1 : 0);
  const difference = minimise({
    ...whole,
    output: new Int32Array(whole.stateCount),
    endOutput: whole.endOutput.map(counts),
  });
  return toTree(difference, (state) => difference.endOutput[state] === 1);
}
