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

/** What matches, from end to end, strings that begin with `stem` and are like one of `texts` but for their numbers. */
export function familiarTo(texts: readonly string[], stem: string, decision: Decision): Tree {
  const trees = new Map<string, Tree>();
  for (const text of texts) {
    if (!text.startsWith(stem) || [...text].some((char) => char.charCodeAt(0) >= nonAscii)) continue;
    const parts = text.slice(stem.length).split(number);
    const key = parts.filter((_, i) => i % 2 === 0).join("\0");
    if (trees.has(key)) continue;
    const tree = seq(literal(stem), ...parts.map((part, i) => (i % 2 === 0 ? literal(part) : anyNumber)));
    if (isDisjoint(tree, decision.opening) && isDisjoint(tree, decision.search)) trees.set(key, tree);
  }
  return factor(alt(...trees.values()));
}

const anyNumber = repeat(one(range(0x30, 0x39) | setOf(0x2e, 0x5f)), 1, Number.POSITIVE_INFINITY);

function literal(text: string): Tree {
  return seq(...[...text].map((char) => one(setOf(char.charCodeAt(0)))));
}
