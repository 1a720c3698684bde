/**
 * The strings of the commonest browsers, as one pattern: a browser's strings differ in little but numbers. Of it is kept
 * what provably no crawler's string matches, so that a match settles that a string is a person's.
 */
import type { Decision } from "../automaton/decide.ts";
import { isDisjoint } from "../automaton/disjoint.ts";
import { nonAscii, range, setOf } from "../pattern/charset.ts";
import { factor } from "../pattern/factor.ts";
import { alt, one, repeat, seq, type Tree } from "../pattern/tree.ts";

const number = /([0-9]+(?:[._][0-9]+)*)/;

/**
 * What matches, from end to end, strings like some of `texts` but for their numbers. A number
 * that is the same in several of them is frozen, such as the 537.36 of AppleWebKit: engines compare literal text at once.
 */
export function familiarTo(texts: readonly string[], decision: Decision): Tree {
  const forms = new Map<string, string[][]>();
  for (const text of texts) {
    if ([...text].some((char) => char.charCodeAt(0) >= nonAscii)) continue;
    const parts = text.split(number);
    const form = parts.filter((_, i) => i % 2 === 0).join("\0");
    forms.set(form, [...(forms.get(form) ?? []), parts]);
  }
  const trees = [...forms.values()].map((alike) => {
    const isFrozen = (i: number): boolean => alike.length > 1 && alike.every((parts) => parts[i] === alike[0]![i]);
    return seq(...alike[0]!.map((part, i) => (i % 2 === 0 || isFrozen(i) ? literal(part) : anyNumber)));
  });
  return factor(
    alt(...trees.filter((tree) => isDisjoint(tree, decision.anchored) && isDisjoint(tree, decision.unanchored))),
  );
}

const anyNumber = repeat(one(range(0x30, 0x39) | setOf(0x2e, 0x5f)), 1, Number.POSITIVE_INFINITY);

function literal(text: string): Tree {
  return seq(...[...text].map((char) => one(setOf(char.charCodeAt(0)))));
}
