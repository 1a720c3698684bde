/** Proves expressions to be linear, many at a time: the engine is asked once for what all of their sets match. */
import { createAlphabet, flagsOfSet } from "./alphabet.ts";
import { refute } from "./linear.ts";
import { type Expression, parseExpression, setsOf } from "./parse-expression.ts";
import { toRuns } from "./runs.ts";

export interface WrittenExpression {
  readonly source: string;
  readonly flags: string;
}

/** For each expression why it is not proved that a search with it takes linear time; undefined where it is. */
export function refuteAll(expressions: readonly WrittenExpression[]): (string | undefined)[] {
  const trees = expressions.map(({ source, flags }): Expression | string => {
    try {
      return parseExpression(source, flags);
    } catch (error) {
      return String(error);
    }
  });
  const written = expressions.map(({ flags }) => flagsOfSet(flags));
  const sets = trees.flatMap((tree, at) =>
    typeof tree === "string" ? [] : setsOf(tree).map((text) => ({ text, flags: written[at]! })),
  );
  const maskOf = createAlphabet(sets);
  return trees.map((tree, at) => {
    if (typeof tree === "string") return tree;
    try {
      return refute(toRuns(tree, (text) => maskOf({ text, flags: written[at]! })));
    } catch (error) {
      return String(error);
    }
  });
}
