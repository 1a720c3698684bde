/** Prints a tree as an expression of JavaScript whose match is exact: the text that is required before the match is a lookbehind. */
import { anyChar, empty } from "./charset.ts";
import { print } from "./print.ts";
import { alternativesOf, one, splitLeftContext, type Tree } from "./tree.ts";

/**
 * Prints `tree`, with lookbehinds for left contexts: `(?<![^ ;\(])[Ii][Aa][Bb]ot` for `(?:^|[ ;(])IABot`. Throws RangeError for a
 * tree that matches no string.
 */
export function printExactMatch(tree: Tree): string {
  return alternativesOf(tree).map(printAlternative).join("|");
}

function printAlternative(tree: Tree): string {
  const [context, match] = splitLeftContext(tree);
  if (context === undefined) return print(tree);
  const text = match.type === "alt" ? `(?:${print(match)})` : print(match);
  if (context.type !== "set") return `(?<=${print(context)})${text}`;
  // Engines test one class faster than two alternatives.
  const others = anyChar & ~context.set;
  if (others === empty) return text;
  const printed = print(one(others));
  return `(?<!${printed.startsWith("[") ? printed : `[${printed}]`})${text}`;
}
