/** A rule without its exceptions, as one tree: what is compiled, matched and printed. */
import { anyChar, empty, endSet, setOf, unprintable } from "../../pattern/charset.ts";
import { parseDataPattern } from "../../pattern/parse.ts";
import { isAnchoredAtBothEnds, isNever, seq, type Tree } from "../../pattern/tree.ts";
import { except, type Word, wordsOf } from "./difference.ts";
import { exceptOpenings } from "./openings.ts";

const lineFeed = setOf(0x0a);

/** The tree of a rule. Throws RangeError for exceptions that it cannot have, or that leave nothing of it. */
export function ruleTree(pattern: string, exceptions: readonly { readonly pattern: string }[]): Tree {
  const trees = exceptions.map((exception) => parseDataPattern(exception.pattern));
  const rest = withoutExceptions(parseDataPattern(pattern), trees);
  if (isNever(rest)) throw new RangeError("its exceptions leave nothing of the pattern");
  return rest;
}

/**
 * The occurrences of `pattern` outside of exceptions. A pattern of whole strings may have unbounded repeats; its exceptions
 * are openings, `^words.*$`. Throws RangeError for other patterns and exceptions with unbounded repeats.
 */
export function withoutExceptions(pattern: Tree, exceptions: readonly Tree[]): Tree {
  if (exceptions.length === 0 || !isAnchoredAtBothEnds(pattern)) return except(pattern, exceptions);
  const [start, ...rest] = pattern.type === "seq" ? pattern.items : [];
  if (start === undefined || !readsOneLine(seq(...rest)))
    throw new RangeError(
      "a whole-string pattern with exceptions must be a single ^…$ without a class that contains line feeds",
    );
  return seq(start, exceptOpenings(seq(...rest), exceptions.flatMap(openingsOf)));
}

/** The words that an exception of the form `^words.*$` stands for. */
function openingsOf(exception: Tree): Word[] {
  const items = isAnchoredAtBothEnds(exception) && exception.type === "seq" ? exception.items : [];
  const [any, blanks] = items.slice(-3);
  if (!isRepeatOf(any, anyChar & ~lineFeed) || !isRepeatOf(blanks, unprintable))
    throw new RangeError("an exception to a whole-string pattern must be a prefix: ^, some words, and .*$");
  return wordsOf(seq(...items.slice(1, -3)));
}

function isRepeatOf(tree: Tree | undefined, set: bigint): boolean {
  return (
    tree?.type === "repeat" &&
    tree.min === 0 &&
    tree.max === Number.POSITIVE_INFINITY &&
    tree.item.type === "set" &&
    tree.item.set === set
  );
}

/** Whether line feeds can only occur before the end, which `.*$` skips, too. */
function readsOneLine(tree: Tree): boolean {
  switch (tree.type) {
    case "set":
      return (tree.set & lineFeed) === empty || tree.set === endSet;
    case "repeat":
      return isRepeatOf(tree, unprintable) || readsOneLine(tree.item);
    default:
      return tree.items.every(readsOneLine);
  }
}
