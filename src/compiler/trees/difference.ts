/**
 * Exceptions as differences of languages: an occurrence of a pattern inside an occurrence of an exception does not count.
 * The result is a tree of the portable subset, without lookaround. It includes as many characters around the
 * occurrence as needed.
 */
import { anyChar, type CharSet, empty, endSet, startSet, symbolCount } from "../../pattern/charset.ts";
import { alt, never, nothing, one, repeat, seq, type Tree } from "../../pattern/tree.ts";

/** A sequence of sets, one for each symbol read. A set with the bit `run`, which only exceptions have, stands for any number of symbols. */
export type Word = readonly CharSet[];

const run: CharSet = 1n << BigInt(symbolCount);
const isRun = (set: CharSet): boolean => (set & run) !== empty;

const maxWords = 2_000;

/** The words of a finite tree; throws RangeError if it has an unbounded repeat or more than 2,000 words. */
export function wordsOf(tree: Tree): Word[] {
  return listWords(tree, () => {
    throw new RangeError("an unbounded repeat has no finite list of words");
  });
}

/** The words of an exception, in which a repeated set, such as `[0-9.]+`, becomes the set and a run. */
function exceptionWordsOf(tree: Tree): Word[] {
  const words = listWords(tree, ({ item, min }) => {
    if (item.type === "set" && min === 1) return [[item.set, item.set | run]];
    throw new RangeError("an exception may only repeat a character or a class without bound, with +");
  });
  if (words.some((word) => word.filter(isRun).length > 1))
    throw new RangeError("an exception may only have one unbounded repeat");
  return words;
}

/** `toRun` makes the words of an unbounded repeat. */
function listWords(tree: Tree, toRun: (tree: Tree & { type: "repeat" }) => Word[]): Word[] {
  const wordsOf = (item: Tree): Word[] => listWords(item, toRun);
  switch (tree.type) {
    case "set":
      return [[tree.set]];
    case "alt":
      return limit(tree.items.flatMap(wordsOf));
    case "seq":
      return tree.items.reduce<Word[]>((words, item) => product(words, wordsOf(item)), [[]]);
    case "repeat": {
      if (tree.max === Number.POSITIVE_INFINITY) return toRun(tree);
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

/**
 * The occurrences of `pattern` that are in no occurrence of an exception; throws RangeError for an unbounded pattern, and for an exception
 * whose run may contain a part of an occurrence or of what follows the run.
 */
export function except(pattern: Tree, exceptions: readonly Tree[]): Tree {
  if (exceptions.length === 0) return pattern;
  const excluded = exceptions.flatMap(exceptionWordsOf);
  const words = wordsOf(pattern);
  if (words.some((word) => excluded.some((exception) => mayReachRun(word, exception))))
    throw new RangeError("a class that an exception repeats may not contain characters of the pattern");
  return alt(...words.map((word) => exceptWord(word, excluded)));
}

/** Whether an occurrence of the word may have symbols of the run of an exception. */
function mayReachRun(word: Word, exception: Word): boolean {
  const at = exception.findIndex(isRun);
  if (at < 0) return false;
  return word.some((_, more) => {
    const written = exception.toSpliced(at, 1, ...Array<CharSet>(1 + more).fill(exception[at]!));
    const places = written.map((_, from) => from).slice(Math.max(0, at + 1 - word.length), at + 1 + more);
    return places.some((from) => word.every((set, i) => (set & (written[from + i] ?? empty)) !== empty));
  });
}

/** Finds every place where the word fits into an exception; a set that fits only partly splits the word in two. */
function exceptWord(word: Word, excluded: readonly Word[]): Tree {
  const neighbors: Neighbors[] = [];
  for (const exception of excluded) {
    for (let at = 0; at + word.length <= exception.length; at++) {
      const common = word.map((set, i) => (isRun(exception[at + i]!) ? empty : set & exception[at + i]!));
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
  return avoid(words.map(reversed), { all: anyChar | startSet, join: (part, rest) => seq(rest, part) }, empty);
}

/** Matches the text after a word that must not precede any of `words`. */
function notBefore(words: readonly Word[]): Tree {
  return avoid(words, { all: anyChar | endSet, join: seq }, empty);
}

/** A word read from its end; a run still comes after its first symbol. */
function reversed(word: Word): Word {
  const symbols = word.toReversed();
  return symbols.map((set, i) => {
    if (isRun(set)) return symbols[i + 1]!;
    return isRun(symbols[i - 1] ?? empty) ? symbols[i - 1]! : set;
  });
}

/** A way to read the text next to a word. */
interface Reading {
  /** All symbols that may occur there. */
  readonly all: CharSet;
  /** Joins a part that is read with what is read after it. */
  readonly join: (part: Tree, rest: Tree) => Tree;
}

/**
 * One symbol that begins none of `words`, or a symbol that begins some, followed by text that avoids their remainders. After a run, the
 * symbol is not in `before`, the symbols of the run.
 */
function avoid(words: readonly Word[], reading: Reading, before: CharSet): Tree {
  if (words.length === 0) return nothing;
  if (words.some((word) => word.length === 0)) return never;
  if (words.some(([first]) => isRun(first!))) {
    const [[first]] = words as [[CharSet]];
    const symbols = first & ~run;
    const rests = words.map((word) => word.slice(1));
    if (words.some((word) => word[0] !== first) || rests.some(([next = empty]) => (next & (symbols | run)) !== empty))
      throw new RangeError("what follows a class that an exception repeats must begin with another character");
    return reading.join(repeat(one(symbols), 0, Number.POSITIVE_INFINITY), avoid(rests, reading, symbols));
  }
  let free = reading.all & ~before;
  for (const word of words) free &= ~word[0]!;
  const branches = new Map<CharSet, Word[]>();
  for (const set of partition(words.map((word) => word[0]!)))
    branches.set(
      set,
      words.filter((word) => (word[0]! & set) !== empty).map((word) => word.slice(1)),
    );
  return alt(one(free), ...[...branches].map(([set, rests]) => reading.join(one(set), avoid(rests, reading, empty))));
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
