/**
 * Exceptions as differences of languages: an occurrence of a pattern inside an occurrence of an exception does not count.
 * The result is a tree of the portable subset, without lookaround. It includes as many characters around the
 * occurrence as needed.
 */
import { anyChar, type CharSet, empty, endSet, startSet } from "../../pattern/charset.ts";
import { alt, never, nothing, one, seq, type Tree } from "../../pattern/tree.ts";

/** A sequence of sets, one for each symbol read. */
export type Word = readonly CharSet[];

const maxWords = 2_000;

/** The words of a finite tree; throws RangeError if it has an unbounded repeat or more than 2,000 words. */
export function wordsOf(tree: Tree): Word[] {
  switch (tree.type) {
    case "set":
      return [[tree.set]];
    case "alt":
      return limit(tree.items.flatMap(wordsOf));
    case "seq":
      return tree.items.reduce<Word[]>((words, item) => product(words, wordsOf(item)), [[]]);
    case "repeat": {
      if (tree.max === Number.POSITIVE_INFINITY)
        throw new RangeError("an unbounded repeat has no finite list of words");
      const item = wordsOf(tree.item);
      let words: Word[] = [[]];
      const all: Word[] = tree.min === 0 ? [[]] : [];
      for (let times = 1; times <= tree.max; times++) {
        words = product(words, item);
        if (times >= tree.min) all.push(...words);
      }
      return limit(all);
    }
  }
}

function product(left: readonly Word[], right: readonly Word[]): Word[] {
  return limit(left.flatMap((l) => right.map((r) => [...l, ...r])));
}

function limit(words: Word[]): Word[] {
  if (words.length > maxWords) throw new RangeError(`a pattern with exceptions stands for more than ${maxWords} words`);
  return words;
}

interface Neighbors {
  readonly before: Word;
  readonly after: Word;
}

/** The occurrences of `pattern` that are in no occurrence of an exception; throws RangeError for an unbounded one. */
export function except(pattern: Tree, exceptions: readonly Tree[]): Tree {
  if (exceptions.length === 0) return pattern;
  const excluded = exceptions.flatMap(wordsOf);
  return alt(...wordsOf(pattern).map((word) => exceptWord(word, excluded)));
}

/** Finds every place where the word fits into an exception; a set that fits only partly splits the word in two. */
function exceptWord(word: Word, excluded: readonly Word[]): Tree {
  const neighbors: Neighbors[] = [];
  for (const exception of excluded) {
    for (let at = 0; at + word.length <= exception.length; at++) {
      const common = word.map((set, i) => set & exception[at + i]!);
      if (common.includes(empty)) continue;
      const partial = common.findIndex((set, i) => set !== word[i]);
      if (partial >= 0) {
        const split = (set: CharSet): Tree => exceptWord(word.with(partial, set), excluded);
        return alt(split(common[partial]!), split(word[partial]! & ~common[partial]!));
      }
      neighbors.push({ before: exception.slice(0, at), after: exception.slice(at + word.length) });
    }
  }
  if (neighbors.some(({ before, after }) => before.length + after.length === 0)) return never;
  return alternatives(
    seq(...word.map(one)),
    neighbors.filter(({ after }) => after.length === 0).map(({ before }) => before),
    neighbors.filter(({ before }) => before.length === 0).map(({ after }) => after),
    neighbors.filter(({ before, after }) => before.length > 0 && after.length > 0),
  );
}

/** An exception with text on both sides applies only if both are present, so at least one of them must be missing. */
function alternatives(core: Tree, before: readonly Word[], after: readonly Word[], both: readonly Neighbors[]): Tree {
  const [first] = both;
  if (!first) return seq(notAfter(before), core, notBefore(after));
  // Pairs that share a side can be excluded together: one case for each group, not for each pair.
  const sharing = (side: keyof Neighbors): Neighbors[] =>
    both.filter((pair) => String(pair[side]) === String(first[side]));
  const [sameBefore, sameAfter] = [sharing("before"), sharing("after")];
  const group = sameBefore.length > sameAfter.length ? sameBefore : sameAfter;
  const others = both.filter((pair) => !group.includes(pair));
  return alt(
    alternatives(core, [...before, ...group.map((pair) => pair.before)], after, others),
    alternatives(core, before, [...after, ...group.map((pair) => pair.after)], others),
  );
}

/** Matches the text before a word that must not follow any of `words`, with as few symbols as possible. */
function notAfter(words: readonly Word[]): Tree {
  return avoid(
    words.map((word) => word.toReversed()),
    anyChar | startSet,
    (set, rest) => seq(rest, one(set)),
  );
}

/** Matches the text after a word that must not precede any of `words`. */
function notBefore(words: readonly Word[]): Tree {
  return avoid(words, anyChar | endSet, (set, rest) => seq(one(set), rest));
}

/** One symbol that begins none of `words`, or a symbol that begins some, followed by text that avoids their remainders. */
function avoid(words: readonly Word[], all: CharSet, join: (set: CharSet, rest: Tree) => Tree): Tree {
  if (words.length === 0) return nothing;
  if (words.some((word) => word.length === 0)) return never;
  let free = all;
  for (const word of words) free &= ~word[0]!;
  const branches = new Map<CharSet, Word[]>();
  for (const set of partition(words.map((word) => word[0]!)))
    branches.set(
      set,
      words.filter((word) => (word[0]! & set) !== empty).map((word) => word.slice(1)),
    );
  return alt(one(free), ...[...branches].map(([set, rests]) => join(set, avoid(rests, all, join))));
}

/** The coarsest disjoint sets of which each of `sets` is a union. */
export function partition(sets: readonly CharSet[]): CharSet[] {
  let parts: CharSet[] = [];
  for (const set of sets) {
    let rest = set;
    const next: CharSet[] = [];
    for (const part of parts) {
      for (const piece of [part & set, part & ~set]) if (piece !== empty) next.push(piece);
      rest &= ~part;
    }
    if (rest !== empty) next.push(rest);
    parts = next;
  }
  return parts;
}
